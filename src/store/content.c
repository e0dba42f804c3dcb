// SPDX-License-Identifier: Apache-2.0
#include "store/content.h"
#include "base/err.h"
#include "base/file.h"
#include "store/datadir_inside.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define HASH_BYTES   ((HASH_TEXT - 1) / 2)
#define READ_AT_ONCE (256 * 1024)

struct content {
	struct datadir *dir;
	int64_t id, size;
	int fd;
	bool foreign; /* not all of it came through content_write() */
	crypto_generichash_state hash;
};

void partial_name(char into[static PARTIAL_NAME], int64_t id)
{
	snprintf(into, PARTIAL_NAME, "%" PRId64, id);
}

void content_name(char into[static CONTENT_NAME], const char *hash)
{
	snprintf(into, CONTENT_NAME, "%.2s/%s", hash, hash + 2);
}

static int failed(struct datadir *dir, const char *folder, const char *name, struct err *err)
{
	return err_set(err, errno, "%s/%s/%s: %s", dir->path, folder, name, strerror(errno));
}

static int open_partial(struct datadir *dir, int64_t id, int flags, struct err *err)
{
	char name[PARTIAL_NAME];
	int fd;

	partial_name(name, id);
	fd = openat(dir->partial_fd, name, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
	return fd < 0 ? failed(dir, "partial", name, err) : fd;
}

static struct content *content_new(struct datadir *dir, int64_t id, int fd)
{
	struct content *content = mem_alloc(sizeof(*content));

	content->dir = dir;
	content->id = id;
	content->fd = fd;
	crypto_generichash_init(&content->hash, NULL, 0, HASH_BYTES);
	return content;
}

struct content *content_begin(struct datadir *dir, int64_t run, const char *kind, struct err *err)
{
	char orphan[HASH_TEXT];
	int64_t id = 0;
	int fd = -1;

	assert(dir->use == DATADIR_SERVE);
	pthread_mutex_lock(&dir->lock);
	if (!store_file_add(dir->store, run, kind, &id, err)) {
		fd = open_partial(dir, id, O_RDWR | O_CREAT | O_EXCL, err);
		if (fd < 0)
			store_file_drop(dir->store, id, orphan, NULL);
	}
	pthread_mutex_unlock(&dir->lock);
	return fd < 0 ? NULL : content_new(dir, id, fd);
}

struct content *content_resume(struct datadir *dir, int64_t id, struct err *err)
{
	int fd = open_partial(dir, id, O_RDWR, err);
	struct content *content;

	/* one of 0.1.0's whose end could not be noted: whole, and closed to writing */
	if (fd == -EACCES)
		fd = open_partial(dir, id, O_RDONLY, err);
	if (fd < 0)
		return NULL;
	content = content_new(dir, id, fd);
	content->foreign = true;
	return content;
}

int content_upload(struct datadir *dir, int64_t maker, char name[static CONTENT_UPLOAD_NAME],
		   struct err *err)
{
	static _Atomic uint64_t last;
	int fd;

	assert(dir->use == DATADIR_SERVE);
	snprintf(name, CONTENT_UPLOAD_NAME, UPLOAD_PREFIX "%" PRId64 "-%" PRIu64, maker, ++last);
	fd = openat(dir->partial_fd, name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
		    0600);
	return fd < 0 ? failed(dir, "partial", name, err) : fd;
}

struct content *content_adopt(struct datadir *dir, int64_t run, const char *kind, const char *name,
			      struct err *err)
{
	char partial[PARTIAL_NAME], orphan[HASH_TEXT];
	int64_t id = 0;
	int rc;

	pthread_mutex_lock(&dir->lock);
	rc = store_file_add(dir->store, run, kind, &id, err);
	partial_name(partial, id);
	if (!rc && renameat(dir->partial_fd, name, dir->partial_fd, partial)) {
		rc = failed(dir, "partial", name, err);
		store_file_drop(dir->store, id, orphan, NULL);
	}
	pthread_mutex_unlock(&dir->lock);
	return rc ? NULL : content_resume(dir, id, err);
}

void content_upload_drop(struct datadir *dir, const char *name)
{
	unlinkat(dir->partial_fd, name, 0);
}

int64_t content_id(const struct content *content)
{
	return content->id;
}

int content_fd(struct content *content)
{
	content->foreign = true;
	return content->fd;
}

int content_write(struct content *content, const void *bytes, size_t size, struct err *err)
{
	int rc = fd_write_all(content->fd, bytes, size);

	if (rc) { /* a part of it may be there, and it is not in the hash */
		content->foreign = true;
		return err_set(err, -rc, "%s: %s", content->dir->path, strerror(-rc));
	}
	crypto_generichash_update(&content->hash, bytes, size);
	content->size += (int64_t)size;
	return 0;
}

static int hash_file(int fd, crypto_generichash_state *hash, int64_t *size)
{
	unsigned char *bytes = mem_alloc(READ_AT_ONCE);
	ssize_t got;
	int rc = 0;

	crypto_generichash_init(hash, NULL, 0, HASH_BYTES);
	for (*size = 0; (got = pread(fd, bytes, READ_AT_ONCE, *size)); *size += got) {
		if (got < 0) {
			rc = -errno;
			break;
		}
		crypto_generichash_update(hash, bytes, (size_t)got);
	}
	free(bytes);
	return rc;
}

/*
 * The file and its name are on the disk before the row says that it is complete.  Until the row
 * does it stays one that can be opened again: a full disk may refuse the row, and all of this is
 * repeated.
 */
static int sync_partial(struct datadir *dir, int fd, struct err *err)
{
	if (fsync(fd) || fsync(dir->partial_fd))
		return err_set(err, errno, "%s: %s", dir->path, strerror(errno));
	return 0;
}

int content_place(struct datadir *dir, int64_t id, const char *hash, struct err *err)
{
	char partial[PARTIAL_NAME], name[CONTENT_NAME], folder[3] = { hash[0], hash[1] };

	partial_name(partial, id);
	content_name(name, hash);
	if (mkdirat(dir->files_fd, folder, 0700) && errno != EEXIST)
		return failed(dir, "files", folder, err);
	if (fchmodat(dir->partial_fd, partial, 0400, 0))
		return failed(dir, "partial", partial, err);
	/* one of the same content may be there: it makes no difference which is kept */
	if (renameat(dir->partial_fd, partial, dir->files_fd, name))
		return failed(dir, "files", name, err);
	return 0;
}

/* The steps that make an unfinished file a complete one. */
static int finish(struct datadir *dir, int64_t id, int fd, crypto_generichash_state *state,
		  int64_t size, struct err *err)
{
	unsigned char bytes[HASH_BYTES];
	char hash[HASH_TEXT];
	int rc;

	crypto_generichash_final(state, bytes, sizeof(bytes));
	sodium_bin2hex(hash, sizeof(hash), bytes, sizeof(bytes));
	rc = sync_partial(dir, fd, err);
	if (!rc)
		rc = store_file_finish(dir->store, id, hash, size, err);
	return rc ? rc : content_place(dir, id, hash, err);
}

int content_settle(struct datadir *dir, int64_t id, struct err *err)
{
	int fd = open_partial(dir, id, O_RDONLY, err);
	crypto_generichash_state hash;
	int64_t size;
	int rc;

	if (fd < 0)
		return fd;
	rc = hash_file(fd, &hash, &size);
	if (rc)
		rc = err_set(err, -rc, "%s: %s", dir->path, strerror(-rc));
	else
		rc = finish(dir, id, fd, &hash, size, err);
	close(fd);
	return rc;
}

static void content_free(struct content *content)
{
	close(content->fd);
	free(content);
}

void content_leave(struct content *content)
{
	content_free(content);
}

int content_end(struct content *content, struct err *err)
{
	struct datadir *dir = content->dir;
	int rc = 0;

	/* a long file is read before the lock is taken */
	if (content->foreign)
		rc = hash_file(content->fd, &content->hash, &content->size);
	if (rc)
		rc = err_set(err, -rc, "%s: %s", dir->path, strerror(-rc));
	pthread_mutex_lock(&dir->lock);
	if (!rc)
		rc = finish(dir, content->id, content->fd, &content->hash, content->size, err);
	pthread_mutex_unlock(&dir->lock);
	content_free(content);
	return rc;
}

int content_abandon(struct content *content, struct err *err)
{
	struct datadir *dir = content->dir;
	char orphan[HASH_TEXT], name[PARTIAL_NAME];
	int rc;

	pthread_mutex_lock(&dir->lock);
	rc = store_file_drop(dir->store, content->id, orphan, err);
	partial_name(name, content->id);
	if (!rc && unlinkat(dir->partial_fd, name, 0))
		rc = failed(dir, "partial", name, err);
	pthread_mutex_unlock(&dir->lock);
	content_free(content);
	return rc;
}

/* A complete one is still among the others if the disk was full when it was to be moved. */
static int open_row(struct datadir *dir, const struct file_row *row, struct err *err)
{
	char name[CONTENT_NAME];
	int fd = -1;

	if (*row->hash) {
		content_name(name, row->hash);
		fd = openat(dir->files_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	}
	return fd < 0 ? open_partial(dir, row->id, O_RDONLY, err) : fd;
}

int content_open(struct datadir *dir, int64_t id, struct arena *arena, struct file_row *row,
		 struct err *err)
{
	struct stat info;
	int rc;

	pthread_mutex_lock(&dir->lock); /* or it might get its last name in between */
	rc = store_file_get(dir->store, id, arena, row, err);
	if (!rc)
		rc = open_row(dir, row, err);
	pthread_mutex_unlock(&dir->lock);
	if (rc >= 0 && !*row->hash && !fstat(rc, &info))
		row->size = info.st_size;
	return rc;
}

int content_list(struct datadir *dir, int64_t run, struct arena *arena, struct file_rows *into,
		 struct err *err)
{
	size_t first = into->len;
	char name[PARTIAL_NAME];
	struct stat info;
	int rc = store_file_list(dir->store, run, arena, into, err);

	for (size_t i = first; i < into->len && !rc; i++) {
		partial_name(name, into->data[i].id);
		if (!*into->data[i].hash && !fstatat(dir->partial_fd, name, &info, 0))
			into->data[i].size = info.st_size;
	}
	return rc;
}

const struct file_row *content_find(const struct file_rows *rows, const char *kind, bool complete)
{
	for (size_t i = rows->len; i-- > 0;)
		if (!strcmp(rows->data[i].kind, kind) && (*rows->data[i].hash || !complete))
			return &rows->data[i];
	return NULL;
}

int content_unlink(struct datadir *dir, const char *hash, struct err *err)
{
	char name[CONTENT_NAME];

	content_name(name, hash);
	if (unlinkat(dir->files_fd, name, 0) && errno != ENOENT)
		return failed(dir, "files", name, err);
	return 0;
}

int content_remove(struct datadir *dir, int64_t id, struct err *err)
{
	char orphan[HASH_TEXT], name[PARTIAL_NAME];
	int rc;

	pthread_mutex_lock(&dir->lock);
	rc = store_file_drop(dir->store, id, orphan, err);
	if (!rc && *orphan)
		rc = content_unlink(dir, orphan, err);
	partial_name(name, id);
	if (!rc && unlinkat(dir->partial_fd, name, 0) && errno != ENOENT)
		rc = failed(dir, "partial", name, err);
	pthread_mutex_unlock(&dir->lock);
	return rc;
}
