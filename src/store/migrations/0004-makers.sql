-- Whose a session or run is: the account's number, which is never used again; 0 is the owner of the
-- server.  Sessions had no maker before, so they are the owner's.  A run is its person's, if the
-- account of that name is as old as the run.

ALTER TABLE session ADD COLUMN person TEXT NOT NULL DEFAULT 'owner';
ALTER TABLE session ADD COLUMN maker INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN maker INTEGER NOT NULL DEFAULT 0;
UPDATE run SET maker = coalesce((SELECT u.id FROM user u WHERE u.name = run.person
				 AND u.name <> 'owner' AND u.created_ns <= run.created_ns), 0);

-- Whose line it is, for those who see their own; 0: nobody's but the owner's.
ALTER TABLE audit ADD COLUMN user INTEGER NOT NULL DEFAULT 0;
UPDATE audit SET user = coalesce((SELECT u.id FROM user u WHERE u.name = audit.person
				  AND u.name <> 'owner' AND u.created_ns <= audit.time_ns), 0);
CREATE INDEX audit_user ON audit (user, id);
