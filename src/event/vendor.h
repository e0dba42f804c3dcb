/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Event tables that CPU vendors publish as JSON.
 *
 * `list --import` turns them into small text files in the user's data folder, one a table:
 * NAME.events under events/.  Such a file begins with header lines (KEY, a tab, the value), then an
 * empty line, then one line an event, its columns separated by tabs.  It carries the version of the
 * table and where it came from; an unknown version of the form itself means: import again.
 *
 * Events are kept as terms ("event=0xd1,umask=0x20"), so that the format that the kernel shows
 * encodes them where the PMU is there, and a layout of our own where it is not.
 */
#ifndef EVENT_VENDOR_H
#define EVENT_VENDOR_H

#include "base/arena.h"
#include "base/vec.h"
#include "event/catalog.h"
#include <stdbool.h>
#include <stdint.h>

struct catalog;
struct err;
struct pmu;

struct vendor_event {
	const char *name;
	const char *pmu; /* as Linux calls it, "" for the CPU's own */
	const char *terms;
	const char *unit; /* "" for plain counts */
	const char *brief, *detail;
	double scale;
	bool deprecated;
};

struct vendor_table {
	struct arena arena; /* all texts */
	const char *name;   /* "broadwellx_core" */
	const char *title;  /* what the vendor calls it */
	const char *version, *date;
	const char *source; /* the file or folder it was made from */
	const char *shape;  /* "intel", "arm" or "perf" */
	const char *cpus;   /* patterns of CPU ids, by spaces; "" if nobody says */
	const char *pmu;    /* of its core events where cores differ ("cpu_atom"), or "" */
	int rank;	    /* of several perf tables for a CPU the lowest is meant */
	VEC(struct vendor_event) events;
	VEC(struct vendor_event) standard; /* while importing: what ArchStdEvent refers to */
};

void vendor_table_init(struct vendor_table *table, const char *name);
void vendor_table_fini(struct vendor_table *table);

/*
 * Adds the events of a JSON text.  Gives how many; 0 if it is valid JSON of another kind (metrics,
 * lists of CPUs).  `file` is what messages call it.
 */
int vendor_json_read(struct vendor_table *table, const char *text, size_t size, const char *file,
		     struct err *err);

/* The compact form: the whole text of a file, and back.  header_only leaves the events out. */
char *vendor_table_text(const struct vendor_table *table);
int vendor_table_parse(struct vendor_table *table, const char *text, size_t size, bool header_only,
		       struct err *err);

struct vendor_import {
	struct strlist tables;	/* "broadwellx_core: 375 events, version 23", one a table */
	struct strlist skipped; /* files that hold no events */
	struct strlist failed;	/* messages */
	size_t events;
	/* Given by the caller, or NULL: told after each table how many events there are so far. */
	void (*step)(void *user, size_t events);
	void *user;
};

/* Imports a file, or all that is in a folder and below; into data_dir/events. */
int vendor_import(struct vendor_import *import, const char *path, const char *data_dir,
		  struct err *err);
void vendor_import_fini(struct vendor_import *import);

/* The tables that the catalogue has: its own, read when first asked for. */
struct vendor_tables VEC_OF(struct vendor_table *);

struct vendor_tables *vendor_tables_get(struct catalog *catalog);
void vendor_tables_free(struct vendor_tables *tables);

/* Every table that was imported, whatever CPU it is for. */
int vendor_each_model(struct catalog *catalog, catalog_model_visit *visit, void *user);

/* An event of a PMU by name, as "cpu/NAME/" asks for it; NULL if no table has it. */
const struct vendor_event *vendor_find(struct catalog *catalog, const struct pmu *pmu,
				       const char *name);

/* How many characters of text spell this name; '.' and ':' are the same, case aside.  0: none. */
size_t vendor_spelled(const char *name, const char *text);

#endif
