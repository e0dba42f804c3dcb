// SPDX-License-Identifier: Apache-2.0
/* What the server tells of itself: its API. */
#include "server/route.h"

#include <string.h>

extern const char api_openapi[]; /* docs/api, by tools/openapi.py and tools/embed.py */

static int get_openapi(struct request *request, struct err *err)
{
	(void)err;
	reply_bytes(request, "application/json", api_openapi, strlen(api_openapi));
	return 0;
}

const struct route about_routes[] = {
	{ "GET", "/api/v1/openapi.json", RIGHT_LOOK, get_openapi },
	{ 0 },
};
