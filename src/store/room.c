// SPDX-License-Identifier: Apache-2.0
#include "store/room.h"
#include "base/err.h"
#include "base/file.h"
#include "base/text.h"
#include "store/datadir_inside.h"
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define MB	  ((int64_t)1 << 20)
#define FLOOR	  (64 * MB)
#define FLOOR_MIN (8 * MB)
#define RESERVE	  (4 * MB)     /* less than the floor: what it gives up is not for files */
#define ENOUGH	  (256 * 1024) /* for the database to note something */

int disk_look(int fd, struct disk *disk)
{
	struct statvfs info;

	if (fstatvfs(fd, &info))
		return -errno;
	disk->total = (int64_t)(info.f_blocks * info.f_frsize);
	/* without a free inode there is no room for another file, either */
	disk->left = info.f_files && !info.f_favail ? 0 : (int64_t)(info.f_bavail * info.f_frsize);
	/* of a small disk a sixteenth */
	disk->floor = disk->total / 16 > FLOOR	     ? FLOOR
		      : disk->total / 16 < FLOOR_MIN ? FLOOR_MIN
						     : disk->total / 16;
	return 0;
}

/* ---- the reserve ---- */

/* Gives up its blocks; the file stays. */
static void give_up(struct datadir *dir)
{
	if (!dir->room.reserved || ftruncate(dir->room.reserve_fd, 0))
		return;
	dir->room.reserved = false;
}

void room_release(void *user)
{
	struct datadir *dir = user;

	pthread_mutex_lock(&dir->room.lock);
	give_up(dir);
	pthread_mutex_unlock(&dir->room.lock);
}

/* Blocks, not only a size.  Where the file system has none to give there is no reserve. */
static void hold_room(struct datadir *dir)
{
	if (dir->room.reserve_fd < 0 || dir->room.reserved)
		return;
	if (!fallocate(dir->room.reserve_fd, 0, 0, RESERVE))
		dir->room.reserved = true;
	else if (ftruncate(dir->room.reserve_fd, 0))
		return;
}

void room_begin(struct datadir *dir)
{
	struct stat info;
	struct disk disk;

	if (dir->use != DATADIR_SERVE)
		return;
	dir->room.reserve_fd = openat(dir->fd, "reserve", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
				      0600);
	if (dir->room.reserve_fd < 0 || fstat(dir->room.reserve_fd, &info))
		return;
	dir->room.reserved = info.st_size > 0;
	if (!disk_look(dir->fd, &disk) && disk.left < ENOUGH)
		give_up(dir);
}

/* ---- how much there is ---- */

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
	int64_t rows, spare;
	int rc = store_bytes(dir->store, bytes, err);

	if (!rc)
		rc = store_size(dir->store, &rows, &spare, err);
	if (rc)
		return rc;
	*bytes += rows;
	return unfinished_bytes(dir, bytes, err);
}

int datadir_bytes_of(struct datadir *dir, int64_t maker, int64_t *bytes, struct err *err)
{
	char upload[PARTIAL_NAME + sizeof(UPLOAD_PREFIX)], name[PARTIAL_NAME];
	char *path = mem_printf("%s/partial", dir->path);
	struct file_ids unfinished = { 0 };
	struct strlist names = { 0 };
	struct stat info;
	int rc = store_bytes_of(dir->store, maker, bytes, &unfinished, err);

	if (!rc)
		rc = dir_names(path, &names, err);
	snprintf(upload, sizeof(upload), UPLOAD_PREFIX "%lld-", (long long)maker);
	vec_each (one, &names)
		if (!strncmp(*one, upload, strlen(upload)) &&
		    !fstatat(dir->partial_fd, *one, &info, AT_SYMLINK_NOFOLLOW))
			*bytes += info.st_size;
	vec_each (id, &unfinished) {
		partial_name(name, *id);
		if (!fstatat(dir->partial_fd, name, &info, AT_SYMLINK_NOFOLLOW))
			*bytes += info.st_size;
	}
	strlist_free(&names);
	vec_free(&unfinished);
	free(path);
	return rc;
}

/* Whether what was removed, and could be restored for a while, gave room. */
static bool purge_all(struct datadir *dir)
{
	struct datadir_sweep sweep = { 0 };

	return dir->use == DATADIR_SERVE && !datadir_purge(dir, INT64_MAX, &sweep, NULL) &&
	       sweep.purged;
}

static int check_disk(struct datadir *dir, const struct disk *disk, int64_t wanted, struct err *err)
{
	char left[TEXT_NUMBER], needed[TEXT_NUMBER];

	if (disk->left - disk->floor >= wanted)
		return 0;
	return err_set(err, ENOSPC,
		       "the disk is full: %s has %s left and needs %s; make room there, or remove "
		       "runs",
		       dir->path, text_bytes(left, (uint64_t)disk->left),
		       text_bytes(needed, (uint64_t)(disk->floor + wanted)));
}

