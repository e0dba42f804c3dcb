/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of counter sessions on the fake kernel share: a list of events, a target, a
 * session. */
#ifndef UNIT_RECORD_SCENE_H
#define UNIT_RECORD_SCENE_H

#include "fakekernel.h"
#include "record/counters.h"
#include "test.h"

#define MS UINT64_C(1000000)

struct scene {
	struct event_list list;
	struct target target;
	struct counters *counters;
	struct err err;
};

struct event *scene_hardware(struct scene *scene, uint64_t config);
struct event *scene_software(struct scene *scene, uint64_t config);
/* Makes the last n events one group. */
void scene_group(struct scene *scene, size_t n);
void scene_on_tasks(struct scene *scene, pid_t first, size_t n);
void scene_on_cpus(struct scene *scene, const char *cpus);
/* Opening fails the test unless it is tried only; the end looks for what was left behind. */
bool scene_try_open(struct scene *scene, struct counters_options options);
void scene_open(struct scene *scene);
/* Enables, lets the time pass, disables and reads. */
void scene_count_ms(struct scene *scene, int ms);
/* Of the first slot. */
const struct counter_value *scene_value(const struct scene *scene, size_t event);
const struct counter_status *scene_status(const struct scene *scene, size_t event);
uint64_t scene_scaled(const struct scene *scene, size_t event, double *share);
void scene_end(struct scene *scene);

#endif
