/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words for what a report's columns tell of samples themselves: where a branch came from, which
 * memory was touched, what a tracepoint said.  Given to a profile's builder as its wishes.
 */
#ifndef RENDER_REPORT_TRAITS_H
#define RENDER_REPORT_TRAITS_H

#include "perfdata/feature.h"
#include "profile/build.h"
#include "render/report_keys.h"

struct tracing;

struct report_traits {
	/* Set by the caller: which ones, each with its own `by`. */
	struct report_column wanted[TRAITS_MAX];
	size_t count;
	struct perf_reader *reader;
	uint64_t quantum_ns; /* of time */
	bool ns;	     /* times to the nanosecond */
	bool raw_trace;	     /* a tracepoint's fields, not its sentence */
	bool full_paths;     /* of source files */

	/* Its own. */
	struct perf_env env;
	bool env_loaded, tracing_loaded;
	struct tracing *tracing;
};

/* For profile_wishes; `user` is a struct report_traits. */
void report_traits_fill(void *user, const struct profile_subject *subject, uint32_t *values);
void report_traits_free(struct report_traits *traits);

#endif
