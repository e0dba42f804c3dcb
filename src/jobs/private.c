// SPDX-License-Identifier: Apache-2.0
#include "jobs/private.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/wordlist.h"
#include "jobs/identity.h"
#include "jobs/ownfolder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUNS	   "runs"
#define BOUND	   "bound" /* what is bound in: words ended by a NUL */
#define BOUND_MOST (1 << 20)
#define WORDS_MOST 64	 /* more than that many paths in one command are no command line */
#define LOOKS_MOST 20000 /* files, for a size: some milliseconds */
#define DEPTH_MOST 64
#define SWEEP_NS   (10 * NS_PER_SEC)

static const struct place {
	const char *name, *path; /* in runs/ID/ (NULL: in memory), and where the run has it */
} places[] = {
	{ "tmp", "/tmp" },
	{ "var-tmp", "/var/tmp" },
	{ NULL, "/dev/shm" }, /* on a disk it would be another thing to measure */
	{ NULL, "/run/lock" },
};

static const char *const networks[NETWORKS] = {
	[NETWORK_FULL] = "full",
	[NETWORK_LOOPBACK] = "loopback",
	[NETWORK_NONE] = "none",
};

const char *private_network_name(enum private_network network)
{
	return networks[network];
}

int private_network_find(const char *name, struct err *err)
{
	for (int i = 0; i < NETWORKS; i++)
		if (!strcmp(networks[i], name))
			return i;
	return err_set(err, EINVAL, "'%s': none, loopback or full", name);
}

/* The place that a path is below; "/tmp" itself is below none. */
static const struct place *place_of(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		size_t length = strlen(places[i].path);

		if (!strncmp(path, places[i].path, length) && path[length] == '/' &&
		    path[length + 1])
			return &places[i];
	}
	return NULL;
}

/* ---- what a command names ---- */

/* Where a path ends, or begins, in a shell's line or a list of folders. */
static bool is_border(char c)
{
	return !c || strchr(" \t\n'\"`;|&()<>:,=*?$[]{}", c);
}

void private_scan(const char *text, struct strlist *into)
{
	for (const char *at = text; (at = strchr(at, '/'));) {
		size_t length = 0;
		char *path;

		while (!is_border(at[length]))
			length++;
		path = mem_printf("%.*s", (int)length, at);
		if ((at == text || is_border(at[-1])) && place_of(path) && into->len < WORDS_MOST)
			strlist_add(into, path);
		free(path);
		at += length;
	}
}

/* 'n': the form names it as folder or program, or it is the home; 's': it stands somewhere in its
 * words. */
static void note(struct strlist *list, char how, const char *path)
{
	char *entry = mem_printf("%c%s", how, path);

	if (place_of(path) && list->len < WORDS_MOST)
		strlist_add(list, entry);
	free(entry);
}

static struct strlist list_bound(const struct private_words *words, const char *home)
{
	struct strlist list = { 0 }, found = { 0 };

	note(&list, 'n', words->folder);
	note(&list, 'n', home);
	if (words->argv->len)
		note(&list, 'n', words->argv->data[0]);
	vec_each (word, words->argv)
		private_scan(*word, &found);
	vec_each (entry, words->environment)
		private_scan(*entry, &found);
	vec_each (path, &found)
		note(&list, 's', *path);
	strlist_free(&found);
	return list;
}

/* ---- the folders ---- */

/* runs/ID, or runs with run 0. */
static int open_folder(const char *data, uint64_t run, bool make, struct err *err)
{
	int own = ownfolder_open(data, make, err), runs, fd;
	char name[32];

	if (own < 0)
		return own;
	runs = ownfolder_below(own, RUNS, make, err);
	close(own);
	if (runs < 0 || !run)
		return runs;
	snprintf(name, sizeof(name), "%llu", (unsigned long long)run);
	fd = ownfolder_below(runs, name, make, err);
	close(runs);
	return fd;
}

