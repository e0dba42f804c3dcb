// SPDX-License-Identifier: Apache-2.0
#include "symbol/process.h"
#include "base/buf.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool same_place(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool process_is_apart(pid_t pid)
{
	char root[64], mounts[64];
	struct stat st;

	snprintf(root, sizeof(root), "/proc/%d/root", pid);
	snprintf(mounts, sizeof(mounts), "/proc/%d/ns/mnt", pid);
	if (stat(root, &st)) /* gone, or not for us to see */
		return image_refused(-errno, IMAGE_APART, pid, "") == 1;
	return !same_place(root, "/") || !same_place(mounts, "/proc/self/ns/mnt");
}

pid_t process_own_pid(pid_t pid)
{
	char path[64], line[512];
	pid_t own = 0;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	in = fopen(path, "re");
	while (in && fgets(line, sizeof(line), in))
		if (!strncmp(line, "NSpid:", 6)) { /* one a namespace, the innermost last */
			char *last = strrchr(line, '\t');

			own = last ? (pid_t)strtol(last, NULL, 10) : 0;
		}
	if (in)
		fclose(in);
	return own;
}

/* When it began, since 1970; 0: not known. */
static int64_t began_ns(pid_t pid)
{
	struct timespec wall, boot;
	unsigned long long ticks = 0;
	char path[64], line[1024], *at;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	in = fopen(path, "re");
	at = in && fgets(line, sizeof(line), in) ? strrchr(line, ')') : NULL;
	for (int i = 2; at && i < 22; i++) /* its name is the second field, its begin the 22nd */
		at = strchr(at + 1, ' ');
	if (at)
		ticks = strtoull(at, NULL, 10);
	if (in)
		fclose(in);
	if (!ticks || clock_gettime(CLOCK_REALTIME, &wall) || clock_gettime(CLOCK_BOOTTIME, &boot))
		return 0;
	return (wall.tv_sec - boot.tv_sec) * 1000000000LL + (wall.tv_nsec - boot.tv_nsec) +
	       (int64_t)(ticks * (1000000000ULL / (unsigned long long)sysconf(_SC_CLK_TCK)));
}

bool process_is_of_user(pid_t pid, uid_t user, int64_t until_ns)
{
	char path[64], line[256];
	unsigned real, effective = UINT_MAX;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	in = fopen(path, "re");
	while (in && fgets(line, sizeof(line), in))
		if (sscanf(line, "Uid: %u %u", &real, &effective) == 2)
			break;
	if (in)
		fclose(in);
	return effective == user && (!until_ns || began_ns(pid) <= until_ns);
}

bool process_wrote(pid_t pid, const struct image *list, int64_t until_ns)
{
	struct stat st;

	if (!list->is_file || fstat(list->fd, &st) || !S_ISREG(st.st_mode) || st.st_nlink > 1 ||
	    st.st_mode & S_IWOTH)
		return false;
	return !st.st_uid || st.st_uid == geteuid() || process_is_of_user(pid, st.st_uid, until_ns);
}

/* Whether a name of /proc is that path, or was before the file was deleted. */
static bool is_named(const char *name, const char *path)
{
	size_t length = strlen(path);

	return !strncmp(name, path, length) &&
	       (!name[length] || !strcmp(name + length, " (deleted)"));
}

static int open_exe(pid_t pid, const char *path, struct image *image, struct buf *source)
{
	char link[64], name[PATH_MAX];
	ssize_t length;
	int rc;

	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	length = readlink(link, name, sizeof(name) - 1);
	if (length < 0)
		return -errno;
	name[length] = '\0';
	if (!is_named(name, path))
		return -ENOENT;
	rc = image_open(image, link);
	if (!rc) {
		buf_clear(source);
		buf_puts(source, link);
	}
	return rc;
}

/* "start-end perms offset dev inode   name" */
static bool mapping_name(char *line, uint64_t *start, uint64_t *end, const char **name)
{
	int at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %*s %n", start, end, &at) < 2 || !at)
		return false;
	*name = line + at;
	return **name == '/';
}

static int open_map_file(pid_t pid, const char *path, struct image *image, struct buf *source)
{
	char maps[64], *line = NULL;
	int rc = -ENOENT;
	size_t room = 0;
	FILE *in;

	snprintf(maps, sizeof(maps), "/proc/%d/maps", pid);
	in = fopen(maps, "re");
	if (!in)
		return -errno;
	while (rc && getline(&line, &room, in) > 0) {
		uint64_t start, end;
		const char *name;

		if (!mapping_name(line, &start, &end, &name) || !is_named(name, path))
			continue;
		buf_clear(source);
		buf_printf(source, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid, start, end);
		rc = image_open(image, buf_text(source));
		if (rc)
			break; /* not for us: the other parts will not open either */
	}
	free(line);
	fclose(in);
	return rc;
}

int process_open_mapped(pid_t pid, const char *path, struct image *image, struct buf *source)
{
	int rc = open_exe(pid, path, image, source);

	if (rc)
		rc = open_map_file(pid, path, image, source);
	if (!rc)
		return 0;
	buf_clear(source);
	buf_printf(source, "/proc/%d/map_files", (int)pid);
	return image_open_refused(image, rc, IMAGE_MAPPED, pid, path);
}
