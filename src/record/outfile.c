// SPDX-License-Identifier: Apache-2.0
#include "record/outfile.h"
#include "base/caller.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "record/kcore.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FLAGS (O_RDWR | O_CLOEXEC)

/* Under sudo the file is for the user who called it, not for root. */
static void give_to_caller(int fd)
{
	uid_t user;
	gid_t group;

	if (caller_of_sudo(&user, &group) && fchown(fd, user, group))
		return; /* a file system without owners: nothing to be done */
}

static int open_special(struct outfile *file, struct err *err)
{
	file->special = true;
	file->fd = file_create(file->path, O_RDWR, err);
	if (file->fd == -EACCES || file->fd == -EPERM)
		file->fd = file_create(file->path, 0, err);
	return file->fd < 0 ? file->fd : 0;
}

static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return mem_strdup(".");
	return slash == path ? mem_strdup("/") : mem_strndup(path, (size_t)(slash - path));
}

/* These give 0 or a positive errno value. */
static int open_unnamed(struct outfile *file)
{
	char *folder = folder_of(file->path);

	file->fd = open(folder, O_TMPFILE | FLAGS, 0600);
	free(folder);
	if (file->fd < 0)
		return errno;
	file->making = mem_strdup("");
	return 0;
}

static int open_named(struct outfile *file)
{
	char *folder = folder_of(file->path), *name = mem_printf("%s/.perfolio-XXXXXX", folder);

	free(folder);
	file->fd = mkostemp(name, O_CLOEXEC); /* with mode 0600 */
	if (file->fd < 0) {
		int code = errno;

		free(name);
		return code;
	}
	file->making = name;
	return 0;
}

int outfile_open(struct outfile *file, const char *path, struct err *err)
{
	struct stat st;
	int code;

	*file = (struct outfile){ .fd = -1, .path = mem_strdup(path) };
	if ((!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) ||
	    file_is_descriptor(path)) {
		code = open_special(file, err);
		if (code)
			outfile_close(file);
		return code;
	}
	code = open_unnamed(file);
	if (code)
		code = open_named(file);
	if (code) {
		err_set(err, code, "can't create %s: %s", path, strerror(code));
		outfile_close(file);
		return -code;
	}
	give_to_caller(file->fd);
	return 0;
}

void outfile_use(struct outfile *file, int fd)
{
	*file = (struct outfile){ .fd = fd, .special = true };
}

static int keep_older(struct outfile *file, struct err *err)
{
	char *old = mem_printf("%s.old", file->path);
	struct stat st;
	int rc = 0;

	/* A folder takes the place of nothing, and nothing that of a folder. */
	if ((!lstat(file->path, &st) && S_ISDIR(st.st_mode)) ||
	    (!lstat(old, &st) && S_ISDIR(st.st_mode)))
		recording_remove(old);
	file->kept_older = !rename(file->path, old);
	if (!file->kept_older && errno != ENOENT)
		rc = err_set(err, errno, "%s: the older one can't be renamed to %s: %s", file->path,
			     old, strerror(errno));
	free(old);
	return rc;
}

static int give_name(const struct outfile *file)
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", file->fd);
	return linkat(AT_FDCWD, link, AT_FDCWD, file->path, AT_SYMLINK_FOLLOW);
}

int outfile_publish(struct outfile *file, struct err *err)
{
	int rc;

	if (!file->making)
		return 0;
	rc = keep_older(file, err);
	if (rc)
		return rc;
	if (*file->making ? rename(file->making, file->path) : give_name(file))
		return err_set(err, errno, "%s: %s", file->path, strerror(errno));
	free(file->making);
	file->making = NULL;
	return 0;
}

int outfile_rename(struct outfile *file, const char *path, struct err *err)
{
	if (file->special || !file->path)
		return 0;
	if (rename(file->path, path))
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	free(file->path);
	file->path = mem_strdup(path);
	return 0;
}

void outfile_withdraw(struct outfile *file)
{
	char *old;

	if (file->special || !file->path || file->making)
		return;
	unlink(file->path);
	old = mem_printf("%s.old", file->path);
	if (file->kept_older)
		rename(old, file->path);
	free(old);
}

void outfile_close(struct outfile *file)
{
	if (file->making && *file->making)
		unlink(file->making);
	if (file->fd >= 0 && file->path)
		close(file->fd);
	free(file->making);
	free(file->path);
	*file = (struct outfile){ .fd = -1 };
}
