// SPDX-License-Identifier: Apache-2.0
#include "record/owner.h"
#include "base/err.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STATUS_MOST 8192

/* With this setting, meant for debugging, events outlast the exec of a setuid program. */
static int check_kernel(struct err *err)
{
	char line[16];

	if (file_line(line, sizeof(line), "/proc/sys/fs/suid_dumpable") <= 0 || strcmp(line, "1"))
		return 0;
	return err_set(err, EPERM,
		       "fs.suid_dumpable is 1, so processes could be followed into other users' "
		       "programs; set it to 0 or 2");
}

int owner_parse(struct owner *owner, const char *text, struct err *err)
{
	unsigned uid, gid;
	char more;

	*owner = (struct owner){ 0 };
	if (!text || !*text)
		return 0;
	if (sscanf(text, "%u:%u%c", &uid, &gid, &more) != 2)
		return err_set(err, EINVAL, "'%s' is not UID:GID", text);
	*owner = (struct owner){ .set = true, .uid = uid, .gid = gid };
	return check_kernel(err);
}

int owner_hold(const struct owner *owner, pid_t task)
{
	char path[64];

	if (!owner->set)
		return -1;
	snprintf(path, sizeof(path), "/proc/%d", (int)task);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static bool read_status(int held, char *text)
{
	int fd = openat(held, "status", O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return false;
	got = read(fd, text, STATUS_MOST - 1);
	close(fd);
	if (got <= 0)
		return false;
	text[got] = '\0';
	return true;
}

/* The real, the effective and the saved one.  A name with such a line in it is written escaped. */
static bool all_are(const char *text, const char *key, unsigned wanted)
{
	const char *line = strstr(text, key);
	unsigned ids[3];

	return line && sscanf(line + strlen(key), "%u %u %u", &ids[0], &ids[1], &ids[2]) == 3 &&
	       ids[0] == wanted && ids[1] == wanted && ids[2] == wanted;
}

static bool has_capabilities(const char *text)
{
	const char *line = strstr(text, "\nCapPrm:");
	unsigned long long set;

	return !line || sscanf(line, "\nCapPrm: %llx", &set) != 1 || set;
}

/* The folder belongs to the effective user; what is in it, to root if it may not be dumped. */
static bool may_be_dumped(int held, uid_t uid)
{
	struct stat info;

	return !fstatat(held, "status", &info, 0) && info.st_uid == uid;
}

static bool is_owned(const struct owner *owner, int held, const char *status)
{
	return all_are(status, "\nUid:", owner->uid) && all_are(status, "\nGid:", owner->gid) &&
	       !(owner->uid && has_capabilities(status)) && may_be_dumped(held, owner->uid);
}

int owner_check(const struct owner *owner, int held, pid_t task, struct err *err)
{
	char status[STATUS_MOST];

	if (!owner->set)
		return 0;
	if (held < 0 || !read_status(held, status))
		return -ESRCH;
	if (is_owned(owner, held, status))
		return 0;
	/* it may have ended between two looks */
	if (!read_status(held, status))
		return -ESRCH;
	return err_set(err, EPERM,
		       "%d is another user's, or one that its own user may not look into",
		       (int)task);
}

int owner_check_task(const struct owner *owner, pid_t task, struct err *err)
{
	int held = owner_hold(owner, task);
	int rc = owner_check(owner, held, task, err);

	if (held >= 0)
		close(held);
	return rc;
}
