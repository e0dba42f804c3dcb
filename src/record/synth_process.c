// SPDX-License-Identifier: Apache-2.0
/*
 * Processes, read from /proc by a few threads.
 *
 * The unit of work is a process; one with many threads hands them out again in portions.  A
 * process's own records are passed on before that: a reader that met its threads first would take
 * the process for a new one and forget what they share with it.
 */
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "record/objectids.h"
#include "record/owner.h"
#include "record/procmaps.h"
#include "record/synth_record.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PORTION	     256	  /* threads of one process that are read in one go */
#define FLUSH	     (256 * 1024) /* bytes of records that a worker gathers */
#define THREADS_MOST 8
#define NAMESPACES   7

struct portion {
	pid_t pid;
	VEC(pid_t) tids; /* none: the process itself */
};

struct work {
	const struct synth *synth;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	VEC(struct portion) todo;
	size_t busy;
	int rc;
	struct err err;
	struct objectids *ids;
};

struct worker {
	struct work *work;
	struct buf records, text;
};

/* ---- what one worker does with one process ---- */

static void pass_on(struct worker *w)
{
	struct work *work = w->work;

	pthread_mutex_lock(&work->lock);
	if (!work->rc && w->records.len)
		work->rc = work->synth->take(work->synth->user, w->records.data, w->records.len,
					     &work->err);
	pthread_mutex_unlock(&work->lock);
	buf_clear(&w->records);
}

/* A small file below a folder, into text; false if it is gone. */
static bool read_small(int dir, const char *name, char *text, size_t room)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return false;
	got = read(fd, text, room - 1);
	close(fd);
	if (got <= 0)
		return false;
	text[got] = '\0';
	if (text[got - 1] == '\n')
		text[got - 1] = '\0';
	return true;
}

static pid_t parent_of(int dir)
{
	char text[1024], *end;
	int parent = 0;

	if (!read_small(dir, "stat", text, sizeof(text)))
		return 0;
	end = strrchr(text, ')'); /* the name before it may hold anything */
	return end && sscanf(end, ") %*c %d", &parent) == 1 ? parent : 0;
}

/* Asked after what only its owner may know was read, and before that is passed on. */
static bool is_owned(const struct worker *w, int dir, pid_t pid)
{
	return !w->work->synth->owner || !owner_check(w->work->synth->owner, dir, pid, NULL);
}

static void add_namespaces(struct worker *w, int dir, pid_t pid, pid_t tid)
{
	static const char *const names[NAMESPACES] = { "ns/net",  "ns/uts", "ns/ipc",	"ns/pid",
						       "ns/user", "ns/mnt", "ns/cgroup" };
	struct {
		int32_t pid, tid;
		uint64_t count;
		struct {
			uint64_t device, inode;
		} links[NAMESPACES];
	} body = { .pid = pid, .tid = tid, .count = NAMESPACES };
	struct stat st;

	for (size_t i = 0; i < NAMESPACES; i++)
		if (!fstatat(dir, names[i], &st, 0)) {
			body.links[i].device = st.st_dev;
			body.links[i].inode = st.st_ino;
		}
	if (!is_owned(w, dir, pid))
		return;
	synth_record(w->work->synth, &w->records, PERF_RECORD_NAMESPACES, PERF_RECORD_MISC_USER,
		     &body, sizeof(body), NULL);
}

static void add_thread(struct worker *w, int task_dir, pid_t pid, pid_t tid)
{
	char name[64], comm[64];

	snprintf(name, sizeof(name), "%d/comm", (int)tid);
	if (!read_small(task_dir, name, comm, sizeof(comm)))
		return;
	synth_fork(w->work->synth, &w->records, pid, pid, tid, pid);
	synth_comm(w->work->synth, &w->records, pid, tid, comm);
}

