// SPDX-License-Identifier: Apache-2.0
/* The way of a run: through the queue, from state to state. */
#include "base/clock.h"
#include "base/err.h"
#include "store/sqlite.h"
#include "store/sqlite_run.h"

#include <errno.h>

static bool is_final(enum run_state state)
{
	return state == RUN_DONE || state == RUN_FAILED || state == RUN_CANCELLED;
}

/* The times that the caller did not say. */
static struct run_facts with_times(const struct run_facts *facts, enum run_state from,
				   enum run_state to)
{
	struct run_facts full = facts ? *facts : (struct run_facts){ 0 };

	if (from != to && to == RUN_RUNNING && !full.started_ns)
		full.started_ns = clock_wall_ns();
	return full;
}

/*
 * Whether the run was in state `from` and is in `to` now.  One whose end was told keeps that: it
 * was over before it was looked at.
 */
static int compare_and_set(struct store *store, int64_t id, enum run_state from, enum run_state to,
			   const struct run_facts *facts, struct err *err)
{
	bool ends = from != to && is_final(to);
	struct stmt q;

	stmt_open(&q, store,
		  "UPDATE run SET started_ns = iif(?1, ?1, started_ns),"
		  " ended_ns = iif(?2, ?2, iif(ended_ns, ended_ns, ?15)),"
		  " ending = iif(?3 = '', ending, ?3),"
		  " ending_code = iif(?3 = '', ending_code, ?4),"
		  " kernel = coalesce(?5, kernel), perfolio = coalesce(?6, perfolio),"
		  " cpu_model = coalesce(?7, cpu_model), quality = coalesce(?8, quality),"
		  " reason = coalesce(?9, reason), usage = coalesce(?10, usage),"
		  " facts = coalesce(?11, facts),"
		  " paused = paused AND state = ?12, state = ?12,"
		  " place = iif(?12 = 'queued', place, NULL) WHERE state = ?13 AND id = ?14");
	run_bind_facts(&q, facts);
	stmt_text(&q, run_state_name(to));
	stmt_text(&q, run_state_name(from));
	stmt_int(&q, id);
	stmt_int(&q, ends ? clock_wall_ns() : 0);
	return stmt_end(&q, err);
}

static int step(struct store *store, int64_t id, enum run_state from, enum run_state to,
		const struct run_facts *facts, struct err *err)
{
	struct run_facts full = with_times(facts, from, to);
	int rc = db_check_run(store, id, err);

	if (rc)
		return rc;
	rc = compare_and_set(store, id, from, to, &full, err);
	if (!rc)
		return err_set(err, EAGAIN, "run %lld is not %s any more", (long long)id,
			       run_state_name(from));
	if (rc > 0)
		rc = db_changed(store, STORE_RUN, id, err);
	if (!rc && from == RUN_QUEUED && to != RUN_QUEUED)
		rc = db_changed(store, STORE_QUEUE, 0, err);
	return rc;
}

int store_run_step(struct store *store, int64_t id, enum run_state from, enum run_state to,
		   const struct run_facts *facts, struct err *err)
{
	int rc;

	if (from != to && !run_state_follows(from, to))
		return err_set(err, EPERM, "run %lld: no way leads from %s to %s", (long long)id,
			       run_state_name(from), run_state_name(to));
	rc = db_write(store, err);
	if (!rc)
		rc = step(store, id, from, to, facts, err);
	return db_done(store, rc, err);
}

static int pause_run(struct store *store, int64_t id, bool paused, struct err *err)
{
	struct stmt q;
	int rc = db_check_run(store, id, err);

	if (rc)
		return rc;
	stmt_open(&q, store, "UPDATE run SET paused = ? WHERE id = ? AND state = 'running'");
	stmt_int(&q, paused);
	stmt_int(&q, id);
	rc = stmt_end(&q, err);
	if (!rc)
		return err_set(err, EAGAIN, "run %lld is not running any more", (long long)id);
	return rc < 0 ? rc : db_changed(store, STORE_RUN, id, err);
}

int store_run_pause(struct store *store, int64_t id, bool paused, struct err *err)
{
	int rc = db_write(store, err);

	if (!rc)
		rc = pause_run(store, id, paused, err);
	return db_done(store, rc, err);
}

/* The place of a queued run of that host; -EAGAIN with words if it is not queued there. */
static int queued_place(struct store *store, int64_t id, const char *host, int64_t *place,
			struct err *err)
{
	struct stmt q;
	int rc = db_check_run(store, id, err);

	if (rc)
		return rc;
	stmt_open(&q, store,
		  "SELECT place FROM run WHERE id = ? AND state = 'queued'"
		  " AND host = coalesce(?, host)");
	stmt_int(&q, id);
	stmt_text_or_null(&q, host);
	rc = stmt_number(&q, place, err);
	if (rc == -ENOENT)
		rc = err_set(err, EAGAIN, "run %lld does not wait in %s queue", (long long)id,
			     host ? "that" : "the");
	return rc;
}

