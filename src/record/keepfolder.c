// SPDX-License-Identifier: Apache-2.0
#include "record/keepfolder.h"
#include "base/caller.h"
#include "base/file.h"
#include "base/mem.h"
#include "perfdata/buildid.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

static char *home_of(const struct keepfolder *folder)
{
	const char *home = folder->as_caller ? NULL : getenv("HOME");
	struct passwd entry, *found = NULL;
	char text[4096];

	if (!home || home[0] != '/')
		home = getpwuid_r(folder->user, &entry, text, sizeof(text), &found) || !found
			       ? NULL
			       : found->pw_dir;
	return home ? mem_strdup(home) : NULL;
}

void keepfolder_init(struct keepfolder *folder, const char *dir)
{
	char *home;

	*folder = (struct keepfolder){ .user = geteuid(), .group = getegid() };
	folder->as_caller = caller_of_sudo(&folder->user, &folder->group);
	if (dir) {
		folder->dir = mem_strdup(dir);
		return;
	}
	home = home_of(folder);
	folder->dir = home ? mem_printf("%s/.debug", home) : NULL;
	free(home);
}

void keepfolder_fini(struct keepfolder *folder)
{
	free(folder->dir);
	*folder = (struct keepfolder){ 0 };
}

/*
 * From here to drop_rights files are made and opened as the caller; of this thread only.  With
 * another fsuid than root's the kernel takes the capabilities that override permissions away.
 */
static void take_rights(const struct keepfolder *folder)
{
	if (!folder->as_caller)
		return;
	setfsgid(folder->group);
	setfsuid(folder->user);
}

static void drop_rights(const struct keepfolder *folder)
{
	if (!folder->as_caller)
		return;
	setfsuid(geteuid());
	setfsgid(getegid());
}

static int copy_bytes(int from, int to, uint64_t size)
{
	unsigned char *part = mem_alloc(256 << 10);
	uint64_t at = 0;
	int rc = 0;

	while (!rc && at < size) {
		size_t want = size - at < 256 << 10 ? (size_t)(size - at) : 256 << 10;
		ssize_t got = pread(from, part, want, (off_t)at);

		if (got <= 0)
			rc = got ? -errno : -EIO; /* it was cut short meanwhile */
		else
			rc = fd_write_all(to, part, (size_t)got);
		at += got > 0 ? (uint64_t)got : 0;
	}
	free(part);
	return rc;
}

/* Under a temporary name first: whoever finds the file finds all of it. */
static int copy_to(int from, const char *path, uint64_t size)
{
	char *making = mem_printf("%s.XXXXXX", path);
	int to = mkostemp(making, O_CLOEXEC), rc;

	if (to < 0) {
		rc = -errno;
		free(making);
		return rc;
	}
	rc = copy_bytes(from, to, size);
	close(to);
	if (!rc && rename(making, path))
		rc = -errno;
	if (rc)
		unlink(making);
	free(making);
	return rc;
}

/* ".build-id/ab/cdef" as a link to "../../PATH/ID". */
static int make_link(const char *link, const char *place)
{
	char *slash, *parent = mem_strdup(link), *target = mem_printf("../..%s", place);
	int rc;

	slash = strrchr(parent, '/');
	*slash = '\0';
	rc = dir_make(parent, NULL);
	if (!rc && symlink(target, link) && errno != EEXIST)
		rc = -errno;
	free(parent);
	free(target);
	return rc;
}

static int keep_file(struct keepfolder *folder, int fd, const char *path, const char *id,
		     uint64_t size)
{
	char link[PATH_MAX], place[PATH_MAX], elf[PATH_MAX];
	int rc;

	if (snprintf(link, sizeof(link), "%s/.build-id/%.2s/%s", folder->dir, id, id + 2) >=
		    PATH_MAX ||
	    snprintf(place, sizeof(place), "%s/%s", path, id) >= PATH_MAX ||
	    snprintf(elf, sizeof(elf), "%s%s", folder->dir, place) >= PATH_MAX - 16)
		return -ENAMETOOLONG;
	if (!access(link, F_OK))
		return 0;
	if (size > KEEP_FILE_MOST || folder->bytes + size > KEEP_ALL_MOST) {
		folder->left_out++;
		return -EFBIG;
	}
	rc = dir_make(elf, NULL);
	strcat(elf, "/elf");
	if (!rc)
		rc = copy_to(fd, elf, size);
	if (!rc)
		rc = make_link(link, place);
	if (!rc) {
		folder->files++;
		folder->bytes += size;
	}
	return rc;
}

int keepfolder_add(struct keepfolder *folder, int fd, const char *path)
{
	char text[BUILD_ID_TEXT];
	struct build_id id;
	struct stat st;
	int rc;

	/* A program may have any name; not one that would lie among the links. */
	if (!folder->dir || path[0] != '/' || !strncmp(path, "/.build-id", 10))
		return -EINVAL;
	if (fstat(fd, &st))
		return -errno;
	if (build_id_of_fd(&id, fd) || id.size < 2)
		return -ENOENT;
	build_id_text(text, &id);
	take_rights(folder);
	rc = keep_file(folder, fd, path, text, (uint64_t)st.st_size);
	drop_rights(folder);
	return rc;
}

int keepfolder_add_list(struct keepfolder *folder, int fd, const char *target, uint64_t *size)
{
	struct stat st;
	uint64_t now;
	int rc;

	if (fstat(fd, &st))
		return -errno;
	now = (uint64_t)st.st_size;
	if (now == *size)
		return 0;
	if (now > KEEP_FILE_MOST || folder->bytes + now > KEEP_ALL_MOST) {
		folder->left_out++;
		return -EFBIG;
	}
	take_rights(folder);
	rc = copy_to(fd, target, now);
	drop_rights(folder);
	if (rc)
		return rc;
	folder->files += !*size;
	folder->bytes += now - *size;
	*size = now;
	return 0;
}
