/* SPDX-License-Identifier: Apache-2.0 */
/* What limited a program (profile/overview.h) as JSON: the page's API and `query` have the same. */
#ifndef RENDER_OVERVIEW_JSON_H
#define RENDER_OVERVIEW_JSON_H

#include "profile/overview.h"

struct json;

/* Members of an object that is open.  missing: why there is no budget; NULL: there is one. */
void overview_show(const struct overview *overview, const struct budget *budget,
		   const char *missing, struct json *json);

#endif
