// SPDX-License-Identifier: Apache-2.0
#include "symbol/package.h"
#include "base/file.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether a line of the text is the path. */
static bool has_line(const char *text, const char *path)
{
	size_t length = strlen(path);

	for (const char *at = text; (at = strstr(at, path)); at += length)
		if ((at == text || at[-1] == '\n') && (!at[length] || at[length] == '\n'))
			return true;
	return false;
}

/* Since /lib became a link to /usr/lib, lists may name a file by either. */
static bool lists_file(const char *text, const char *path)
{
	return has_line(text, path) || (!strncmp(path, "/usr/", 5) && has_line(text, path + 4));
}

/* The length of NAME in NAME.list and NAME:ARCH.list; 0 for any other file. */
static int package_length(const char *list)
{
	size_t length = strlen(list), arch = strcspn(list, ":");

	if (length <= 5 || strcmp(list + length - 5, ".list"))
		return 0;
	return (int)(arch < length ? arch : length - 5);
}

static bool has_file(const char *lists, const char *list, const char *path)
{
	char *name = mem_printf("%s/%s", lists, list);
	size_t size;
	char *text = file_read(name, &size, NULL);
	bool found = text && lists_file(text, path);

	free(text);
	free(name);
	return found;
}

bool package_of(const char *lists, const char *path, char *into, size_t room)
{
	struct strlist names = { 0 };
	bool found = false;

	if (*path == '/' && !dir_names(lists, &names, NULL))
		for (size_t i = 0; i < names.len && !found; i++) {
			int length = package_length(names.data[i]);

			found = length && has_file(lists, names.data[i], path);
			if (found)
				snprintf(into, room, "%.*s", length, names.data[i]);
		}
	strlist_free(&names);
	return found;
}

void package_of_symbols(const char *package, char *into, size_t room)
{
	const char *minimal = strstr(package, "-minimal");
	int length = (int)(minimal ? minimal - package : (long)strlen(package));
	/* These have kept the package that was made by hand before Debian made them by itself. */
	bool by_hand = !strcmp(package, "libc6") || !strncmp(package, "python3.", 8);

	snprintf(into, room, "%.*s%s", by_hand ? length : (int)strlen(package), package,
		 by_hand ? "-dbg" : "-dbgsym");
}
