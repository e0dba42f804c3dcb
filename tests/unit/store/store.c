// SPDX-License-Identifier: Apache-2.0
/* The database and its folder: who may open them, what is refused, what failures say. */
#include "base/file.h"
#include "store/migrate.h"
#include "store/people.h"
#include "store/scene.h"
#include "store/sqlite.h"
#include "symbol/folder.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned mode_of(const char *name)
{
	struct stat info = { 0 };
	char file[400];

	snprintf(file, sizeof(file), "%s/%s", scene_path(), name);
	EXPECT_INT(stat(file, &info), 0);
	return info.st_mode & 0777;
}

TEST(store_nobody_else_may_look)
{
	mode_t old = umask(0);

	scene_open();
	umask(old);
	scene_file(scene_queued(scene_session("s")), "recording", "secret");
	EXPECT_INT(mode_of("."), 0700);
	EXPECT_INT(mode_of("files"), 0700);
	EXPECT_INT(mode_of("perfolio.db"), 0600);
	EXPECT_INT(mode_of("perfolio.db-wal"), 0600);
	EXPECT_INT(mode_of("lock"), 0600);
	scene_close();
}

TEST(store_database_is_closed_to_others_again)
{
	char file[400];

	scene_open();
	scene_shut();
	snprintf(file, sizeof(file), "%s/perfolio.db", scene_path());
	EXPECT_INT(chmod(file, 0644), 0);
	scene_reopen();
	EXPECT_INT(mode_of("perfolio.db"), 0600);
	scene_close();
}

TEST(store_refuses_an_open_folder)
{
	struct err err = { 0 };

	scene_open();
	scene_shut();
	EXPECT_INT(chmod(scene_path(), 0755), 0);
	EXPECT(!datadir_open(scene_path(), DATADIR_ROWS, &err));
	EXPECT_INT(err.code, EACCES);
	EXPECT_CONTAINS(err.text, "chmod 700");
	scene_close();
}

TEST(store_a_second_server_is_refused_by_the_first_ones_number)
{
	struct err err = { 0 };
	struct datadir *beside;
	char pid[32];

	scene_open();
	EXPECT(!datadir_open(scene_path(), DATADIR_SERVE, &err));
	EXPECT_INT(err.code, EBUSY);
	snprintf(pid, sizeof(pid), "process %d ", (int)getpid());
	EXPECT_CONTAINS(err.text, pid);

	beside = datadir_open(scene_path(), DATADIR_ROWS, &err);
	EXPECT(beside);
	datadir_close(beside);
	scene_reopen(); /* the lock goes with its holder */
	scene_close();
}

TEST(store_settings_of_the_database)
{
	struct stmt q;
	int64_t on = 0;
	struct arena arena = { 0 };
	struct wordlist mode = { 0 };

	scene_open();
	stmt_open(&q, scene_store, "PRAGMA foreign_keys");
	EXPECT_INT(stmt_number(&q, &on, &scene_err), 0);
	EXPECT_INT(on, 1);
	stmt_open(&q, scene_store, "PRAGMA journal_mode");
	EXPECT_INT(stmt_list(&q, &arena, &mode, &scene_err), 0);
	EXPECT_TEXT(mode.data[0], "wal");
	EXPECT_INT(scene_number("PRAGMA user_version"), (int64_t)store_migration_count);
	arena_free(&arena);
	scene_close();
}

TEST(store_a_newer_database_is_refused)
{
	struct err err = { 0 };

	scene_open();
	scene_shut();
	scene_exec("PRAGMA user_version = 99");
	EXPECT(!datadir_open(scene_path(), DATADIR_ROWS, &err));
	EXPECT_INT(err.code, EPROTONOSUPPORT);
	EXPECT_CONTAINS(err.text, "newer perfolio (version 99 of the store");
	EXPECT_INT(scene_number("PRAGMA user_version"), 99);
	scene_close();
}

TEST(store_an_older_database_is_brought_up)
{
	const char *steps[16];
	size_t count = store_migration_count;
	int64_t session;

	scene_open();
	session = scene_session("kept");
	memcpy(steps, store_migrations, count * sizeof(*steps));
	steps[count] = "ALTER TABLE session ADD COLUMN colour TEXT NOT NULL DEFAULT 'blue'";
	steps[count + 1] = "UPDATE session SET colour = 'red'; CREATE TABLE more (id INTEGER)";
	EXPECT_INT(migrate(scene_store, steps, count + 2, &scene_err), 0);
	EXPECT_INT(scene_number("PRAGMA user_version"), (int64_t)count + 2);
	EXPECT_INT(scene_number("SELECT id FROM session WHERE title = 'kept' AND colour = 'red'"),
		   session);
	EXPECT_INT(migrate(scene_store, steps, count + 2, &scene_err), 0); /* once is enough */
	EXPECT_INT(migrate(scene_store, steps, count, &scene_err), -EPROTONOSUPPORT);
	scene_close();
}

