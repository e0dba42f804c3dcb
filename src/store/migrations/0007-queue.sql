-- With all that the queue's order is made of: a run's own row may be long, and what lies behind its texts
-- is found by going through them.

DROP INDEX run_queue;
CREATE INDEX run_queue ON run (place, host, session, maker, purge_ns, state) WHERE state = 'queued';
CREATE INDEX run_turn ON run (maker, place, state) WHERE state = 'queued';
