/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a tracepoint's format may be given to libtraceevent.
 *
 * The library was made for what the kernel writes.  A format in which a byte has changed makes it
 * follow null pointers, divide by zero and leak (1.7.1: every fourth of the kernel's formats, with
 * 300 random changes each), and recordings come from anywhere.  So a format is read here first,
 * strictly: only what has the kernel's form passes.
 */
#ifndef PERFDATA_TRACING_CHECK_H
#define PERFDATA_TRACING_CHECK_H

#include <stdbool.h>
#include <stddef.h>

struct tracing_check {
	bool fields;	 /* name, ID and the list of fields are in order */
	bool print;	 /* and so is how they are to be printed */
	size_t print_at; /* where "print fmt:" begins */
};

struct tracing_check tracing_check(const char *format, size_t size);

#endif
