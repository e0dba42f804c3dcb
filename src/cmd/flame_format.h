/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The formats that `flame`, `fold` and `export` write: one table, a row each.
 */
#ifndef CMD_FLAME_FORMAT_H
#define CMD_FLAME_FORMAT_H

#include <stdbool.h>

struct err;
struct flame_args;

enum flame_format { FORMAT_SVG, FORMAT_FOLDED, FORMAT_JSON, FORMATS };

struct flame_format_spec {
	const char *name; /* for --format; files that we name end in it */
	const char *ends; /* other ends of names that mean it, with blanks between; NULL: none */
	bool is_picture;  /* only `flame` draws it */
};

extern const struct flame_format_spec flame_formats[FORMATS];

/* The format that --format or the end of the output's name says; `standard` where neither does. */
int flame_format_of(const struct flame_args *args, enum flame_format standard,
		    enum flame_format *format, struct err *err);

#endif
