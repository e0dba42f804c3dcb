// SPDX-License-Identifier: Apache-2.0
#include "perfdata/disk.h"
#include "test.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdlib.h>

static struct disk disk;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* two writers may stand on it */

struct disk *disk_reset(size_t capacity)
{
	free(disk.bytes);
	disk = (struct disk){ .capacity = capacity };
	disk.bytes = capacity ? mem_alloc(capacity) : NULL;
	return &disk;
}

static bool can_seek(int fd)
{
	(void)fd;
	return !disk.pipe;
}

static ssize_t put(const struct iovec *parts, int count, off_t at)
{
	size_t room = (size_t)at < disk.capacity ? disk.capacity - (size_t)at : 0, done = 0;

	if (disk.interrupts) {
		disk.interrupts--;
		return -EINTR;
	}
	if (disk.most && disk.most < room)
		room = disk.most;
	for (int i = 0; i < count && room; i++) {
		size_t n = parts[i].iov_len < room ? parts[i].iov_len : room;

		memcpy(disk.bytes + at + done, parts[i].iov_base, n);
		done += n;
		room -= n;
	}
	if ((size_t)at + done > disk.size)
		disk.size = (size_t)at + done;
	return done ? (ssize_t)done : -ENOSPC;
}

static ssize_t write_at(int fd, const struct iovec *parts, int count, off_t at)
{
	ssize_t done;

	(void)fd;
	pthread_mutex_lock(&lock);
	done = put(parts, count, at);
	pthread_mutex_unlock(&lock);
	return done;
}

static ssize_t append(int fd, const struct iovec *parts, int count)
{
	ssize_t done;

	(void)fd;
	pthread_mutex_lock(&lock);
	done = put(parts, count, (off_t)disk.size);
	pthread_mutex_unlock(&lock);
	return done;
}

static ssize_t read_at(int fd, void *into, size_t size, off_t at)
{
	size_t n;

	(void)fd;
	pthread_mutex_lock(&lock);
	n = (size_t)at < disk.size ? disk.size - (size_t)at : 0;
	n = n < size ? n : size;
	memcpy(into, disk.bytes + at, n);
	pthread_mutex_unlock(&lock);
	return (ssize_t)n;
}

static int truncate_to(int fd, off_t size)
{
	(void)fd;
	pthread_mutex_lock(&lock);
	disk.size = (size_t)size;
	pthread_mutex_unlock(&lock);
	return 0;
}

const struct writer_sys disk_sys = {
	.can_seek = can_seek,
	.append = append,
	.write_at = write_at,
	.read_at = read_at,
	.truncate = truncate_to,
};

struct perf_file_header disk_header(void)
{
	struct perf_file_header header = { 0 };

	if (disk.size >= sizeof(header))
		memcpy(&header, disk.bytes, sizeof(header));
	return header;
}

bool disk_feature(enum perf_feature feature, struct perf_section *section)
{
	struct perf_file_header header = disk_header();
	size_t at = header.data.offset + header.data.size;

	for (size_t i = 0; i < FEATURE_LAST; i++) {
		if (!(header.features[i / 64] >> (i % 64) & 1))
			continue;
		if (at + sizeof(*section) > disk.size)
			return false;
		memcpy(section, disk.bytes + at, sizeof(*section));
		at += sizeof(*section);
		if (i == feature)
			return section->offset + section->size <= disk.size;
	}
	return false;
}

int disk_records(uint32_t type)
{
	struct perf_file_header header = disk_header();
	size_t at = header.data.offset, end = at + header.data.size;
	int count = 0;

	if (end > disk.size)
		return -1;
	while (at + sizeof(struct perf_event_header) <= end) {
		struct perf_event_header record;

		memcpy(&record, disk.bytes + at, sizeof(record));
		if (record.size < sizeof(record))
			return -1;
		count += record.type == type;
		at += record.size;
	}
	return at == end ? count : -1;
}
