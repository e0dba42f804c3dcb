// SPDX-License-Identifier: Apache-2.0
#include "record/ownproc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "base/vec.h"
#include "perfdata/attrs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME	    "perfolio"
#define FORKS	    4096 /* the newest ones, whose parents may turn out to be others than thought */
#define DOUBT_NS    NS_PER_SEC
#define MOST_PID    (1U << 22) /* the kernel's limit */
#define MMAP_PATH   40
#define MMAP2_PATH  72
#define MMAP2_PROT  64
#define COMM_TEXT   16
#define TASK_TIME   24
#define RECORD_MOST 65536

/* What is known of a pid; most are OTHERS for good, and then this byte is all that is looked at. */
enum known {
	UNKNOWN,
	OTHERS,
	DOUBTED, /* others, but records were lost since */
	LISTED	 /* is or was ours */
};

struct listed {
	pid_t pid;
	bool ours;	/* from `since` on */
	uint64_t since; /* time of the last change */
	uint64_t until; /* before `since`: it was ours up to then; 0: never */
};

struct forked {
	pid_t child, parent;
	uint64_t time;
};

/* A record that was found in a ring, to be taken in the order of time. */
struct news {
	uint64_t time, at;
	struct ring_view view;
};

struct ownproc {
	struct ownproc_options options;
	char path[PATH_MAX];  /* of our own program */
	struct stat file;     /* st_ino 0: not known */
	size_t time_from_end; /* of records that are no samples; 0: they have no time */

	pthread_mutex_t lock;
	VEC(uint8_t) known; /* by pid */
	VEC(struct listed) list;
	struct idmap list_of; /* by pid */
	struct forked forks[FORKS];
	size_t forks_count;
	VEC(uint64_t) seen; /* for each ring, how far it was looked through */
	VEC(struct news) news;
	bool lost; /* records, since doubts were last raised */
	int64_t doubt_at_ns;
	unsigned char record[RECORD_MOST];
};

static bool is_our_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !strncmp(slash ? slash + 1 : path, NAME, sizeof(NAME) - 1);
}

struct ownproc *ownproc_new(const struct ownproc_options *options,
			    const struct perf_writer_attr *attrs, size_t count)
{
	struct ownproc *own = mem_alloc(sizeof(*own));
	struct attr_table table = { 0 };

	own->options = *options;
	if (!own->options.proc)
		own->options.proc = "/proc";
	if (readlink("/proc/self/exe", own->path, sizeof(own->path) - 1) < 0)
		*own->path = '\0';
	if (stat("/proc/self/exe", &own->file))
		own->file.st_ino = 0;
	/* All events have the same fields there, or no reader could tell whose a record is. */
	if (count)
		own->time_from_end = attr_table_add(&table, &attrs[0].attr, NULL, 0)->trailer_time;
	attr_table_free(&table);
	pthread_mutex_init(&own->lock, NULL);
	return own;
}

void ownproc_free(struct ownproc *own)
{
	if (!own)
		return;
	pthread_mutex_destroy(&own->lock);
	vec_free(&own->known);
	vec_free(&own->list);
	vec_free(&own->seen);
	vec_free(&own->news);
	idmap_free(&own->list_of);
	free(own);
}

void ownproc_lock(struct ownproc *own)
{
	pthread_mutex_lock(&own->lock);
}

void ownproc_unlock(struct ownproc *own)
{
	pthread_mutex_unlock(&own->lock);
}

/* ---- as /proc has it ---- */

/* The command line, whose words are ended by NULs; its length, or less than 0. */
static ssize_t command_line(const struct ownproc *own, pid_t pid, char *into, size_t room)
{
	char path[PATH_MAX];
	FILE *file;
	size_t length;

	snprintf(path, sizeof(path), "%s/%d/cmdline", own->options.proc, (int)pid);
	file = fopen(path, "re");
	if (!file)
		return -1;
	length = fread(into, 1, room - 1, file);
	fclose(file);
	into[length] = '\0';
	return (ssize_t)length;
}

/* Of one whose program is perfolio: whether it is to be left out, and what if that can't be told.
 */
static bool is_left_out(const struct ownproc *own, pid_t pid, bool otherwise)
{
	char words[256];
	const char *second;

	if (!own->options.asked_for)
		return true;
	if (command_line(own, pid, words, sizeof(words)) <= 0)
		return otherwise;
	second = words + strlen(words) + 1;
	return second < words + sizeof(words) && !strcmp(second, "serve");
}

/* By what anybody may read: its name, and what it was started as. */
static bool is_called_ours(const struct ownproc *own, pid_t pid)
{
	char name[256];

	if (file_line(name, sizeof(name), "%s/%d/comm", own->options.proc, (int)pid) > 0 &&
	    is_our_name(name))
		return true;
	return command_line(own, pid, name, sizeof(name)) > 0 && is_our_name(name);
}

