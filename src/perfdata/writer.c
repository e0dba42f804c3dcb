// SPDX-License-Identifier: Apache-2.0
#include "perfdata/writer.h"
#include "base/err.h"
#include "perfdata/writer_image.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#define WRITER_PARTS 8

static bool kernel_can_seek(int fd)
{
	return lseek(fd, 0, SEEK_CUR) >= 0;
}

static ssize_t kernel_append(int fd, const struct iovec *parts, int count)
{
	ssize_t done = writev(fd, parts, count);

	if (done < 0 && errno == EAGAIN) { /* someone made our pipe non-blocking */
		struct pollfd writable = { .fd = fd, .events = POLLOUT };

		poll(&writable, 1, -1);
		return 0;
	}
	return done < 0 ? -errno : done;
}

static ssize_t kernel_write_at(int fd, const struct iovec *parts, int count, off_t at)
{
	ssize_t done = pwritev(fd, parts, count, at);

	return done < 0 ? -errno : done;
}

static ssize_t kernel_read_at(int fd, void *into, size_t size, off_t at)
{
	ssize_t done = pread(fd, into, size, at);

	return done < 0 ? -errno : done;
}

static int kernel_truncate(int fd, off_t size)
{
	return ftruncate(fd, size) ? -errno : 0;
}

const struct writer_sys writer_sys_kernel = {
	.can_seek = kernel_can_seek,
	.append = kernel_append,
	.write_at = kernel_write_at,
	.read_at = kernel_read_at,
	.truncate = kernel_truncate,
};

static int write_error(int code, struct err *err)
{
	return err_set(err, code, "writing the recording: %s", strerror(code));
}

/* Everything of the parts, at `at` in a file; *done counts also what went out before an error. */
static int write_parts(struct perf_writer *w, const struct iovec *given, int count, uint64_t at,
		       uint64_t *done, struct err *err)
{
	struct iovec parts[WRITER_PARTS];
	int first = 0;

	assert(count <= WRITER_PARTS);
	memcpy(parts, given, (size_t)count * sizeof(*parts));
	*done = 0;
	while (first < count) {
		ssize_t n;

		if (!parts[first].iov_len) {
			first++;
			continue;
		}
		n = w->pipe ? w->sys->append(w->fd, parts + first, count - first)
			    : w->sys->write_at(w->fd, parts + first, count - first,
					       (off_t)(at + *done));
		if (n == -EINTR)
			continue;
		if (n < 0 || (n == 0 && !w->pipe))
			return write_error(n ? (int)-n : ENOSPC, err);
		*done += (uint64_t)n;
		for (size_t left = (size_t)n; left;) {
			size_t step = left < parts[first].iov_len ? left : parts[first].iov_len;

			parts[first].iov_base = (char *)parts[first].iov_base + step;
			parts[first].iov_len -= step;
			left -= step;
			if (!parts[first].iov_len)
				first++;
		}
	}
	return 0;
}

static int write_bytes(struct perf_writer *w, const void *bytes, size_t size, uint64_t at,
		       struct err *err)
{
	struct iovec part = { (void *)bytes, size };
	uint64_t done;
	int rc = write_parts(w, &part, 1, at, &done, err);

	if (at + done > w->touched)
		w->touched = at + done;
	w->failed |= rc != 0;
	return rc;
}

struct perf_writer *perf_writer_new(int fd, const struct perf_writer_attr *attrs, size_t count,
				    const struct perf_writer_options *options, struct err *err)
{
	struct perf_writer *w = mem_alloc(sizeof(*w));

	w->fd = fd;
	w->sys = options->sys ? options->sys : &writer_sys_kernel;
	w->pipe = !w->sys->can_seek(fd);
	w->attr_size = PERF_ATTR_SIZE_VER7;
	if (options->compress) {
		w->pack_level = options->compress_level;
		w->pack = pack_new(options->compress_level, err);
		if (!w->pack) {
			perf_writer_free(w);
			return NULL;
		}
	}
	for (size_t i = 0; i < count; i++) {
		struct perf_writer_attr *copy = vec_push(&w->attrs);
		uint64_t *ids = arena_alloc(&w->arena, attrs[i].ids_count * sizeof(*ids));

		*copy = attrs[i];
		memcpy(ids, attrs[i].ids, attrs[i].ids_count * sizeof(*ids));
		copy->ids = ids;
		copy->name = arena_strdup(&w->arena, attrs[i].name);
		if (attrs[i].attr.config3)
			w->attr_size = sizeof(struct event_attr);
	}
	vec_each (attr, &w->attrs)
		attr->attr.base.size = (uint32_t)w->attr_size;
	return w;
}

