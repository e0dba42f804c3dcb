/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the files of a run to its index: analysers look at recordings and imports, and what they
 * find becomes the run's.
 *
 * A run that is measured live is followed from its beginning; its index is then ready soon after
 * its end.  People take turns, and imports never keep runs waiting.  A run that is processing when
 * the server starts is looked at again.  What an analyser can't read fails with its reason, and the
 * data stays.  All of it may be called by any thread.
 */
#ifndef SERVER_ANALYSIS_H
#define SERVER_ANALYSIS_H

#include <stdbool.h>
#include <stdint.h>

struct analysis;
struct app;
struct err;

struct analysis *analysis_new(struct app *app);
/* After datadir_recover() and jobs_begin(): runs that nobody has looked at to the end are taken up
 * again, also those that were interrupted. */
int analysis_begin(struct analysis *analysis, struct err *err);
/* After jobs_end(). */
void analysis_free(struct analysis *analysis);

/* A run has begun (CLOCK_MONOTONIC): if it samples, its recording is followed and shown live. */
void analysis_follow(struct analysis *analysis, int64_t run, uint64_t began_ns);

/*
 * The run is in RUN_PROCESSING and its files are complete: it will be done, or failed with a
 * reason.
 */
void analysis_process(struct analysis *analysis, int64_t run);

/*
 * What waits for room on the disk, or for the database, is tried again where its time has come; all
 * of it at once when there is room again.
 */
void analysis_go_on(struct analysis *analysis, bool at_once);

/*
 * A run was cancelled while it was looked at, or removed: its analyser is ended.  The second drops
 * all that have been removed meanwhile.
 */
void analysis_drop(struct analysis *analysis, int64_t run);
void analysis_drop_removed(struct analysis *analysis);
/* What was removed is there again: its runs that nobody has looked at to the end are taken up. */
int analysis_restored(struct analysis *analysis, int64_t session, struct err *err);

/* Makes the index of a run again that has none, or an old one; nothing if that is going on. */
void analysis_remake(struct analysis *analysis, int64_t run);

#endif
