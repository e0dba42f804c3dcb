// SPDX-License-Identifier: Apache-2.0
/*
 * Bringing vendors' tables into the user's data folder.
 *
 * Intel's and Arm's files are a table each.  Of perf's, the files of a folder make one table, and
 * those beside its mapfile.csv hold the events that ArchStdEvent of the others refers to.
 */
#include "base/err.h"
#include "base/file.h"
#include "event/mapfile.h"
#include "event/vendor.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH 8

struct importer {
	struct vendor_import *result;
	const char *data_dir;
};

static bool is_json(const char *name)
{
	size_t length = strlen(name);

	return length > 5 && !strcmp(name + length - 5, ".json");
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* A table's name becomes a file's; several of perf's folders are called "sys". */
static char *table_name(const char *path)
{
	const char *base = base_name(path), *parent = base;
	char *name;

	if (!strcmp(base, "sys") && base > path + 1)
		for (parent = base - 1; parent > path && parent[-1] != '/';)
			parent--;
	name = mem_strdup(parent);

	if (is_json(name))
		name[strlen(name) - 5] = '\0';
	for (char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
			*c = '_';
	if (name[0] == '.')
		name[0] = '_';
	return name;
}

static int write_whole(const char *path, const char *text, struct err *err)
{
	char *temporary = mem_printf("%s.XXXXXX", path);
	int fd = mkostemp(temporary, O_CLOEXEC), rc;

	if (fd < 0) {
		rc = err_set(err, errno, "%s: %s", path, strerror(errno));
		free(temporary);
		return rc;
	}
	rc = fd_write_all(fd, text, strlen(text));
	if (close(fd) && !rc)
		rc = -errno;
	if (!rc && rename(temporary, path))
		rc = -errno;
	if (rc) {
		err_set(err, -rc, "%s: %s", path, strerror(-rc));
		unlink(temporary);
	}
	free(temporary);
	return rc;
}

static int save_table(struct importer *im, const struct vendor_table *table, struct err *err)
{
	char *dir = mem_printf("%s/events", im->data_dir);
	char *path = mem_printf("%s/%s.events", dir, table->name);
	char *text = vendor_table_text(table), *line;
	int rc = dir_make(dir, err);

	if (!rc)
		rc = write_whole(path, text, err);
	if (!rc) {
		line = mem_printf("%s: %zu events%s%s%s%s", table->name, table->events.len,
				  *table->version ? ", version " : "", table->version,
				  *table->cpus ? ", for " : "", table->cpus);
		strlist_add(&im->result->tables, line);
		im->result->events += table->events.len;
		if (im->result->step)
			im->result->step(im->result->user, im->result->events);
		free(line);
	}
	free(text);
	free(path);
	free(dir);
	return rc;
}

static int read_json(struct vendor_table *table, const char *path, struct err *err)
{
	size_t size;
	char *text = file_read(path, &size, err);
	int rc;

	if (!text)
		return -err->code;
	rc = vendor_json_read(table, text, size, path, err);
	free(text);
	return rc;
}

/* Whether a file is a list at its top: perf's shape. */
static bool is_perf_shape(const char *path)
{
	char start[64];
	FILE *file = fopen(path, "re");
	size_t got = file ? fread(start, 1, sizeof(start) - 1, file) : 0;

	if (file)
		fclose(file);
	start[got] = '\0';
	return start[strspn(start, " \t\r\n")] == '[';
}

/* One file, one table.  *err is for what ends the import; a bad file is noted and passed over. */
static int import_alone(struct importer *im, const struct mapfile *map, const char *path,
			struct err *err)
{
	char *name = table_name(path);
	struct vendor_table table;
	struct err why = { 0 };
	int rc;

	vendor_table_init(&table, name);
	table.source = arena_strdup(&table.arena, path);
	mapfile_apply(map, &table, path);
	rc = read_json(&table, path, &why);
	if (rc < 0)
		strlist_add(&im->result->failed, why.text);
	else if (rc == 0)
		strlist_add(&im->result->skipped, path);
	rc = rc > 0 ? save_table(im, &table, err) : 0;
	vendor_table_fini(&table);
	free(name);
	return rc;
}

static void read_standard(struct vendor_table *table, const char *dir)
{
	struct strlist names = { 0 };

	dir_names(dir, &names, NULL);
	vec_each (name, &names) {
		char *path = mem_printf("%s/%s", dir, *name);

		if (is_json(*name))
			read_json(table, path, &(struct err){ 0 });
		free(path);
	}
	strlist_free(&names);
	vec_each (event, &table->events)
		*vec_push(&table->standard) = *event;
	table->events.len = 0;
}

/* perf's files of a folder, one table. */
static int import_together(struct importer *im, const struct mapfile *map, const char *dir,
			   const struct strlist *files, struct err *err)
{
	char *name = table_name(dir);
	struct vendor_table table;
	struct err why = { 0 };
	int rc = 0;

	vendor_table_init(&table, name);
	table.source = arena_strdup(&table.arena, dir);
	mapfile_apply(map, &table, dir);
	if (map->dir && strcmp(map->dir, dir) != 0)
		read_standard(&table, map->dir);
	for (size_t i = 0; i < files->len && rc >= 0; i++)
		rc = read_json(&table, files->data[i], &why);
	if (rc < 0)
		strlist_add(&im->result->failed, why.text);
	else if (!table.events.len)
		strlist_add(&im->result->skipped, dir);
	rc = rc >= 0 && table.events.len ? save_table(im, &table, err) : 0;
	vendor_table_fini(&table);
	free(name);
	return rc;
}

/* Whether the map file names this very file. */
static bool has_own_row(const struct mapfile *map, const char *path)
{
	struct vendor_table probe;
	bool found;

	vendor_table_init(&probe, "");
	found = mapfile_apply(map, &probe, path);
	vendor_table_fini(&probe);
	return found;
}

static int import_dir(struct importer *im, const char *dir, int depth, struct err *err)
{
	struct strlist names = { 0 }, together = { 0 };
	struct mapfile map;
	int rc = dir_names(dir, &names, err);

	mapfile_find(&map, dir);
	for (size_t i = 0; i < names.len && !rc; i++) {
		char *path = mem_printf("%s/%s", dir, names.data[i]);
		struct stat status;

		if (names.data[i][0] == '.' || lstat(path, &status))
			; /* hidden, or gone meanwhile */
		else if (S_ISDIR(status.st_mode) && depth < DEPTH)
			rc = import_dir(im, path, depth + 1, err);
		else if (!S_ISREG(status.st_mode) || !is_json(path))
			;
		else if (is_perf_shape(path) && !has_own_row(&map, path))
			strlist_add(&together, path);
		else
			rc = import_alone(im, &map, path, err);
		free(path);
	}
	/* Beside the map file lies what the folders below refer to, no table of a CPU. */
	if (!rc && together.len && !(map.dir && !strcmp(map.dir, dir)))
		rc = import_together(im, &map, dir, &together, err);
	mapfile_fini(&map);
	strlist_free(&together);
	strlist_free(&names);
	return rc;
}

static int import_file(struct importer *im, const char *path, struct err *err)
{
	char *dir = mem_strndup(path, (size_t)(base_name(path) - path));
	struct mapfile map;
	int rc;

	if (strlen(dir) > 1)
		dir[strlen(dir) - 1] = '\0';
	mapfile_find(&map, dir);
	rc = import_alone(im, &map, path, err);
	mapfile_fini(&map);
	free(dir);
	return rc;
}

int vendor_import(struct vendor_import *import, const char *path, const char *data_dir,
		  struct err *err)
{
	struct importer im = { import, data_dir };
	char *real = realpath(path, NULL);
	struct stat status;
	int rc;

	if (!real || stat(real, &status))
		rc = err_set(err, errno, "%s: %s", path, strerror(errno));
	else if (S_ISDIR(status.st_mode))
		rc = import_dir(&im, real, 0, err);
	else
		rc = import_file(&im, real, err);
	free(real);
	return rc;
}

void vendor_import_fini(struct vendor_import *import)
{
	strlist_free(&import->tables);
	strlist_free(&import->skipped);
	strlist_free(&import->failed);
}
