// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_run.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/idmap.h"
#include "store/sqlite.h"

#include <errno.h>
#include <stdio.h>

/*
 * A queued run's place is how many stand before it: those that were removed don't count.  Both by
 * indexes alone, for what lies behind the texts of a row is found by going through them.
 */
#define NOT_REMOVED(run)        \
	run ".purge_ns IS NULL" \
	    " AND " run ".session NOT IN (SELECT id FROM session WHERE purge_ns IS NOT NULL)"
#define PLACE_OF_ONE                                                                            \
	"iif(r.state = 'queued', 1 + (SELECT count(*) FROM run o INDEXED BY run_queue"          \
	" WHERE o.state = 'queued' AND o.host = r.host AND o.place < r.place AND " NOT_REMOVED( \
		"o") "), 0)"
#define RUN_COLUMNS(place) RUN_COLUMNS_BY(place, "")
#define RUN_COLUMNS_BY(place, index)                                                             \
	"SELECT r.id, r.session, r.state, " place ","                                            \
	" r.host, r.person, r.tool, r.form, r.folder, r.argv, r.environment, r.created_ns,"      \
	" r.started_ns, r.ended_ns, r.ending, r.ending_code, r.kernel, r.perfolio, r.cpu_model," \
	" r.quality, r.reason, r.usage, r.facts, r.maker, s.maker, r.paused, "                   \
	"coalesce(s.purge_ns, r.purge_ns, 0),"                                                   \
	" (SELECT coalesce(sum(f.size), 0) FROM file f WHERE f.run = r.id),"                     \
	" (SELECT number FROM change c WHERE c.kind = 'run' AND c.id = r.id)"                    \
	" FROM run r " index "JOIN session s ON r.session = s.id "
#define PRESENT "r.purge_ns IS NULL AND s.purge_ns IS NULL"

static const char *const endings[] = {
	[ENDING_NONE] = "", [ENDING_EXIT] = "exit", [ENDING_SIGNAL] = "signal"
};

int db_check_run(struct store *store, int64_t id, struct err *err)
{
	struct stmt q;
	int64_t one;
	int rc;

	stmt_open(&q, store,
		  "SELECT 1 FROM run r JOIN session s ON r.session = s.id WHERE r.id = ? "
		  "AND " PRESENT);
	stmt_int(&q, id);
	rc = stmt_number(&q, &one, err);
	if (rc == -ENOENT)
		err_set(err, ENOENT, "there is no run %lld", (long long)id);
	return rc;
}

static int index_of(const char *const *names, int count, const char *name)
{
	int i = 0;

	while (i < count - 1 && strcmp(names[i], name))
		i++;
	return i;
}

static enum run_state state_of(const char *name)
{
	const char *names[RUN_STATES];

	for (int i = 0; i < RUN_STATES; i++)
		names[i] = run_state_name(i);
	return index_of(names, RUN_STATES, name);
}

static void read_facts(struct stmt *q, struct arena *arena, struct run_facts *into)
{
	into->started_ns = stmt_get_int(q);
	into->ended_ns = stmt_get_int(q);
	into->ending = index_of(endings, ARRAY_SIZE(endings), stmt_get_text(q, arena));
	into->ending_code = (int)stmt_get_int(q);
	into->kernel = stmt_get_text(q, arena);
	into->perfolio = stmt_get_text(q, arena);
	into->cpu_model = stmt_get_text(q, arena);
	into->quality = stmt_get_text(q, arena);
	into->reason = stmt_get_text(q, arena);
	into->usage = stmt_get_text(q, arena);
	into->facts = stmt_get_text(q, arena);
}

static void read_run(struct stmt *q, struct arena *arena, struct run *into)
{
	*into = (struct run){ .id = stmt_get_int(q) };
	into->session = stmt_get_int(q);
	into->state = state_of(stmt_get_text(q, arena));
	into->place = stmt_get_int(q);
	into->host = stmt_get_text(q, arena);
	into->person = stmt_get_text(q, arena);
	into->tool = stmt_get_text(q, arena);
	into->form = stmt_get_text(q, arena);
	into->folder = stmt_get_text(q, arena);
	stmt_get_words(q, arena, &into->argv);
	stmt_get_words(q, arena, &into->environment);
	into->created_ns = stmt_get_int(q);
	read_facts(q, arena, &into->facts);
	into->maker = stmt_get_int(q);
	into->session_maker = stmt_get_int(q);
	into->paused = stmt_get_int(q);
	into->purge_ns = stmt_get_int(q);
	into->bytes = stmt_get_int(q);
	into->change = stmt_get_int(q);
}

