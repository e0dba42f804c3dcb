/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folded stacks: "program;outermost;...;leaf COUNT", a line a stack, in the order of the bytes.
 *
 * A `;` in a name would end the frame and a line break the line: they are written as ':' and ' ',
 * and counted.
 */
#ifndef RENDER_FOLDED_H
#define RENDER_FOLDED_H

#include "profile/flametree.h"

struct outbuf;

struct folded_options {
	enum flame_weight weight;
	bool annotate; /* FlameGraph's marks: _[k] kernel, _[j] JIT, _[i] inlined */
};

/* A copy of a name that folded lines can hold; NULL for one that can stand as it is. */
char *folded_name(const char *name);

/* How many names had to be changed. */
size_t folded_write(const struct flametree *tree, const struct folded_options *options,
		    struct outbuf *out);

/* The lines that stackcollapse-perf.pl or inferno-collapse-perf makes of the same samples. */
struct collapse_options {
	struct profile_filter filter;
	enum flame_weight weight;
	bool kernel, jit; /* its marks */
	bool pid, tid;	  /* in the program's name */
	bool addresses;	  /* of frames without a name */
	bool demangle;	  /* for recordings: perf's text has readable names */
	bool inferno;	  /* as inferno-collapse-perf, which reads names better */
};

/* "all,pid" into the options; -EINVAL for words that it does not know. */
int collapse_parse(const char *words, struct collapse_options *options, struct err *err);

int collapse_write(const struct profile *profile, const struct collapse_options *options,
		   struct outbuf *out, struct err *err);

#endif
