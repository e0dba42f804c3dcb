// SPDX-License-Identifier: Apache-2.0
/* Bringing rows and files into agreement: after a crash, after removals, and on request. */
#include "base/err.h"
#include "base/file.h"
#include "base/map.h"
#include "store/datadir_inside.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

struct sweep {
	struct datadir *dir;
	struct datadir_sweep *counts;
	const struct datadir_alive *alive; /* nobody else writes files; NULL: anybody may */
	bool serving;			   /* files may be on their way in that have no row yet */
	struct arena arena;
	struct file_rows rows; /* all there are, by id */
};

static bool is_alive(const struct sweep *sweep, int64_t run)
{
	for (size_t i = 0; i < sweep->alive->count; i++)
		if (sweep->alive->runs[i] == run)
			return true;
	return false;
}

static bool has_partial(const struct sweep *sweep, int64_t id)
{
	char name[PARTIAL_NAME];

	partial_name(name, id);
	return !faccessat(sweep->dir->partial_fd, name, F_OK, AT_SYMLINK_NOFOLLOW);
}

static bool has_content(const struct sweep *sweep, const char *hash)
{
	char name[CONTENT_NAME];

	content_name(name, hash);
	return !faccessat(sweep->dir->files_fd, name, F_OK, AT_SYMLINK_NOFOLLOW);
}

static int drop_row(struct sweep *sweep, const struct file_row *row, struct err *err)
{
	char orphan[HASH_TEXT];

	sweep->counts->missing++;
	return store_file_drop(sweep->dir->store, row->id, orphan, err);
}

/* Goes on where the writing of one file was broken off. */
static int continue_row(struct sweep *sweep, struct file_row *row, struct err *err)
{
	bool partial = has_partial(sweep, row->id);
	int rc;

	if (*row->hash && partial)
		return content_place(sweep->dir, row->id, row->hash, err);
	if (*row->hash)
		return has_content(sweep, row->hash) ? 0 : drop_row(sweep, row, err);
	if (!partial)
		return drop_row(sweep, row, err);
	if (!sweep->alive || is_alive(sweep, row->run))
		return 0;
	rc = content_settle(sweep->dir, row->id, err);
	if (!rc)
		sweep->counts->kept++;
	return rc;
}

static int load_rows(struct sweep *sweep, struct err *err)
{
	sweep->rows.len = 0;
	return store_file_list(sweep->dir->store, 0, &sweep->arena, &sweep->rows, err);
}

