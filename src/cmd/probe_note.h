/* SPDX-License-Identifier: Apache-2.0 */
/* What can't be seen in a count or a recording of a probe in user code. */
#ifndef CMD_PROBE_NOTE_H
#define CMD_PROBE_NOTE_H

struct buf;
struct catalog;
struct event_list;

/* A note for each such probe of the list, which is measured for processes and what they start. */
void note_probes(struct buf *out, struct catalog *catalog, const struct event_list *list);

#endif
