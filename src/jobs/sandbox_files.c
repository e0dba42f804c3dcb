// SPDX-License-Identifier: Apache-2.0
/*
 * Landlock has rules that allow, none that forbid.  So where one folder must not be reached, all
 * others are allowed: the neighbours of it and of each folder that it lies in.  What is made beside
 * them later is not among those; jobs/opener.h is who can be asked for it.
 */
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "jobs/sandbox_inside.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What the headers of Linux 6.1 do not have yet. */
#define FS_TRUNCATE    (1ULL << 14) /* ABI 3 */
#define FS_IOCTL_DEV   (1ULL << 15) /* ABI 5 */
#define NET_BIND_TCP   (1ULL << 0)  /* ABI 4 */
#define NET_CONN_TCP   (1ULL << 1)
#define SCOPE_ABSTRACT (1ULL << 0) /* ABI 6 */
#define SCOPE_SIGNAL   (1ULL << 1)

struct ruleset {
	uint64_t files, net, scoped;
};

#define READING	 (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define OF_ABI_1 ((LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1)
#define OF_FILES (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | FS_TRUNCATE)
#define MAKING                                                           \
	(LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | \
	 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |  \
	 LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REFER | FS_TRUNCATE)

struct landlock {
	int fd;
	uint64_t files; /* what this kernel knows of */
};

static int find_abi(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	return abi < 0 ? 0 : (int)abi;
}

static struct ruleset what_it_knows(int abi)
{
	struct ruleset rules = { .files = OF_ABI_1 };

	if (abi >= 2)
		rules.files |= LANDLOCK_ACCESS_FS_REFER;
	if (abi >= 3)
		rules.files |= FS_TRUNCATE;
	if (abi >= 4)
		rules.net = NET_BIND_TCP | NET_CONN_TCP;
	if (abi >= 5)
		rules.files |= FS_IOCTL_DEV;
	if (abi >= 6)
		rules.scoped = SCOPE_ABSTRACT | SCOPE_SIGNAL;
	return rules;
}

static void say_what_is_missing(int abi, struct buf *missing)
{
	if (!missing)
		return;
	if (abi < 3)
		buf_puts(missing, "files: Landlock can't keep them from being cut (Linux 6.2)\n");
	if (abi < 6)
		buf_puts(missing, "signals: Landlock can't keep them inside (Linux 6.12)\n");
}

static int begin(struct landlock *landlock, bool network, struct buf *missing, struct err *err)
{
	int abi = find_abi();
	struct ruleset rules = what_it_knows(abi);
	size_t size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;

	if (!abi)
		return -ENOSYS;
	say_what_is_missing(abi, missing);
	if (network)
		rules.net &= ~NET_CONN_TCP;
	landlock->files = rules.files;
	landlock->fd = (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0);
	if (landlock->fd < 0)
		return err_set(err, errno, "sandbox: Landlock: %s", strerror(errno));
	return 0;
}

/* Pipes and sockets can't be named, and need no rule. */
static int allow_fd(const struct landlock *landlock, int fd, uint64_t access, const char *name,
		    struct err *err)
{
	struct landlock_path_beneath_attr rule = { .parent_fd = fd };
	struct stat st;

	if (fstat(fd, &st))
		return err_set(err, errno, "sandbox: %s: %s", name, strerror(errno));
	if (S_ISLNK(st.st_mode))
		return 0;
	if (!S_ISDIR(st.st_mode))
		access &= OF_FILES;
	rule.allowed_access = access & landlock->files;
	if (syscall(SYS_landlock_add_rule, landlock->fd, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) &&
	    errno != EBADFD)
		return err_set(err, errno, "sandbox: %s: %s", name, strerror(errno));
	return 0;
}

/* A link needs no rule: what it leads to is judged by where that is. */
static int allow(const struct landlock *landlock, const char *path, uint64_t access,
		 struct err *err)
{
	int rc, fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return err_set(err, errno, "sandbox: %s: %s", path, strerror(errno));
	rc = allow_fd(landlock, fd, access, path, err);
	close(fd);
	return rc;
}

/* Everything in a folder but one name; what can't be looked at now can't be read later either. */
static int allow_others(const struct landlock *landlock, const char *folder, const char *but,
			struct err *err)
{
	struct strlist names = { 0 };
	int rc = dir_names(folder, &names, NULL);

	if (rc == -EACCES || rc == -ENOENT || rc == -ENOTDIR)
		rc = 0;
	for (size_t i = 0; i < names.len && !rc; i++) {
		char *path = mem_printf("%s/%s", folder, names.data[i]);

		if (strcmp(names.data[i], but))
			rc = allow(landlock, path, READING, err);
		if (rc == -ENOENT || rc == -EACCES)
			rc = 0;
		free(path);
	}
	strlist_free(&names);
	return rc;
}

/* From the root down to `path`, which is whole and without links. */
static int allow_all_but(const struct landlock *landlock, char *path, struct err *err)
{
	char *at = path;
	int rc = 0;

	while (at && !rc) {
		char *name = at + 1, *end = strchr(name, '/');

		*at = '\0';
		if (end)
			*end = '\0';
		rc = allow_others(landlock, *path || at > path ? path : "/", name, err);
		*at = '/';
		if (end)
			*end = '/';
		at = end;
	}
	return rc;
}

static int allow_reading(const struct landlock *landlock, const char *forbidden, struct err *err)
{
	char *real = forbidden ? realpath(forbidden, NULL) : NULL;
	int rc;

	/* What the user can't reach need not be forbidden. */
	if (forbidden && !real && errno != ENOENT && errno != EACCES)
		return err_set(err, errno, "sandbox: %s: %s", forbidden, strerror(errno));
	/* In a run's own /tmp it has no name, but other processes' roots lead to it as well. */
	if (forbidden && !real && errno == ENOENT)
		real = mem_strdup(forbidden);
	rc = real ? allow_all_but(landlock, real, err) : allow(landlock, "/", READING, err);
	free(real);
	return rc;
}

static int end(struct landlock *landlock, int rc, struct err *err)
{
	if (!rc && syscall(SYS_landlock_restrict_self, landlock->fd, 0))
		rc = err_set(err, errno, "sandbox: Landlock: %s", strerror(errno));
	close(landlock->fd);
	return rc;
}

int landlock_web(const char *folder, bool network, struct buf *missing, struct err *err)
{
	struct landlock landlock;
	int rc = begin(&landlock, network, missing, err);

	return rc ? rc : end(&landlock, allow(&landlock, folder, READING | MAKING, err), err);
}

int landlock_analyser(const struct sandbox_files *files, struct buf *missing, struct err *err)
{
	struct landlock landlock;
	int rc = begin(&landlock, false, missing, err);

	if (rc)
		return rc;
	if (files->readable)
		rc = allow_reading(&landlock, files->forbidden, err);
	return end(&landlock, rc, err);
}
