// SPDX-License-Identifier: Apache-2.0
#include "store/scene.h"
#include "base/clock.h"
#include "base/file.h"
#include "symbol/folder.h"
#include "test.h"

#include <sodium.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct datadir *scene_dir;
struct store *scene_store;
struct arena scene_arena;
struct err scene_err;

static char path[300];

const char *scene_path(void)
{
	return path;
}

void scene_reopen(void)
{
	datadir_close(scene_dir);
	scene_err = (struct err){ 0 };
	scene_dir = datadir_open(path, DATADIR_SERVE, &scene_err);
	EXPECT_TEXT(scene_err.text, "");
	EXPECT(scene_dir);
	scene_store = datadir_store(scene_dir);
}

void scene_open(void)
{
	folder_new();
	snprintf(path, sizeof(path), "%s", folder_path("data"));
	scene_reopen();
}

void scene_shut(void)
{
	datadir_close(scene_dir);
	scene_dir = NULL;
	scene_store = NULL;
	arena_free(&scene_arena);
}

void scene_empty(void)
{
	scene_shut();
	folder_remove();
	folder_new();
	snprintf(path, sizeof(path), "%s", folder_path("data"));
}

void scene_close(void)
{
	scene_shut();
	folder_remove();
}

int64_t scene_session(const char *title)
{
	struct session_patch first = { .title = title };
	int64_t id = 0;

	EXPECT_INT(store_session_add(scene_store, &first, &id, &scene_err), 0);
	return id;
}

int64_t scene_run(int64_t session, enum run_state state)
{
	struct run run = { .session = session, .state = state, .host = HOST, .form = "{}" };
	int64_t id = 0;

	EXPECT_INT(store_run_add(scene_store, &run, &id, &scene_err), 0);
	return id;
}

int64_t scene_queued(int64_t session)
{
	return scene_run(session, RUN_QUEUED);
}

struct run scene_get(int64_t id)
{
	struct run run = { 0 };

	EXPECT_INT(store_run_get(scene_store, id, &scene_arena, &run, &scene_err), 0);
	return run;
}

int64_t scene_file(int64_t run, const char *kind, const char *text)
{
	struct content *content = content_begin(scene_dir, run, kind, &scene_err);
	int64_t id;

	EXPECT(content);
	id = content_id(content);
	EXPECT_INT(content_write(content, text, strlen(text), &scene_err), 0);
	EXPECT_INT(content_end(content, &scene_err), 0);
	return id;
}

bool scene_just_now(int64_t time_ns)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return time_ns / NS_PER_SEC <= now.tv_sec && time_ns / NS_PER_SEC >= now.tv_sec - 60;
}

int scene_step(int64_t run, enum run_state from, enum run_state to)
{
	scene_err = (struct err){ 0 };
	return store_run_step(scene_store, run, from, to, NULL, &scene_err);
}

static sqlite3 *open_database(void)
{
	char file[400];
	sqlite3 *db = NULL;

	snprintf(file, sizeof(file), "%s/perfolio.db", path);
	EXPECT_INT(sqlite3_open(file, &db), SQLITE_OK);
	sqlite3_busy_timeout(db, 5000);
	return db;
}

int64_t scene_number(const char *sql)
{
	sqlite3 *db = open_database();
	sqlite3_stmt *stmt = NULL;
	int64_t number = -1;

	EXPECT_INT(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
	if (sqlite3_step(stmt) == SQLITE_ROW)
		number = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return number;
}

void scene_exec(const char *sql)
{
	sqlite3 *db = open_database();

	EXPECT_INT(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static void expect_content(const struct file_row *row)
{
	unsigned char bytes[32];
	char name[500], hash[65];
	size_t size = 0;
	char *text;

	EXPECT_INT(strlen(row->hash), 64);
	snprintf(name, sizeof(name), "%s/files/%.2s/%s", path, row->hash, row->hash + 2);
	text = file_read(name, &size, &scene_err);
	EXPECT(text);
	EXPECT_INT(size, row->size);
	crypto_generichash(bytes, sizeof(bytes), (unsigned char *)text, size, NULL, 0);
	sodium_bin2hex(hash, sizeof(hash), bytes, sizeof(bytes));
	EXPECT_TEXT(hash, row->hash);
	free(text);
}

static size_t count_files(const char *folder)
{
	struct strlist folders = { 0 }, names = { 0 };
	char name[500];
	size_t count;

	snprintf(name, sizeof(name), "%s/%s", path, folder);
	EXPECT_INT(dir_subdirs(name, &folders, &scene_err), 0);
	vec_each (inner, &folders) {
		snprintf(name, sizeof(name), "%s/%s/%s", path, folder, *inner);
		EXPECT_INT(dir_names(name, &names, &scene_err), 0);
	}
	snprintf(name, sizeof(name), "%s/%s", path, folder);
	EXPECT_INT(dir_names(name, &names, &scene_err), 0);
	count = names.len - folders.len;
	strlist_free(&names);
	strlist_free(&folders);
	return count;
}

void scene_expect_agreement(void)
{
	struct file_rows rows = { 0 };
	struct datadir_sweep sweep;

	EXPECT_INT(datadir_recover(scene_dir, NULL, &sweep, &scene_err), 0);
	EXPECT_INT(datadir_gc(scene_dir, 0, &sweep, &scene_err), 0);
	EXPECT_INT(scene_number("SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
	EXPECT_INT(scene_number("SELECT count(*) FROM pragma_foreign_key_check"), 0);
	EXPECT_INT(store_file_list(scene_store, 0, &scene_arena, &rows, &scene_err), 0);
	vec_each (row, &rows)
		expect_content(row);
	vec_free(&rows);
	EXPECT_INT(count_files("files"), scene_number("SELECT count(DISTINCT hash) FROM file"));
	EXPECT_INT(count_files("partial"), 0);
	EXPECT_INT(scene_number("SELECT count(*) FROM run WHERE state IN ('starting','running')"),
		   0);
	EXPECT_INT(datadir_gc(scene_dir, 0, &sweep, &scene_err), 0);
	EXPECT_INT(sweep.orphans + sweep.missing + sweep.purged, 0);
}
