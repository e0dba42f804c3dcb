/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A flame graph's tree as JSON: {name, value, children} as d3-flame-graph takes it, with the
 * frame's own part (`self`), its `samples` and its `kind` besides.
 */
#ifndef RENDER_FLAME_JSON_H
#define RENDER_FLAME_JSON_H

#include "render/folded.h"

struct outbuf;

void flame_json_write(const struct flametree *tree, enum flame_weight weight, struct outbuf *out);

#endif
