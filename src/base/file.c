// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"
#include "base/buf.h"
#include "base/caller.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/terminal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define READ_LIMIT ((size_t)1 << 28) /* /dev/zero and the like end here, not in all our memory */

char *fd_read_all(int fd, const char *name, size_t *size, struct err *err)
{
	struct buf buf = { 0 };
	ssize_t got;

	do {
		vec_reserve(&buf, buf.len + 64 * 1024 + 1);
		got = read(fd, buf.data + buf.len, buf.cap - buf.len - 1);
		if (got > 0)
			buf.len += (size_t)got;
	} while (buf.len <= READ_LIMIT && (got > 0 || (got < 0 && errno == EINTR)));
	if (got < 0) {
		err_set(err, errno, "%s: %s", name, strerror(errno));
		buf_free(&buf);
	} else if (buf.len > READ_LIMIT) {
		err_set(err, EFBIG, "%s: larger than %zu MiB", name, READ_LIMIT >> 20);
		buf_free(&buf);
	} else {
		buf.data[buf.len] = '\0';
		if (size)
			*size = buf.len;
	}
	return buf.data;
}

char *file_read(const char *path, size_t *size, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text;

	if (fd < 0) {
		err_set(err, errno, "%s: %s", path, strerror(errno));
		return NULL;
	}
	text = fd_read_all(fd, path, size, err);
	close(fd);
	return text;
}

static int read_small(char *into, size_t room, const char *path, va_list args)
{
	char full[PATH_MAX];
	ssize_t got;
	int fd;

	into[0] = '\0';
	if (vsnprintf(full, sizeof(full), path, args) >= (int)sizeof(full))
		return -ENAMETOOLONG;
	fd = open(full, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	got = read(fd, into, room - 1);
	if (got < 0)
		got = -errno;
	else
		into[got] = '\0';
	close(fd);
	return (int)got;
}

int file_line(char *into, size_t room, const char *path, ...)
{
	va_list args;
	int got;

	va_start(args, path);
	got = read_small(into, room, path, args);
	va_end(args);
	if (got < 0)
		return got;
	into[strcspn(into, "\n")] = '\0';
	return (int)strlen(into);
}

int file_number(int64_t *into, const char *path, ...)
{
	char text[64], *end;
	va_list args;
	int got;

	va_start(args, path);
	got = read_small(text, sizeof(text), path, args);
	va_end(args);
	if (got < 0)
		return got;
	errno = 0;
	/* decimal or 0x: a leading zero does not make it octal */
	*into = strtoll(text, &end, !strncmp(text, "0x", 2) ? 16 : 10);
	return errno || end == text || end[strspn(end, " \n")] ? -EINVAL : 0;
}

bool file_exists(const char *path, ...)
{
	char full[PATH_MAX];
	va_list args;
	int length;

	va_start(args, path);
	length = vsnprintf(full, sizeof(full), path, args);
	va_end(args);
	return length < (int)sizeof(full) && faccessat(AT_FDCWD, full, F_OK, AT_EACCESS) == 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_folder(int dir, const struct dirent *entry)
{
	struct stat status;

	if (entry->d_type != DT_UNKNOWN && entry->d_type != DT_LNK)
		return entry->d_type == DT_DIR;
	return !fstatat(dir, entry->d_name, &status, 0) && S_ISDIR(status.st_mode);
}

static int list_dir(const char *path, struct strlist *names, bool folders_only, struct err *err)
{
	size_t before = names->len;
	struct dirent *entry;
	DIR *dir = opendir(path);

	if (!dir)
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
		    (!folders_only || is_folder(dirfd(dir), entry)))
			strlist_add(names, entry->d_name);
	closedir(dir);
	if (names->len > before)
		qsort(names->data + before, names->len - before, sizeof(*names->data), by_name);
	return 0;
}

int dir_names(const char *path, struct strlist *names, struct err *err)
{
	return list_dir(path, names, false, err);
}

int dir_subdirs(const char *path, struct strlist *names, struct err *err)
{
	return list_dir(path, names, true, err);
}

int dir_make(const char *path, struct err *err)
{
	char *copy = mem_strdup(path);
	struct stat info;
	size_t end = 0;
	int rc = 0;

	do { /* "/a", "/a/b", "/a/b/c" */
		end += strspn(path + end, "/");
		end += strcspn(path + end, "/");
		copy[end] = '\0';
		if (mkdir(copy, 0700) && errno != EEXIST)
			rc = err_set(err, errno, "%s: %s", copy, strerror(errno));
		copy[end] = path[end];
	} while (!rc && path[end]);
	if (!rc && (stat(path, &info) || !S_ISDIR(info.st_mode)))
		rc = err_set(err, ENOTDIR, "%s: %s", path, strerror(ENOTDIR));
	free(copy);
	return rc;
}

/* The folder that a variable names, or else one below the user's home. */
static char *user_dir(const char *variable, const char *below_home)
{
	const char *base = getenv(variable), *home = getenv("HOME");
	struct passwd *user;

	if (base && base[0] == '/')
		return mem_printf("%s/perfolio", base);
	if (!home || !*home) {
		user = getpwuid(geteuid());
		home = user ? user->pw_dir : "/";
	}
	return mem_printf("%s/%s/perfolio", home, below_home);
}

char *dir_user_data(void)
{
	return user_dir("XDG_DATA_HOME", ".local/share");
}

char *dir_user_cache(const char *name)
{
	char *base = user_dir("XDG_CACHE_HOME", ".cache"), *dir = mem_printf("%s/%s", base, name);

	free(base);
	return dir;
}

int fd_write_all(int fd, const void *bytes, size_t size)
{
	return terminal_is_guarded(fd) ? terminal_write(fd, bytes, size)
				       : fd_write_plain(fd, bytes, size);
}

int fd_write_plain(int fd, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size) {
		ssize_t done = write(fd, at, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? -errno : -EIO;
		at += done;
		size -= (size_t)done;
	}
	return 0;
}

/* ---- files for the user ---- */

#define LINKS_MOST 16

static bool is_trusted(uid_t user)
{
	uid_t caller;
	gid_t group;

	return !user || user == geteuid() || (caller_of_sudo(&caller, &group) && user == caller);
}

static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return mem_strdup(".");
	return slash == path ? mem_strdup("/") : mem_strndup(path, (size_t)(slash - path));
}

