// SPDX-License-Identifier: Apache-2.0
#include "server/profiles.h"
#include "base/err.h"
#include "base/vec.h"
#include "profile/index.h"
#include "profile/ready.h"
#include "render/series_read.h"
#include "store/content.h"
#include "store/datadir.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define PROFILES_MOST	    8
#define PROFILES_MOST_BYTES ((size_t)1 << 30)

struct entry {
	char hash[HASH_TEXT];
	bool ready; /* false while it is opened */
	struct profile *profile;
	struct series *series; /* or counters; the other is NULL */
	size_t bytes;
	unsigned holders;
	uint64_t used; /* a clock of uses */
	struct entry *next;
};

struct profiles {
	struct profiles_options options;
	pthread_mutex_t lock;
	pthread_cond_t opened;
	struct entry *entries;
	uint64_t clock;
};

struct profiles *profiles_new(const struct profiles_options *options)
{
	struct profiles *profiles = mem_alloc(sizeof(*profiles));

	profiles->options = *options;
	if (!profiles->options.most)
		profiles->options.most = PROFILES_MOST;
	if (!profiles->options.most_bytes)
		profiles->options.most_bytes = PROFILES_MOST_BYTES;
	pthread_mutex_init(&profiles->lock, NULL);
	pthread_cond_init(&profiles->opened, NULL);
	return profiles;
}

static void drop(struct entry **link)
{
	struct entry *entry = *link;

	*link = entry->next;
	profile_free(entry->profile);
	if (entry->series)
		series_close(entry->series);
	free(entry->series);
	free(entry);
}

void profiles_free(struct profiles *profiles)
{
	if (!profiles)
		return;
	while (profiles->entries)
		drop(&profiles->entries);
	pthread_mutex_destroy(&profiles->lock);
	pthread_cond_destroy(&profiles->opened);
	free(profiles);
}

/* The one that nobody holds and that was used longest ago; NULL: all are held. */
static struct entry **find_oldest(struct profiles *profiles)
{
	struct entry **oldest = NULL;

	for (struct entry **link = &profiles->entries; *link; link = &(*link)->next)
		if (!(*link)->holders && (!oldest || (*link)->used < (*oldest)->used))
			oldest = link;
	return oldest;
}

static void trim(struct profiles *profiles)
{
	for (;;) {
		size_t count = 0, bytes = 0;
		struct entry **oldest;

		for (struct entry *entry = profiles->entries; entry; entry = entry->next) {
			count++;
			bytes += entry->bytes;
		}
		if (count <= profiles->options.most &&
		    (bytes <= profiles->options.most_bytes || count == 1))
			return;
		oldest = find_oldest(profiles);
		if (!oldest)
			return;
		drop(oldest);
	}
}

static struct entry *find(struct profiles *profiles, const char *hash)
{
	struct entry *entry = profiles->entries;

	while (entry && strcmp(entry->hash, hash))
		entry = entry->next;
	return entry;
}

static int open_series(struct entry *entry, int fd, struct err *err)
{
	int rc;

	entry->series = mem_alloc(sizeof(*entry->series));
	rc = series_open_fd(entry->series, fd, err);
	if (!rc)
		return 0;
	free(entry->series);
	entry->series = NULL;
	return rc;
}

static int open_index(struct entry *entry, int fd, struct err *err)
{
	int rc = profile_index_open_fd(&entry->profile, fd, err);

	if (!rc)
		profile_make_ready(entry->profile);
	return rc;
}

static int open_entry(struct profiles *profiles, const struct file_row *row, struct entry *entry,
		      struct err *err)
{
	struct arena arena = { 0 };
	struct file_row ignored;
	int fd = content_open(profiles->options.dir, row->id, &arena, &ignored, err);
	int rc = fd;

	if (fd >= 0) {
		rc = strcmp(row->kind, "index") ? open_series(entry, fd, err)
						: open_index(entry, fd, err);
		close(fd);
	}
	entry->bytes = (size_t)row->size;
	arena_free(&arena);
	return rc;
}

/* Opens with the lock let go: others wait for this one, and look at theirs meanwhile. */
static int fill(struct profiles *profiles, struct entry *entry, const struct file_row *row,
		struct err *err)
{
	int rc;

	pthread_mutex_unlock(&profiles->lock);
	rc = open_entry(profiles, row, entry, err);
	pthread_mutex_lock(&profiles->lock);
	entry->ready = !rc;
	if (rc) {
		struct entry **link = &profiles->entries;

		while (*link != entry)
			link = &(*link)->next;
		drop(link);
	}
	pthread_cond_broadcast(&profiles->opened);
	return rc;
}

