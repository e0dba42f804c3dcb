/* SPDX-License-Identifier: Apache-2.0 */
/* Reasons that many events share, said once each with the names behind them. */
#ifndef CMD_STAT_REASONS_H
#define CMD_STAT_REASONS_H

#include "base/vec.h"

struct buf;

#define REASON_ROOM 600

struct reason {
	char text[REASON_ROOM];
	VEC(const char *) names; /* borrowed */
};

struct reasons VEC_OF(struct reason);

void reasons_add(struct reasons *reasons, const char *text, const char *name);
/* "note: cycles, branches: TEXT", a line each; empties the list. */
void reasons_say(struct reasons *reasons, struct buf *out);

#endif
