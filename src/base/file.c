// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"
#include "base/buf.h"
#include "base/err.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
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
	const char *at = bytes;
	ssize_t done;

	while (size) {
		done = write(fd, at, size);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? -errno : -EIO;
		at += done;
		size -= (size_t)done;
	}
	return 0;
}
