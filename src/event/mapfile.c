// SPDX-License-Identifier: Apache-2.0
#include "event/mapfile.h"
#include "base/buf.h"
#include "base/file.h"
#include "event/vendor.h"

#include <strings.h>

#define LEVELS 5 /* the folder itself and four above */

static const char *column(struct arena *arena, char **line)
{
	char *text = strsep(line, ",");

	while (text && (*text == ' ' || *text == '/'))
		text++;
	return arena_strdup(arena, text ? text : "");
}

static void read_rows(struct mapfile *map, char *text)
{
	char *line;

	for (int number = 1; (line = strsep(&text, "\n")); number++) {
		struct mapfile_row row = { .line = number };

		line[strcspn(line, "\r")] = '\0';
		if (!*line || *line == '#' || !strncasecmp(line, "Family-model", 12))
			continue;
		row.cpu = column(&map->arena, &line);
		row.version = column(&map->arena, &line);
		row.path = column(&map->arena, &line);
		column(&map->arena, &line); /* core, uncore ...: each event says that itself */
		column(&map->arena, &line);
		column(&map->arena, &line);
		row.role = column(&map->arena, &line);
		/* A pattern is kept in a list by spaces. */
		if (*row.path && *row.cpu && !strchr(row.cpu, ' '))
			*vec_push(&map->rows) = row;
	}
}

void mapfile_find(struct mapfile *map, const char *dir)
{
	struct buf path = { 0 };

	*map = (struct mapfile){ 0 };
	buf_puts(&path, dir);
	for (int i = 0; i < LEVELS && path.len; i++) {
		char *file = mem_printf("%s/mapfile.csv", buf_text(&path));
		char *text = file_read(file, &(size_t){ 0 }, NULL);
		char *slash;

		free(file);
		if (text) {
			map->dir = arena_strdup(&map->arena, buf_text(&path));
			read_rows(map, text);
			free(text);
			break;
		}
		slash = strrchr(path.data, '/');
		path.len = slash ? (size_t)(slash - path.data) : 0;
		path.data[path.len] = '\0';
	}
	buf_free(&path);
}

void mapfile_fini(struct mapfile *map)
{
	vec_free(&map->rows);
	arena_free(&map->arena);
}

/* Whether path ends with this name, whole parts only. */
static bool ends_with(const char *path, const char *name)
{
	size_t length = strlen(path), size = strlen(name);

	while (size && name[size - 1] == '/')
		size--;
	return size && length >= size && !strncmp(path + length - size, name, size) &&
	       (length == size || path[length - size - 1] == '/');
}

/* A row's path may have folders that this copy does not: a file's name alone is enough. */
static bool row_means(const struct mapfile_row *row, const char *path)
{
	const char *base = strrchr(row->path, '/');

	if (ends_with(path, row->path))
		return true;
	return base && strstr(base, ".json") && ends_with(path, base + 1);
}

static const char *pmu_of_role(const char *role)
{
	if (!strcasecmp(role, "Core"))
		return "cpu_core";
	if (!strcasecmp(role, "Atom"))
		return "cpu_atom";
	return !strcasecmp(role, "LowPower_Atom") ? "cpu_lowpower" : "";
}

bool mapfile_apply(const struct mapfile *map, struct vendor_table *table, const char *path)
{
	struct buf cpus = { 0 };
	bool found = false;

	vec_each (row, &map->rows) {
		if (!row_means(row, path))
			continue;
		buf_printf(&cpus, "%s%s", found ? " " : "", row->cpu);
		if (!found)
			table->rank = row->line;
		if (!*table->pmu)
			table->pmu = pmu_of_role(row->role);
		if (!*table->version)
			table->version = arena_strdup(&table->arena, row->version);
		found = true;
	}
	if (found)
		table->cpus = arena_strdup(&table->arena, buf_text(&cpus));
	buf_free(&cpus);
	return found;
}
