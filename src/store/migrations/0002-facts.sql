-- What was learnt of a run: its use of the machine, and what its data holds.  Both JSON, '' for none.

ALTER TABLE run ADD COLUMN usage TEXT NOT NULL DEFAULT '';
ALTER TABLE run ADD COLUMN facts TEXT NOT NULL DEFAULT '';
