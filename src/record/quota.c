// SPDX-License-Identifier: Apache-2.0
#include "record/quota.h"
#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTROLLER "cpu"

/* Whether `word` is one of those in the list, with commas between. */
static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, word, length) && (at[length] == ',' || !at[length]))
			return true;
	}
	return false;
}

/* Where the controller's groups are, or version 2; false: nowhere. */
static bool find_mount(const char *mounts, bool second, char folder[static 256])
{
	char type[32], options[512];

	for (const char *line = mounts; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "%*s %255s %31s %511s", folder, type, options) == 3 &&
		    (second ? !strcmp(type, "cgroup2")
			    : !strcmp(type, "cgroup") && has_word(options, CONTROLLER)))
			return true;
	}
	return false;
}

void quota_folders(const char *groups, const char *mounts, struct strlist *folders)
{
	char controllers[256], path[1024], mount[256];

	for (const char *line = groups; line && *line; line = strchr(line, '\n')) {
		bool second;

		line += *line == '\n';
		second = sscanf(line, "%*d::%1023[^\n]", path) == 1;
		if (!second && (sscanf(line, "%*d:%255[^:]:%1023[^\n]", controllers, path) != 2 ||
				!has_word(controllers, CONTROLLER)))
			continue;
		if (!find_mount(mounts, second, mount))
			continue;
		/* the outermost one is the machine, without a quota */
		for (char *slash; *path && strcmp(path, "/") != 0; *slash = '\0') {
			char *folder = mem_printf("%s%s", mount, path);

			strlist_add(folders, folder);
			free(folder);
			slash = strrchr(path, '/');
			if (!slash)
				break;
		}
	}
}

bool quota_stat(const char *text, uint64_t *ns)
{
	const char *first = strstr(text, "throttled_time "),
		   *second = strstr(text, "throttled_usec ");
	unsigned long long value;

	if (second && sscanf(second, "throttled_usec %llu", &value) == 1)
		*ns = value * 1000;
	else if (first && sscanf(first, "throttled_time %llu", &value) == 1)
		*ns = value;
	else
		return false;
	return true;
}

static bool read_stat(const char *folder, uint64_t *ns)
{
	char *path = mem_printf("%s/cpu.stat", folder), *text = file_read(path, NULL, NULL);
	bool known = text && quota_stat(text, ns);

	free(text);
	free(path);
	return known;
}

void quota_begin(struct quota *quota, pid_t pid)
{
	char *path = mem_printf("/proc/%d/cgroup", (int)pid);
	char *groups = file_read(path, NULL, NULL), *mounts = file_read("/proc/mounts", NULL, NULL);
	struct strlist folders = { 0 };
	uint64_t ns;

	quota_folders(groups, mounts, &folders);
	vec_each (folder, &folders)
		if (read_stat(*folder, &ns))
			*vec_push(&quota->groups) = (struct quota_group){ mem_strdup(*folder), ns };
	strlist_free(&folders);
	free(mounts);
	free(groups);
	free(path);
}

uint64_t quota_held_ns(const struct quota *quota)
{
	uint64_t most = 0, ns;

	vec_each (group, &quota->groups)
		if (read_stat(group->folder, &ns) && ns > group->before_ns &&
		    ns - group->before_ns > most)
			most = ns - group->before_ns;
	return most;
}

void quota_free(struct quota *quota)
{
	vec_each (group, &quota->groups)
		free(group->folder);
	vec_free(&quota->groups);
}
