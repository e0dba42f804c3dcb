/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The formats that `flame`, `fold` and `export` write: one table, a row each.
 */
#ifndef CMD_FLAME_FORMAT_H
#define CMD_FLAME_FORMAT_H

#include "base/packer.h"
#include <stdbool.h>

struct err;
struct export_source;
struct flame_args;
struct outbuf;

enum flame_format {
	FORMAT_SVG,
	FORMAT_HTML,
	FORMAT_FOLDED,
	FORMAT_JSON,
	FORMAT_PPROF,
	FORMAT_SPEEDSCOPE,
	FORMAT_FIREFOX,
	FORMAT_SCRIPT,
	FORMAT_CSV,
	FORMAT_HDF5,
	FORMATS
};

struct flame_format_spec {
	const char *name;   /* for --format */
	const char *suffix; /* of files that we name */
	const char *ends;   /* other ends of names that mean it, with blanks between; NULL: none */
	bool is_picture;    /* only `flame` draws it */
	bool is_page;	    /* a picture with all events in one file, and with source lines */
	bool is_binary;	    /* nothing for a terminal */
	bool keeps_samples; /* each with its time and CPU; else samples that agree may be one */
	bool is_gzip;	    /* packed whatever its name is */
	/* Writes all events into one file; NULL: a file for each event, from its tree. */
	int (*write)(const struct export_source *source, struct outbuf *out, struct err *err);
};

extern const struct flame_format_spec flame_formats[FORMATS];

/*
 * The format that --format or the end of the output's name says; `standard` where there is neither,
 * and FORMATS if it has to be said.  An end that no format has is refused.
 */
int flame_format_of(const struct flame_args *args, enum flame_format standard,
		    enum flame_format *format, struct err *err);

/* How a file of that name is packed. */
enum packing flame_packing(enum flame_format format, const char *path);

#endif
