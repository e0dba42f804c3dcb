// SPDX-License-Identifier: Apache-2.0
#include "jobs/folder.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "jobs/identity.h"
#include "jobs/ownfolder.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MS	 20
#define WAITS	 100 /* a server that was killed needs a moment to end what it had started */
#define TREE_FDS 16

/* nftw gives its callback no argument; only ever one thread is here. */
static const struct identity *new_owner;
static const char *not_given; /* the supervisor's own part, which stays root's */

static int give_one(const char *path, const struct stat *info, int type, struct FTW *place)
{
	size_t length = strlen(not_given);

	(void)info, (void)type, (void)place;
	if (!strncmp(path, not_given, length) && (!path[length] || path[length] == '/'))
		return 0;
	return lchown(path, new_owner->uid, new_owner->gid);
}

static bool is_empty(const struct folder *folder)
{
	struct strlist names = { 0 };
	bool empty = !dir_names(folder->path, &names, NULL);

	vec_each (name, &names)
		empty = empty && !strcmp(*name, "lost+found");
	strlist_free(&names);
	return empty;
}

/* A slip in --data must not give away /etc: one that is ours or holds nothing yet. */
static bool may_be_given(const struct folder *folder)
{
	return is_empty(folder) || file_exists("%s/perfolio.db", folder->path);
}

/* Who made it with mkdir left it open to all; what is in it already somebody may have wanted so. */
static int make_private(const struct folder *folder, struct err *err)
{
	struct stat info;

	if (fstat(folder->fd, &info))
		return err_set(err, errno, "%s: %s", folder->path, strerror(errno));
	if (!(info.st_mode & 077) || (is_empty(folder) && !fchmod(folder->fd, 0700)))
		return 0;
	return err_set(err, EACCES, "%s: others may look into it; `chmod 700 %s`", folder->path,
		       folder->path);
}

/* As root, of what root made: others' folders are theirs. */
static int give(struct folder *folder, const struct identity *owner, struct err *err)
{
	struct stat info;
	char *own;
	int rc;

	if (fstat(folder->fd, &info))
		return err_set(err, errno, "%s: %s", folder->path, strerror(errno));
	folder->device = info.st_dev;
	folder->inode = info.st_ino;
	if (info.st_uid == owner->uid)
		return 0;
	if (geteuid() != 0)
		return err_set(err, EACCES,
			       "%s: belongs to another user; choose a folder of your own with "
			       "--data",
			       folder->path);
	if (info.st_uid != 0)
		return err_set(err, EACCES,
			       "%s: does not belong to user %s, as whom requests are answered; "
			       "choose another --data or --web-user",
			       folder->path, owner->name);
	if (!may_be_given(folder))
		return err_set(err, EEXIST,
			       "%s: holds other things than a server's, and would be given to user "
			       "%s with them; choose an empty folder",
			       folder->path, owner->name);
	own = mem_printf("%s/%s", folder->path, ownfolder_name());
	new_owner = owner;
	not_given = own;
	/* from the inside out: who owns a folder already could lead us elsewhere from there */
	rc = nftw(folder->path, give_one, TREE_FDS, FTW_PHYS | FTW_MOUNT | FTW_DEPTH);
	free(own);
	return rc ? err_set(err, errno, "%s: can't be given to user %s: %s", folder->path,
			    owner->name, strerror(errno))
		  : 0;
}

static void pause_ms(long ms)
{
	struct timespec time = { .tv_nsec = ms * 1000000 };

	nanosleep(&time, NULL);
}

static int busy(const struct folder *folder, struct err *err)
{
	char pid[32], *path = mem_printf("%s/lock", folder->path);
	bool known = file_line(pid, sizeof(pid), "%s", path) > 0;

	free(path);
	return err_set(err, EBUSY, "%s: another perfolio serves this folder already%s%s",
		       folder->path, known ? "; its web side is process " : "", known ? pid : "");
}

/* The lock is on the folder itself: nothing of ours is written among the web side's files. */
static int take_lock(const struct folder *folder, struct err *err)
{
	for (int i = 0; i < WAITS; i++) {
		if (!flock(folder->fd, LOCK_EX | LOCK_NB))
			return 0;
		if (errno != EWOULDBLOCK)
			return err_set(err, errno, "%s: %s", folder->path, strerror(errno));
		pause_ms(WAIT_MS);
	}
	return busy(folder, err);
}

/* A web side without supervisor, which is about to notice that. */
static int wait_for_web(const struct folder *folder, struct err *err)
{
	int fd = openat(folder->fd, "lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	bool free_now = fd < 0;

	for (int i = 0; i < WAITS && !free_now; i++) {
		free_now = !flock(fd, LOCK_SH | LOCK_NB);
		if (!free_now)
			pause_ms(WAIT_MS);
	}
	if (fd >= 0)
		close(fd);
	return free_now ? 0 : busy(folder, err);
}

static bool may_pass(const struct stat *info, const struct identity *who)
{
	if (info->st_uid == who->uid)
		return info->st_mode & S_IXUSR;
	return info->st_mode & (info->st_gid == who->gid ? S_IXGRP : S_IXOTH);
}

/* Nothing opens a way through root's own folders; better said before the web side fails at it. */
static int check_way(const struct folder *folder, const struct identity *owner, struct err *err)
{
	char *path = mem_strdup(folder->path), *slash;
	struct stat info;
	int rc = 0;

	while (!rc && owner->uid && (slash = strrchr(path, '/'))) {
		*slash = '\0';
		if (!stat(*path ? path : "/", &info) && !may_pass(&info, owner))
			rc = err_set(
				err, EACCES,
				"%s: user %s, whom the web side runs as, can't get through %s; "
				"choose another --data or --web-user",
				folder->path, owner->name, *path ? path : "/");
	}
	free(path);
	return rc;
}

static int open_it(struct folder *folder, const char *path, const struct identity *owner,
		   struct err *err)
{
	int rc = dir_make(path, err);

	if (rc)
		return err_set(err, -rc,
			       "can't create the folder %s: %s; choose another with "
			       "--data",
			       path, strerror(-rc));
	folder->path = realpath(path, NULL);
	if (folder->path)
		folder->fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (folder->fd < 0)
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	rc = take_lock(folder, err);
	if (!rc)
		rc = wait_for_web(folder, err);
	if (!rc)
		rc = check_way(folder, owner, err);
	if (!rc)
		rc = give(folder, owner, err);
	return rc ? rc : make_private(folder, err);
}

int folder_open(struct folder *folder, const char *path, const struct identity *owner,
		struct err *err)
{
	int rc;

	*folder = (struct folder){ .fd = -1, .own = -1 };
	rc = open_it(folder, path, owner, err);
	if (!rc && !geteuid()) {
		folder->own = ownfolder_open(folder->path, true, err);
		rc = folder->own < 0 ? folder->own : 0;
	}
	if (rc)
		folder_close(folder);
	return rc;
}

void folder_close(struct folder *folder)
{
	if (folder->fd >= 0)
		close(folder->fd);
	if (folder->own >= 0)
		close(folder->own);
	free(folder->path);
	*folder = (struct folder){ .fd = -1, .own = -1 };
}

void folder_tag(const struct folder *folder, char *into, size_t room)
{
	snprintf(into, room, "perfolio-%llx-%llx", (unsigned long long)folder->device,
		 (unsigned long long)folder->inode);
}
