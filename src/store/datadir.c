// SPDX-License-Identifier: Apache-2.0
#include "base/err.h"
#include "base/file.h"
#include "store/datadir_inside.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define RESERVE ((int64_t)64 << 20) /* left to the database and to everybody else */

/* Recordings hold what programs did; nobody else is to look into them. */
static int check_private(const char *path, int fd, struct err *err)
{
	struct stat info;

	if (fstat(fd, &info))
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	if (info.st_uid != geteuid())
		return err_set(err, EACCES, "%s: belongs to another user; run perfolio as that one",
			       path);
	if (info.st_mode & 077)
		return err_set(err, EACCES, "%s: others may look into it; `chmod 700 %s`", path,
			       path);
	return 0;
}

static int open_folder(const char *path, struct err *err)
{
	int rc = dir_make(path, err);
	int fd;

	if (rc)
		return rc;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? err_set(err, errno, "%s: %s", path, strerror(errno)) : fd;
}

static int open_inside(struct datadir *dir, const char *name, struct err *err)
{
	char *path = mem_printf("%s/%s", dir->path, name);
	int fd = open_folder(path, err);

	free(path);
	return fd;
}

static int refuse_second(struct datadir *dir, struct err *err)
{
	char pid[32];
	ssize_t got = pread(dir->lock_fd, pid, sizeof(pid) - 1, 0);

	pid[got > 0 ? got : 0] = '\0';
	pid[strcspn(pid, "\n")] = '\0';
	return err_set(err, EBUSY, "%s: process %s serves this folder already", dir->path,
		       *pid ? pid : "(starting)");
}

static int take_lock(struct datadir *dir, struct err *err)
{
	char pid[32];
	int length = snprintf(pid, sizeof(pid), "%d\n", (int)getpid());

	dir->lock_fd = openat(dir->fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (dir->lock_fd < 0)
		return err_set(err, errno, "%s/lock: %s", dir->path, strerror(errno));
	if (flock(dir->lock_fd, LOCK_EX | LOCK_NB)) {
		if (errno == EWOULDBLOCK)
			return refuse_second(dir, err);
		return err_set(err, errno, "%s/lock: %s", dir->path, strerror(errno));
	}
	if (ftruncate(dir->lock_fd, 0) || pwrite(dir->lock_fd, pid, (size_t)length, 0) != length)
		return err_set(err, errno ? errno : ENOSPC, "%s/lock: %s", dir->path,
			       strerror(errno ? errno : ENOSPC));
	return 0;
}

static int open_parts(struct datadir *dir, struct err *err)
{
	char *database;
	int rc;

	if (sodium_init() < 0)
		return err_set(err, EIO, "libsodium does not work here");
	dir->fd = open_folder(dir->path, err);
	if (dir->fd < 0)
		return dir->fd;
	rc = check_private(dir->path, dir->fd, err);
	if (!rc && dir->use == DATADIR_SERVE)
		rc = take_lock(dir, err);
	if (rc)
		return rc;
	dir->partial_fd = open_inside(dir, "partial", err);
	if (dir->partial_fd < 0)
		return dir->partial_fd;
	dir->files_fd = open_inside(dir, "files", err);
	if (dir->files_fd < 0)
		return dir->files_fd;
	database = mem_printf("%s/perfolio.db", dir->path);
	dir->store = store_open(database, NULL, err);
	free(database);
	return dir->store ? 0 : -EIO; /* the words are in *err */
}

struct datadir *datadir_open(const char *path, enum datadir_use use, struct err *err)
{
	struct datadir *dir = mem_alloc(sizeof(*dir));

	*dir = (struct datadir){ .path = mem_strdup(path),
				 .use = use,
				 .fd = -1,
				 .lock_fd = -1,
				 .partial_fd = -1,
				 .files_fd = -1 };
	pthread_mutex_init(&dir->lock, NULL);
	if (open_parts(dir, err)) {
		datadir_close(dir);
		return NULL;
	}
	return dir;
}

void datadir_close(struct datadir *dir)
{
	if (!dir)
		return;
	store_close(dir->store);
	for (int *fd = (int[]){ dir->files_fd, dir->partial_fd, dir->fd, dir->lock_fd, -2 };
	     *fd != -2; fd++)
		if (*fd >= 0)
			close(*fd);
	pthread_mutex_destroy(&dir->lock);
	free(dir->path);
	free(dir);
}

struct store *datadir_store(struct datadir *dir)
{
	return dir->store;
}

const char *datadir_path(const struct datadir *dir)
{
	return dir->path;
}

int datadir_scratch(struct datadir *dir, struct err *err)
{
	static const char name[] = "scratch"; /* where a file system can do no better */
	int fd = openat(dir->partial_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {
		pthread_mutex_lock(&dir->lock);
		fd = openat(dir->partial_fd, name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		unlinkat(dir->partial_fd, name, 0);
		pthread_mutex_unlock(&dir->lock);
	}
	return fd < 0 ? err_set(err, errno, "%s: %s", dir->path, strerror(errno)) : fd;
}

static int unfinished_bytes(struct datadir *dir, int64_t *bytes, struct err *err)
{
	char *path = mem_printf("%s/partial", dir->path);
	struct strlist names = { 0 };
	struct stat info;
	int rc = dir_names(path, &names, err);

	vec_each (name, &names)
		if (!fstatat(dir->partial_fd, *name, &info, AT_SYMLINK_NOFOLLOW))
			*bytes += info.st_size;
	strlist_free(&names);
	free(path);
	return rc;
}

int datadir_bytes(struct datadir *dir, int64_t *bytes, struct err *err)
{
	int rc = store_bytes(dir->store, bytes, err);

	return rc ? rc : unfinished_bytes(dir, bytes, err);
}

int datadir_room(struct datadir *dir, int64_t wanted, int64_t quota, struct err *err)
{
	struct statvfs disk;
	int64_t bytes, left;
	int rc = datadir_bytes(dir, &bytes, err);

	if (rc)
		return rc;
	if (quota && bytes + wanted > quota)
		return err_set(err, EDQUOT,
			       "%s: %.1f MB of %.1f MB are used and %.1f MB may be needed; "
			       "remove runs, or raise the limit",
			       dir->path, (double)bytes / 1e6, (double)quota / 1e6,
			       (double)wanted / 1e6);
	if (fstatvfs(dir->fd, &disk))
		return err_set(err, errno, "%s: %s", dir->path, strerror(errno));
	left = (int64_t)(disk.f_bavail * disk.f_frsize);
	if (left - RESERVE < wanted)
		return err_set(err, ENOSPC,
			       "%s: the disk has %.1f MB left and %.1f MB may be needed; "
			       "remove runs, or make room",
			       dir->path, (double)left / 1e6, (double)(wanted + RESERVE) / 1e6);
	return 0;
}
