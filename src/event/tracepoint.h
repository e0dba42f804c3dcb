/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracepoints and dynamic probes, as tracefs shows them.
 *
 * tracefs is looked for in /proc/mounts and, as perf does, mounted at its usual place if it is not
 * there and we may.  Without it there are simply no tracepoints.
 */
#ifndef EVENT_TRACEPOINT_H
#define EVENT_TRACEPOINT_H

#include "base/map.h"
#include "base/vec.h"
#include <stdbool.h>

struct catalog;
struct err;

struct tracefs {
	char *path;  /* of its root; NULL if there is none */
	char *asked; /* what catalog_options say; NULL: look for it */
	bool looked, probes_read;
	struct map probes; /* "group:name" of each dynamic probe; the keys are the catalogue's */
};

extern const struct event_source source_tracepoint, source_probe;

/* The root of tracefs, NULL if it can't be had; *err says why. */
const char *tracefs_path(struct catalog *catalog, struct err *err);
void tracefs_fini(struct tracefs *tracefs);

/*
 * The names of a tracepoint's own fields, by spaces, from its format file ("" if it has none);
 * NULL when it can't be read.  Free it.
 */
char *tracepoint_fields(struct catalog *catalog, const char *name);

/* The same out of the text of a format file; tests enter here. */
char *tracepoint_format_fields(const char *format);

#endif
