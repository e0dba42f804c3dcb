/* SPDX-License-Identifier: Apache-2.0 */
/* `stat --plan`: what counting these events would take, in words. */
#ifndef CMD_STAT_PLAN_H
#define CMD_STAT_PLAN_H

#include "record/plan.h"

struct buf;

void stat_plan_show(struct buf *out, const struct plan *plan, const struct event_list *events);

#endif