static int get_entry(struct profiles *profiles, const struct file_row *row,
		     const struct entry **into, struct err *err)
{
	struct entry *entry;
	int rc = 0;

	pthread_mutex_lock(&profiles->lock);
	while ((entry = find(profiles, row->hash)) && !entry->ready)
		pthread_cond_wait(&profiles->opened, &profiles->lock);
	if (!entry) {
		entry = mem_alloc(sizeof(*entry));
		memcpy(entry->hash, row->hash, sizeof(entry->hash));
		entry->next = profiles->entries;
		entry->holders = 1; /* so that nobody drops it */
		profiles->entries = entry;
		rc = fill(profiles, entry, row, err);
	} else {
		entry->holders++;
	}
	if (!rc) {
		entry->used = ++profiles->clock;
		*into = entry;
		trim(profiles);
	}
	pthread_mutex_unlock(&profiles->lock);
	return rc;
}

/* What to say of a run that has no index. */
static int explain(struct profiles *profiles, int64_t run, const struct file_rows *rows,
		   struct err *err)
{
	bool recorded = content_find(rows, "recording", false) ||
			content_find(rows, "import", false);
	struct arena arena = { 0 };
	struct run facts;
	int rc = store_run_get(datadir_store(profiles->options.dir), run, &arena, &facts, err);
	enum run_state state = rc ? RUN_DONE : facts.state;
	bool cancelled = !rc && state == RUN_CANCELLED &&
			 !strcmp(facts.facts.reason, PROFILES_CANCELLED);

	arena_free(&arena);
	if (rc)
		return rc;
	if (state < RUN_PROCESSING)
		return err_set(err, EAGAIN, "run %lld has not ended yet", (long long)run);
	if (state == RUN_PROCESSING)
		return err_set(err, EAGAIN, "run %lld is still being read", (long long)run);
	if (!recorded)
		return err_set(err, ENOENT, "run %lld has no samples", (long long)run);
	if (cancelled)
		return err_set(err, ENOENT, "run %lld: " PROFILES_CANCELLED, (long long)run);
	if (!profiles->options.remake)
		return err_set(err, ENOENT, "the samples of run %lld can't be read",
			       (long long)run);
	rc = profiles->options.remake(profiles->options.state, run, err);
	return rc ? rc : err_set(err, EAGAIN, "run %lld is being read again", (long long)run);
}

int profiles_get(struct profiles *profiles, int64_t run, const struct profile **profile,
		 struct err *err)
{
	struct arena arena = { 0 };
	struct file_rows rows = { 0 };
	const struct file_row *row = NULL;
	const struct entry *entry;
	int rc = content_list(profiles->options.dir, run, &arena, &rows, err);

	if (!rc)
		row = content_find(&rows, "index", true);
	if (!rc && row)
		rc = get_entry(profiles, row, &entry, err);
	if (!rc && row)
		*profile = entry->profile;
	/* Made by another version, or not there as it was written: away with it. */
	if (row && (rc == -ESTALE || rc == -EBADMSG || rc == -ENOENT)) {
		content_remove(profiles->options.dir, row->id, NULL);
		rc = 0;
		row = NULL;
	}
	if (!rc && !row)
		rc = explain(profiles, run, &rows, err);
	vec_free(&rows);
	arena_free(&arena);
	return rc;
}

int profiles_get_series(struct profiles *profiles, int64_t run, const struct series **series,
			struct err *err)
{
	struct arena arena = { 0 };
	struct file_rows rows = { 0 };
	const struct file_row *row = NULL;
	const struct entry *entry;
	int rc = content_list(profiles->options.dir, run, &arena, &rows, err);

	if (!rc)
		row = content_find(&rows, "series", true);
	if (!rc && !row)
		rc = err_set(err, ENOENT, "run %lld has no counters", (long long)run);
	if (!rc)
		rc = get_entry(profiles, row, &entry, err);
	if (!rc)
		*series = entry->series;
	vec_free(&rows);
	arena_free(&arena);
	return rc;
}

static void put(struct profiles *profiles, const void *profile, const void *series)
{
	pthread_mutex_lock(&profiles->lock);
	for (struct entry *entry = profiles->entries; entry; entry = entry->next)
		if (profile ? entry->profile == profile : entry->series == series)
			entry->holders--;
	trim(profiles);
	pthread_mutex_unlock(&profiles->lock);
}

void profiles_put(struct profiles *profiles, const struct profile *profile)
{
	if (profile)
		put(profiles, profile, NULL);
}

void profiles_put_series(struct profiles *profiles, const struct series *series)
{
	if (series)
		put(profiles, NULL, series);
}

const char *profiles_mark(struct profiles *profiles, int64_t run, char into[static PROFILES_MARK])
{
	struct arena arena = { 0 };
	struct file_rows rows = { 0 };
	const struct file_row *row = NULL;

	*into = 0;
	if (!content_list(profiles->options.dir, run, &arena, &rows, NULL))
		row = content_find(&rows, "index", true);
	if (row)
		snprintf(into, PROFILES_MARK, "%.16s", row->hash);
	vec_free(&rows);
	arena_free(&arena);
	return into;
}
