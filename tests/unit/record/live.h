/* SPDX-License-Identifier: Apache-2.0 */
/* For tests that count on the real kernel: software events, which every kernel has. */
#ifndef UNIT_RECORD_LIVE_H
#define UNIT_RECORD_LIVE_H

#include "record/counters.h"
#include "record/workload.h"

struct event *live_event(struct event_list *list, const char *name, uint32_t type, uint64_t config);
/* task-clock, page-faults and context-switches, in this order. */
void live_software(struct event_list *list);
/* Takes the mask of signals, the pipe's state and so on as they are. */
void live_prepare(struct workload *workload, const char *shell_command);
/* The value summed over all slots. */
struct counter_value live_sum(const struct counters *counters, size_t event);

#endif
