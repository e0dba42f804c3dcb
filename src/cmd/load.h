/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one door for profiles: whatever it is in (a recording, `perf script` text, folded stacks,
 *pprof and its older forms, each packed or not, a file or standard input), it comes out as a
 *profile.
 *
 *	struct loaded in;
 *
 *	rc = load_profile(&in, path, &(struct load_options){ .names = args->names }, err);
 *	...
 *	loaded_close(&in);
 *
 * A recording's profile comes from its index where that is still right, else from its records.  Who
 * wants the records themselves (`script`) opens and reads apart: load_open, then in.reader.
 */
#ifndef CMD_LOAD_H
#define CMD_LOAD_H

#include "base/timerange.h"
#include "cmd/symbols.h"
#include "import/import.h"

struct buf;
struct json;
struct perf_reader;
struct perf_reader_options;
struct profile_wishes;

struct load_options {
	struct symbol_args names;
	bool no_index;
	bool lines; /* source lines of the sampled addresses too */
	/* Of a recording: more than an index has; NULL: nothing. */
	const struct profile_wishes *wishes;
	/* Of what is no recording: its samples one by one, with what it tells of them. */
	bool times, cpus;
	/* Of `perf script` text: as import_options has them. */
	bool addresses, places, as_perl;
};

/*
 * What to read: the path that was named or, for NULL, what perf takes then: a pipe on standard
 * input
 * ("-"), else perf.data.  /dev/null, a terminal and a redirected file are no pipe.
 */
const char *load_path(const char *named);

struct loaded {
	enum import_format format;
	const char *name; /* what people call it; borrowed */
	struct profile *profile;
	struct perf_reader *reader;    /* of a recording, else NULL */
	struct import_result imported; /* of the rest */
	struct input *from;	       /* of the rest, while it is read */
	char *place;		       /* where a recording is read from */
	int spool;		       /* of a recording that had to be unpacked, or -1 */
	bool is_stream;		       /* of standard input: it is read once */
};

/*
 * Finds out what is at path ("-": standard input), and opens a recording; `reading` may be NULL. On
 * failure there is nothing to close.
 */
int load_open(struct loaded *in, const char *path, const struct perf_reader_options *reading,
	      struct err *err);
/* Then its profile.  What was left out of a text is said on stderr. */
int load_read(struct loaded *in, const struct load_options *options, struct err *err);

/* Both, with loaded_warn; on failure there is nothing to close. */
int load_profile(struct loaded *in, const char *path, const struct load_options *options,
		 struct err *err);
/* Says on stderr where a recording is damaged. */
void loaded_warn(const struct loaded *in);
void loaded_close(struct loaded *in);

/* -EINVAL, with words, where it is no recording; `what` was asked for and needs one. */
int load_need_recording(const struct loaded *in, const char *what, struct err *err);

/* Filters as they were typed; NULL: not given. */
struct load_words {
	const char *cpus, *pids, *tids, *time;
};

/* -EINVAL, with words, if one can't be read: what is mistyped is said before the input is opened.
 */
int load_check_words(const struct load_words *words, struct err *err);

/* -EINVAL, with words, if a filter needs CPUs or times that this input does not have. */
int load_check_told(const struct loaded *in, bool cpus, bool times, struct err *err);

/* When its samples begin and end; false if there are none. */
bool profile_times(const struct profile *profile, struct time_range *whole);

/* How many samples there are in all; of a pprof each has several values, and counts once. */
uint64_t loaded_samples(const struct loaded *in);

/*
 * What can be known of how far a profile that is no recording can be trusted, in a line; the same
 * as the members of an object.
 */
/* How much it holds: "1,234 samples", or of an import "1.04 GiB of inuse_space".  Appends. */
void loaded_amount(const struct loaded *in, struct buf *into);
void loaded_trust_text(const struct loaded *in, struct buf *into);
void loaded_trust_json(const struct loaded *in, struct json *json);

/* How many bytes of stack a recording copied with each sample, to be unwound; 0: none. */
uint32_t load_copy_size(const struct loaded *in);

#endif
