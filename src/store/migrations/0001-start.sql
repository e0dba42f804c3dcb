-- Ids are never used twice, so a link to a run that was removed can't lead to another one.
-- Times are nanoseconds since the epoch.  docs/store.md explains the tables.

CREATE TABLE session (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	title TEXT NOT NULL,
	notes TEXT NOT NULL,
	created_ns INTEGER NOT NULL,
	archived INTEGER NOT NULL,
	purge_ns INTEGER -- removed, and gone for good from then on
) STRICT;
CREATE INDEX session_purge ON session (purge_ns) WHERE purge_ns IS NOT NULL;

CREATE TABLE run (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,
	state TEXT NOT NULL CHECK (state IN ('queued', 'starting', 'running', 'processing', 'done',
					     'failed', 'cancelled')),
	place INTEGER, -- in the queue; only their order means something
	host TEXT NOT NULL,
	person TEXT NOT NULL,
	tool TEXT NOT NULL,
	form TEXT NOT NULL,
	folder TEXT NOT NULL,
	argv BLOB NOT NULL, -- words, each ended by a NUL: they need not be UTF-8
	environment BLOB NOT NULL,
	created_ns INTEGER NOT NULL,
	started_ns INTEGER NOT NULL,
	ended_ns INTEGER NOT NULL,
	ending TEXT NOT NULL CHECK (ending IN ('', 'exit', 'signal')),
	ending_code INTEGER NOT NULL,
	kernel TEXT NOT NULL,
	perfolio TEXT NOT NULL,
	cpu_model TEXT NOT NULL,
	quality TEXT NOT NULL,
	reason TEXT NOT NULL,
	purge_ns INTEGER,
	CHECK ((state = 'queued') = (place IS NOT NULL))
) STRICT;
CREATE INDEX run_session ON run (session, id);
CREATE INDEX run_queue ON run (place) WHERE state = 'queued';
CREATE INDEX run_state ON run (state);
CREATE INDEX run_purge ON run (purge_ns) WHERE purge_ns IS NOT NULL;

CREATE TABLE run_event (
	run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	place INTEGER NOT NULL,
	event TEXT NOT NULL,
	PRIMARY KEY (run, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_event_name ON run_event (event, run);

CREATE TABLE session_tag (
	session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,
	tag TEXT NOT NULL,
	PRIMARY KEY (session, tag)
) STRICT, WITHOUT ROWID;

CREATE TABLE run_tag (
	run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	tag TEXT NOT NULL,
	PRIMARY KEY (run, tag)
) STRICT, WITHOUT ROWID;

CREATE TABLE file (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	kind TEXT NOT NULL,
	hash TEXT NOT NULL, -- of its content; '' while it is being written
	size INTEGER NOT NULL,
	created_ns INTEGER NOT NULL
) STRICT;
CREATE INDEX file_run ON file (run, size); -- with what is summed up
CREATE INDEX file_hash ON file (hash, size);

CREATE TABLE user (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	name TEXT NOT NULL UNIQUE,
	role TEXT NOT NULL CHECK (role IN ('viewer', 'runner')),
	password TEXT NOT NULL, -- hashed; '' for none
	created_ns INTEGER NOT NULL
) STRICT;

CREATE TABLE token (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	user INTEGER NOT NULL REFERENCES user ON DELETE CASCADE,
	hash TEXT NOT NULL UNIQUE,
	label TEXT NOT NULL,
	created_ns INTEGER NOT NULL,
	expires_ns INTEGER NOT NULL -- 0: never
) STRICT;
CREATE INDEX token_user ON token (user);

-- Names, not references: what somebody did outlives his account.
CREATE TABLE audit (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	time_ns INTEGER NOT NULL,
	person TEXT NOT NULL,
	action TEXT NOT NULL,
	detail TEXT NOT NULL
) STRICT;

CREATE TABLE setting (
	name TEXT PRIMARY KEY,
	value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- When each thing changed last, also one that is gone: who knows everything up to some number asks
-- for what has a higher one, and there is never a gap.
CREATE TABLE change (
	number INTEGER PRIMARY KEY,
	kind TEXT NOT NULL,
	id INTEGER NOT NULL,
	UNIQUE (kind, id)
) STRICT;
