-- Whether a run that runs measures nothing just now, because somebody wanted it so.

ALTER TABLE run ADD COLUMN paused INTEGER NOT NULL DEFAULT 0;