/* A process with very many mappings can take long: what was read until then is used. */
static bool read_maps(int dir, struct buf *text, int64_t until)
{
	int fd = openat(dir, "maps", O_RDONLY | O_CLOEXEC);
	ssize_t got;

	buf_clear(text);
	if (fd < 0)
		return false;
	do {
		vec_reserve(text, text->len + 64 * 1024 + 1);
		got = read(fd, text->data + text->len, text->cap - text->len - 1);
		if (got > 0)
			text->len += (size_t)got;
	} while (got > 0 && (!until || clock_now_ns() < until));
	close(fd);
	text->data[text->len] = '\0';
	return text->len > 0;
}

static void add_mapping(struct worker *w, int dir, pid_t pid, const struct procmap *map)
{
	const struct synth *synth = w->work->synth;
	bool executable = map->protection & PROT_EXEC;
	struct build_id id = { 0 };

	if (!executable && !(synth->data_maps && map->protection & PROT_READ))
		return;
	if (synth->build_ids && executable && map->inode)
		objectids_find(w->work->ids, dir, map, &id);
	synth_mapping(synth, &w->records,
		      &(struct synth_mapping){
			      .pid = pid,
			      .tid = pid,
			      .start = map->start,
			      .size = map->end - map->start,
			      .offset = map->offset,
			      .major = map->major,
			      .minor = map->minor,
			      .inode = map->inode,
			      .protection = map->protection,
			      .flags = map->flags,
			      .misc = PERF_RECORD_MISC_USER |
				      (executable ? 0 : PERF_RECORD_MISC_MMAP_DATA),
			      .id = &id,
			      .path = *map->path ? map->path : "//anon",
		      });
}

static void add_maps(struct worker *w, int dir, pid_t pid)
{
	int64_t limit = w->work->synth->map_limit_ns;
	struct procmap map;
	char *at;

	if (!read_maps(dir, &w->text, limit ? clock_now_ns() + limit : 0) || !is_owned(w, dir, pid))
		return;
	at = w->text.data;
	while (procmap_next(&at, &map)) {
		add_mapping(w, dir, pid, &map);
		if (w->records.len > FLUSH)
			pass_on(w);
	}
}

/* ---- threads, and handing them out ---- */

static void hand_out(struct work *work, struct portion *portion)
{
	pthread_mutex_lock(&work->lock);
	*vec_push(&work->todo) = *portion;
	pthread_cond_signal(&work->changed);
	pthread_mutex_unlock(&work->lock);
	*portion = (struct portion){ .pid = portion->pid };
}

static void add_portion(struct worker *w, int task_dir, const struct portion *portion)
{
	vec_each (tid, &portion->tids) {
		add_thread(w, task_dir, portion->pid, *tid);
		if (w->records.len > FLUSH)
			pass_on(w);
	}
}

