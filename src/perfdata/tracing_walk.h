/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The TRACING_DATA feature taken apart: the formats of the tracepoints that were recorded, each a
 * text as tracefs shows it, in the wrapping of a trace.dat file.
 */
#ifndef PERFDATA_TRACING_WALK_H
#define PERFDATA_TRACING_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is the same for all of it. */
struct tracing_head {
	bool big_endian;
	uint8_t long_size;
	uint32_t page_size;
	const char *header_page; /* the format of ftrace's own pages */
	size_t header_page_size;
	const char *printk; /* the texts of trace_printk, one a line */
	size_t printk_size;
};

/* `system` is "" for ftrace's own events; format has `size` bytes and no NUL. */
typedef void tracing_format(const char *system, const char *format, size_t size, void *user);

/* -EBADMSG if it is cut or no such data; the formats before the damage were given. */
int tracing_walk(const void *bytes, size_t size, struct tracing_head *head, tracing_format *format,
		 void *user);

/* "name: sched_switch" and "ID: 316" out of a format; false if one is missing. */
bool tracing_name(const char *format, size_t size, char *name, size_t room, uint64_t *id);

#endif
