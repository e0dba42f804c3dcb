/* SPDX-License-Identifier: Apache-2.0 */
/* Which objects of a recording are worth fetching something for. */
#ifndef CMD_HOT_H
#define CMD_HOT_H

#include "base/vec.h"
#include "cmd/symbols.h"

struct hot_objects VEC_OF(struct build_id);

#define HOT_PERCENT 1 /* of the samples have it in their stack */

/*
 * Reads the recording once without any server, and adds the objects that many of its samples are
 * in, the hottest first.
 */
void hot_objects_find(struct hot_objects *hot, const char *input, const struct symbol_args *args);

#endif
