-- How long the texts of a row are: what somebody's rows take is summed up without reading them.

ALTER TABLE session ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
UPDATE session SET bytes = length(CAST(title AS BLOB)) + length(CAST(notes AS BLOB));
UPDATE run SET bytes = length(CAST(form AS BLOB)) + length(CAST(folder AS BLOB)) + length(argv)
		       + length(environment);
CREATE INDEX session_maker ON session (maker, bytes);
CREATE INDEX run_maker ON run (maker, bytes);
