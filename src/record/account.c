// SPDX-License-Identifier: Apache-2.0
#include "record/account.h"
#include "perfdata/payload.h"

#include <stdlib.h>

#ifndef PERF_RECORD_MISC_MMAP_BUILD_ID
#define PERF_RECORD_MISC_MMAP_BUILD_ID (1 << 14)
#endif
#define MISC_BUILD_ID_SIZE (1 << 15) /* in a BUILD_ID entry: its size is told */

/* The fields of a sample before `field`, each 8 bytes, in the kernel's order. */
static size_t field_offset(uint64_t sample_type, uint64_t field)
{
	static const uint64_t order[] = {
		PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,	  PERF_SAMPLE_TID,
		PERF_SAMPLE_TIME,	PERF_SAMPLE_ADDR, PERF_SAMPLE_ID,
	};
	size_t at = sizeof(struct perf_event_header);

	if (!(sample_type & field))
		return 0;
	for (size_t i = 0; order[i] != field; i++)
		at += sample_type & order[i] ? sizeof(uint64_t) : 0;
	return at;
}

void account_init(struct account *account, const struct perf_writer_attr *attrs, size_t count)
{
	uint64_t sample_type = count ? attrs[0].attr.base.sample_type : 0;

	*account = (struct account){ .events = count };
	account->by_event = mem_alloc((count + 1) * sizeof(*account->by_event));
	account->by_event_marked = mem_alloc((count + 1) * sizeof(*account->by_event));
	account->time_at = mem_alloc((count + 1) * sizeof(*account->time_at));
	account->pid_at = mem_alloc((count + 1) * sizeof(*account->pid_at));
	/* With several events all have the identifier, in front. */
	account->id_at = field_offset(sample_type, PERF_SAMPLE_IDENTIFIER);
	for (size_t i = 0; i < count; i++) {
		account->time_at[i] = field_offset(attrs[i].attr.base.sample_type,
						   PERF_SAMPLE_TIME);
		account->pid_at[i] = field_offset(attrs[i].attr.base.sample_type, PERF_SAMPLE_TID);
	}
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < attrs[i].ids_count; j++)
			idmap_add(&account->ids, attrs[i].ids[j], (uint32_t)i);
}

void account_fini(struct account *account)
{
	free(account->by_event);
	free(account->by_event_marked);
	free(account->time_at);
	free(account->pid_at);
	idmap_free(&account->ids);
	map_free(&account->object_of);
	vec_free(&account->objects);
	vec_free(&account->scratch);
	arena_free(&account->arena);
}

void account_mark(struct account *account)
{
	account->marked = account->now;
	memset(account->recent, 0, sizeof(account->recent));
	memcpy(account->by_event_marked, account->by_event,
	       account->events * sizeof(*account->by_event));
}

void account_rewind(struct account *account)
{
	account->now = account->marked;
	memcpy(account->by_event, account->by_event_marked,
	       account->events * sizeof(*account->by_event));
}

static void note_pid(struct account *account, pid_t pid)
{
	pid_t *recent = &account->recent[(size_t)pid % 256];

	if (*recent == pid || account->pids_count == ACCOUNT_PIDS)
		return;
	*recent = pid;
	account->pids[account->pids_count++] = pid;
}

size_t account_take_pids(struct account *account, const pid_t **pids)
{
	size_t count = account->pids_count;

	*pids = account->pids;
	account->pids_count = 0;
	return count;
}

static void count_sample(struct account *account, const struct ring_view *view, uint64_t at)
{
	uint32_t event = 0;

	account->now.samples++;
	if (account->id_at)
		event = idmap_find(&account->ids, ring_u64(view, at + account->id_at));
	if (event >= account->events)
		return; /* not one of ours: the kernel does not do that */
	account->by_event[event]++;
	if (account->pid_at[event])
		note_pid(account, (pid_t)(uint32_t)ring_u64(view, at + account->pid_at[event]));
	if (account->time_at[event]) {
		uint64_t time = ring_u64(view, at + account->time_at[event]);

		if (!account->now.first_ns || time < account->now.first_ns)
			account->now.first_ns = time;
		if (time > account->now.last_ns)
			account->now.last_ns = time;
	}
}