static int make_owned(int folder, const char *name, const struct identity *who, struct err *err)
{
	if (mkdirat(folder, name, 0700) && errno != EEXIST)
		return err_set(err, errno, "a run's own %s: %s", name, strerror(errno));
	if (fchownat(folder, name, who->uid, who->gid, AT_SYMLINK_NOFOLLOW))
		return err_set(err, errno, "a run's own %s: %s", name, strerror(errno));
	return 0;
}

static int write_bound(int folder, const struct strlist *list, struct err *err)
{
	int fd = openat(folder, BOUND, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	int rc = fd < 0 ? -errno : 0;

	vec_each (entry, list)
		if (!rc && write(fd, *entry, strlen(*entry) + 1) < 0)
			rc = -errno;
	if (fd >= 0)
		close(fd);
	return rc ? err_set(err, -rc, "a run's own folders: %s", strerror(-rc)) : 0;
}

int private_make(const struct private_run *run, const struct private_words *words, struct err *err)
{
	struct strlist bound = list_bound(words, run->who->home);
	int folder = open_folder(run->data, run->run, true, err);
	int rc = folder < 0 ? folder : write_bound(folder, &bound, err);

	for (size_t i = 0; i < ARRAY_SIZE(places) && !rc; i++)
		if (places[i].name)
			rc = make_owned(folder, places[i].name, run->who, err);
	if (!rc) { /* PRIVATE_HOME */
		char home[32];

		snprintf(home, sizeof(home), "%s/home", places[0].name);
		rc = make_owned(folder, home, run->who, err);
	}
	if (folder >= 0)
		close(folder);
	strlist_free(&bound);
	return rc;
}

bool private_exists(const struct private_run *run)
{
	int fd = run->run ? open_folder(run->data, run->run, false, NULL) : -1;

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

void private_list(const char *data, struct private_ids *into)
{
	int fd = open_folder(data, 0, false, NULL);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (strtoull(entry->d_name, NULL, 10))
			*vec_push(into) = strtoull(entry->d_name, NULL, 10);
	if (dir)
		closedir(dir);
}

/* ---- entering ---- */

static int write_proc(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int rc = fd < 0 || write(fd, text, strlen(text)) < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return rc;
}

/* The same user and group inside as outside: no file looks as if it were another's of ours. */
static int map_user(uid_t uid, gid_t gid)
{
	char text[64];
	int rc;

	snprintf(text, sizeof(text), "%u %u 1\n", (unsigned)uid, (unsigned)uid);
	rc = write_proc("/proc/self/uid_map", text);
	if (!rc)
		rc = write_proc("/proc/self/setgroups", "deny");
	snprintf(text, sizeof(text), "%u %u 1\n", (unsigned)gid, (unsigned)gid);
	return rc ? rc : write_proc("/proc/self/gid_map", text);
}

static int bring_up_loopback(void)
{
	struct ifreq request = { .ifr_name = "lo" };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int rc = fd < 0 || ioctl(fd, SIOCGIFFLAGS, &request) ? -errno : 0;

	request.ifr_flags |= IFF_UP;
	if (!rc && ioctl(fd, SIOCSIFFLAGS, &request))
		rc = -errno;
	if (fd >= 0)
		close(fd);
	return rc;
}

/*
 * What is mounted on the machine meanwhile is seen in there, and nothing the other way.  Shared
 * memory, semaphores and message queues go with the mounts: they end with the last process.
 */
static int unshare_all(bool mounts, enum private_network network)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	int rc = 0;

	if (unshare((mounts ? CLONE_NEWNS | CLONE_NEWIPC : 0) | (network ? CLONE_NEWNET : 0) |
		    (uid ? CLONE_NEWUSER : 0)))
		return -errno;
	if (uid) {
		rc = map_user(uid, gid);
		/* as it was: who measures it opens its events before its exec */
		prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	}
	if (!rc && mounts && mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL))
		rc = -errno;
	return !rc && network == NETWORK_LOOPBACK ? bring_up_loopback() : rc;
}

