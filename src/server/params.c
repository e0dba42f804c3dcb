// SPDX-License-Identifier: Apache-2.0
#include "server/params.h"
#include "server/http_inside.h"

#include <string.h>

struct search {
	const char *const *known;
	bool ticket;	     /* it was looked at already */
	const char *unknown; /* the first of them */
};

static const char *const *find_names(const struct route *route)
{
	for (const struct api_params *p = api_params; p->method; p++)
		if (!strcmp(p->method, route->method) && !strcmp(p->path, route->path))
			return p->names;
	return NULL;
}

static enum MHD_Result look_at(void *cls, enum MHD_ValueKind kind, const char *name,
			       const char *value)
{
	struct search *search = cls;

	(void)kind;
	(void)value;
	if (search->ticket && !strcmp(name, "ticket"))
		return MHD_YES;
	for (const char *const *known = search->known; *known; known++)
		if (!strcmp(*known, name))
			return MHD_YES;
	search->unknown = name;
	return MHD_NO;
}

int params_check(struct http_exchange *exchange, struct err *err)
{
	struct request *request = &exchange->request;
	struct search search = { .known = find_names(request->route), .ticket = exchange->ticket };
	struct buf remedy = { 0 };
	int rc;

	if (!search.known) /* the page's own addresses, which are not the API's */
		return 0;
	exchange->http->mhd->each_value(exchange->connection, MHD_GET_ARGUMENT_KIND, look_at,
					&search);
	if (!search.unknown)
		return 0;
	for (const char *const *known = search.known; *known; known++)
		buf_printf(&remedy, "%s%s", remedy.len ? ", " : "It takes ", *known);
	buf_puts(&remedy, remedy.len ? "." : "It takes no parameters.");
	rc = reply_error(request, 400, "bad-request", buf_text(&remedy), err,
			 "unknown parameter `%.100s` of %s %s", search.unknown,
			 request->route->method, request->route->path);
	buf_free(&remedy);
	return rc;
}
