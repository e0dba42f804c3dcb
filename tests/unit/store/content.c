// SPDX-License-Identifier: Apache-2.0
#include "store/content.h"
#include "base/file.h"
#include "store/filerows.h"
#include "store/scene.h"
#include "store/steps.h"
#include "symbol/folder.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int64_t a_run(void)
{
	return scene_run(scene_session("s"), RUN_PROCESSING);
}

static void expect_text(int64_t file, const char *want)
{
	char text[200] = "";
	struct file_row row;
	int fd = content_open(scene_dir, file, &scene_arena, &row, &scene_err);

	EXPECT(fd >= 0);
	EXPECT_INT(read(fd, text, sizeof(text) - 1), strlen(want));
	close(fd);
	EXPECT_TEXT(text, want);
	EXPECT_INT(row.size, strlen(want));
}

static size_t contents(void)
{
	return (size_t)scene_number("SELECT count(DISTINCT hash) FROM file WHERE hash <> ''");
}

static bool on_disk(const char *hash)
{
	return file_exists("%s/files/%.2s/%s", scene_path(), hash, hash + 2);
}

TEST(content_is_written_and_read)
{
	struct content *content;
	int64_t run, id;

	scene_open();
	run = a_run();
	content = content_begin(scene_dir, run, "recording", &scene_err);
	EXPECT(content);
	id = content_id(content);
	EXPECT_INT(content_write(content, "one ", 4, &scene_err), 0);
	expect_text(id, "one "); /* readable while it grows */
	EXPECT_INT(content_write(content, "two", 3, &scene_err), 0);
	EXPECT_INT(content_end(content, &scene_err), 0);
	expect_text(id, "one two");
	EXPECT_INT(scene_get(run).bytes, 7);
	scene_reopen();
	expect_text(id, "one two");
	scene_expect_agreement();
	scene_close();
}

