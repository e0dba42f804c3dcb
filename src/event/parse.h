/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one event grammar of every command: perf's own.
 *
 *	cycles,faults:u	{cycles,instructions}:S	  cpu/event=0x3c,umask=1,name=x/k   r1a8
 *	sched:sched_switch   block:*   mem:0x1000/8:rw	 INST_RETIRED.ANY   MEM_LOAD:L3_MISS:u
 */
#ifndef EVENT_PARSE_H
#define EVENT_PARSE_H

#include "event/event.h"

struct catalog;
struct err;

/*
 * Adds the events that text names to *list.  On failure nothing is added; the message shows the
 * text with a mark under the column that is wrong, and the nearest names where a name is unknown.
 */
int event_list_parse(struct event_list *list, struct catalog *catalog, const char *text,
		     struct err *err);

#endif
