// SPDX-License-Identifier: Apache-2.0
#include "server/page.h"
#include <string.h>

static const struct page_file *file_named(const char *path)
{
	for (const struct page_file *file = page_files; file->path; file++)
		if (!strcmp(file->path, path))
			return file;
	return NULL;
}

/* The page itself finds out what to show; a wrong id is an answer of the API. */
static bool is_view(const char *path)
{
	static const char *const views[] = { "compare", "hosts", "r", "s", "sign-in" };
	size_t length;

	if (*path++ != '/')
		return false;
	length = strcspn(path, "/");
	if (!length)
		return !*path;
	for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++)
		if (strlen(views[i]) == length && !strncmp(views[i], path, length))
			return true;
	return false;
}

const struct page_file *page_find(const char *path)
{
	return file_named(is_view(path) ? "/index.html" : path);
}