/* 1: ours, 0: not, -1: it is gone. */
static int look_up(const struct ownproc *own, pid_t pid)
{
	char path[PATH_MAX], program[PATH_MAX];
	struct stat st;
	ssize_t length;
	bool ours = false;

	snprintf(path, sizeof(path), "%s/%d/exe", own->options.proc, (int)pid);
	length = readlink(path, program, sizeof(program) - 1);
	if (length > 0) {
		program[length] = '\0';
		ours = is_our_name(program) ||
		       (own->file.st_ino && !stat(path, &st) && st.st_ino == own->file.st_ino &&
			st.st_dev == own->file.st_dev);
	} else if (!file_exists("%s/%d", own->options.proc, (int)pid)) {
		return -1;
	}
	return (ours || is_called_ours(own, pid)) && is_left_out(own, pid, true);
}

bool ownproc_is_servers(pid_t pid)
{
	struct ownproc own = { .options = { .proc = "/proc", .asked_for = true } };

	if (stat("/proc/self/exe", &own.file))
		own.file.st_ino = 0;
	return look_up(&own, pid) > 0;
}

/* ---- what is known of a process ---- */

static enum known known_of(const struct ownproc *own, pid_t pid)
{
	return (size_t)pid < own->known.len ? own->known.data[pid] : UNKNOWN;
}

static void set_known(struct ownproc *own, pid_t pid, enum known known)
{
	size_t len = own->known.len, wanted = ((size_t)pid + 4096) / 4096 * 4096;

	if ((unsigned)pid >= MOST_PID)
		return; /* no pid: who asks again is told that it is ours */
	if (wanted > len) {
		vec_reserve(&own->known, wanted);
		memset(own->known.data + len, UNKNOWN, wanted - len);
		own->known.len = wanted;
	}
	own->known.data[pid] = (uint8_t)known;
}

static struct listed *listed_of(struct ownproc *own, pid_t pid)
{
	uint32_t index = idmap_add(&own->list_of, (uint32_t)pid, (uint32_t)own->list.len);

	if (index == own->list.len)
		*vec_push(&own->list) = (struct listed){ .pid = pid };
	set_known(own, pid, LISTED);
	return &own->list.data[index];
}

/* Looks it up where nothing is known; -1: it is gone and nothing is known. */
static int find_out(struct ownproc *own, pid_t pid)
{
	enum known known = known_of(own, pid);
	int found = look_up(own, pid);

	if (found < 0 && known == DOUBTED)
		found = 0;
	if (found == 0)
		set_known(own, pid, OTHERS);
	else if (found > 0)
		listed_of(own, pid)->ours = true;
	return found;
}

bool ownproc_was(struct ownproc *own, pid_t pid, uint64_t time)
{
	const struct listed *listed;

	/* of a task that is being reaped or is in another namespace, the kernel tells no pid */
	if (pid <= 0 || (unsigned)pid >= MOST_PID)
		return true;
	switch (known_of(own, pid)) {
	case OTHERS: return false;
	case LISTED:
		listed = listed_of(own, pid);
		if (!time)
			return listed->ours || listed->until;
		return time >= listed->since ? listed->ours : time <= listed->until;
	default: return find_out(own, pid) != 0;
	}
}

/*
 * It has become ours or others'.  Records of several rings come in any order: what is older than
 * the last change can only make it ours for longer.  Children that were taken for what their parent
 * was thought to be, change with it.
 */
static void change(struct ownproc *own, pid_t pid, uint64_t time, bool ours)
{
	enum known known = known_of(own, pid);
	struct listed *listed;
	size_t forks = own->forks_count < FORKS ? own->forks_count : FORKS;

	if (!ours && (known == OTHERS || known == DOUBTED)) {
		set_known(own, pid, OTHERS);
		return;
	}
	listed = listed_of(own, pid);
	if (time < listed->since) {
		if (ours && listed->until < listed->since)
			listed->until = listed->since;
		return;
	}
	/* what nobody knew of until now was perhaps ours */
	if (known == UNKNOWN || (listed->ours && !ours))
		listed->until = time ? time : 1;
	listed->since = time;
	if (known == LISTED && listed->ours == ours)
		return;
	listed->ours = ours;
	for (size_t i = 0; i < forks; i++)
		if (own->forks[i].parent == pid && own->forks[i].time >= time)
			change(own, own->forks[i].child, own->forks[i].time, ours);
}

/* ---- as records have it ---- */

static void take_fork(struct ownproc *own, pid_t child, pid_t parent, uint64_t time)
{
	enum known known = known_of(own, parent);
	int ours;

	if (child <= 0 || child == parent)
		return; /* a thread */
	own->forks[own->forks_count++ % FORKS] = (struct forked){ child, parent, time };
	if (known == UNKNOWN || known == DOUBTED)
		ours = find_out(own, parent);
	else
		ours = ownproc_was(own, parent, time);
	if (ours < 0)
		set_known(own, child, UNKNOWN);
	else if (!ours && known_of(own, child) == UNKNOWN)
		set_known(own, child, OTHERS);
	else
		change(own, child, time, ours);
}

