/* SPDX-License-Identifier: Apache-2.0 */
/* How much of a flame graph's samples has a frame with a name that is searched for. */
#ifndef PROFILE_FLAMESEARCH_H
#define PROFILE_FLAMESEARCH_H

#include "profile/flameplace.h"

/*
 * Fills tree->matched from all nodes of the placer, which are not summed up yet; nothing to do
 * where the options have no search.  -EINVAL for what is no expression.
 */
int flame_search(const struct flame_placer *placer, const struct flametree_options *options,
		 const uint32_t *group_names, struct flametree *tree, struct err *err);

#endif
