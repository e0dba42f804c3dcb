// SPDX-License-Identifier: Apache-2.0
#include "cmd/buildid_files.h"
#include "base/cursor.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/text.h"
#include "perfdata/feature.h"
#include "record/keepfolder.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add_file(struct buildid_files *files, const uint8_t *bytes, size_t size,
		     const char *path)
{
	struct build_id id = { .size = (uint8_t)(size < BUILD_ID_SIZE ? size : BUILD_ID_SIZE) };

	memcpy(id.bytes, bytes, id.size);
	vec_each (file, files)
		if (build_id_same(&file->id, &id) && !strcmp(file->path, path))
			return;
	*vec_push(files) = (struct buildid_file){ .id = id, .path = mem_strdup(path) };
}

/* A mapping that the kernel gave the build-id of its file. */
static void add_mapping(struct buildid_files *files, const struct perf_event_header *header)
{
	const unsigned char *body = (const unsigned char *)(header + 1);
	size_t size = header->size - sizeof(*header);
	const size_t id_at = 32, path_at = 64;

	if (header->type != PERF_RECORD_MMAP2 || !(header->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) ||
	    size <= path_at || !memchr(body + path_at, 0, size - path_at) || !body[id_at] ||
	    body[id_at] > BUILD_ID_SIZE)
		return;
	add_file(files, body + id_at + 4, body[id_at], (const char *)body + path_at);
}

int buildid_files_of(struct buildid_files *files, const char *input, struct err *err)
{
	struct perf_env env = { 0 };
	struct loaded in;
	struct record rec;
	int rc = load_open(&in, input, NULL, err);

	if (rc)
		return rc;
	rc = load_need_recording(&in, "a list of build-ids", err);
	if (!rc)
		feature_load_build_ids(&env, in.reader);
	for (uint32_t i = 0; i < env.build_ids.count; i++)
		add_file(files, env.build_ids.data[i].bytes, env.build_ids.data[i].size,
			 env.build_ids.data[i].path);
	while (!rc && !env.build_ids.count && perf_reader_next(in.reader, &rec, NULL) > 0)
		add_mapping(files, rec.header);
	perf_env_free(&env);
	loaded_close(&in);
	return rc;
}

void buildid_files_free(struct buildid_files *files)
{
	vec_each (file, files)
		free(file->path);
	vec_free(files);
}

char *buildid_folder(const char *dir)
{
	struct keepfolder folder;
	char *path;

	keepfolder_init(&folder, dir);
	path = folder.dir ? mem_strdup(folder.dir) : NULL;
	keepfolder_fini(&folder);
	return path;
}

bool buildid_is_kept(const char *folder, const struct build_id *id)
{
	char text[BUILD_ID_TEXT];
	char *path = mem_printf("%s/.build-id/%.2s/%s", folder, build_id_text(text, id), text + 2);
	bool kept = !access(path, F_OK);

	free(path);
	return kept;
}

static bool parse_id(struct build_id *id, const char *first, const char *rest)
{
	char text[BUILD_ID_TEXT];
	size_t length = (size_t)snprintf(text, sizeof(text), "%s%s", first, rest);

	if (length % 2 || length >= sizeof(text) || strlen(first) != 2)
		return false;
	id->size = (uint8_t)(length / 2);
	for (size_t i = 0; i < id->size; i++) {
		int high = text_hex_digit(text[2 * i]), low = text_hex_digit(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		id->bytes[i] = (uint8_t)(high << 4 | low);
	}
	return id->size > 0;
}

/* .build-id/ab/cdef -> ../../usr/bin/prog/abcdef */
static void add_kept(struct buildid_files *files, const char *links, const char *first)
{
	char *dir = mem_printf("%s/%s", links, first);
	struct dirent *entry;
	DIR *entries = opendir(dir);

	while (entries && (entry = readdir(entries))) {
		char target[PATH_MAX];
		char *link = mem_printf("%s/%s", dir, entry->d_name);
		ssize_t length = readlink(link, target, sizeof(target) - 1);
		struct build_id id = { 0 };
		char *slash;

		free(link);
		if (length <= 6 || !parse_id(&id, first, entry->d_name))
			continue;
		target[length] = '\0';
		slash = strrchr(target, '/');
		if (strncmp(target, "../../", 6) || slash < target + 6)
			continue;
		*slash = '\0';
		add_file(files, id.bytes, id.size, target[6] == '[' ? target + 6 : target + 5);
	}
	if (entries)
		closedir(entries);
	free(dir);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct buildid_file *)a)->path,
		      ((const struct buildid_file *)b)->path);
}

void buildid_kept(struct buildid_files *files, const char *folder)
{
	char *links = mem_printf("%s/.build-id", folder);
	struct dirent *entry;
	DIR *entries = opendir(links);

	while (entries && (entry = readdir(entries)))
		if (entry->d_name[0] != '.')
			add_kept(files, links, entry->d_name);
	if (entries)
		closedir(entries);
	if (files->len)
		qsort(files->data, files->len, sizeof(*files->data), by_path);
	free(links);
}