/* What 0.1.0 left: sessions of nobody, runs by name, and a name that somebody else has now. */
TEST(store_0_1_0_gets_makers)
{
	struct session session;
	struct makers makers;
	struct audits lines = { 0 };
	struct page page = { 0 };

	scene_open();
	scene_empty();
	EXPECT(!mkdir(scene_path(), 0700));
	for (int i = 0; i < 3; i++)
		scene_exec(store_migrations[i]);
	scene_exec("PRAGMA user_version = 3;"
		   "INSERT INTO user VALUES (4, 'ann', 'runner', '', 1000), (7, 'bob', 'runner', "
		   "'', 5000);"
		   "INSERT INTO session VALUES (1, 'old', '', 1, 0, NULL);");
	for (int i = 0; i < 3; i++) {
		static const char *const people[] = { "ann", "bob", "owner" };
		char *sql = mem_printf("INSERT INTO run VALUES (%d, 1, 'done', NULL, 'h', '%s', "
				       "'count', '{}', '', x'', x'',"
				       " 2000, 0, 0, '', 0, '', '', '', '', '', NULL, '', '', 0);"
				       "INSERT INTO audit VALUES (%d, 2000, '%s', 'run-add', '')",
				       i + 1, people[i], i + 1, people[i]);

		scene_exec(sql);
		free(sql);
	}
	scene_reopen();
	EXPECT_INT(scene_number("PRAGMA user_version"), (int64_t)store_migration_count);
	EXPECT_INT(store_session_get(scene_store, 1, &scene_arena, &session, &scene_err), 0);
	EXPECT_INT(session.maker, 0);
	EXPECT_TEXT(session.person, "owner");
	EXPECT_INT(scene_get(1).maker, 4);
	EXPECT_INT(scene_get(2).maker, 0); /* that bob's account is younger than the run */
	EXPECT_INT(scene_get(3).maker, 0);
	EXPECT_INT(store_makers(scene_store, STORE_RUN, 1, &scene_arena, &makers, &scene_err), 0);
	EXPECT_INT(makers.session, 0);
	EXPECT_INT(makers.run, 4);
	EXPECT_TEXT(makers.session_person, "owner");
	EXPECT_INT(store_audit_list(scene_store, &page, 4, &scene_arena, &lines, &scene_err), 0);
	EXPECT_INT(lines.len, 1);
	EXPECT_INT(store_audit_list(scene_store, &page, 7, &scene_arena, &lines, &scene_err), 0);
	EXPECT_INT(lines.len, 1);
	vec_free(&lines);
	scene_close();
}

TEST(store_makers_of_what_was_removed)
{
	struct session_patch first = { .title = "ann's", .person = "ann", .maker = 4 };
	struct makers makers;
	int64_t id;

	scene_open();
	EXPECT_INT(store_session_add(scene_store, &first, &id, &scene_err), 0);
	EXPECT_INT(store_remove(scene_store, STORE_SESSION, id, INT64_MAX, &scene_err), 0);
	EXPECT_INT(store_makers(scene_store, STORE_SESSION, id, &scene_arena, &makers, &scene_err),
		   0);
	EXPECT_INT(makers.session, 4);
	EXPECT_TEXT(makers.session_person, "ann");
	EXPECT_INT(store_makers(scene_store, STORE_RUN, 9, &scene_arena, &makers, &scene_err),
		   -ENOENT);
	scene_close();
}

TEST(store_a_step_that_fails_leaves_the_version_before_it)
{
	const char *steps[16];
	size_t count = store_migration_count;

	scene_open();
	memcpy(steps, store_migrations, count * sizeof(*steps));
	steps[count] = "CREATE TABLE half (id INTEGER); INSERT INTO nowhere VALUES (1)";
	EXPECT(migrate(scene_store, steps, count + 1, &scene_err) < 0);
	EXPECT_INT(scene_number("PRAGMA user_version"), (int64_t)count);
	EXPECT_INT(scene_number("SELECT count(*) FROM sqlite_master WHERE name = 'half'"), 0);
	scene_close();
}

TEST(store_locked_by_another_program)
{
	struct store_options options = { .busy_ms = 20 };
	struct session_patch first = { .title = "x" };
	struct err err = { 0 };
	struct store *holder, *store;
	char file[400];
	int64_t id;

	scene_open();
	snprintf(file, sizeof(file), "%s/perfolio.db", scene_path());
	store = store_open(file, &options, &err);
	holder = store_open(file, NULL, &err);
	EXPECT(store && holder);
	EXPECT_INT(db_write(holder, &err), 0);
	EXPECT_INT(store_session_add(store, &first, &id, &err), -EBUSY);
	EXPECT_CONTAINS(err.text, "another program holds the database");
	EXPECT_INT(db_done(holder, 0, &err), 0);
	EXPECT_INT(store_session_add(store, &first, &id, &err), 0);
	store_close(store);
	store_close(holder);
	scene_close();
}

