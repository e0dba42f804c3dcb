/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples in the formats of others.  Each writes all events of a selection into one file, in the
 * order of the rows, so that nothing but tables of names, stacks and threads is held in memory.
 */
#ifndef RENDER_EXPORT_H
#define RENDER_EXPORT_H

#include "profile/selection.h"
#include "render/folded.h"

struct buf;
struct err;
struct outbuf;

struct import_places;

struct export_source {
	const struct selection *selection;
	const char *title;	  /* what the samples are of */
	enum flame_weight weight; /* for formats that know one weight only */
	bool per_thread;	  /* a profile for each thread, where a format has several */
	/* script: where frames were, as a text told it; NULL, or empty: nobody knows */
	const struct import_places *places;
	/* For notes of what could not be said. */
	uint64_t *merged; /* script: samples that had to be written as one with others */
};

/* pprof's profile.proto, not packed yet. */
int export_pprof(const struct export_source *source, struct outbuf *out, struct err *err);
/* speedscope's own JSON. */
int export_speedscope(const struct export_source *source, struct outbuf *out, struct err *err);
/* The Firefox Profiler's processed profile. */
int export_firefox(const struct export_source *source, struct outbuf *out, struct err *err);
/* A line a sample; the first names the columns. */
int export_csv(const struct export_source *source, struct outbuf *out, struct err *err);
/* The text of `perf script`. */
int export_script(const struct export_source *source, struct outbuf *out, struct err *err);
/* An HDF5 file; render/hdf5.h writes a run into a group of any file. */
int export_hdf5(const struct export_source *source, struct outbuf *out, struct err *err);

/* "cycles:u"; never empty. */
const char *export_event_name(const struct profile *profile, uint16_t event);

/* By thread: the first thread of its process, whose name is that of the process.  Free it. */
uint32_t *export_leaders(const struct profile *profile);

/* A text with JSON's quotes; scratch is the caller's, to be used again and again. */
void export_json_text(struct outbuf *out, struct buf *scratch, const char *text);

/* The rows that a selection takes, by event (and by thread): one group after the other. */
struct export_groups {
	uint32_t *rows;
	size_t *starts; /* by group; one more than there are groups */
	size_t count;	/* events, or events x threads: group = event * threads + thread */
	size_t threads; /* 1 where threads are not told apart */
};

void export_groups_make(struct export_groups *groups, const struct selection *s, bool per_thread);
void export_groups_free(struct export_groups *groups);

#endif