/* As the kernel writes it: PERF_RECORD_MMAP2 with a build-id in the place of the file's numbers. */
struct mmap2_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, size, offset;
	uint8_t id_size, reserved[3];
	uint8_t id[BUILD_ID_SIZE];
	uint32_t protection, flags;
	char path[];
};

static void note_object(struct account *account, const struct mmap2_record *record)
{
	size_t room = record->header.size - offsetof(struct mmap2_record, path);
	size_t length = strnlen(record->path, room);
	struct account_object *object;
	const char *path;

	if (!length || length == room || record->id_size > BUILD_ID_SIZE ||
	    map_find(&account->object_of, record->path, length) != MAP_NONE)
		return;
	path = arena_strdup(&account->arena, record->path);
	map_add(&account->object_of, path, length, (uint32_t)account->objects.len);
	object = vec_push(&account->objects);
	object->path = path;
	object->cpumode = record->header.misc & PERF_RECORD_MISC_CPUMODE_MASK;
	object->id.size = record->id_size;
	memcpy(object->id.bytes, record->id, record->id_size);
}

static void count_other(struct account *account, const struct ring_view *view, uint64_t at,
			const struct perf_event_header *header)
{
	switch (header->type) {
	case PERF_RECORD_LOST: account->now.lost_records += ring_u64(view, at + 16); break;
	case PERF_RECORD_LOST_SAMPLES: account->now.lost_samples += ring_u64(view, at + 8); break;
	case PERF_RECORD_THROTTLE: account->now.throttled++; break;
	case PERF_RECORD_MMAP2:
		if (!(header->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) ||
		    header->size <= offsetof(struct mmap2_record, path))
			break;
		vec_reserve(&account->scratch, header->size);
		ring_copy(view, at, account->scratch.data, header->size);
		note_object(account, (const struct mmap2_record *)account->scratch.data);
		break;
	default: break;
	}
}

void account_view(struct account *account, const struct ring_view *view)
{
	uint64_t at = view->start;

	while (at < view->end) {
		struct perf_event_header header = ring_header(view, at);

		/* The kernel writes no such thing; but an endless loop would be the worst answer.
		 */
		if (header.size < sizeof(header))
			break;
		if (header.type == PERF_RECORD_SAMPLE)
			count_sample(account, view, at);
		else
			count_other(account, view, at, &header);
		at += header.size;
	}
	account->now.bytes += view->end - view->start;
}

void account_records(struct account *account, const void *records, size_t size)
{
	struct ring_view view = { .data = records, .mask = INT64_MAX, .start = 0, .end = size };

	account_view(account, &view);
}

static void add_entry(struct buf *into, const struct account_object *object, const char *path)
{
	size_t length = strlen(path) + 1;
	size_t padded = (length + PAYLOAD_TEXT_ALIGN - 1) / PAYLOAD_TEXT_ALIGN * PAYLOAD_TEXT_ALIGN;
	struct perf_event_header header = { .misc = object->cpumode | MISC_BUILD_ID_SIZE };
	struct {
		int32_t pid; /* -1: the host itself */
		uint8_t id[BUILD_ID_SIZE];
		uint8_t id_size, reserved[3];
	} body = { .pid = -1, .id_size = object->id.size };

	header.size = (uint16_t)(sizeof(header) + sizeof(body) + padded);
	memcpy(body.id, object->id.bytes, object->id.size);
	buf_add(into, &header, sizeof(header));
	buf_add(into, &body, sizeof(body));
	buf_add(into, path, length);
	payload_zeros(into, padded - length);
}

void account_build_ids(const struct account *account, struct buf *into)
{
	static const char kernel[] = "[kernel.kallsyms]";

	vec_each (object, &account->objects) {
		/* The kernel's mapping is called after its first symbol, too:
		 * [kernel.kallsyms]_text */
		bool is_kernel = !strncmp(object->path, kernel, sizeof(kernel) - 1);

		if (object->id.size)
			add_entry(into, object, is_kernel ? kernel : object->path);
	}
}