static void take_comm(struct ownproc *own, pid_t pid, uint16_t misc, const char *name,
		      uint64_t time)
{
	bool exec = misc & PERF_RECORD_MISC_COMM_EXEC;

	/* a server's processes call themselves so, other commands don't: of one that is gone by now
	 * this tells which it was */
	if (is_our_name(name))
		change(own, pid, time, is_left_out(own, pid, !exec));
	else if (exec)
		change(own, pid, time, false);
}

static void take_map(struct ownproc *own, pid_t pid, const char *path, uint64_t time)
{
	if (is_our_name(path) || (*own->path && !strcmp(path, own->path)))
		change(own, pid, time, is_left_out(own, pid, false));
}

/* A text at `offset` of own->record, which has a NUL within the record's size. */
static const char *text_at(struct ownproc *own, size_t offset, size_t size)
{
	if (offset >= size || !memchr(own->record + offset, '\0', size - offset))
		return "";
	return (const char *)own->record + offset;
}

static void take_record(struct ownproc *own, const struct news *news)
{
	struct perf_event_header header = ring_header(&news->view, news->at);
	bool old = header.type == PERF_RECORD_MMAP;
	uint32_t ids[2], protection = PROT_EXEC;
	size_t size = header.size;

	ring_copy(&news->view, news->at, own->record, size);
	memcpy(ids, own->record + 8, sizeof(ids));
	switch (header.type) {
	case PERF_RECORD_FORK: take_fork(own, (pid_t)ids[0], (pid_t)ids[1], news->time); break;
	case PERF_RECORD_COMM:
		take_comm(own, (pid_t)ids[0], header.misc, text_at(own, COMM_TEXT, size),
			  news->time);
		break;
	default:
		if (!old && size > MMAP2_PATH)
			memcpy(&protection, own->record + MMAP2_PROT, sizeof(protection));
		if (protection & PROT_EXEC && !(old && header.misc & PERF_RECORD_MISC_MMAP_DATA))
			take_map(own, (pid_t)ids[0],
				 text_at(own, old ? MMAP_PATH : MMAP2_PATH, size), news->time);
	}
}

/* After a loss somebody may have become ours unseen. */
static void raise_doubts(struct ownproc *own)
{
	int64_t now = clock_now_ns();

	if (!own->lost || now < own->doubt_at_ns)
		return;
	own->lost = false;
	own->doubt_at_ns = now + DOUBT_NS; /* under pressure there is a loss in every round */
	vec_each (known, &own->known)
		if (*known == OTHERS)
			*known = DOUBTED;
}

static void look_through(struct ownproc *own, const struct ring *ring, uint64_t *seen)
{
	size_t from_end = own->time_from_end;
	struct ring_view view;

	if (!ring_view(ring, &view))
		return;
	if (*seen < view.start)
		*seen = view.start;
	while (*seen < view.end) {
		struct perf_event_header header = ring_header(&view, *seen);
		bool timed = from_end && header.size >= TASK_TIME + from_end;

		if (header.size < sizeof(header))
			break;
		switch (header.type) {
		case PERF_RECORD_FORK:
		case PERF_RECORD_COMM:
		case PERF_RECORD_MMAP:
		case PERF_RECORD_MMAP2:
			if (header.size >= TASK_TIME)
				*vec_push(&own->news) = (struct news){
					timed ? ring_u64(&view, *seen + header.size - from_end) : 0,
					*seen, view
				};
			break;
		case PERF_RECORD_LOST: own->lost = true; break;
		default: break;
		}
		*seen += header.size;
	}
}

static int by_time(const void *a, const void *b)
{
	const struct news *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

void ownproc_look(struct ownproc *own, const struct ring *rings, size_t count)
{
	ownproc_lock(own);
	while (own->seen.len < count)
		*vec_push(&own->seen) = 0;
	own->news.len = 0;
	for (size_t i = 0; i < count; i++)
		look_through(own, &rings[i], &own->seen.data[i]);
	if (own->news.len > 1)
		qsort(own->news.data, own->news.len, sizeof(*own->news.data), by_time);
	vec_each (news, &own->news)
		take_record(own, news);
	raise_doubts(own);
	ownproc_unlock(own);
}

void ownproc_scan(struct ownproc *own)
{
	DIR *folder = opendir(own->options.proc);
	struct dirent *entry;

	ownproc_lock(own);
	while (folder && (entry = readdir(folder)))
		if (isdigit((unsigned char)*entry->d_name))
			find_out(own, (pid_t)atoi(entry->d_name));
	ownproc_unlock(own);
	if (folder)
		closedir(folder);
}