void perf_writer_free(struct perf_writer *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < FEATURE_LAST; i++)
		buf_free(&w->payloads[i]);
	pack_free(w->pack);
	perf_counts_fini(&w->counts);
	buf_free(&w->packed);
	vec_free(&w->attrs);
	arena_free(&w->arena);
	free(w);
}

int perf_writer_feature(struct perf_writer *w, enum perf_feature feature, const void *data,
			size_t size, struct err *err)
{
	if (feature <= FEATURE_RESERVED || feature >= FEATURE_LAST)
		return err_set(err, EINVAL, "no feature has the number %d", (int)feature);
	if (w->begun && !image_comes_late(feature))
		return err_set(err, EBUSY, "feature %d comes after the first record", (int)feature);
	buf_clear(&w->payloads[feature]);
	buf_add(&w->payloads[feature], data, size);
	w->present[feature] = true;
	return 0;
}

int perf_writer_begin(struct perf_writer *w, struct err *err)
{
	struct buf image = { 0 };
	int rc = 0;

	image_own_features(w);
	w->begun = true;
	if (w->pipe)
		rc = image_pipe(w, &image, err);
	else
		image_file(w, &image);
	if (!rc)
		rc = write_bytes(w, image.data, image.len, 0, err);
	buf_free(&image);
	return rc;
}

int perf_writer_append(struct perf_writer *w, const struct iovec *parts, int count, struct err *err)
{
	struct iovec packed;
	uint64_t done;
	int rc;

	for (int i = 0; i < count; i++)
		w->raw_bytes += parts[i].iov_len;
	if (w->pack) {
		buf_clear(&w->packed);
		rc = pack_add(w->pack, parts, count, &w->packed, err);
		if (rc)
			return rc;
		packed = (struct iovec){ w->packed.data, w->packed.len };
		parts = &packed;
		count = 1;
	}
	rc = write_parts(w, parts, count, w->end, &done, err);
	if (w->end + done > w->touched)
		w->touched = w->end + done;
	w->failed |= rc != 0;
	if (rc)
		return rc;
	w->end += done;
	w->fresh = true;
	return 0;
}

void perf_writer_counts(struct perf_writer *w, const struct perf_counts *counts, bool last)
{
	/* As one record with the table it must stay far below a record's most. */
	if (counts->events.len > PERF_RECORD_MAX_SIZE / 2 / sizeof(uint64_t))
		return;
	perf_counts_copy(&w->counts, counts);
	w->counted = true;
	w->fresh |= last;
}

void perf_writer_late_counts(struct perf_writer *w, uint64_t flags, const uint64_t *budget,
			     size_t count)
{
	w->counts.flags |= flags;
	w->counts.budget.len = 0;
	for (size_t i = 0; i < count; i++)
		*vec_push(&w->counts.budget) = budget[i];
	w->fresh = true;
}

static int commit(struct perf_writer *w, uint64_t round_at, struct err *err)
{
	int rc;

	w->header.data.size = round_at - w->header.data.offset;
	rc = write_bytes(w, &w->header.data.size, sizeof(w->header.data.size),
			 offsetof(struct perf_file_header, data.size), err);
	if (!rc) {
		w->committed = round_at;
		w->committed_end = w->end;
	}
	return rc;
}

