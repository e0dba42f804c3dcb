/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command-line options as a table that fills a struct.
 *
 * One table serves the parser, `--help`, shell completion and the man page.  Spelling follows perf:
 * `-e X`, `-eX`, `--event X`, `--event=X`, an unambiguous beginning of a long name, and `--no-NAME`
 * for any flag (`--NAME` for a flag whose name begins with `no-`).
 */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct err;

enum option_kind {
	OPT_END = 0,
	OPT_HEADING,  /* help only: a heading for the options that follow, in `help` */
	OPT_FLAG,     /* bool */
	OPT_COUNT,    /* int, one more for each use */
	OPT_INT,      /* int */
	OPT_U64,      /* uint64_t, 0x too */
	OPT_TEXT,     /* const char *, the last one given, borrowed from argv; "" where an optional
		       * value is left out */
	OPT_LIST,     /* struct strlist, one more for each use */
	OPT_DURATION, /* int64_t ns: "10s", "500ms"; a bare number counts `unit_ns`; "-1" gives -1
		       */
	OPT_CALL,     /* what `call` makes of it */
};

struct option_spec {
	enum option_kind kind;
	char short_name;       /* 0 for none */
	const char *long_name; /* NULL for none */
	size_t offset;	       /* of the field in the options' struct */
	const char *arg;       /* what --help calls the argument; NULL where there is none.  In
				* brackets ("[WHAT]") it is optional and must be glued
				* (--summary=x); OPT_TEXT and OPT_CALL only */
	const char *help;
	int64_t unit_ns; /* OPT_DURATION */
	/* OPT_CALL.  text is NULL without an argument; unset is true for --no-NAME. */
	int (*call)(void *options, const char *text, bool unset, struct err *err);
	bool hidden; /* taken, but not shown in help: perf's other spelling of one above */
};

struct options_result {
	int next;  /* index in argv of the first word that is no option */
	bool help; /* -h or --help was met; nothing after it was looked at */
};

/*
 * Parses argv[1..] into the struct at options, which holds the defaults.  With `stop_at_word` the
 * first word that is no option ends it (a command to run follows); otherwise words and options may
 * be mixed and argv is reordered so that the words stand last.  "--" ends the options either way.
 */
int options_parse(const struct option_spec *specs, void *options, int argc, char **argv,
		  bool stop_at_word, struct options_result *result, struct err *err);

/* "-e, --event EVENT" as help and man page show it. */
void option_spelling(const struct option_spec *spec, struct buf *into);

/* "10s", "500ms", "2m", "100us", "7" (counts unit_ns) to nanoseconds.  -EINVAL if it is none. */
int duration_parse(const char *text, int64_t unit_ns, int64_t *ns, struct err *err);

#endif