TEST(store_taken_away)
{
	struct session_patch first = { .title = "x" };
	char file[400];
	int64_t id;

	scene_open();
	snprintf(file, sizeof(file), "%s/perfolio.db", scene_path());
	EXPECT_INT(unlink(file), 0);
	EXPECT_INT(store_session_add(scene_store, &first, &id, &scene_err), -ESTALE);
	EXPECT_CONTAINS(scene_err.text, "removed or replaced");
	scene_close();
}

TEST(store_damaged)
{
	struct err err = { 0 };
	char file[400], text[5000];
	FILE *out;

	scene_open();
	scene_shut();
	snprintf(file, sizeof(file), "%s/perfolio.db", scene_path());
	memset(text, 'x', sizeof(text));
	out = fopen(file, "w");
	EXPECT(out);
	EXPECT_INT(fwrite(text, 1, sizeof(text), out), sizeof(text));
	EXPECT_INT(fclose(out), 0);
	EXPECT(!datadir_open(scene_path(), DATADIR_SERVE, &err));
	EXPECT_INT(err.code, EBADMSG);
	EXPECT_CONTAINS(err.text, "perfolio.db: damaged");
	scene_close();
}

TEST(store_cannot_be_made)
{
	static const struct {
		const char *path;
		int code;
	} cases[] = {
		{ "/proc/nowhere/data", ENOENT },
		{ "/dev/null/data", ENOTDIR },
		{ "/dev/null", ENOTDIR },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = { 0 };

		test_case("%s", cases[i].path);
		EXPECT(!datadir_open(cases[i].path, DATADIR_ROWS, &err));
		EXPECT_INT(err.code, cases[i].code);
		EXPECT(err.text[0]);
	}
}

TEST(store_what_changed)
{
	struct changes changes = { 0 };
	int64_t session, run;

	scene_open();
	EXPECT_INT(store_changes(scene_store, 0, 0, &changes, &scene_err), 0);
	EXPECT_INT(changes.len, 0);
	session = scene_session("s");
	run = scene_queued(session);
	EXPECT_INT(store_changes(scene_store, 0, 0, &changes, &scene_err), 0);
	EXPECT_INT(changes.len, 3); /* each thing once: the run, its session, the queue */
	EXPECT_INT(changes.data[0].kind, STORE_RUN);
	EXPECT_INT(changes.data[1].kind, STORE_SESSION);
	EXPECT_INT(changes.data[2].kind, STORE_QUEUE);
	for (int64_t last = changes.data[2].number, i = 0; i < 5; i++) {
		scene_step(run, RUN_QUEUED, RUN_QUEUED);
		changes.len = 0;
		EXPECT_INT(store_changes(scene_store, last, 0, &changes, &scene_err), 0);
		EXPECT_INT(changes.len, 1);
		EXPECT_INT(changes.data[0].kind, STORE_RUN);
		EXPECT_INT(changes.data[0].id, run);
		EXPECT(changes.data[0].number > last);
		last = changes.data[0].number;
		EXPECT_INT(scene_get(run).change, last);
	}
	changes.len = 0;
	EXPECT_INT(store_changes(scene_store, 0, 2, &changes, &scene_err), 0);
	EXPECT_INT(changes.len, 2);
	vec_free(&changes);
	scene_close();
}

TEST(store_settings)
{
	const char *value = "";

	scene_open();
	EXPECT_INT(store_setting_get(scene_store, "a", &scene_arena, &value, &scene_err), 0);
	EXPECT(!value);
	EXPECT_INT(store_setting_set(scene_store, "a", "1", &scene_err), 0);
	EXPECT_INT(store_setting_set(scene_store, "a", "2", &scene_err), 0);
	EXPECT_INT(store_setting_set(scene_store, "b", "3", &scene_err), 0);
	EXPECT_INT(store_setting_get(scene_store, "a", &scene_arena, &value, &scene_err), 0);
	EXPECT_TEXT(value, "2");
	EXPECT_INT(store_setting_set(scene_store, "a", NULL, &scene_err), 0);
	EXPECT_INT(store_setting_get(scene_store, "a", &scene_arena, &value, &scene_err), 0);
	EXPECT(!value);
	scene_close();
}

TEST(store_audit_in_pages)
{
	struct page page = { .limit = 2 };
	struct audits lines = { 0 };

	scene_open();
	for (int i = 0; i < 3; i++)
		EXPECT_INT(store_audit_add(scene_store, "ann", "run", i == 1 ? NULL : "detail",
					   &scene_err),
			   0);
	EXPECT_INT(store_audit_list(scene_store, &page, 0, &scene_arena, &lines, &scene_err), 0);
	EXPECT_INT(lines.len, 2);
	EXPECT_INT(lines.data[0].id, 3);
	EXPECT_TEXT(lines.data[1].detail, "");
	EXPECT_TEXT(lines.data[0].person, "ann");
	EXPECT(scene_just_now(lines.data[0].time_ns));
	page.before = lines.data[1].id;
	EXPECT_INT(store_audit_list(scene_store, &page, 0, &scene_arena, &lines, &scene_err), 0);
	EXPECT_INT(lines.len, 3);
	EXPECT_INT(lines.data[2].id, 1);
	vec_free(&lines);
	scene_close();
}
