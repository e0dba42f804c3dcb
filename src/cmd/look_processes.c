// SPDX-License-Identifier: Apache-2.0
#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"
#include "base/vec.h"
#include "cmd/command.h"
#include "cmd/look.h"

#include <ctype.h>
#include <pwd.h>
#include <sys/stat.h>

#define COMMAND_MOST 1000

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

int look_processes(struct err *err)
{
	struct json json = json_to(stdout);
	struct strlist names = { 0 };
	struct buf command = { 0 };
	int rc = dir_names("/proc", &names, err);

	json_open(&json, NULL, '{');
	json_open(&json, "processes", '[');
	vec_each (pid, &names) {
		if (!isdigit((unsigned char)**pid) || !read_command(*pid, &command))
			continue;
		json_open(&json, NULL, '{');
		json_int(&json, "pid", atoi(*pid));
		json_int(&json, "parent", parent_of(*pid));
		write_user(&json, *pid);
		json_text(&json, "command", buf_text(&command));
		write_threads(&json, *pid);
		json_close(&json);
	}
	json_close(&json);
	json_close(&json);
	buf_free(&command);
	strlist_free(&names);
	return rc ? rc : EXIT_DONE;
}
