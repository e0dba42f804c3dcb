/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A summary on records that never were: the test says what happened, and looks into the rows.
 */
#ifndef UNIT_SUMMARY_SCENE_H
#define UNIT_SUMMARY_SCENE_H

#include "summary/result.h"
#include "summary/summary.h"

struct scene {
	struct summary_context context; /* first: the summary's pointer leads back here */
	const struct summary *summary;
	void *state;
	struct summary_result result;
	const char *only_comm; /* the filter; NULL: everybody */
};

/* arch may be NULL. */
void scene_start(struct scene *scene, const char *summary, const char *arch);

/* The next records are of this thread. */
struct actor {
	const char *comm;
	uint32_t pid, tid, cpu;
};

/* A record of the event ("sched:sched_switch") at `time`, with up to SUMMARY_FIELDS numbers. */
void scene_take(struct scene *scene, const struct actor *actor, uint64_t time, const char *event,
		const char *text, int64_t first, int64_t second, int64_t third);

void scene_finish(struct scene *scene);
size_t scene_rows(const struct scene *scene, const char *table);
uint64_t scene_number(const struct scene *scene, const char *table, size_t row, const char *column);
const char *scene_text(const struct scene *scene, const char *table, size_t row,
		       const char *column);
void scene_free(struct scene *scene);

#endif