/* Whether others may put something there. */
static bool is_shared(const struct stat *folder)
{
	return folder->st_mode & S_IWOTH || !is_trusted(folder->st_uid) ||
	       (folder->st_mode & S_IWGRP && folder->st_mode & S_ISVTX);
}

static int refuse(const char *path, const char *what, struct err *err)
{
	return err_set(err, EACCES,
		       "%s: %s, in a folder that others may write to; choose another name", path,
		       what);
}

/* Where the name stands: shared or not, and whether /proc makes up what it leads to. */
static int look_at_folder(const char *path, bool *shared, bool *made_up, struct err *err)
{
	char *folder = folder_of(path);
	struct statfs system;
	struct stat st;
	int rc = 0;

	if (stat(folder, &st) || statfs(folder, &system))
		rc = err_set(err, errno, "%s: %s", path, strerror(errno));
	else
		*shared = is_shared(&st);
	*made_up = !rc && system.f_type == PROC_SUPER_MAGIC;
	free(folder);
	return rc;
}

static char *follow_link(const char *path)
{
	char target[PATH_MAX], *folder, *next;
	ssize_t length = readlink(path, target, sizeof(target) - 1);

	if (length < 0)
		return NULL;
	target[length] = '\0';
	if (*target == '/')
		return mem_strdup(target);
	folder = folder_of(path);
	next = mem_printf("%s/%s", folder, target);
	free(folder);
	return next;
}

/* The name behind the links, and what lies there; st_mode 0: nothing does. */
static char *lead(const char *path, struct stat *st, bool *shared, bool *made_up, struct err *err)
{
	char *at = mem_strdup(path), *next;

	for (int i = 0; i < LINKS_MOST; i++) {
		int rc = look_at_folder(at, shared, made_up, err);

		if (!rc && (*made_up ? stat(at, st) : lstat(at, st)))
			*st = (struct stat){ 0 };
		if (!rc && S_ISLNK(st->st_mode) && *shared && !is_trusted(st->st_uid))
			rc = refuse(at, "a link of another user", err);
		if (!rc && !S_ISLNK(st->st_mode))
			return at;
		next = rc ? NULL : follow_link(at);
		free(at);
		if (rc)
			return NULL;
		if (!next)
			break;
		at = next;
	}
	err_set(err, ELOOP, "%s: %s", path, strerror(ELOOP));
	return NULL;
}

char *file_lead(const char *path, struct err *err)
{
	bool shared, made_up;
	struct stat st;

	return lead(path, &st, &shared, &made_up, err);
}

bool file_is_descriptor(const char *path)
{
	bool shared, made_up = false;
	struct stat st;

	free(lead(path, &st, &shared, &made_up, NULL));
	return made_up;
}

static int open_existing(const char *path, const struct stat *st, bool shared, int how,
			 struct err *err)
{
	struct stat now;
	int fd;

	if (shared && !is_trusted(st->st_uid))
		return refuse(path, "it belongs to another user", err);
	if (shared && S_ISREG(st->st_mode) && st->st_nlink > 1)
		return refuse(path, "it has another name", err);
	fd = open(path, (how & O_RDWR ? 0 : O_WRONLY) | how | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY);
	if (fd < 0)
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	if (fstat(fd, &now) || now.st_dev != st->st_dev || now.st_ino != st->st_ino) {
		close(fd);
		return refuse(path, "it was replaced meanwhile", err);
	}
	if (!(how & O_APPEND) && S_ISREG(now.st_mode) && ftruncate(fd, 0)) {
		int code = errno;

		close(fd);
		return err_set(err, code, "%s: %s", path, strerror(code));
	}
	return fd;
}

int file_create(const char *path, int how, struct err *err)
{
	bool shared, made_up;
	struct stat st;
	char *at = lead(path, &st, &shared, &made_up, err);
	int fd = -1;

	if (!at)
		return -err->code;
	if (st.st_mode && !made_up) {
		fd = open_existing(at, &st, shared, how, err);
	} else {
		int new = made_up ? how &O_APPEND ? 0 : O_TRUNC : O_CREAT | O_EXCL | O_NOFOLLOW;

		fd = open(at, (how & O_RDWR ? 0 : O_WRONLY) | how | new | O_CLOEXEC | O_NOCTTY,
			  0666);
		if (fd < 0)
			fd = err_set(err, errno, "%s: %s", path, strerror(errno));
	}
	free(at);
	return fd;
}

int file_beside(const char *path, char **making, struct err *err)
{
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	*making = mem_printf("%s.XXXXXX.part", path);
	fd = mkostemps(*making, 5, O_CLOEXEC);
	if (fd >= 0 && !fchmod(fd, 0666 & ~mask))
		return fd;
	err_set(err, errno, "%s: %s", path, strerror(errno));
	if (fd >= 0) {
		unlink(*making);
		close(fd);
	}
	free(*making);
	*making = NULL;
	return -err->code;
}