static int bind_fd(int from, const char *to)
{
	char source[64];

	snprintf(source, sizeof(source), "/proc/self/fd/%d", from);
	return mount(source, to, NULL, MS_BIND | MS_REC, NULL) ? -errno : 0;
}

static int mount_memory(const char *path, const struct identity *who)
{
	char options[64];

	snprintf(options, sizeof(options), "mode=0700,uid=%u,gid=%u", (unsigned)who->uid,
		 (unsigned)who->gid);
	return mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, options) ? -errno : 0;
}

static int mount_folder(int folder, const struct place *place)
{
	int fd = openat(folder, place->name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int rc = fd < 0 ? -errno : bind_fd(fd, place->path);

	if (fd >= 0)
		close(fd);
	return rc;
}

/* A machine may have no /dev/shm. */
static int mount_place(int folder, const struct place *place, const struct identity *who)
{
	int rc = place->name ? mount_folder(folder, place) : mount_memory(place->path, who);

	return rc == -ENOENT || rc == -ENOTDIR ? 0 : rc;
}

/* The machine's queues could be reached by their names in there. */
static int mount_queues(void)
{
	int flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
	int rc = mount("mqueue", "/dev/mqueue", "mqueue", flags, NULL) ? -errno : 0;

	return rc == -ENOENT || rc == -ENODEV ? 0 : rc;
}

/* Something of the machine's, opened before its own place hides it. */
struct bound {
	int fd;
	bool is_folder;
	char given[PATH_MAX], real[PATH_MAX];
};
struct bounds VEC_OF(struct bound);

static bool cut_last(char *path)
{
	char *slash = strrchr(path, '/');

	*slash = '\0';
	return place_of(path) != NULL;
}

/* The folder that a path is in, since programs have files beside them; of /tmp/x only that. */
static void widen(struct bound *bound, struct stat *info)
{
	char above[PATH_MAX];

	snprintf(above, sizeof(above), "%s", bound->given);
	if (bound->fd >= 0 && !fstat(bound->fd, info) && S_ISDIR(info->st_mode))
		return;
	if (!cut_last(above))
		return;
	if (bound->fd >= 0)
		close(bound->fd);
	snprintf(bound->given, sizeof(bound->given), "%s", above);
	bound->fd = open(above, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (bound->fd >= 0 && fstat(bound->fd, info)) {
		close(bound->fd);
		bound->fd = -1;
	}
}

/* What is not there, or not for this account, is not bound in; the program will say so itself. */
static void open_bound(const char *entry, uid_t uid, struct bounds *into)
{
	struct bound bound = { .fd = -1 };
	struct stat info = { 0 };
	char link[64];
	ssize_t length;

	if (strlen(entry) >= sizeof(bound.given))
		return;
	snprintf(bound.given, sizeof(bound.given), "%s", entry + 1);
	bound.fd = open(bound.given, O_PATH | O_CLOEXEC);
	widen(&bound, &info);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", bound.fd);
	length = bound.fd < 0 ? -1 : readlink(link, bound.real, sizeof(bound.real) - 1);
	bound.is_folder = S_ISDIR(info.st_mode);
	if (length > 0 && (bound.is_folder || S_ISREG(info.st_mode)) &&
	    (*entry == 'n' || !info.st_uid || info.st_uid == uid))
		*vec_push(into) = bound;
	else if (bound.fd >= 0)
		close(bound.fd);
}

/* For files alone: what mounts needs its privileges meanwhile. */
static void open_as(uid_t uid, gid_t gid)
{
	setfsgid(gid);
	setfsuid(uid);
}

static void open_bounds(int folder, const struct identity *who, struct bounds *into)
{
	int fd = openat(folder, BOUND, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char *text = mem_alloc(BOUND_MOST + 1);
	ssize_t size = fd < 0 ? 0 : read(fd, text, BOUND_MOST);

	if (fd >= 0)
		close(fd);
	open_as(who->uid, who->gid);
	for (ssize_t at = 0; at < size; at += (ssize_t)strlen(text + at) + 1)
		open_bound(text + at, who->uid, into);
	open_as(geteuid(), getegid());
	free(text);
}

/* A step below `folder`, whatever the run has made of it meanwhile: never along a link. */
static int step_down(int folder, const char *name, bool is_folder)
{
	int fd;

	if (!strcmp(name, ".."))
		return -EINVAL;
	if (is_folder)
		mkdirat(folder, name, 0700);
	else if ((fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) >= 0)
		close(fd);
	fd = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC | (is_folder ? O_DIRECTORY : 0));
	return fd < 0 ? -errno : fd;
}

/* As the account, in its own place: it makes what is missing there. */
static int open_target(const char *path, bool is_folder)
{
	const struct place *place = place_of(path);
	char *copy = mem_strdup(path + strlen(place->path)), *rest = copy, *name;
	int fd = open(place->path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	while (fd >= 0 && (name = strsep(&rest, "/"))) {
		int next;

		if (!*name || !strcmp(name, "."))
			continue;
		next = step_down(fd, name, rest || is_folder);
		close(fd);
		fd = next;
	}
	free(copy);
	return fd;
}

static void bind_at(const struct bound *bound, const char *path)
{
	char target[64];
	int fd = place_of(path) ? open_target(path, bound->is_folder) : -1;

	if (fd < 0)
		return;
	snprintf(target, sizeof(target), "/proc/self/fd/%d", fd);
	bind_fd(bound->fd, target);
	close(fd);
}

/* By the name that was given, and by the one that mappings will have. */
static void bind_all(struct bounds *bounds, const struct identity *who)
{
	open_as(who->uid, who->gid);
	vec_each (bound, bounds) {
		bind_at(bound, bound->real);
		if (strcmp(bound->real, bound->given) != 0)
			bind_at(bound, bound->given);
		close(bound->fd);
	}
	open_as(geteuid(), getegid());
	vec_free(bounds);
}

int private_enter(const struct private_run *run)
{
	struct bounds bounds = { 0 };
	int folder, rc;

	/* no group of ours opens anything for it */
	if (!geteuid() && setgroups(1, &run->who->gid))
		return -errno;
	rc = unshare_all(run->run, run->network);
	if (rc || !run->run)
		return rc;
	folder = open_folder(run->data, run->run, false, NULL);
	if (folder < 0)
		return folder;
	open_bounds(folder, run->who, &bounds);
	for (size_t i = 0; i < ARRAY_SIZE(places) && !rc; i++)
		rc = mount_place(folder, &places[i], run->who);
	if (!rc)
		rc = mount_queues();
	bind_all(&bounds, run->who);
	close(folder);
	return rc;
}

bool private_possible(enum private_network network, struct err *why)
{
	pid_t pid = fork();
	int status = 0;

	if (!pid) {
		int rc = unshare_all(!network, network);

		if (!rc && !network && mount("/tmp", "/tmp", NULL, MS_BIND | MS_REC, NULL))
			rc = -errno;
		_exit(-rc & 0xff);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) {
		err_set(why, EIO, "it could not be tried out");
		return false;
	}
	if (!WEXITSTATUS(status))
		return true;
	err_set(why, WEXITSTATUS(status), "%s: %s; %s",
		geteuid() ? "user namespaces are not allowed here"
		: network ? "network namespaces"
			  : "mount and IPC namespaces",
		strerror(WEXITSTATUS(status)),
		geteuid() ? "serve as root, or set user.max_user_namespaces and "
			    "kernel.unprivileged_userns_clone"
			  : "serve with CAP_SYS_ADMIN");
	return false;
}

/* ---- size and end ---- */

static uint64_t weigh(int folder, int depth, int *looks)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;
	uint64_t bytes = 0;

	while (dir && *looks > 0 && (entry = readdir(dir))) {
		struct stat info;
		int below;

		(*looks)--;
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
		    fstatat(dirfd(dir), entry->d_name, &info, AT_SYMLINK_NOFOLLOW))
			continue;
		bytes += (uint64_t)info.st_blocks * 512;
		if (!S_ISDIR(info.st_mode) || !depth)
			continue;
		below = openat(dirfd(dir), entry->d_name,
			       O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (below >= 0) {
			bytes += weigh(below, depth - 1, looks);
			close(below);
		}
	}
	if (dir)
		closedir(dir);
	return bytes;
}

uint64_t private_bytes(const struct private_run *run)
{
	int folder = open_folder(run->data, run->run, false, NULL), looks = LOOKS_MOST;
	uint64_t bytes = folder < 0 ? 0 : weigh(folder, DEPTH_MOST, &looks);

	if (folder >= 0)
		close(folder);
	return bytes;
}

/* What was removed and what was moved; nothing of either: there is no more that can be. */
struct sweep {
	unsigned long removed, moved;
	int64_t until_ns; /* somebody may go on making files for ever */
};

static bool is_late(const struct sweep *sweep)
{
	return clock_now_ns() > sweep->until_ns;
}

/*
 * Without root's rights a folder that was closed to its owner has to be opened.  By a descriptor: a
 * name may be a link by now, to whatever somebody wants opened.
 */
static void make_accessible(int folder, const char *name)
{
	int fd = geteuid() ? openat(folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
			   : -1;
	char path[64];
	struct stat info;

	if (fd < 0)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!fstat(fd, &info) && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
	    (info.st_mode & 0700) != 0700 && chmod(path, 0700))
		errno = 0; /* then it can't be emptied, which the end reports */
	close(fd);
}

/*
 * Empties a folder; folders in it become its neighbours, so that a tree of any depth is removed
 * with two descriptors and no recursion.
 */
static void empty(int top, const char *name, struct sweep *sweep)
{
	struct dirent *entry;
	DIR *dir;
	int fd;

	make_accessible(top, name);
	fd = openat(top, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	dir = fd >= 0 ? fdopendir(fd) : NULL;
	while (dir && !is_late(sweep) && (entry = readdir(dir))) {
		char moved[32];

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (!unlinkat(dirfd(dir), entry->d_name, 0)) {
			sweep->removed++;
			continue;
		}
		snprintf(moved, sizeof(moved), ".%lu", ++sweep->moved);
		make_accessible(dirfd(dir), entry->d_name);
		renameat(dirfd(dir), entry->d_name, top, moved);
	}
	if (dir)
		closedir(dir);
	sweep->removed += !unlinkat(top, name, AT_REMOVEDIR);
}

static void empty_round(int top, struct sweep *sweep)
{
	int fd = openat(top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct strlist names = { 0 };
	struct dirent *entry;

	while (dir && !is_late(sweep) && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			strlist_add(&names, entry->d_name);
	if (dir)
		closedir(dir);
	vec_each (name, &names)
		if (!unlinkat(top, *name, 0))
			sweep->removed++;
		else
			empty(top, *name, sweep);
	strlist_free(&names);
}

int private_remove(const char *data, uint64_t run, struct err *err)
{
	int runs = open_folder(data, 0, false, err), top, rc = 0;
	struct sweep sweep = { .until_ns = clock_now_ns() + SWEEP_NS };
	unsigned long before;
	char name[32];

	if (runs < 0)
		return runs == -ENOENT ? 0 : runs;
	snprintf(name, sizeof(name), "%llu", (unsigned long long)run);
	top = ownfolder_below(runs, name, false, err);
	if (top >= 0) {
		do {
			before = sweep.removed;
			empty_round(top, &sweep);
		} while (sweep.removed > before && !is_late(&sweep));
		close(top);
		if (unlinkat(runs, name, AT_REMOVEDIR))
			rc = err_set(err, errno, "the folders of run %s: %s", name,
				     strerror(errno));
	} else if (top != -ENOENT) {
		rc = top;
	}
	close(runs);
	return rc;
}
