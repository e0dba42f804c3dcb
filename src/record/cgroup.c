// SPDX-License-Identifier: Apache-2.0
#include "record/cgroup.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += length)
		if ((at == list || at[-1] == ',') && (!at[length] || at[length] == ','))
			return true;
	return false;
}

/* /proc/mounts writes space, tab, newline and backslash as three octal digits. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *at = text; *at; to++) {
		unsigned code;

		if (*at == '\\' && sscanf(at + 1, "%3o", &code) == 1 && strlen(at) > 3) {
			*to = (char)code;
			at += 4;
		} else {
			*to = *at++;
		}
	}
	*to = '\0';
}

char *cgroup_mount(const char *mounts)
{
	char *copy = mem_strdup(mounts), *rest = copy, *line;
	const char *best = NULL;
	char *found;

	while ((line = strsep(&rest, "\n"))) {
		char *fields[4] = { 0 }, *word;

		for (size_t n = 0; n < ARRAY_SIZE(fields) && (word = strsep(&line, " ")); n++)
			fields[n] = word;
		if (!fields[3])
			continue;
		/* A perf_event mount of version 1 takes the controller away from version 2. */
		if (!strcmp(fields[2], "cgroup") && has_word(fields[3], "perf_event")) {
			best = fields[1];
			break;
		}
		if (!best && !strcmp(fields[2], "cgroup2"))
			best = fields[1];
	}
	found = best ? mem_strdup(best) : NULL;
	if (found)
		unescape(found);
	free(copy);
	return found;
}

static char *this_mount(struct err *err)
{
	size_t size;
	char *mounts = file_read("/proc/mounts", &size, err);
	char *mount;

	if (!mounts)
		return NULL;
	mount = cgroup_mount(mounts);
	free(mounts);
	if (!mount)
		err_set(err, ENOENT,
			"no cgroup hierarchy is mounted that can be measured: neither "
			"version 2 nor version 1 with perf_event");
	return mount;
}

static int open_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int cgroup_open(const char *name, struct err *err)
{
	char *mount, *path;
	int fd;

	mount = this_mount(err);
	if (!mount)
		return -ENOENT;
	/* A whole path is taken as it is; "/name" is otherwise a name below the mount, as in
	 * /proc/PID/cgroup. */
	if (!strncmp(name, mount, strlen(mount)) && strchr("/", name[strlen(mount)]))
		path = mem_strdup(name);
	else
		path = mem_printf("%s/%s", mount, name);
	fd = open_folder(path);
	if (fd < 0)
		err_set(err, -fd, "cgroup '%s': %s: %s; `ls %s` shows those there are", name, path,
			strerror(-fd), mount);
	free(path);
	free(mount);
	return fd;
}

char *cgroup_own(void)
{
	char *mount = this_mount(NULL), *text = NULL, *line = NULL, *path = NULL;

	if (mount && file_exists("%s/cgroup.controllers", mount))
		text = file_read("/proc/self/cgroup", NULL, NULL);
	if (text)
		line = strncmp(text, "0::", 3) ? strstr(text, "\n0::") : text;
	if (line) {
		line += *line == '\n';
		line[strcspn(line, "\n")] = '\0';
		path = mem_printf("%s%s", mount, strcmp(line, "0::/") ? line + 3 : "");
	}
	free(text);
	free(mount);
	return path;
}

struct walk {
	const char *root;
	const regex_t *regex;
	struct strlist *names;
};

/* Written out instead of nftw(3), whose callback gets nothing of ours; cgroup trees are small
 * and a few levels deep. */
static void walk_folder(const struct walk *walk, const char *name)
{
	char *path = mem_printf("%s/%s", walk->root, name);
	struct strlist entries = { 0 };

	if (dir_names(path, &entries, NULL) == 0) {
		vec_each (entry, &entries) {
			char *below = mem_printf("%s%s%s", name, *name ? "/" : "", *entry);
			char *full = mem_printf("%s/%s", walk->root, below);
			struct stat st;

			if (lstat(full, &st) == 0 && S_ISDIR(st.st_mode)) {
				if (regexec(walk->regex, below, 0, NULL, 0) == 0)
					strlist_add(walk->names, below);
				walk_folder(walk, below);
			}
			free(full);
			free(below);
		}
	}
	strlist_free(&entries);
	free(path);
}

int cgroup_match(const char *pattern, struct strlist *names, struct err *err)
{
	size_t before = names->len;
	char *mount = this_mount(err);
	regex_t regex;
	int rc = 0;

	if (!mount)
		return -ENOENT;
	if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB)) {
		free(mount);
		return err_set(err, EINVAL, "cgroup '%s': not a regular expression", pattern);
	}
	walk_folder(&(struct walk){ .root = mount, .regex = &regex, .names = names }, "");
	if (names->len == before)
		rc = err_set(err, ENOENT, "no cgroup below %s matches '%s'", mount, pattern);
	regfree(&regex);
	free(mount);
	return rc;
}
