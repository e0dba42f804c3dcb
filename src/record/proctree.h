/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who descends from whom, as /proc tells at one moment.
 */
#ifndef RECORD_PROCTREE_H
#define RECORD_PROCTREE_H

#include "base/vec.h"
#include <sys/types.h>

struct proctree_ids VEC_OF(pid_t);

/* The processes that descend from one of `roots`; these themselves and we are left out.  Sorted. */
void proctree_descendants(const pid_t *roots, size_t count, struct proctree_ids *into);

#endif
