// SPDX-License-Identifier: Apache-2.0
#include "symbol/folder.h"
#include "base/file.h"
#include "base/mem.h"
#include "test.h"

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[64];

char *folder_new(void)
{
	snprintf(folder, sizeof(folder), "/tmp/perfolio-symbol-XXXXXX");
	EXPECT(mkdtemp(folder));
	return folder;
}

const char *folder_path(const char *name)
{
	static char paths[8][PATH_MAX];
	static unsigned next;
	char *path = paths[next++ % 8];

	snprintf(path, PATH_MAX, "%s/%s", folder, name);
	return path;
}

static void make_parent(const char *path)
{
	char *parent = mem_strdup(path);

	*strrchr(parent, '/') = '\0';
	EXPECT_INT(dir_make(parent, NULL), 0);
	free(parent);
}

void folder_put(const char *name, const void *bytes, size_t size)
{
	const char *path = folder_path(name);
	FILE *out;

	make_parent(path);
	out = fopen(path, "we");
	EXPECT(out);
	EXPECT_INT(fwrite(bytes, 1, size, out), size);
	fclose(out);
}

void folder_link(const char *name, const char *to)
{
	const char *path = folder_path(name);

	make_parent(path);
	EXPECT_INT(symlink(to, path), 0);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *place)
{
	(void)st;
	(void)type;
	(void)place;
	return remove(path);
}

void folder_remove(void)
{
	nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