static bool has_row(const struct sweep *sweep, const char *name)
{
	size_t low = 0, high = sweep->rows.len;
	char *end;
	int64_t id = strtoll(name, &end, 10);

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (sweep->rows.data[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return !*end && low < sweep->rows.len && sweep->rows.data[low].id == id;
}

static int remove_at(struct sweep *sweep, int folder, const char *name, struct err *err)
{
	if (unlinkat(folder, name, 0) && errno != ENOENT)
		return err_set(err, errno, "%s: %s: %s", sweep->dir->path, name, strerror(errno));
	sweep->counts->orphans++;
	return 0;
}

static bool is_coming(const struct sweep *sweep, const char *name)
{
	return sweep->serving && !strncmp(name, UPLOAD_PREFIX, strlen(UPLOAD_PREFIX));
}

static int remove_partials(struct sweep *sweep, struct err *err)
{
	char *path = mem_printf("%s/partial", sweep->dir->path);
	struct strlist names = { 0 };
	int rc = dir_names(path, &names, err);

	for (size_t i = 0; i < names.len && !rc; i++)
		if (!has_row(sweep, names.data[i]) && !is_coming(sweep, names.data[i]))
			rc = remove_at(sweep, sweep->dir->partial_fd, names.data[i], err);
	strlist_free(&names);
	free(path);
	return rc;
}

/* Rows and unfinished files; what it leaves are complete files with rows, and orphans. */
static int sweep_rows(struct sweep *sweep, struct err *err)
{
	int rc = load_rows(sweep, err);

	for (size_t i = 0; i < sweep->rows.len && !rc; i++)
		rc = continue_row(sweep, &sweep->rows.data[i], err);
	if (!rc)
		rc = load_rows(sweep, err);
	return rc ? rc : remove_partials(sweep, err);
}

/* What is not named by a hash is not ours, and stays. */
static bool is_hash(const char *folder, const char *name)
{
	if (strlen(folder) != 2 || strlen(name) != HASH_TEXT - 3)
		return false;
	return strspn(folder, "0123456789abcdef") == 2 &&
	       strspn(name, "0123456789abcdef") == HASH_TEXT - 3;
}

static int sweep_folder(struct sweep *sweep, const struct map *used, const char *folder,
			struct err *err)
{
	char *path = mem_printf("%s/files/%s", sweep->dir->path, folder), *hash;
	struct strlist names = { 0 };
	int rc = dir_names(path, &names, err);

	for (size_t i = 0; i < names.len && !rc; i++) {
		if (!is_hash(folder, names.data[i]))
			continue;
		hash = mem_printf("%s%s", folder, names.data[i]);
		if (map_find(used, hash, HASH_TEXT - 1) == MAP_NONE) {
			rc = content_unlink(sweep->dir, hash, err);
			sweep->counts->orphans++;
		}
		free(hash);
	}
	strlist_free(&names);
	free(path);
	return rc;
}

static int sweep_files(struct sweep *sweep, struct err *err)
{
	char *path = mem_printf("%s/files", sweep->dir->path);
	struct strlist folders = { 0 };
	struct map used = { 0 };
	int rc = dir_subdirs(path, &folders, err);

	vec_each (row, &sweep->rows)
		if (*row->hash)
			map_add(&used, row->hash, HASH_TEXT - 1, 0);
	for (size_t i = 0; i < folders.len && !rc; i++)
		rc = sweep_folder(sweep, &used, folders.data[i], err);
	map_free(&used);
	strlist_free(&folders);
	free(path);
	return rc;
}

static void sweep_free(struct sweep *sweep)
{
	vec_free(&sweep->rows);
	arena_free(&sweep->arena);
}

int datadir_recover(struct datadir *dir, const struct datadir_alive *alive,
		    struct datadir_sweep *counts, struct err *err)
{
	static const struct datadir_alive none;
	struct sweep sweep = { .dir = dir, .counts = counts, .alive = alive ? alive : &none };
	int rc = 0;

	*counts = (struct datadir_sweep){ 0 };
	alive = sweep.alive;
	if (alive->all)
		rc = store_run_put_back(dir->store, alive->runs, alive->count, &counts->put_back,
					err);
	if (!rc)
		rc = store_run_interrupt(dir->store, alive->runs, alive->count,
					 &counts->interrupted, err);
	pthread_mutex_lock(&dir->lock);
	if (!rc)
		rc = sweep_rows(&sweep, err);
	pthread_mutex_unlock(&dir->lock);
	sweep_free(&sweep);
	return rc;
}

static int purge_some(struct sweep *sweep, int64_t now_ns, int64_t *things, struct err *err)
{
	struct hashes orphans = { 0 };
	int rc = store_purge(sweep->dir->store, now_ns, &orphans, things, err);

	vec_each (hash, &orphans)
		if (!rc)
			rc = content_unlink(sweep->dir, hash->text, err);
	vec_free(&orphans);
	sweep->counts->purged += *things;
	return rc;
}

static int purge(struct sweep *sweep, int64_t now_ns, struct err *err)
{
	int64_t things;
	int rc;

	do {
		rc = purge_some(sweep, now_ns, &things, err);
	} while (!rc && things);
	return rc;
}

int datadir_purge(struct datadir *dir, int64_t now_ns, struct datadir_sweep *counts,
		  struct err *err)
{
	struct sweep sweep = { .dir = dir, .counts = counts, .serving = true };
	int rc;

	*counts = (struct datadir_sweep){ 0 };
	pthread_mutex_lock(&dir->lock);
	rc = purge(&sweep, now_ns, err);
	if (!rc && counts->purged)
		rc = load_rows(&sweep, err);
	if (!rc && counts->purged)
		rc = remove_partials(&sweep, err);
	pthread_mutex_unlock(&dir->lock);
	if (!rc && counts->purged)
		store_shrink(dir->store, NULL); /* in vain: what is free is used again */
	sweep_free(&sweep);
	return rc;
}

int datadir_gc(struct datadir *dir, int64_t now_ns, struct datadir_sweep *counts, struct err *err)
{
	struct sweep sweep = { .dir = dir, .counts = counts };
	int rc;

	*counts = (struct datadir_sweep){ 0 };
	pthread_mutex_lock(&dir->lock);
	rc = purge(&sweep, now_ns, err);
	if (!rc)
		rc = sweep_rows(&sweep, err);
	if (!rc)
		rc = sweep_files(&sweep, err);
	pthread_mutex_unlock(&dir->lock);
	sweep_free(&sweep);
	return rc;
}
