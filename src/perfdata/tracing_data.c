// SPDX-License-Identifier: Apache-2.0
/*
 * The payload begins as a trace.dat file of version 0.6 does, without its options and its data:
 * header_page and header_event, the formats of ftrace's own events, the formats by system,
 * kallsyms (left empty, as perf leaves it), the texts of trace_printk, the saved command names.
 */
#include "perfdata/tracing_data.h"
#include "base/err.h"
#include "base/file.h"
#include "perfdata/payload.h"

#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct tracepoint {
	char *system, *event;
};

struct tracepoints VEC_OF(struct tracepoint);

static int by_system(const void *a, const void *b)
{
	const struct tracepoint *x = a, *y = b;
	int order = strcmp(x->system, y->system);

	return order ? order : strcmp(x->event, y->event);
}

static void free_tracepoints(struct tracepoints *points)
{
	vec_each (point, points) {
		free(point->system);
		free(point->event);
	}
	vec_free(points);
}

/* Those of the names that have a format, sorted, each once. */
static void take_tracepoints(const char *tracefs, const char *const *names, size_t count,
			     struct tracepoints *points)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		const char *colon = strchr(names[i], ':');
		size_t length = colon ? strcspn(colon + 1, ":") : 0;
		struct tracepoint point;

		if (!colon || strchr(names[i], '/'))
			continue;
		point.system = mem_strndup(names[i], (size_t)(colon - names[i]));
		point.event = mem_strndup(colon + 1, length);
		if (file_exists("%s/events/%s/%s/format", tracefs, point.system, point.event)) {
			*vec_push(points) = point;
		} else {
			free(point.system);
			free(point.event);
		}
	}
	if (points->len)
		qsort(points->data, points->len, sizeof(*points->data), by_system);
	vec_each (point, points) {
		if (kept && !by_system(&points->data[kept - 1], point)) {
			free(point->system);
			free(point->event);
		} else {
			points->data[kept++] = *point;
		}
	}
	points->len = kept;
}

/* A file's text after its length; width is that of the length.  Files that are absent are empty. */
static int add_file(struct buf *into, size_t width, struct err *err, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static int add_file(struct buf *into, size_t width, struct err *err, const char *format, ...)
{
	char path[PATH_MAX], *text;
	struct err reading = { 0 };
	va_list args;
	size_t size = 0;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	text = file_read(path, &size, &reading);
	if (!text && reading.code != ENOENT)
		return err_set(err, reading.code, "%s", reading.text);
	if (width == sizeof(uint64_t))
		payload_u64(into, size);
	else
		payload_u32(into, (uint32_t)size);
	buf_add(into, text, size);
	free(text);
	return 0;
}

static void add_preamble(struct buf *into)
{
	static const char magic[] = "\x17\x08\x44tracing0.6"; /* the final NUL belongs to it */

	buf_add(into, magic, sizeof(magic));
	buf_putc(into, __BYTE_ORDER == __BIG_ENDIAN);
	buf_putc(into, (char)sizeof(long));
	payload_u32(into, (uint32_t)sysconf(_SC_PAGESIZE));
}

static int add_headers(struct buf *into, const char *tracefs, struct err *err)
{
	int rc;

	buf_add(into, "header_page", sizeof("header_page"));
	rc = add_file(into, sizeof(uint64_t), err, "%s/events/header_page", tracefs);
	if (rc)
		return rc;
	buf_add(into, "header_event", sizeof("header_event"));
	return add_file(into, sizeof(uint64_t), err, "%s/events/header_event", tracefs);
}

static size_t system_end(const struct tracepoints *points, size_t first)
{
	size_t end = first;

	while (end < points->len && !strcmp(points->data[end].system, points->data[first].system))
		end++;
	return end;
}

static int add_formats(struct buf *into, const char *tracefs, const struct tracepoints *points,
		       struct err *err)
{
	uint32_t systems = 0;
	int rc = 0;

	for (size_t i = 0; i < points->len; i = system_end(points, i))
		systems++;
	payload_u32(into, systems);
	for (size_t i = 0; i < points->len && !rc;) {
		size_t end = system_end(points, i);

		buf_add(into, points->data[i].system, strlen(points->data[i].system) + 1);
		payload_u32(into, (uint32_t)(end - i));
		for (; i < end && !rc; i++)
			rc = add_file(into, sizeof(uint64_t), err, "%s/events/%s/%s/format",
				      tracefs, points->data[i].system, points->data[i].event);
	}
	return rc;
}

static int add_all(struct buf *into, const char *tracefs, const struct tracepoints *points,
		   struct err *err)
{
	int rc;

	add_preamble(into);
	rc = add_headers(into, tracefs, err);
	payload_u32(into, 0); /* ftrace's own events: none is recorded by perf */
	if (!rc)
		rc = add_formats(into, tracefs, points, err);
	payload_u32(into, 0); /* kallsyms */
	if (!rc)
		rc = add_file(into, sizeof(uint32_t), err, "%s/printk_formats", tracefs);
	if (!rc)
		rc = add_file(into, sizeof(uint64_t), err, "%s/saved_cmdlines", tracefs);
	return rc;
}

int tracing_data_make(const char *tracefs, const char *const *names, size_t count, struct buf *into,
		      struct err *err)
{
	struct tracepoints points = { 0 };
	int rc = 0;

	take_tracepoints(tracefs, names, count, &points);
	if (points.len)
		rc = add_all(into, tracefs, &points, err);
	free_tracepoints(&points);
	return rc;
}
