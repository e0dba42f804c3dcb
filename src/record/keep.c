// SPDX-License-Identifier: Apache-2.0
#include "record/keep.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/map.h"
#include "record/keepfolder.h"
#include "record/objectids.h"
#include "record/procmaps.h"
#include "symbol/image.h"
#include "symbol/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define QUEUE_MOST    4096
#define FIRST_WAIT_NS (400 * NS_PER_MSEC)
#define MOST_WAIT_NS  (8 * NS_PER_SEC)
#define LAST_LOOK_NS  (2 * NS_PER_SEC) /* the end of a recording waits no longer */
#define NICE	      10

/* What is known of a process. */
struct looked_at {
	pid_t pid;
	int64_t again_ns, wait_ns; /* not looked at before; twice as long each time */
	uint64_t list_size;	   /* of its JIT's list, as far as kept */
};

/* A mapped file, as /proc/PID/maps names it. */
struct seen_file {
	uint64_t inode;
	uint32_t major, minor;
};

struct keep {
	struct keepfolder folder;
	pthread_t thread;
	pthread_mutex_t lock; /* guards the queue and `stopping` */
	pthread_cond_t changed;
	VEC(pid_t) queue;
	bool stopping;

	/* the thread's own */
	VEC(struct looked_at) processes;
	struct map process_of; /* pid to index */
	struct map seen;       /* struct seen_file: nothing more to do */
	struct arena arena;
};

/* Where a process lives. */
struct whereabouts {
	int proc_dir;
	bool apart;	     /* it sees other files than we do */
	char root[PATH_MAX]; /* "/", or where its own root lies */
};

/* A file that the path leads us to as well, without the process. */
static bool is_here(int fd, const char *path)
{
	struct stat theirs, ours;

	return !fstat(fd, &theirs) && !stat(path, &ours) && theirs.st_dev == ours.st_dev &&
	       theirs.st_ino == ours.st_ino;
}

static bool cut_deleted(char *path)
{
	static const char mark[] = " (deleted)";
	size_t length = strlen(path), behind = sizeof(mark) - 1;

	if (length <= behind || strcmp(path + length - behind, mark))
		return false;
	path[length - behind] = '\0';
	return true;
}

static bool seen_before(struct keep *keep, const struct procmap *map)
{
	struct seen_file key = { map->inode, map->major, map->minor }, *kept;

	if (map_find(&keep->seen, (const char *)&key, sizeof(key)) != MAP_NONE)
		return true;
	kept = arena_alloc(&keep->arena, sizeof(*kept));
	*kept = key;
	map_add(&keep->seen, (const char *)kept, sizeof(*kept), 0);
	return false;
}

/*
 * A path as the process knows it, and as its MMAP2 records have it: /proc shows that of a changed
 * root with the way there, as long as there is one.
 */
static const char *inner_path(const char *path, const char *root)
{
	size_t length = strlen(root);

	return length > 1 && !strncmp(path, root, length) && path[length] == '/' ? path + length
										 : path;
}

static void keep_mapping(struct keep *keep, const struct whereabouts *at, struct procmap *map)
{
	bool deleted = strstr(map->path, " (deleted)") != NULL;
	const char *path;
	int fd;

	if (!(map->protection & PROT_EXEC) || map->path[0] != '/' || !(at->apart || deleted) ||
	    seen_before(keep, map))
		return;
	fd = objectids_open(at->proc_dir, map);
	if (fd < 0)
		return;
	cut_deleted(map->path);
	path = inner_path(map->path, at->root);
	if (!is_here(fd, path))
		keepfolder_add(&keep->folder, fd, path);
	close(fd);
}

/*
 * In a container a JIT writes below that container's /tmp, under the pid that it has there.  It is
 * kept where perf and we look for it later: in our /tmp, under the pid that the recording knows.
 */
static void keep_list(struct keep *keep, struct looked_at *process)
{
	pid_t own = process_own_pid(process->pid);
	char root[64], inner[64], target[64];
	struct image image;

	snprintf(root, sizeof(root), "/proc/%d/root", (int)process->pid);
	snprintf(inner, sizeof(inner), "/tmp/perf-%d.map", (int)own);
	snprintf(target, sizeof(target), "/tmp/perf-%d.map", (int)process->pid);
	if (!own || image_open_plain_in(&image, root, inner))
		return;
	/* as ours it would be believed */
	if (process_wrote(process->pid, &image, 0) && !is_here(image.fd, target))
		keepfolder_add_list(&keep->folder, image.fd, target, &process->list_size);
	image_close(&image);
}