/* The hash is BLAKE2b of 256 bits: this one is b2sum's. */
TEST(content_is_named_by_its_hash)
{
	struct file_row row;
	int fd;

	scene_open();
	fd = content_open(scene_dir, scene_file(a_run(), "x", "hello\n"), &scene_arena, &row,
			  &scene_err);
	EXPECT(fd >= 0);
	EXPECT_TEXT(row.hash, "93becc6e9882211c3ec3708c95bcd69baab7bb59c7f4bc84ce637b88a534b783");
	EXPECT_INT(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	close(fd);
	scene_close();
}

TEST(content_written_by_somebody_else)
{
	struct content *content;
	int64_t id;

	scene_open();
	content = content_begin(scene_dir, a_run(), "recording", &scene_err);
	EXPECT(content);
	id = content_id(content);
	EXPECT_INT(content_write(content, "head", 4, &scene_err), 0);
	EXPECT_INT(pwrite(content_fd(content), "HEAD and tail", 13, 0), 13);
	EXPECT_INT(content_end(content, &scene_err), 0);
	expect_text(id, "HEAD and tail");
	scene_expect_agreement();
	scene_close();
}

static int64_t rows(void)
{
	int64_t used = 0, spare = 0;

	EXPECT_INT(store_size(scene_store, &used, &spare, &scene_err), 0);
	return used;
}

static int64_t file_bytes(const char *name)
{
	struct stat info = { 0 };
	char *path = mem_printf("%s/%s", scene_path(), name);

	EXPECT(!stat(path, &info));
	free(path);
	return info.st_size;
}

TEST(content_equal_ones_are_one)
{
	int64_t run, other, first, second, bytes;
	struct file_row row;

	scene_open();
	run = a_run();
	other = a_run();
	first = scene_file(run, "recording", "the same");
	second = scene_file(other, "import", "the same");
	EXPECT_INT(contents(), 1);
	EXPECT_INT(datadir_bytes(scene_dir, &bytes, &scene_err), 0);
	bytes -= rows();
	EXPECT_INT(bytes, 8);
	EXPECT_INT(scene_get(run).bytes + scene_get(other).bytes, 16);
	close(content_open(scene_dir, first, &scene_arena, &row, &scene_err));
	EXPECT_INT(content_remove(scene_dir, first, &scene_err), 0);
	expect_text(second, "the same");
	EXPECT_INT(content_remove(scene_dir, second, &scene_err), 0);
	EXPECT(!on_disk(row.hash));
	EXPECT_INT(content_remove(scene_dir, second, &scene_err), -ENOENT);
	EXPECT_INT(content_open(scene_dir, second, &scene_arena, &row, &scene_err), -ENOENT);
	scene_expect_agreement();
	scene_close();
}

TEST(content_abandoned_leaves_no_trace)
{
	struct content *content;

	scene_open();
	content = content_begin(scene_dir, a_run(), "recording", &scene_err);
	EXPECT(content);
	EXPECT_INT(content_write(content, "x", 1, &scene_err), 0);
	EXPECT_INT(content_abandon(content, &scene_err), 0);
	EXPECT_INT(scene_number("SELECT count(*) FROM file"), 0);
	scene_expect_agreement();
	EXPECT(!content_begin(scene_dir, 99, "recording", &scene_err));
	EXPECT_CONTAINS(scene_err.text, "no run 99");
	scene_close();
}

TEST(content_of_an_interrupted_run_is_kept)
{
	struct datadir_sweep sweep;
	struct file_rows files = { 0 };
	struct content *content;
	int64_t run, id;

	scene_open();
	run = scene_queued(scene_session("s"));
	EXPECT_INT(store_run_take(scene_store, HOST, &run, &scene_err), 1);
	content = content_begin(scene_dir, run, "recording", &scene_err);
	EXPECT(content);
	id = content_id(content);
	EXPECT_INT(content_write(content, "half of it", 10, &scene_err), 0);
	EXPECT_INT(content_list(scene_dir, run, &scene_arena, &files, &scene_err), 0);
	EXPECT_INT(files.len, 1);
	EXPECT_INT(files.data[0].size, 10);
	EXPECT_TEXT(files.data[0].hash, "");
	vec_free(&files);

	/* the runner goes on, a new web side finds it */
	EXPECT_INT(datadir_recover(scene_dir, &(struct datadir_alive){ &run, 1, false }, &sweep,
				   &scene_err),
		   0);
	EXPECT_INT(sweep.kept, 0);
	EXPECT_INT(datadir_gc(scene_dir, INT64_MAX, &sweep, &scene_err), 0);
	EXPECT_INT(sweep.kept + sweep.missing + sweep.orphans, 0);
	EXPECT_INT(content_write(content, ", more", 6, &scene_err), 0);
	close(content_fd(content));
	free(content); /* as a process that is killed would leave it */
	content = content_resume(scene_dir, id, &scene_err);
	EXPECT(content);
	expect_text(id, "half of it, more");
	close(content_fd(content));
	free(content);

	EXPECT_INT(datadir_recover(scene_dir, NULL, &sweep, &scene_err), 0);
	EXPECT_INT(sweep.kept, 1);
	EXPECT_INT(sweep.interrupted, 1);
	expect_text(id, "half of it, more");
	EXPECT(!content_resume(scene_dir, id, &scene_err));
	scene_expect_agreement();
	scene_close();
}

TEST(content_goes_with_its_run)
{
	struct datadir_sweep sweep;
	int64_t run, file;
	struct file_row row;

	scene_open();
	run = a_run();
	file = scene_file(run, "recording", "data");
	close(content_open(scene_dir, file, &scene_arena, &row, &scene_err));
	EXPECT_INT(scene_step(run, RUN_PROCESSING, RUN_DONE), 0);
	EXPECT_INT(store_remove(scene_store, STORE_RUN, run, 1000, &scene_err), 0);
	EXPECT_INT(content_open(scene_dir, file, &scene_arena, &row, &scene_err), -ENOENT);
	EXPECT_INT(datadir_purge(scene_dir, 999, &sweep, &scene_err), 0);
	EXPECT_INT(sweep.purged, 0);
	EXPECT(on_disk(row.hash));
	EXPECT_INT(store_restore(scene_store, STORE_RUN, run, &scene_err), 0);
	EXPECT_INT(datadir_purge(scene_dir, 1000, &sweep, &scene_err), 0);
	expect_text(file, "data");

	EXPECT_INT(store_remove(scene_store, STORE_SESSION, 1, 1000, &scene_err), 0);
	EXPECT_INT(datadir_purge(scene_dir, 1000, &sweep, &scene_err), 0);
	EXPECT_INT(sweep.purged, 2);
	EXPECT(!on_disk(row.hash));
	EXPECT_INT(scene_number("SELECT count(*) FROM file"), 0);
	EXPECT_INT(store_restore(scene_store, STORE_SESSION, 1, &scene_err), -ENOENT);
	EXPECT(scene_session("next") > 1); /* no id is used twice */
	scene_expect_agreement();
	scene_close();
}

TEST(content_shared_with_a_run_that_stays)
{
	struct datadir_sweep sweep;
	int64_t run, kept;

	scene_open();
	run = a_run();
	scene_file(run, "recording", "shared");
	kept = scene_file(a_run(), "recording", "shared");
	EXPECT_INT(scene_step(run, RUN_PROCESSING, RUN_DONE), 0);
	EXPECT_INT(store_remove(scene_store, STORE_RUN, run, 1, &scene_err), 0);
	EXPECT_INT(datadir_purge(scene_dir, 2, &sweep, &scene_err), 0);
	EXPECT_INT(sweep.purged, 1);
	expect_text(kept, "shared");
	scene_expect_agreement();
	scene_close();
}

TEST(content_that_comes_in_while_others_are_purged)
{
	char name[CONTENT_UPLOAD_NAME];
	struct datadir_sweep sweep;
	struct content *content;
	int64_t run, id = 0;
	int fd;

	scene_open();
	run = a_run();
	EXPECT_INT(scene_step(run, RUN_PROCESSING, RUN_DONE), 0);
	fd = content_upload(scene_dir, 0, name, &scene_err);
	EXPECT_INT(write(fd, "sent", 4), 4);
	close(fd);
	EXPECT_INT(store_remove(scene_store, STORE_RUN, run, 1, &scene_err), 0);
	EXPECT_INT(datadir_purge(scene_dir, 2, &sweep, &scene_err), 0);
	EXPECT_INT(sweep.purged, 1);
	content = content_adopt(scene_dir, a_run(), "import", name, &scene_err);
	EXPECT(content != NULL);
	if (content) {
		id = content_id(content);
		EXPECT_INT(content_end(content, &scene_err), 0);
		expect_text(id, "sent");
	}
	scene_expect_agreement();
	scene_close();
}

TEST(content_orphans_are_swept)
{
	static const char other[] = "data/files/aa/README";
	struct datadir_sweep sweep;
	struct file_row row;
	char name[500], hash[65];
	int64_t file;

	scene_open();
	file = scene_file(a_run(), "recording", "lost");
	scene_file(a_run(), "recording", "stays");
	memset(hash, 'a', 64);
	hash[64] = '\0';
	snprintf(name, sizeof(name), "data/files/aa/%s", hash + 2);
	folder_put(name, "orphan", 6);
	folder_put(other, "not ours", 8);
	folder_put("data/partial/77", "orphan", 6);
	close(content_open(scene_dir, file, &scene_arena, &row, &scene_err));
	snprintf(name, sizeof(name), "%s/files/%.2s/%s", scene_path(), row.hash, row.hash + 2);
	EXPECT_INT(unlink(name), 0);
	EXPECT_INT(datadir_gc(scene_dir, 0, &sweep, &scene_err), 0);
	EXPECT_INT(sweep.orphans, 2);
	EXPECT_INT(sweep.missing, 1);
	EXPECT(file_exists("%s", folder_path(other)));
	EXPECT_INT(unlink(folder_path(other)), 0);
	EXPECT_INT(contents(), 1);
	scene_expect_agreement();
	scene_close();
}

TEST(content_room)
{
	int64_t huge = (int64_t)1 << 60, base;

	scene_open();
	scene_file(a_run(), "recording", "0123456789");
	base = rows();
	EXPECT_INT(datadir_room(scene_dir, 100, 0, &scene_err), 0);
	EXPECT_INT(datadir_room(scene_dir, 90, base + 100, &scene_err), 0);
	EXPECT_INT(datadir_room(scene_dir, 91, base + 100, &scene_err), -EDQUOT);
	EXPECT_CONTAINS(scene_err.text, "or raise it");
	EXPECT_INT(datadir_room(scene_dir, huge, 0, &scene_err), -ENOSPC);
	EXPECT_CONTAINS(scene_err.text, "the disk is full: ");
	EXPECT_INT(datadir_left(scene_dir, base + 100), 90);
	EXPECT_INT(datadir_left(scene_dir, base + 5), 0);
	EXPECT_INT(datadir_watch(scene_dir, 0), 0);
	EXPECT_INT(datadir_trouble(scene_dir, &scene_err), 0);
	EXPECT_INT(datadir_watch(scene_dir, (base + 10) * 100 / 98), 0);
	EXPECT_INT(datadir_watch(scene_dir, base + 5), -EDQUOT);
	EXPECT_INT(datadir_trouble(scene_dir, &scene_err), -EDQUOT);
	EXPECT_CONTAINS(scene_err.text, "--max-disk");
	scene_close();
}

#define MANY 200

/* Sessions with as much in their notes as they may have. */
static void add_notes(int64_t *ids, int64_t maker)
{
	char notes[(64 << 10) + 1];

	memset(notes, 'n', sizeof(notes) - 1);
	notes[sizeof(notes) - 1] = '\0';
	for (int i = 0; i < MANY; i++)
		EXPECT_INT(store_session_add(scene_store,
					     &(struct session_patch){ .title = "t",
								      .notes = notes,
								      .person = "ann",
								      .maker = maker },
					     &ids[i], &scene_err),
			   0);
}

static int64_t bytes_of(int64_t maker)
{
	int64_t bytes = 0;

	EXPECT_INT(datadir_bytes_of(scene_dir, maker, &bytes, &scene_err), 0);
	return bytes;
}

TEST(content_rows_take_room_and_give_it_back)
{
	const int64_t all = MANY * (int64_t)(64 << 10);
	struct datadir_sweep sweep;
	int64_t ids[MANY], before;

	scene_open();
	before = rows();
	add_notes(ids, 7);
	EXPECT(rows() - before >= all && rows() - before < all + all / 4);
	EXPECT_INT(bytes_of(7), MANY * (int64_t)((64 << 10) + 1 + STORE_ROW_BYTES));
	EXPECT_INT(bytes_of(8), 0);
	EXPECT_INT(datadir_room(scene_dir, 0, all, &scene_err), -EDQUOT);
	EXPECT_INT(store_session_change(scene_store, ids[0], &(struct session_patch){ .notes = "" },
					&scene_err),
		   0);
	EXPECT_INT(bytes_of(7),
		   (MANY - 1) * (int64_t)(64 << 10) + MANY * (int64_t)(1 + STORE_ROW_BYTES));
	for (int i = 0; i < MANY; i++)
		EXPECT_INT(store_remove(scene_store, STORE_SESSION, ids[i], 1000, &scene_err), 0);
	EXPECT_INT(datadir_purge(scene_dir, 1000, &sweep, &scene_err), 0);
	EXPECT_INT(sweep.purged, MANY);
	EXPECT_INT(bytes_of(7), 0);
	EXPECT(file_bytes("perfolio.db") < before + (1 << 20));
	EXPECT(file_bytes("perfolio.db-wal") == 0);
	EXPECT_INT(scene_number("PRAGMA freelist_count"), 0);
	scene_close();
}

/* Of a database that was made before it could shrink by itself. */
TEST(content_rows_of_an_older_database_give_room_back)
{
	struct datadir_sweep sweep;
	int64_t ids[MANY];

	scene_open();
	scene_shut();
	scene_exec("PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = NONE; VACUUM");
	EXPECT_INT(scene_number("PRAGMA auto_vacuum"), 0);
	scene_reopen();
	add_notes(ids, 7);
	for (int i = 0; i < MANY; i++)
		EXPECT_INT(store_remove(scene_store, STORE_SESSION, ids[i], 1000, &scene_err), 0);
	EXPECT_INT(datadir_purge(scene_dir, 1000, &sweep, &scene_err), 0);
	EXPECT(file_bytes("perfolio.db") < 1 << 20);
	EXPECT_INT(scene_number("PRAGMA auto_vacuum"), 2);
	scene_close();
}

/* A journal of a few megabytes is enough, whatever there is to delete. */
TEST(content_purge_needs_little_room)
{
	struct datadir_sweep sweep;
	struct hashes orphans = { 0 };
	int64_t session, id, things;
	char *text = mem_alloc(100001);
	struct run run = { .state = RUN_QUEUED, .host = HOST, .form = text };

	memset(text, 'f', 100000);
	scene_open();
	session = run.session = scene_session("much");
	for (int i = 0; i < MANY; i++)
		EXPECT_INT(store_run_add(scene_store, &run, &id, &scene_err), 0);
	EXPECT_INT(store_remove(scene_store, STORE_SESSION, session, 1, &scene_err), 0);
	scene_exec("PRAGMA wal_checkpoint(TRUNCATE)");
	EXPECT_INT(store_purge(scene_store, 1, &orphans, &things, &scene_err), 0);
	EXPECT_INT(things, 11);
	EXPECT(file_bytes("perfolio.db-wal") < 2 << 20);
	EXPECT_INT(datadir_purge(scene_dir, 1, &sweep, &scene_err), 0);
	EXPECT_INT(sweep.purged, MANY + 1 - 11);
	EXPECT(file_bytes("perfolio.db") < 1 << 20);
	free(text);
	scene_close();
}

static void make_room(void *user)
{
	*(bool *)user = true;
	steps_end();
}

TEST(content_removing_takes_what_is_reserved)
{
	struct store_options options = { .full = make_room };
	bool called = false;
	struct store *store;
	int64_t session;
	char *path;

	options.user = &called;
	scene_open();
	session = scene_session("x");
	path = mem_printf("%s/perfolio.db", scene_path());
	store = store_open(path, &options, &scene_err);
	steps_begin(STEPS_FULL, 1);
	EXPECT_INT(store_remove(store, STORE_SESSION, session, 1000, &scene_err), 0);
	EXPECT(called);
	store_close(store);
	free(path);
	scene_close();
}

/* Whatever step the disk is full from on: once there is room it is ended by doing it again. */
TEST(content_end_is_repeatable)
{
	bool ended = false;

	for (long at = 1; !ended; at++) {
		struct content *content;
		struct stat info;
		struct file_row row;
		char path[200];
		int64_t id;

		scene_open();
		content = content_begin(scene_dir, a_run(), "recording", &scene_err);
		EXPECT(content);
		id = content_id(content);
		EXPECT_INT(content_write(content, "measured", 8, &scene_err), 0);
		steps_begin(STEPS_FULL, at);
		ended = !content_end(content, &scene_err);
		steps_end();
		close(content_open(scene_dir, id, &scene_arena, &row, &scene_err));
		snprintf(path, sizeof(path), "%s/partial/%d", scene_path(), (int)id);
		if (!*row.hash) { /* whoever is not root must be able to open it again */
			EXPECT_INT(stat(path, &info), 0);
			EXPECT_INT(info.st_mode & 0777, 0600);
			content = content_resume(scene_dir, id, &scene_err);
			EXPECT(content);
			EXPECT_INT(content_end(content, &scene_err), 0);
		}
		expect_text(id, "measured");
		scene_expect_agreement();
		scene_close();
	}
}

#define WRITERS 4

static void *same_again(void *argument)
{
	int64_t run = *(int64_t *)argument;
	struct err err = { 0 };
	struct datadir_sweep sweep;
	int rc = 0;

	for (int i = 0; i < 15 && !rc; i++) {
		struct content *content = content_begin(scene_dir, run, "x", &err);
		int64_t id = content ? content_id(content) : 0;

		rc = content ? content_write(content, "equal", 5, &err) : -EIO;
		if (!rc)
			rc = content_end(content, &err);
		if (!rc && i % 2)
			rc = content_remove(scene_dir, id, &err);
		if (!rc && i % 5 == 0)
			rc = datadir_gc(scene_dir, 0, &sweep, &err);
	}
	return rc ? mem_strdup(err.text) : NULL;
}

/* One deletes the last row of a content while another finds it to be there. */
TEST(content_by_several_threads)
{
	pthread_t threads[WRITERS];
	void *complaint;
	int64_t run;

	scene_open();
	run = a_run();
	for (int i = 0; i < WRITERS; i++)
		EXPECT_INT(pthread_create(&threads[i], NULL, same_again, &run), 0);
	for (int i = 0; i < WRITERS; i++) {
		EXPECT_INT(pthread_join(threads[i], &complaint), 0);
		EXPECT_TEXT(complaint ? complaint : "", "");
	}
	EXPECT_INT(scene_number("SELECT count(*) FROM file"), WRITERS * 8);
	scene_expect_agreement();
	scene_close();
}