static int read_lists(struct store *store, struct run *run, struct arena *arena, struct err *err)
{
	struct stmt q;
	int rc;

	stmt_open(&q, store, "SELECT event FROM run_event WHERE run = ? ORDER BY place");
	stmt_int(&q, run->id);
	rc = stmt_list(&q, arena, &run->events, err);
	if (rc)
		return rc;
	stmt_open(&q, store, "SELECT tag FROM run_tag WHERE run = ? ORDER BY tag");
	stmt_int(&q, run->id);
	return stmt_list(&q, arena, &run->tags, err);
}

void run_bind_facts(struct stmt *q, const struct run_facts *facts)
{
	stmt_int(q, facts->started_ns);
	stmt_int(q, facts->ended_ns);
	stmt_text(q, endings[facts->ending]);
	stmt_int(q, facts->ending_code);
	stmt_text_or_null(q, facts->kernel);
	stmt_text_or_null(q, facts->perfolio);
	stmt_text_or_null(q, facts->cpu_model);
	stmt_text_or_null(q, facts->quality);
	stmt_text_or_null(q, facts->reason);
	stmt_text_or_null(q, facts->usage);
	stmt_text_or_null(q, facts->facts);
}

/* Between two that come one behind the other, so that few have to move for one between them. */
#define RUN_GAP	     (1 << 20)
#define RUN_GAP_TEXT "1048576"

/* Half of the way to the one at `next`, or where it is, those from there on having gone on. */
static int place_between(struct store *store, int64_t next, int64_t *place, struct err *err)
{
	int64_t before = 0;
	struct stmt q;
	int rc;

	stmt_open(&q, store,
		  "SELECT max(place) FROM run INDEXED BY run_queue WHERE state = 'queued'"
		  " AND place < ?");
	stmt_int(&q, next);
	rc = stmt_number(&q, &before, err);
	*place = before + (next - before) / 2;
	if (rc || next - before > 1)
		return rc;
	stmt_open(&q, store,
		  "UPDATE run SET place = place + ?1 WHERE state = 'queued' AND place >= ?2");
	stmt_int(&q, RUN_GAP);
	stmt_int(&q, next);
	rc = stmt_end(&q, err);
	*place = before + RUN_GAP / 2;
	return rc < 0 ? rc : 0;
}

#define QUEUED "FROM run INDEXED BY run_turn WHERE state = 'queued'"

/*
 * People take turns: the second run of one comes behind the first of all others, and so on.  A
 * place there, before the first that somebody has beyond as many; 0: the end of the queue.
 */
static int make_place(struct store *store, int64_t maker, int64_t *place, struct err *err)
{
	int64_t own = 0, next = 0;
	struct stmt q;
	int rc;

	*place = 0;
	stmt_open(&q, store, "SELECT count(*) " QUEUED " AND maker = ?");
	stmt_int(&q, maker);
	rc = stmt_number(&q, &own, err);
	if (rc)
		return rc;
	/* those who have some are found one behind the other, not by looking at all runs */
	stmt_open(&q, store,
		  "WITH RECURSIVE m(maker) AS (SELECT min(maker) " QUEUED " UNION ALL"
		  " SELECT (SELECT min(maker) " QUEUED " AND maker > m.maker) FROM m"
		  " WHERE m.maker IS NOT NULL)"
		  " SELECT min((SELECT place " QUEUED " AND maker = m.maker"
		  " ORDER BY place LIMIT 1 OFFSET ?)) FROM m");
	stmt_int(&q, own + 1);
	rc = stmt_number(&q, &next, err);
	return rc || !next ? rc : place_between(store, next, place, err);
}

static int64_t text_bytes_of(const struct wordlist *words)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < words->len; i++)
		bytes += (int64_t)strlen(words->data[i]) + 1;
	return bytes;
}

static int64_t length_of(const char *text)
{
	return text ? (int64_t)strlen(text) : 0;
}

int64_t store_run_text(const struct run *run)
{
	return length_of(run->form) + length_of(run->folder) + text_bytes_of(&run->argv) +
	       text_bytes_of(&run->environment);
}

static int insert_row(struct store *store, const struct run *run, int64_t *id, struct err *err)
{
	int64_t place = 0;
	struct stmt q;
	int rc = run->state == RUN_QUEUED ? make_place(store, run->maker, &place, err) : 0;

	if (rc)
		return rc;
	stmt_open(&q, store,
		  "INSERT INTO run (session, state, place, host, person, tool, form, folder, argv,"
		  " environment, created_ns, started_ns, ended_ns, ending, ending_code, kernel,"
		  " perfolio, cpu_model, quality, reason, usage, facts, maker, bytes)"
		  " VALUES (?, ?, iif(?2 = 'queued', iif(?3, ?3, (SELECT coalesce(max(place), 0)"
		  " + " RUN_GAP_TEXT " FROM run INDEXED BY run_queue WHERE state = 'queued')), "
		  "NULL), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
		  "?, "
		  "coalesce(?, ''), coalesce(?, ''),"
		  " coalesce(?, ''), coalesce(?, ''), coalesce(?, ''), coalesce(?, ''),"
		  " coalesce(?, ''), ?, ?) RETURNING id");
	stmt_int(&q, run->session);
	stmt_text(&q, run_state_name(run->state));
	stmt_int(&q, place);
	stmt_text(&q, run->host);
	stmt_text(&q, run->person);
	stmt_text(&q, run->tool);
	stmt_text(&q, run->form);
	stmt_text(&q, run->folder);
	stmt_words(&q, &run->argv);
	stmt_words(&q, &run->environment);
	stmt_int(&q, clock_wall_ns());
	run_bind_facts(&q, &run->facts);
	stmt_int(&q, run->maker);
	stmt_int(&q, store_run_text(run));
	return stmt_number(&q, id, err);
}

