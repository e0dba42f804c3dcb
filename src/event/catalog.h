/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event catalogue: everything that this machine and this CPU model know how to measure.
 *
 * Sources (generic, sysfs PMUs, libpfm, tracefs, vendor tables) stand behind one interface and are
 * read lazily: naming `faults` reads nothing but the generic table.
 */
#ifndef EVENT_CATALOG_H
#define EVENT_CATALOG_H

#include "event/event.h"

struct catalog;
struct err;

struct catalog_options {
	const char *sysfs;    /* NULL: /sys */
	const char *tracefs;  /* NULL: where it is mounted */
	const char *data_dir; /* NULL: the user's; holds the imported vendor tables */
	const char *cpu;      /* NULL: this CPU; else a model that list --cpu names */
};

/* One thing that can be measured, as list shows it. */
struct catalog_entry {
	const char *name;   /* what to type */
	const char *alias;  /* another spelling, or NULL */
	const char *family; /* what it belongs to: a PMU, a tracepoint system, a table; or NULL */
	const char *brief;  /* what it counts; "" where nobody says */
	const char *detail; /* more of that, or NULL */
	enum event_kind kind;
	bool deprecated;
	const char *encoding; /* in terms: "cpu/event=0xd1,umask=0x20/"; NULL if it has none */
	/* Where name shows a form (rNNN) that can't be typed as it is: one that can, "" if nobody
	 * knows one; else NULL. */
	const char *example;
};

typedef int catalog_visit(const struct catalog_entry *entry, void *user);

/* options may be NULL; its texts are copied. */
struct catalog *catalog_new(const struct catalog_options *options);
void catalog_free(struct catalog *catalog);

/* Whether sysfs has a file below the folder of a PMU: "cpu", "events/slots". */
bool catalog_pmu_has(const struct catalog *catalog, const char *pmu, const char *file);

/*
 * Every name there is, source by source; ends early, with its value, when visit gives not 0.  The
 * entries' texts hold as long as the catalogue and the arena, into which some of them are put.
 */
int catalog_each(struct catalog *catalog, struct arena *texts, catalog_visit *visit, void *user);

/* A CPU model whose events are known, as catalog_options.cpu takes it. */
struct catalog_model {
	const char *name, *title;
	const char *cpus; /* ids that it is for, "" if nobody says */
};

typedef int catalog_model_visit(const struct catalog_model *model, void *user);

int catalog_each_model(struct catalog *catalog, catalog_model_visit *visit, void *user);

#endif
