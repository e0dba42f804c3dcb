/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event catalogue: everything that this machine and this CPU model know how to measure.
 *
 * Sources (generic, sysfs PMUs, libpfm, tracefs, vendor tables) stand behind one interface and are
 * read lazily: naming `faults` reads nothing but the generic table.
 */
#ifndef EVENT_CATALOG_H
#define EVENT_CATALOG_H

struct catalog;
struct err;

struct catalog_options {
	const char *sysfs;    /* NULL: /sys */
	const char *tracefs;  /* NULL: where it is mounted */
	const char *data_dir; /* NULL: the user's; holds the imported vendor tables */
	const char *cpu;      /* NULL: this CPU; else a model that list --cpu names */
};

struct catalog *catalog_new(const struct catalog_options *options);
void catalog_free(struct catalog *catalog);

#endif
