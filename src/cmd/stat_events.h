/* SPDX-License-Identifier: Apache-2.0 */
/* The events that `stat` counts: those of -e, or perf's default set, and what -d adds. */
#ifndef CMD_STAT_EVENTS_H
#define CMD_STAT_EVENTS_H

#include "event/event.h"

struct catalog;
struct err;
struct stat_options;

/*
 * Adds them to *list, which borrows texts from the catalogue.  by_cpu: CPUs are measured, not
 * tasks; the default set has another clock then.
 */
int stat_events(struct event_list *list, struct catalog *catalog,
		const struct stat_options *options, bool by_cpu, struct err *err);

/* Whether all of them can only be counted on whole CPUs (power, memory controllers). */
bool stat_events_need_cpus(const struct event_list *list);

#endif