static int insert_lists(struct store *store, const struct run *run, int64_t id, struct err *err)
{
	struct stmt q;
	int rc = 0;

	for (size_t i = 0; i < run->events.len && rc >= 0; i++) {
		stmt_open(&q, store, "INSERT INTO run_event (run, place, event) VALUES (?, ?, ?)");
		stmt_int(&q, id);
		stmt_int(&q, (int64_t)i);
		stmt_text(&q, run->events.data[i]);
		rc = stmt_end(&q, err);
	}
	for (size_t i = 0; i < run->tags.len && rc >= 0; i++) {
		stmt_open(&q, store, "INSERT OR IGNORE INTO run_tag (run, tag) VALUES (?, ?)");
		stmt_int(&q, id);
		stmt_text(&q, run->tags.data[i]);
		rc = stmt_end(&q, err);
	}
	return rc < 0 ? rc : 0;
}

static int add(struct store *store, const struct run *run, int64_t *id, struct err *err)
{
	int rc = db_check_session(store, run->session, err);

	if (!rc && run->state != RUN_QUEUED && run->state != RUN_PROCESSING)
		rc = err_set(err, EPERM, "no run begins as %s", run_state_name(run->state));
	if (!rc)
		rc = insert_row(store, run, id, err);
	if (!rc)
		rc = insert_lists(store, run, *id, err);
	if (!rc)
		rc = db_changed(store, STORE_RUN, *id, err);
	if (!rc)
		rc = db_changed(store, STORE_SESSION, run->session, err);
	if (!rc && run->state == RUN_QUEUED)
		rc = db_changed(store, STORE_QUEUE, 0, err);
	return rc;
}

int store_run_add(struct store *store, const struct run *run, int64_t *id, struct err *err)
{
	int rc = db_write(store, err);

	if (!rc)
		rc = add(store, run, id, err);
	return db_done(store, rc, err);
}

static int get(struct store *store, int64_t id, struct arena *arena, struct run *into,
	       struct err *err)
{
	struct stmt q;
	int rc;

	stmt_open(&q, store, RUN_COLUMNS(PLACE_OF_ONE) "WHERE r.id = ? AND " PRESENT);
	stmt_int(&q, id);
	rc = stmt_row(&q, err);
	if (rc > 0)
		read_run(&q, arena, into);
	stmt_close(&q);
	if (!rc)
		return err_set(err, ENOENT, "there is no run %lld", (long long)id);
	return rc < 0 ? rc : read_lists(store, into, arena, err);
}

int store_run_get(struct store *store, int64_t id, struct arena *arena, struct run *into,
		  struct err *err)
{
	int rc = db_read(store, err);

	if (!rc)
		rc = get(store, id, arena, into, err);
	return db_done(store, rc, err);
}

/* ["queued","done"] */
static void chosen_states(char *into, size_t room, unsigned states)
{
	size_t length = 0;

	for (int i = 0; i < RUN_STATES; i++)
		if (states & (1U << i))
			length += (size_t)snprintf(into + length, room - length, "%c\"%s\"",
						   length ? ',' : '[', run_state_name(i));
	snprintf(into + length, room - length, length ? "]" : "[]");
}

/* Those in few states are found by an index: there are many runs and few that wait. */
#define ANY_STATE   "?4 = '[]'"
#define SOME_STATES "r.id IN (SELECT id FROM run WHERE state IN (SELECT value FROM json_each(?4)))"
#define RUN_LIST(states)                                                                 \
	RUN_COLUMNS("0")                                                                 \
	"WHERE " states " AND r.id < ?1"                                                 \
	" AND (r.purge_ns IS NOT NULL OR s.purge_ns IS NOT NULL) = ?2"                   \
	" AND (?3 = 0 OR r.session = ?3)"                                                \
	" AND (?5 IS NULL OR r.host = ?5)"                                               \
	" AND (?6 IS NULL OR EXISTS (SELECT 1 FROM run_tag t"                            \
	"  WHERE t.run = r.id AND t.tag = ?6))"                                          \
	" AND (?7 IS NULL OR has_words(?7, r.argv, r.tool, r.folder, r.host, r.person,"  \
	"  r.reason, (SELECT group_concat(tag, ' ') FROM run_tag t WHERE t.run = r.id)," \
	"  (SELECT group_concat(event, ' ') FROM run_event e WHERE e.run = r.id)))"      \
	" ORDER BY r.id DESC LIMIT ?8"

