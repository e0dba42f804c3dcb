/* SPDX-License-Identifier: Apache-2.0 */
/* All routes, and how the one for a request is found. */
#ifndef SERVER_ROUTES_H
#define SERVER_ROUTES_H

#include "server/route.h"

/* Tables, each ended by an empty row; NULL at the end. */
extern const struct route *const route_tables[];

struct route_match {
	const struct route *route; /* NULL: none */
	int64_t ids[2];
	char *names[2]; /* in the arena */
	char allow[64]; /* no route for this method, but for these: "GET, POST" */
};

void route_find(const char *method, const char *path, struct arena *arena,
		struct route_match *match);

#endif