static int host_of(struct store *store, int64_t id, struct arena *arena, const char **host,
		   struct err *err)
{
	struct wordlist found = { 0 };
	struct stmt q;
	int rc;

	stmt_open(&q, store, "SELECT host FROM run WHERE id = ?");
	stmt_int(&q, id);
	rc = stmt_list(&q, arena, &found, err);
	*host = found.len ? found.data[0] : "";
	return rc;
}

static int place_before(struct store *store, int64_t id, int64_t before, const char *host,
			struct err *err)
{
	struct stmt q;
	int64_t place;
	int rc;

	if (before) {
		rc = queued_place(store, before, host, &place, err);
		if (rc)
			return rc;
		stmt_open(&q, store,
			  "UPDATE run SET place = place + 1 WHERE state = 'queued' AND place >= ?");
		stmt_int(&q, place);
		rc = stmt_end(&q, err);
	} else {
		stmt_open(&q, store, "SELECT max(place) + 1 FROM run WHERE state = 'queued'");
		rc = stmt_number(&q, &place, err);
	}
	if (rc < 0)
		return rc;
	stmt_open(&q, store, "UPDATE run SET place = ? WHERE id = ?");
	stmt_int(&q, place);
	stmt_int(&q, id);
	rc = stmt_end(&q, err);
	return rc < 0 ? rc : db_changed(store, STORE_QUEUE, 0, err);
}

int store_run_move(struct store *store, int64_t id, int64_t before, struct err *err)
{
	struct arena arena = { 0 };
	const char *host = "";
	int64_t place;
	int rc = db_write(store, err);

	if (!rc)
		rc = queued_place(store, id, NULL, &place, err);
	if (!rc)
		rc = host_of(store, id, &arena, &host, err);
	if (!rc && before != id)
		rc = place_before(store, id, before, host, err);
	arena_free(&arena);
	return db_done(store, rc, err);
}

/* Its runs that wait, in order, have the same places as before: nobody else is moved. */
static int move_among_own(struct store *store, int64_t id, int64_t before, struct err *err)
{
	VEC(int64_t) runs = { 0 };
	VEC(int64_t) places = { 0 };
	struct stmt q;
	size_t at = 0;
	bool found = !before;
	int rc;

	stmt_open(&q, store,
		  "SELECT id, place FROM run WHERE state = 'queued' AND maker ="
		  " (SELECT maker FROM run WHERE id = ?1) ORDER BY place, id");
	stmt_int(&q, id);
	while ((rc = stmt_row(&q, err)) > 0) {
		int64_t run = stmt_get_int(&q);

		*vec_push(&places) = stmt_get_int(&q);
		found |= run == before;
		if (run == before)
			*vec_push(&runs) = id;
		if (run != id)
			*vec_push(&runs) = run;
	}
	stmt_close(&q);
	if (!rc && !found)
		rc = err_set(err, EACCES,
			     "run %lld is another's: only the owner moves runs before it",
			     (long long)before);
	if (!before)
		*vec_push(&runs) = id;
	for (; !rc && at < runs.len; at++) {
		stmt_open(&q, store, "UPDATE run SET place = ? WHERE id = ?");
		stmt_int(&q, places.data[at]);
		stmt_int(&q, runs.data[at]);
		rc = stmt_end(&q, err);
		rc = rc < 0 ? rc : 0;
	}
	vec_free(&runs);
	vec_free(&places);
	return rc ? rc : db_changed(store, STORE_QUEUE, 0, err);
}

int store_run_move_own(struct store *store, int64_t id, int64_t before, struct err *err)
{
	int64_t place;
	int rc = db_write(store, err);

	if (!rc)
		rc = queued_place(store, id, NULL, &place, err);
	if (!rc && before)
		rc = queued_place(store, before, NULL, &place, err);
	if (!rc && before != id)
		rc = move_among_own(store, id, before, err);
	return db_done(store, rc, err);
}

int store_queue(struct store *store, struct queue *into, struct err *err)
{
	struct stmt q;
	int rc = db_read(store, err);

	if (!rc) {
		stmt_open(&q, store,
			  "SELECT r.id, r.state = 'queued' FROM run r JOIN session s"
			  " ON r.session = s.id"
			  " WHERE r.state IN ('queued', 'starting', 'running')"
			  " AND r.purge_ns IS NULL AND s.purge_ns IS NULL"
			  " ORDER BY r.place, r.id");
		while ((rc = stmt_row(&q, err)) > 0) {
			struct queue_entry *entry = vec_push(into);

			entry->run = stmt_get_int(&q);
			entry->waits = stmt_get_int(&q);
		}
		stmt_close(&q);
	}
	return db_done(store, rc, err);
}

