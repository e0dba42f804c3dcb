/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which nodes of a flame graph are inside one frame, which is known by its path: somebody looks
 * into it closely, and wants more of it than of the rest.
 */
#ifndef PROFILE_FLAMEINSIDE_H
#define PROFILE_FLAMEINSIDE_H

#include "profile/flameplace.h"

enum flame_part { FLAME_ELSEWHERE, FLAME_ON_THE_WAY, FLAME_INSIDE, FLAME_PARTS };

/* By node of the placer, whose nodes have their links still: an enum flame_part.  Free it. */
uint8_t *flame_inside(const struct flame_placer *placer, const struct flametree_options *options,
		      const struct flametree *tree, const uint32_t *group_names);

#endif
