// SPDX-License-Identifier: Apache-2.0
#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/vec.h"
#include "cmd/command.h"
#include "cmd/look.h"
#include "jobs/family.h"

#include <ctype.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#define COMMAND_MOST 1000
#define WATCH_NS     (100 * NS_PER_MSEC)

/* Its words with blanks between; false for the kernel's own, which have none. */
static bool read_command(const char *pid, struct buf *into)
{
	char path[64];
	size_t size = 0;
	char *text;

	snprintf(path, sizeof(path), "/proc/%s/cmdline", pid);
	text = file_read(path, &size, NULL);
	buf_clear(into);
	while (size && !text[size - 1])
		size--;
	for (size_t i = 0; i < size && i < COMMAND_MOST; i++)
		buf_putc(into, text[i] ? text[i] : ' ');
	free(text);
	return into->len > 0;
}

/* CPU time of a process at a moment. */
struct use {
	int64_t at_ns;
	uint64_t cpu_ns;
	bool known;
};

struct uses VEC_OF(struct use);

/* Of all its threads: the ticks of /proc/PID/stat are too coarse for so short a time. */
static struct use use_of(const char *pid)
{
	struct strlist threads = { 0 };
	struct use use = { 0 };
	char path[64], line[128];

	snprintf(path, sizeof(path), "/proc/%s/task", pid);
	dir_names(path, &threads, NULL); /* none if it is gone */
	vec_each (tid, &threads) {
		unsigned long long ns;

		if (file_line(line, sizeof(line), "/proc/%s/task/%s/schedstat", pid, *tid) > 0 &&
		    sscanf(line, "%llu", &ns) == 1) {
			use.cpu_ns += ns;
			use.known = true;
		}
	}
	use.at_ns = clock_now_ns();
	strlist_free(&threads);
	return use;
}

static void write_use(struct json *json, const char *pid, const struct use *before)
{
	struct use now = use_of(pid);
	double ran =
		(double)(int64_t)(now.cpu_ns -
				  before->cpu_ns); /* a thread that ended takes its time along */

	if (now.known && before->known && now.at_ns > before->at_ns)
		json_double(json, "cpu_percent",
			    ran > 0 ? 100 * ran / (double)(now.at_ns - before->at_ns) : 0);
}

static int by_number(const void *a, const void *b)
{
	long x = atol(*(char *const *)a), y = atol(*(char *const *)b);

	return (x > y) - (x < y);
}

static int64_t parent_of(const char *pid)
{
	char line[512];
	const char *behind;
	int parent = 0;

	if (file_line(line, sizeof(line), "/proc/%s/stat", pid) > 0 &&
	    (behind = strrchr(line, ')')) && sscanf(behind + 1, " %*c %d", &parent) == 1)
		return parent;
	return 0;
}

static void write_user(struct json *json, const char *pid)
{
	struct passwd *account;
	struct stat info;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%s", pid);
	if (stat(path, &info))
		return;
	account = getpwuid(info.st_uid);
	snprintf(path, sizeof(path), "%u", (unsigned)info.st_uid);
	json_text(json, "user", account ? account->pw_name : path);
}

static void write_threads(struct json *json, const char *pid)
{
	struct strlist threads = { 0 };
	char path[64], name[64];

	snprintf(path, sizeof(path), "/proc/%s/task", pid);
	dir_names(path, &threads, NULL); /* none if it is gone */
	json_open(json, "threads", '[');
	vec_each (tid, &threads) {
		if (file_line(name, sizeof(name), "/proc/%s/task/%s/comm", pid, *tid) < 0)
			continue;
		json_open(json, NULL, '{');
		json_int(json, "tid", atoi(*tid));
		json_text(json, "name", name);
		json_close(json);
	}
	json_close(json);
	strlist_free(&threads);
}

/* Those that have a command line and are not the server's, by their numbers. */
static int list_processes(struct strlist *found, struct err *err)
{
	struct family server = family_of_parent();
	struct strlist names = { 0 };
	struct buf command = { 0 };
	int rc = dir_names("/proc", &names, err);

	vec_each (pid, &names)
		if (isdigit((unsigned char)**pid) && !family_has(&server, atoi(*pid)) &&
		    read_command(*pid, &command))
			strlist_add(found, *pid);
	if (found->len)
		qsort(found->data, found->len, sizeof(*found->data), by_number);
	buf_free(&command);
	strlist_free(&names);
	return rc;
}

int look_processes(struct err *err)
{
	struct json json = json_to(stdout);
	struct strlist names = { 0 };
	struct buf command = { 0 };
	struct uses before = { 0 };
	int rc = list_processes(&names, err);

	vec_each (pid, &names)
		*vec_push(&before) = use_of(*pid);
	if (before.len)
		nanosleep(&(struct timespec){ .tv_nsec = WATCH_NS }, NULL);
	json_open(&json, NULL, '{');
	json_open(&json, "processes", '[');
	for (size_t i = 0; i < names.len; i++) {
		char **pid = &names.data[i];

		if (!read_command(*pid, &command))
			continue; /* it has ended meanwhile */
		json_open(&json, NULL, '{');
		json_int(&json, "pid", atoi(*pid));
		json_int(&json, "parent", parent_of(*pid));
		write_user(&json, *pid);
		json_text(&json, "command", buf_text(&command));
		write_use(&json, *pid, &before.data[i]);
		write_threads(&json, *pid);
		json_close(&json);
	}
	json_close(&json);
	json_close(&json);
	buf_free(&command);
	strlist_free(&names);
	vec_free(&before);
	return rc ? rc : EXIT_DONE;
}