static int check_quota(struct datadir *dir, int64_t wanted, int64_t quota, struct err *err)
{
	char used[TEXT_NUMBER], most[TEXT_NUMBER];
	int64_t bytes;
	int rc = datadir_bytes(dir, &bytes, err);

	if (rc || !quota || bytes + wanted <= quota)
		return rc;
	return err_set(
		err, EDQUOT,
		"the server's files take %s of the %s that --max-disk allows; remove runs, or "
		"raise it",
		text_bytes(used, (uint64_t)bytes), text_bytes(most, (uint64_t)quota));
}

static int look_for_room(struct datadir *dir, int64_t wanted, int64_t quota, struct err *err)
{
	struct disk disk;
	int rc = check_quota(dir, wanted, quota, err);

	if (rc)
		return rc;
	rc = disk_look(dir->fd, &disk);
	if (rc)
		return err_set(err, -rc, "%s: %s", dir->path, strerror(-rc));
	return check_disk(dir, &disk, wanted, err);
}

int datadir_room(struct datadir *dir, int64_t wanted, int64_t quota, struct err *err)
{
	int rc = look_for_room(dir, wanted, quota, err);

	return (rc == -EDQUOT || rc == -ENOSPC) && purge_all(dir)
		       ? look_for_room(dir, wanted, quota, err)
		       : rc;
}

static int look_for_share(struct datadir *dir, int64_t maker, int64_t wanted, int64_t most,
			  struct err *err)
{
	char used[TEXT_NUMBER], all[TEXT_NUMBER];
	int64_t bytes = 0;
	int rc = datadir_bytes_of(dir, maker, &bytes, err);

	if (rc || bytes + wanted <= most)
		return rc;
	return err_set(err, EDQUOT,
		       "your files take %s of the %s that one person may have (--max-share); "
		       "remove runs of yours",
		       text_bytes(used, (uint64_t)bytes), text_bytes(all, (uint64_t)most));
}

int datadir_share(struct datadir *dir, int64_t maker, int64_t wanted, int64_t most, struct err *err)
{
	int rc = look_for_share(dir, maker, wanted, most, err);

	return rc == -EDQUOT && purge_all(dir) ? look_for_share(dir, maker, wanted, most, err) : rc;
}

void datadir_hold(struct datadir *dir)
{
	pthread_mutex_lock(&dir->asking);
}

void datadir_let_go(struct datadir *dir)
{
	pthread_mutex_unlock(&dir->asking);
}

int64_t datadir_left(struct datadir *dir, int64_t quota)
{
	struct disk disk = { 0 };
	int64_t bytes, left;

	if (disk_look(dir->fd, &disk))
		return 0;
	left = disk.left - disk.floor;
	if (quota && !datadir_bytes(dir, &bytes, NULL) && quota - bytes < left)
		left = quota - bytes;
	return left > 0 ? left : 0;
}

bool datadir_may_write(struct datadir *dir)
{
	struct disk disk;

	return disk_look(dir->fd, &disk) || disk.left >= ENOUGH;
}

/* A run that begins just above the limit would be ended at once, so it needs a little more. */
static int look_ahead(struct datadir *dir, int64_t quota, struct disk *disk, struct err *err)
{
	int rc = disk_look(dir->fd, disk);

	if (!rc)
		rc = check_disk(dir, disk, disk->floor / 2, err);
	return rc ? rc : check_quota(dir, quota / 100 < MB ? quota / 100 : MB, quota, err);
}

int datadir_watch(struct datadir *dir, int64_t quota)
{
	struct err err = { 0 };
	struct disk disk = { 0 };
	int rc = look_ahead(dir, quota, &disk, &err);

	if ((rc == -EDQUOT || rc == -ENOSPC) && purge_all(dir))
		rc = look_ahead(dir, quota, &disk, &err);
	pthread_mutex_lock(&dir->room.lock);
	if (disk.left < ENOUGH)
		give_up(dir);
	else if (!rc && disk.left > disk.floor + 2 * RESERVE)
		hold_room(dir);
	dir->room.trouble = rc == -ENOSPC || rc == -EDQUOT ? err : (struct err){ 0 };
	pthread_mutex_unlock(&dir->room.lock);
	return rc;
}

int datadir_trouble(struct datadir *dir, struct err *err)
{
	int code;

	pthread_mutex_lock(&dir->room.lock);
	code = dir->room.trouble.code;
	if (code && err)
		*err = dir->room.trouble;
	pthread_mutex_unlock(&dir->room.lock);
	return -code;
}
