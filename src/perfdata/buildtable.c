// SPDX-License-Identifier: Apache-2.0
/* The table of build-ids: records like a pipe's BUILD_ID, one behind the other. */
#include "perfdata/feature.h"
#include "perfdata/impl.h"
#include "perfdata/swap.h"

#include <string.h>

#define BUILD_ID_SIZE_KNOWN (1 << 15) /* in misc: the byte behind the 20 tells the length */

/* As it lies on disk. */
struct build_id_record {
	struct perf_event_header header;
	uint32_t pid;
	uint8_t bytes[20];
	uint8_t size;
	uint8_t reserved[3];
	char path[];
};

bool feature_parse_build_id(const struct perf_event_header *header, struct feature_build_id *id)
{
	const struct build_id_record *record = (const void *)header;

	if (header->size <= sizeof(*record) ||
	    !memchr(record->path, 0, header->size - sizeof(*record)))
		return false;
	*id = (struct feature_build_id){ .pid = record->pid,
					 .misc = header->misc,
					 .size = sizeof(id->bytes),
					 .path = record->path };
	if (header->misc & BUILD_ID_SIZE_KNOWN && record->size < sizeof(id->bytes))
		id->size = record->size;
	memcpy(id->bytes, record->bytes, sizeof(id->bytes));
	return true;
}

/*
 * perf of 2009 had no pid there.  The kernel's entry betrays it: its name then begins in the
 * middle.
 */
static void undo_old_form(struct perf_env *env)
{
	bool old = false;

	for (uint32_t i = 0; i < env->build_ids.count; i++)
		old |= !strcmp(env->build_ids.data[i].path, "nel.kallsyms]");
	if (!old)
		return;
	for (uint32_t i = 0; i < env->build_ids.count; i++) {
		struct feature_build_id *id = &env->build_ids.data[i];

		memmove(id->bytes + 4, id->bytes, sizeof(id->bytes) - 4);
		memcpy(id->bytes, &id->pid, 4);
		id->pid = UINT32_MAX;
		id->path -= 4;
	}
}

void feature_load_build_ids(struct perf_env *env, struct perf_reader *reader)
{
	struct feature_bytes bytes;
	size_t most;

	if (!feature_open(&bytes, reader, FEATURE_BUILD_ID))
		return;
	most = cursor_left(&bytes.c) / sizeof(struct build_id_record) + 1;
	env->build_ids.data = arena_alloc(&env->arena, most * sizeof(*env->build_ids.data));
	while (cursor_left(&bytes.c) > sizeof(struct build_id_record)) {
		struct perf_event_header header, *copy;
		const unsigned char *at = bytes.c.at;

		memcpy(&header, at, sizeof(header));
		if (bytes.swapped)
			swap_record_header(&header);
		if (header.size <= sizeof(struct build_id_record) ||
		    !cursor_bytes(&bytes.c, header.size))
			break;
		copy = arena_alloc(&env->arena, header.size);
		memcpy(copy, at, header.size);
		*copy = header;
		if (bytes.swapped)
			copy[1].type = __builtin_bswap32(copy[1].type); /* its pid */
		if (feature_parse_build_id(copy, &env->build_ids.data[env->build_ids.count]))
			env->build_ids.count++;
	}
	undo_old_form(env);
}
