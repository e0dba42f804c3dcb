// SPDX-License-Identifier: Apache-2.0
#include "record/synth_record.h"
#include "perfdata/payload.h"

#include <linux/perf_event.h>

#define MISC_MMAP_BUILD_ID (1 << 14)
#define TEXT_MOST	   4096

void synth_record(const struct synth *synth, struct buf *into, uint32_t type, uint16_t misc,
		  const void *body, size_t size, const char *text)
{
	size_t length = text ? strnlen(text, TEXT_MOST - 1) : 0;
	size_t padded = text ? (length + 8) / 8 * 8 : 0;
	struct perf_event_header header = { .type = type, .misc = misc };

	header.size = (uint16_t)(sizeof(header) + size + padded + synth->id_bytes);
	buf_add(into, &header, sizeof(header));
	buf_add(into, body, size);
	buf_add(into, text, length);
	payload_zeros(into, padded - length + synth->id_bytes);
}

void synth_fork(const struct synth *synth, struct buf *into, pid_t pid, pid_t parent, pid_t tid,
		pid_t parent_tid)
{
	struct {
		int32_t pid, parent, tid, parent_tid;
		uint64_t time;
	} body = { pid, parent, tid, parent_tid, 0 };

	synth_record(synth, into, PERF_RECORD_FORK, PERF_RECORD_MISC_USER, &body, sizeof(body),
		     NULL);
}

void synth_comm(const struct synth *synth, struct buf *into, pid_t pid, pid_t tid, const char *name)
{
	int32_t body[] = { pid, tid };

	synth_record(synth, into, PERF_RECORD_COMM, PERF_RECORD_MISC_USER, body, sizeof(body),
		     name);
}

void synth_mapping(const struct synth *synth, struct buf *into, const struct synth_mapping *map)
{
	struct {
		int32_t pid, tid;
		uint64_t start, size, offset;
		union {
			struct {
				uint32_t major, minor;
				uint64_t inode, generation;
			};
			struct {
				uint8_t id_size, reserved[3];
				uint8_t id[BUILD_ID_SIZE];
			};
		};
		uint32_t protection, flags;
	} body = {
		.pid = map->pid,
		.tid = map->tid,
		.start = map->start,
		.size = map->size,
		.offset = map->offset,
		.protection = map->protection,
		.flags = map->flags,
	};
	uint16_t misc = map->misc;

	if (map->id && map->id->size) {
		misc |= MISC_MMAP_BUILD_ID;
		body.id_size = map->id->size;
		memcpy(body.id, map->id->bytes, map->id->size);
	} else {
		body.major = map->major;
		body.minor = map->minor;
		body.inode = map->inode;
	}
	synth_record(synth, into, PERF_RECORD_MMAP2, misc, &body, sizeof(body), map->path);
}
