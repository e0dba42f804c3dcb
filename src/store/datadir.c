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
#include <unistd.h>

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
	struct store_options options = { .full = room_release, .user = dir };
	char *database;
	int rc;

	if (sodium_init() < 0)
		return err_set(err, EIO, "libsodium does not work here");
	dir->fd = open_folder(dir->path, err);
	if (dir->fd < 0)
		return dir->fd;
	rc = check_private(dir->path, dir->fd, err);
	room_begin(dir); /* before anything is written: a start on a full disk needs it */
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
	dir->store = store_open(database, &options, err);
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
				 .files_fd = -1,
				 .room = { .reserve_fd = -1 } };
	pthread_mutex_init(&dir->lock, NULL);
	pthread_mutex_init(&dir->asking, NULL);
	pthread_mutex_init(&dir->room.lock, NULL);
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
	for (int *fd = (int[]){ dir->files_fd, dir->partial_fd, dir->fd, dir->lock_fd,
				dir->room.reserve_fd, -2 };
	     *fd != -2; fd++)
		if (*fd >= 0)
			close(*fd);
	pthread_mutex_destroy(&dir->lock);
	pthread_mutex_destroy(&dir->asking);
	pthread_mutex_destroy(&dir->room.lock);
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

int datadir_secret_read(struct datadir *dir, const char *name, void *into, size_t size,
			struct err *err)
{
	int fd = openat(dir->fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat info;
	bool good;

	if (fd < 0)
		return err_set(err, errno, "%s/%s: %s", dir->path, name, strerror(errno));
	good = !fstat(fd, &info) && S_ISREG(info.st_mode) && !(info.st_mode & 077) &&
	       info.st_uid == geteuid() && info.st_size == (off_t)size &&
	       read(fd, into, size) == (ssize_t)size;
	close(fd);
	return good ? 0 : err_set(err, ENOENT, "%s/%s: can't be used", dir->path, name);
}

int datadir_secret_write(struct datadir *dir, const char *name, const void *bytes, size_t size,
			 struct err *err)
{
	char *fresh = mem_printf("%s.new", name);
	int fd, rc;

	unlinkat(dir->fd, fresh, 0); /* of a server that was killed just here */
	fd = openat(dir->fd, fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	rc = fd < 0 ? -errno : fd_write_all(fd, bytes, size);
	if (!rc && (fsync(fd) || renameat(dir->fd, fresh, dir->fd, name) || fsync(dir->fd)))
		rc = -errno;
	if (fd >= 0)
		close(fd);
	if (rc)
		unlinkat(dir->fd, fresh, 0);
	free(fresh);
	return rc ? err_set(err, -rc, "%s/%s: %s", dir->path, name, strerror(-rc)) : 0;
}
