// SPDX-License-Identifier: Apache-2.0
/* The API's description and its routes tell the same. */
#include "server/routes.h"
#include "base/buf.h"
#include "base/jsonread.h"
#include "test.h"

#include <ctype.h>
#include <json-c/json.h>
#include <stdio.h>

extern const char api_openapi[];

static struct json_object *description(void)
{
	struct err err = { 0 };
	struct json_object *whole = jsonread(api_openapi, strlen(api_openapi), "openapi", &err);

	EXPECT_TEXT(err.text, "");
	return whole;
}

static struct json_object *operation(struct json_object *whole, const struct route *route)
{
	struct json_object *paths, *path, *found = NULL;
	char method[16] = "";

	for (size_t i = 0; route->method[i] && i < sizeof(method) - 1; i++)
		method[i] = (char)tolower((unsigned char)route->method[i]);
	EXPECT(json_object_object_get_ex(whole, "paths", &paths));
	if (json_object_object_get_ex(paths, route->path, &path))
		json_object_object_get_ex(path, method, &found);
	return found;
}

/* What a right is about is the first number of the address. */
static bool names_its_thing(const struct route *route)
{
	static const char *const things[RIGHTS] = {
		[RIGHT_CHANGE_SESSION] = "/api/v1/sessions/{id}",
		[RIGHT_CHANGE_RUN] = "/api/v1/runs/{id}",
		[RIGHT_REPEAT_RUN] = "/api/v1/runs/{id}",
		[RIGHT_RAW] = "/api/v1/runs/{id}",
		[RIGHT_EXPORT] = "/api/v1/runs/{id}/export/{format}",
	};
	const char *thing = things[route->right];
	bool changes = strcmp(route->method, "GET") && strncmp(route->path, "/api/v1/stream", 14) &&
		       strncmp(route->path, "/api/v1/sign", 12);

	if (!thing) /* nothing that is somebody's is changed without its maker's right */
		return !changes || !strstr(route->path, "{id}");
	return !strncmp(route->path, thing, strlen(thing));
}

TEST(routes_are_all_described)
{
	struct json_object *whole = description(), *role, *security;

	for (size_t i = 0; route_tables[i]; i++)
		for (const struct route *route = route_tables[i]; route->method; route++) {
			struct json_object *found = operation(whole, route);
			bool runner = found && json_object_object_get_ex(found, "x-role", &role);
			const char *right = jsonread_text(found, "x-right", "");

			test_case("%s %s", route->method, route->path);
			EXPECT(found);
			EXPECT(route->right >= RIGHT_LOOK && route->right < RIGHTS);
			EXPECT_TEXT(right, right_name(route->right));
			EXPECT_BOOL(runner, right_needs_runner(route->right));
			EXPECT(names_its_thing(route));
			EXPECT_BOOL(json_object_object_get_ex(found, "security", &security),
				    route->flags & ROUTE_PUBLIC);
		}
	json_object_put(whole);
}

static bool has_route(const char *method, const char *path)
{
	for (size_t i = 0; route_tables[i]; i++)
		for (const struct route *route = route_tables[i]; route->method; route++)
			if (!strcasecmp(route->method, method) && !strcmp(route->path, path))
				return true;
	return false;
}

TEST(routes_are_all_that_is_described)
{
	struct json_object *whole = description(), *paths;

	EXPECT(json_object_object_get_ex(whole, "paths", &paths));
	json_object_object_foreach(paths, path, methods)
	{
		json_object_object_foreach(methods, method, value)
		{
			(void)value;
			test_case("%s %s", method, path);
			EXPECT(has_route(method, path));
		}
	}
	json_object_put(whole);
}

TEST(routes_are_found)
{
	static const struct {
		const char *method, *path, *found, *allow;
		int64_t id;
	} cases[] = {
		{ "GET", "/api/v1/runs/12", "/api/v1/runs/{id}", "", 12 },
		{ "HEAD", "/api/v1/runs/12", "/api/v1/runs/{id}", "", 12 },
		{ "GET", "/api/v1/runs/012", NULL, "", 0 },
		{ "GET", "/api/v1/runs/0", NULL, "", 0 },
		{ "GET", "/api/v1/runs/-1", NULL, "", 0 },
		{ "GET", "/api/v1/runs/12/", NULL, "", 0 },
		{ "GET", "/api/v1/runs/12x", NULL, "", 0 },
		{ "GET", "/api/v1/runs/9999999999999999999", NULL, "", 0 },
		{ "GET", "/api/v1/runs/../runs/1", NULL, "", 0 },
		{ "GET", "/api/v1//runs", NULL, "", 0 },
		{ "GET", "/api/v2/runs", NULL, "", 0 },
		{ "PUT", "/api/v1/runs", NULL, "GET", 0 },
		{ "GET", "/s/7", "/", "", 0 },
		{ "POST", "/s/7", NULL, "", 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arena arena = { 0 };
		struct route_match match;

		test_case("%s %s", cases[i].method, cases[i].path);
		route_find(cases[i].method, cases[i].path, &arena, &match);
		EXPECT_TEXT(match.route ? match.route->path : "",
			    cases[i].found ? cases[i].found : "");
		EXPECT_TEXT(match.allow, cases[i].allow);
		if (cases[i].id)
			EXPECT_INT(match.ids[0], cases[i].id);
		arena_free(&arena);
	}
}