static int first_of_queue(struct store *store, const char *host, int64_t *id, struct err *err)
{
	struct stmt q;
	int rc;

	stmt_open(&q, store,
		  "SELECT r.id FROM run r INDEXED BY run_queue JOIN session s ON r.session = s.id"
		  " WHERE r.state = 'queued' AND r.host = ?1"
		  " AND r.purge_ns IS NULL AND s.purge_ns IS NULL"
		  " AND NOT EXISTS (SELECT 1 FROM run b WHERE b.state IN ('starting', 'running')"
		  "  AND b.host = ?1)"
		  " ORDER BY r.place LIMIT 1");
	stmt_text(&q, host);
	rc = stmt_row(&q, err);
	if (rc > 0)
		*id = stmt_get_int(&q);
	stmt_close(&q);
	return rc;
}

int store_run_take(struct store *store, const char *host, int64_t *id, struct err *err)
{
	int rc = db_write(store, err);

	if (!rc)
		rc = first_of_queue(store, host, id, err);
	if (rc > 0) {
		rc = step(store, *id, RUN_QUEUED, RUN_STARTING, NULL, err);
		rc = rc ? rc : 1;
	}
	return db_done(store, rc, err);
}

static bool is_among(int64_t id, const int64_t *ids, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (ids[i] == id)
			return true;
	return false;
}

static int fail_interrupted(struct store *store, int64_t id, struct err *err)
{
	struct run_facts facts = { .reason = "interrupted", .ended_ns = clock_wall_ns() };
	int rc = compare_and_set(store, id, RUN_STARTING, RUN_FAILED, &facts, err);

	if (!rc)
		rc = compare_and_set(store, id, RUN_RUNNING, RUN_FAILED, &facts, err);
	return rc < 0 ? rc : db_changed(store, STORE_RUN, id, err);
}

static int put_back(struct store *store, int64_t id, struct err *err)
{
	struct stmt q;
	int rc;

	stmt_open(&q, store,
		  "UPDATE run SET state = 'queued', place ="
		  " coalesce((SELECT min(place) FROM run WHERE state = 'queued') - 1, 0)"
		  " WHERE state = 'starting' AND id = ?");
	stmt_int(&q, id);
	rc = stmt_end(&q, err);
	if (rc > 0) {
		stmt_open(&q, store, "DELETE FROM file WHERE run = ?");
		stmt_int(&q, id);
		rc = stmt_end(&q, err);
	}
	if (rc >= 0)
		rc = db_changed(store, STORE_RUN, id, err);
	return rc ? rc : db_changed(store, STORE_QUEUE, 0, err);
}

/* Does that to every run which the query finds and which is not alive; counts them. */
static int each_lost(struct store *store, const char *query,
		     int (*call)(struct store *, int64_t, struct err *), const int64_t *alive,
		     size_t count, int64_t *lost, struct err *err)
{
	VEC(int64_t) busy = { 0 };
	struct stmt q;
	int rc = db_write(store, err);

	*lost = 0;
	if (!rc) {
		stmt_open(&q, store, query);
		while ((rc = stmt_row(&q, err)) > 0)
			*vec_push(&busy) = stmt_get_int(&q);
		stmt_close(&q);
	}
	for (size_t i = 0; i < busy.len && !rc; i++)
		if (!is_among(busy.data[i], alive, count)) {
			rc = call(store, busy.data[i], err);
			++*lost;
		}
	vec_free(&busy);
	return db_done(store, rc, err);
}

int store_run_interrupt(struct store *store, const int64_t *alive, size_t count,
			int64_t *interrupted, struct err *err)
{
	return each_lost(store, "SELECT id FROM run WHERE state IN ('starting', 'running')",
			 fail_interrupted, alive, count, interrupted, err);
}

int store_run_put_back(struct store *store, const int64_t *alive, size_t count, int64_t *back,
		       struct err *err)
{
	return each_lost(store, "SELECT id FROM run WHERE state = 'starting'", put_back, alive,
			 count, back, err);
}

int store_event_uses(struct store *store, int64_t session, int limit, struct arena *arena,
		     struct event_uses *into, struct err *err)
{
	struct stmt q;
	int rc = db_read(store, err);

	if (!rc) {
		stmt_open(
			&q, store,
			"SELECT a.event, coalesce(m.uses, 0) AS mine, a.uses FROM"
			" (SELECT event, count(*) AS uses FROM run_event GROUP BY event) a"
			" LEFT JOIN (SELECT event, count(*) AS uses FROM run_event e"
			"  JOIN run r ON e.run = r.id WHERE r.session = ?1 GROUP BY event) m"
			" ON m.event = a.event ORDER BY mine DESC, a.uses DESC, a.event LIMIT ?2");
		stmt_int(&q, session);
		stmt_int(&q, db_limit(limit));
		while ((rc = stmt_row(&q, err)) > 0) {
			struct event_use *use = vec_push(into);

			use->event = stmt_get_text(&q, arena);
			use->in_session = stmt_get_int(&q);
			use->overall = stmt_get_int(&q);
		}
		stmt_close(&q);
	}
	return db_done(store, rc, err);
}