int perf_writer_round(struct perf_writer *w, struct err *err)
{
	struct perf_event_header plain = { .type = USER_RECORD_FINISHED_ROUND };
	struct buf table = { 0 };
	uint64_t at = w->end;
	int rc;

	if (!w->fresh)
		return 0;
	if (w->pipe) {
		buf_add(&table, &plain, sizeof(plain));
		if (w->counted)
			perf_counts_add(&w->counts, &table);
		plain.size = (uint16_t)table.len;
		memcpy(table.data, &plain, sizeof(plain));
	} else {
		image_table(w, true, &table);
	}
	rc = write_bytes(w, table.data, table.len, at, err);
	if (!rc) {
		w->end = at + table.len;
		w->fresh = false;
		if (!w->pipe)
			rc = commit(w, at, err);
	}
	buf_free(&table);
	return rc;
}

/*
 * The end of the last whole record that ends no later than `limit`: after a failed write the file
 * holds more records than were counted, and the table needs room.  Records are walked from the last
 * commit on, in the file itself.
 */
static uint64_t last_record_before(struct perf_writer *w, uint64_t limit)
{
	uint64_t at = w->committed;
	struct perf_event_header header;

	while (at + sizeof(header) <= limit &&
	       w->sys->read_at(w->fd, &header, sizeof(header), (off_t)at) == sizeof(header) &&
	       header.size >= sizeof(header) && at + header.size <= limit)
		at += header.size;
	return at;
}

static int write_tail(struct perf_writer *w, uint64_t at, struct err *err)
{
	struct buf tail = { 0 };
	int rc;

	image_tail(w, at, &tail);
	rc = write_bytes(w, tail.data, tail.len, at, err);
	if (!rc) {
		image_feature_bits(w, false);
		w->header.data.size = at - w->header.data.offset;
		rc = write_bytes(w, &w->header, sizeof(w->header), 0, err);
		w->end = at + tail.len;
	}
	buf_free(&tail);
	return rc;
}

static uint64_t tail_size(struct perf_writer *w)
{
	struct buf tail = { 0 };
	size_t size;

	image_tail(w, 0, &tail);
	size = tail.len;
	buf_free(&tail);
	return size;
}

/*
 * On a full disk the tail goes over the last records, which takes no new space.  Without the
 * build-ids it is small; if even that fails, the last commit stands.
 */
static int write_tail_over(struct perf_writer *w, struct err *err)
{
	uint64_t touched = w->touched, at;
	int rc = -ENOSPC;

	for (int attempt = 0; attempt < 2 && rc; attempt++) {
		uint64_t need = tail_size(w), limit = touched > need ? touched - need : 0;

		/* What was packed can't be counted again from the file: back to the last commit. */
		if (w->pack && limit > w->committed_end)
			limit = w->committed_end;
		at = last_record_before(w, limit);
		if (at > w->committed)
			rc = write_tail(w, at, err);
		w->present[FEATURE_BUILD_ID] = false;
	}
	return rc;
}

static void update_ratio(struct perf_writer *w)
{
	image_compressed(w);
	write_bytes(w, w->payloads[FEATURE_COMPRESSED].data, w->payloads[FEATURE_COMPRESSED].len,
		    w->sections[FEATURE_COMPRESSED].offset, NULL);
}

int perf_writer_finish(struct perf_writer *w, struct err *err)
{
	struct err over = { 0 };
	int rc = 0;

	if (!w->failed)
		rc = perf_writer_round(w, err);
	if (w->pipe || !w->begun)
		return rc;
	if (w->pack)
		update_ratio(w);
	if (!w->failed)
		rc = write_tail(w, w->end, err);
	if (w->failed && write_tail_over(w, &over))
		w->end = w->committed_end;
	w->sys->truncate(w->fd, (off_t)w->end);
	return rc;
}

uint64_t perf_writer_size(const struct perf_writer *w)
{
	return w->end;
}

void perf_writer_uncommitted(const struct perf_writer *w, uint64_t *from, uint64_t *to)
{
	*from = w->committed;
	*to = w->pipe || w->pack ? w->committed : w->header.data.offset + w->header.data.size;
}

bool perf_writer_is_pipe(const struct perf_writer *w)
{
	return w->pipe;
}

uint64_t perf_writer_raw_bytes(const struct perf_writer *w)
{
	return w->raw_bytes;
}