static void look(struct keep *keep, struct looked_at *process)
{
	struct whereabouts where = { .apart = process_is_apart(process->pid) };
	char path[64], *text, *at;
	struct procmap map;
	ssize_t length;
	size_t size;

	snprintf(path, sizeof(path), "/proc/%d", (int)process->pid);
	where.proc_dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (where.proc_dir < 0)
		return;
	length = readlinkat(where.proc_dir, "root", where.root, sizeof(where.root) - 1);
	where.root[length > 0 ? length : 0] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)process->pid);
	text = file_read(path, &size, NULL);
	for (at = text; text && procmap_next(&at, &map);)
		keep_mapping(keep, &where, &map);
	if (where.apart)
		keep_list(keep, process);
	free(text);
	close(where.proc_dir);
}

static struct looked_at *process_of(struct keep *keep, pid_t pid)
{
	uint32_t index = map_find(&keep->process_of, (const char *)&pid, sizeof(pid));
	struct looked_at *process;
	pid_t *key;

	if (index != MAP_NONE)
		return &keep->processes.data[index];
	key = arena_alloc(&keep->arena, sizeof(*key));
	*key = pid;
	map_add(&keep->process_of, (const char *)key, sizeof(*key), (uint32_t)keep->processes.len);
	process = vec_push(&keep->processes);
	*process = (struct looked_at){ .pid = pid, .wait_ns = FIRST_WAIT_NS };
	return process;
}

static void look_if_due(struct keep *keep, pid_t pid)
{
	struct looked_at *process = process_of(keep, pid);
	int64_t now = clock_now_ns();

	if (now < process->again_ns)
		return;
	process->again_ns = now + process->wait_ns;
	process->wait_ns = process->wait_ns * 2 < MOST_WAIT_NS ? process->wait_ns * 2
							       : MOST_WAIT_NS;
	look(keep, process);
}

/* Moves the queue to *pids; false at the end. */
static bool next_queue(struct keep *keep, pid_t *pids, size_t *count)
{
	bool more;

	pthread_mutex_lock(&keep->lock);
	while (!keep->queue.len && !keep->stopping)
		pthread_cond_wait(&keep->changed, &keep->lock);
	*count = keep->queue.len;
	memcpy(pids, keep->queue.data, *count * sizeof(*pids));
	keep->queue.len = 0;
	more = !keep->stopping;
	pthread_mutex_unlock(&keep->lock);
	return more;
}

static void *run(void *user)
{
	struct keep *keep = user;
	pid_t *pids = mem_alloc(QUEUE_MOST * sizeof(*pids));
	size_t count;
	int64_t until;
	bool more;

	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), NICE);
	do {
		more = next_queue(keep, pids, &count);
		for (size_t i = 0; i < count; i++)
			look_if_due(keep, pids[i]);
	} while (more);
	until = clock_now_ns() + LAST_LOOK_NS;
	for (size_t i = keep->processes.len; i-- > 0 && clock_now_ns() < until;)
		look(keep, &keep->processes.data[i]);
	free(pids);
	return NULL;
}

static void free_keep(struct keep *keep)
{
	pthread_cond_destroy(&keep->changed);
	pthread_mutex_destroy(&keep->lock);
	keepfolder_fini(&keep->folder);
	vec_free(&keep->queue);
	vec_free(&keep->processes);
	map_free(&keep->process_of);
	map_free(&keep->seen);
	arena_free(&keep->arena);
	free(keep);
}

struct keep *keep_start(const char *dir)
{
	struct keep *keep = mem_alloc(sizeof(*keep));
	sigset_t all, before;
	int code;

	keepfolder_init(&keep->folder, dir);
	pthread_mutex_init(&keep->lock, NULL);
	pthread_cond_init(&keep->changed, NULL);
	vec_reserve(&keep->queue, QUEUE_MOST);
	sigfillset(&all); /* signals are the main thread's business */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	code = keep->folder.dir ? pthread_create(&keep->thread, NULL, run, keep) : EINVAL;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (code) {
		free_keep(keep);
		return NULL;
	}
	return keep;
}

void keep_look_at(struct keep *keep, const pid_t *pids, size_t count)
{
	pthread_mutex_lock(&keep->lock);
	/* What finds no room comes again: a process that goes on is sampled again. */
	for (size_t i = 0; i < count && keep->queue.len < QUEUE_MOST; i++)
		*vec_push(&keep->queue) = pids[i];
	pthread_cond_signal(&keep->changed);
	pthread_mutex_unlock(&keep->lock);
}

void keep_stop(struct keep *keep, struct keep_result *result)
{
	pthread_mutex_lock(&keep->lock);
	keep->stopping = true;
	pthread_cond_signal(&keep->changed);
	pthread_mutex_unlock(&keep->lock);
	pthread_join(keep->thread, NULL);
	*result = (struct keep_result){ .files = keep->folder.files,
					.left_out = keep->folder.left_out,
					.bytes = keep->folder.bytes };
	snprintf(result->dir, sizeof(result->dir), "%s", keep->folder.dir);
	free_keep(keep);
}
