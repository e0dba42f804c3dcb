-- Sign-ins of browsers are told apart from tokens for programs: what a cookie is worth needs its proof.
-- The owner's key has a file of its own now.  Sign-ins without a proof end here.

ALTER TABLE token ADD COLUMN browser INTEGER NOT NULL DEFAULT 0;
DELETE FROM token WHERE label = 'browser' AND expires_ns > 0;
DELETE FROM setting WHERE name IN ('owner-cookie', 'owner-signed-out');
