/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where events come from.  For the files of event/ only: every source is one constant in a file of
 * its own, and event/catalog.c has the one array that names them.
 *
 * A source keeps what it has read in the catalogue and reads it when it is first asked.  A source
 * that the machine does not have (no tracefs, no PMU) is empty, not an error.
 */
#ifndef EVENT_SOURCE_H
#define EVENT_SOURCE_H

#include "base/arena.h"
#include "event/catalog.h"
#include "event/event.h"
#include "event/tracepoint.h"
#include <stdbool.h>

struct err;
struct pmus;

struct catalog {
	struct arena arena; /* what lives as long as the catalogue */
	const char *sysfs, *data_dir, *cpu;
	struct pmus *pmus; /* NULL until sysfs was read */
	struct tracefs tracefs;
	struct vendor_tables *vendor; /* NULL until they were read */
};

struct catalog_walk {
	catalog_visit *visit;
	void *user;
	struct arena *texts; /* for what an entry needs that the source does not have */
};

struct event_source {
	/*
	 * Adds the events that the beginning of `name` stands for, their own names left NULL unless
	 * one name stands for several.  Gives how many characters of name that took (what follows
	 * is "" or ":MODIFIERS"), 0 if it knows no such name, or a negative errno value.
	 */
	int (*find)(struct catalog *catalog, const char *name, struct event_list *list,
		    struct err *err);

	/* Hands every name to walk->visit; ends early, with its value, when that is not 0. */
	int (*each)(struct catalog *catalog, const struct catalog_walk *walk);

	bool of_model; /* knows other CPUs' events too: all that is listed for catalog_options.cpu
			*/
};

extern const struct event_source source_hardware, source_software, source_tool, source_cache,
	source_raw, source_breakpoint, source_vendor, source_model;

/*
 * Asks the sources in turn until one knows the beginning of name and what follows are modifiers.
 * Gives as event_source.find does; where something else follows nothing is added to the list.
 */
int catalog_find(struct catalog *catalog, const char *name, struct event_list *list,
		 struct err *err);

/* The length of the first word of a name: up to the ':' before the modifiers. */
size_t source_word(const char *name);

/* Whether a model's long name ends with the short one that people use: zen3, case aside. */
bool source_ends_with(const char *name, const char *end);

/* A whole number in base 16, or in base 0 as C writes it; -EINVAL if it is none, -ERANGE. */
int source_number(const char *text, size_t length, int base, uint64_t *value);

#endif
