// SPDX-License-Identifier: Apache-2.0
#include "server/routes.h"
#include "server/static.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One a line. */
extern const struct route about_routes[];
extern const struct route counter_routes[];
extern const struct route event_routes[];
extern const struct route file_routes[];
extern const struct route import_routes[];
extern const struct route machine_routes[];
extern const struct route output_routes[];
extern const struct route people_routes[];
extern const struct route plan_routes[];
extern const struct route profile_routes[];
extern const struct route run_act_routes[];
extern const struct route run_add_routes[];
extern const struct route run_routes[];
extern const struct route session_routes[];
extern const struct route signin_routes[];
extern const struct route stream_routes[];
extern const struct route summary_routes[];
extern const struct route time_routes[];

const struct route *const route_tables[] = {
	about_routes,	/* the description itself */
	counter_routes, /* counters of a run */
	event_routes,	/* what can be measured */
	file_routes,	/* downloads */
	import_routes,	/* files that are sent */
	machine_routes, /* hosts, processes, doctor */
	output_routes,	/* what a run printed */
	people_routes,	/* tags, the log */
	plan_routes,	/* what a form would do */
	profile_routes, /* flame tree and tables */
	run_act_routes, /* cancel, pause, resume, reset */
	run_add_routes, /* new runs, again */
	run_routes,	/* runs, the queue */
	session_routes, /* sessions */
	signin_routes,	/* who it is */
	stream_routes,	/* events as they happen */
	summary_routes, /* figures of a run, in words too */
	time_routes,	/* samples over time */
	NULL,
};

/* One part of a path, up to the next slash, as a positive number. */
static bool take_id(const char **path, int64_t *id)
{
	size_t digits = strspn(*path, "0123456789");

	if (!digits || digits > 18 || **path == '0' || (*path)[digits] == ':')
		return false;
	*id = strtoll(*path, NULL, 10);
	*path += digits;
	return true;
}

static bool take_name(const char **path, struct arena *arena, char **name)
{
	size_t length = strcspn(*path, "/");

	if (!length)
		return false;
	*name = arena_strndup(arena, *path, length);
	*path += length;
	return true;
}

static bool matches(const char *pattern, const char *path, struct arena *arena,
		    struct route_match *match)
{
	size_t ids = 0, names = 0;

	while (*pattern) {
		if (!strncmp(pattern, "{id}", 4)) {
			if (ids == 2 || !take_id(&path, &match->ids[ids++]))
				return false;
			pattern += 4;
		} else if (*pattern == '{') {
			if (names == 2 || !take_name(&path, arena, &match->names[names++]))
				return false;
			pattern = strchr(pattern, '}') + 1;
		} else if (*pattern++ != *path++) {
			return false;
		}
	}
	return !*path;
}

static void note_allowed(struct route_match *match, const char *method)
{
	size_t length = strlen(match->allow);

	snprintf(match->allow + length, sizeof(match->allow) - length, "%s%s", length ? ", " : "",
		 method);
}

void route_find(const char *method, const char *path, struct arena *arena,
		struct route_match *match)
{
	bool head = !strcmp(method, "HEAD");

	*match = (struct route_match){ 0 };
	for (size_t i = 0; route_tables[i]; i++) {
		for (const struct route *route = route_tables[i]; route->method; route++) {
			if (!matches(route->path, path, arena, match))
				continue;
			if (!strcmp(route->method, head ? "GET" : method)) {
				match->route = route;
				return;
			}
			note_allowed(match, route->method);
		}
	}
	if (!*match->allow && strncmp(path, "/api/", 5) && (head || !strcmp(method, "GET")))
		match->route = &static_route;
}