/* All at once: to count for each of a thousand that wait would be a million steps. */
static int read_places(struct store *store, struct run *runs, size_t count, struct err *err)
{
	struct idmap places = { 0 };
	struct stmt q;
	int rc;

	stmt_open(&q, store,
		  "SELECT r.id, rank() OVER (PARTITION BY r.host ORDER BY r.place) FROM run r"
		  " INDEXED BY run_queue WHERE r.state = 'queued' AND " NOT_REMOVED("r"));
	while ((rc = stmt_row(&q, err)) > 0) {
		uint64_t id = (uint64_t)stmt_get_int(&q);

		idmap_add(&places, id, (uint32_t)stmt_get_int(&q));
	}
	stmt_close(&q);
	for (size_t i = 0; i < count; i++) {
		uint32_t place = idmap_find(&places, (uint64_t)runs[i].id);

		runs[i].place = place == IDMAP_NONE ? 0 : place;
	}
	idmap_free(&places);
	return rc;
}

/* Reads to its end, or to the first run beyond that many bytes of text; 0: any. */
static int read_runs(struct stmt *q, int64_t bytes, struct arena *arena, struct runs *into,
		     struct err *err)
{
	int64_t total = 0;
	int rc;

	while ((rc = stmt_row(q, err)) > 0) {
		struct run *run = vec_push(into);

		read_run(q, arena, run);
		if (bytes && total > bytes)
			break;
		total += store_run_text(run);
	}
	stmt_close(q);
	return rc < 0 ? rc : 0;
}

/* What is in other tables, of those from `first` on. */
static int complete(struct store *store, struct runs *runs, size_t first, struct arena *arena,
		    struct err *err)
{
	int rc = 0;

	for (size_t i = first; i < runs->len && !rc; i++)
		rc = read_lists(store, &runs->data[i], arena, err);
	if (!rc && runs->len > first)
		rc = read_places(store, runs->data + first, runs->len - first, err);
	return rc;
}

static int list(struct store *store, const struct run_filter *filter, struct arena *arena,
		struct runs *into, struct err *err)
{
	size_t first = into->len;
	char states[100];
	struct stmt q;
	int rc;

	chosen_states(states, sizeof(states), filter->states);
	stmt_open(&q, store, filter->states ? RUN_LIST(SOME_STATES) : RUN_LIST(ANY_STATE));
	stmt_int(&q, db_before(&filter->page));
	stmt_int(&q, filter->removed);
	stmt_int(&q, filter->session);
	stmt_text(&q, states);
	stmt_text_or_null(&q, filter->host);
	stmt_text_or_null(&q, filter->tag);
	stmt_text_or_null(&q, filter->search);
	stmt_int(&q, db_limit(filter->page.limit));
	rc = read_runs(&q, filter->bytes, arena, into, err);
	return rc ? rc : complete(store, into, first, arena, err);
}

/* By the index: to sort would be to have all of them in memory. */
static int queue_runs(struct store *store, int limit, int64_t bytes, struct arena *arena,
		      struct runs *into, struct err *err)
{
	size_t first = into->len;
	struct stmt q;
	int rc;

	stmt_open(&q, store,
		  RUN_COLUMNS("0") "WHERE r.state IN ('starting', 'running') AND " PRESENT
				   " ORDER BY r.id");
	rc = read_runs(&q, 0, arena, into, err);
	if (rc)
		return rc;
	stmt_open(
		&q, store,
		RUN_COLUMNS_BY("0", "INDEXED BY run_queue ") "WHERE r.state = 'queued' AND " PRESENT
							     " ORDER BY r.place LIMIT ?");
	stmt_int(&q, limit);
	rc = read_runs(&q, bytes, arena, into, err);
	return rc ? rc : complete(store, into, first, arena, err);
}

int store_queue_runs(struct store *store, int limit, int64_t bytes, struct arena *arena,
		     struct runs *into, struct err *err)
{
	int rc = db_read(store, err);

	if (!rc)
		rc = queue_runs(store, limit, bytes, arena, into, err);
	return db_done(store, rc, err);
}

int store_run_list(struct store *store, const struct run_filter *filter, struct arena *arena,
		   struct runs *into, struct err *err)
{
	int rc = db_read(store, err);

	if (!rc)
		rc = list(store, filter, arena, into, err);
	return db_done(store, rc, err);
}