/* All threads but the first, which is the process itself. */
static void add_threads(struct worker *w, int dir, pid_t pid)
{
	int task_dir = openat(dir, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int listed = task_dir < 0 ? -1 : fcntl(task_dir, F_DUPFD_CLOEXEC, 0);
	DIR *entries = listed < 0 ? NULL : fdopendir(listed);
	struct portion portion = { .pid = pid };
	struct dirent *entry;

	while (entries && (entry = readdir(entries))) {
		pid_t tid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;

		if (tid && tid != pid)
			*vec_push(&portion.tids) = tid;
		if (portion.tids.len == PORTION) {
			pass_on(w); /* see the head of this file */
			hand_out(w->work, &portion);
		}
	}
	if (entries)
		closedir(entries);
	add_portion(w, task_dir, &portion);
	vec_free(&portion.tids);
	if (task_dir >= 0)
		close(task_dir);
}

static void add_process(struct worker *w, int dir, pid_t pid)
{
	const struct synth *synth = w->work->synth;
	pid_t parent = parent_of(dir);
	char comm[64];

	if (!read_small(dir, "comm", comm, sizeof(comm)))
		return;
	synth_fork(synth, &w->records, pid, parent, pid, parent);
	if (synth->namespaces)
		add_namespaces(w, dir, pid, pid);
	synth_comm(synth, &w->records, pid, pid, comm);
	if (!synth->no_maps)
		add_maps(w, dir, pid);
	add_threads(w, dir, pid);
}

static void do_portion(struct worker *w, const struct portion *portion)
{
	char path[64];
	int dir;

	snprintf(path, sizeof(path), portion->tids.len ? "/proc/%d/task" : "/proc/%d",
		 (int)portion->pid);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return; /* it has ended */
	if (portion->tids.len)
		add_portion(w, dir, portion);
	else
		add_process(w, dir, portion->pid);
	close(dir);
	if (w->records.len > FLUSH)
		pass_on(w);
}

/* ---- the workers ---- */

static bool take_portion(struct work *work, struct portion *portion)
{
	bool got;

	pthread_mutex_lock(&work->lock);
	while (!work->todo.len && work->busy && !work->rc)
		pthread_cond_wait(&work->changed, &work->lock);
	got = work->todo.len && !work->rc;
	if (got) {
		*portion = *vec_last(&work->todo);
		work->todo.len--;
		work->busy++;
	} else {
		pthread_cond_broadcast(&work->changed);
	}
	pthread_mutex_unlock(&work->lock);
	return got;
}

static void *work_on(void *user)
{
	struct worker w = { .work = user };
	struct portion portion;

	while (take_portion(w.work, &portion)) {
		do_portion(&w, &portion);
		vec_free(&portion.tids);
		pthread_mutex_lock(&w.work->lock);
		if (!--w.work->busy)
			pthread_cond_broadcast(&w.work->changed);
		pthread_mutex_unlock(&w.work->lock);
	}
	pass_on(&w);
	buf_free(&w.records);
	buf_free(&w.text);
	return NULL;
}

static void all_processes(struct work *work)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			vec_push(&work->todo)->pid = atoi(entry->d_name);
	if (dir)
		closedir(dir);
}

static size_t worker_count(const struct synth *synth, size_t work)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t most = synth->threads ? synth->threads : (size_t)(cpus > 0 ? cpus : 1);

	if (most > THREADS_MOST)
		most = THREADS_MOST;
	return work < most ? work : most;
}

static void run_workers(struct work *work)
{
	pthread_t threads[THREADS_MOST];
	size_t count = worker_count(work->synth, work->todo.len), started = 0;

	/* The first one is ourselves. */
	while (started + 1 < count && !pthread_create(&threads[started], NULL, work_on, work))
		started++;
	work_on(work);
	while (started)
		pthread_join(threads[--started], NULL);
}

int synth_processes(const struct synth *synth, const pid_t *pids, size_t count, struct err *err)
{
	struct work work = { .synth = synth, .ids = objectids_new() };

	pthread_mutex_init(&work.lock, NULL);
	pthread_cond_init(&work.changed, NULL);
	if (!count)
		all_processes(&work);
	for (size_t i = count; i; i--)
		vec_push(&work.todo)->pid = pids[i - 1];
	run_workers(&work);
	vec_each (portion, &work.todo)
		vec_free(&portion->tids);
	vec_free(&work.todo);
	objectids_free(work.ids);
	pthread_cond_destroy(&work.changed);
	pthread_mutex_destroy(&work.lock);
	return work.rc ? err_set(err, -work.rc, "%s", work.err.text) : 0;
}

int synth_command(const struct synth *synth, pid_t pid, struct err *err)
{
	struct buf records = { 0 };
	char comm[64];
	int rc;

	if (file_line(comm, sizeof(comm), "/proc/%d/comm", (int)pid) <= 0)
		return 0;
	synth_comm(synth, &records, pid, pid, comm);
	rc = synth->take(synth->user, records.data, records.len, err);
	buf_free(&records);
	return rc;
}
