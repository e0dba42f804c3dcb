// SPDX-License-Identifier: Apache-2.0
/* What is looked at before a request's body: may it come in at all? */
#include "base/clock.h"
#include "server/http_inside.h"
#include "server/params.h"
#include "server/routes.h"
#include "server/share.h"
#include "server/signin.h"
#include "store/datadir.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PER_SECOND 500

/* The bucket of an address, or the one that was not used for longest. Called with the lock held. */
static struct http_bucket *find_bucket(struct http *http, const char *address)
{
	struct http_bucket *oldest = http->buckets;

	for (struct http_bucket *b = http->buckets; b < http->buckets + ADDRESSES_MOST; b++) {
		if (!strcmp(b->address, address))
			return b;
		if (b->at_ns < oldest->at_ns)
			oldest = b;
	}
	*oldest = (struct http_bucket){ 0 };
	strcpy(oldest->address, address);
	return oldest;
}

/* Twice as many as in a second may come at once. */
static bool within_rate(struct http_exchange *exchange)
{
	struct http *http = exchange->http;
	unsigned rate = http->options.per_second ? http->options.per_second : PER_SECOND;
	struct http_bucket *bucket;
	bool within;

	pthread_mutex_lock(&http->lock);
	bucket = find_bucket(http, request_address(&exchange->request));
	if (!bucket->at_ns)
		bucket->left = 2.0 * rate;
	else
		bucket->left += (double)(exchange->began_ns - bucket->at_ns) / NS_PER_SEC * rate;
	if (bucket->left > 2.0 * rate)
		bucket->left = 2.0 * rate;
	bucket->at_ns = exchange->began_ns;
	within = bucket->left >= 1;
	bucket->left -= within;
	pthread_mutex_unlock(&http->lock);
	return within;
}

static int check_rate(struct http_exchange *exchange, struct err *err)
{
	if (within_rate(exchange))
		return 0;
	reply_header(&exchange->request, "Retry-After", "1");
	return reply_error(&exchange->request, 429, "too-many", "Wait a second.", err,
			   "too many requests from %s", request_address(&exchange->request));
}

/* Else a page of another site could reach us under a name of its own (DNS rebinding). */
static int check_host(struct http_exchange *exchange, struct err *err)
{
	const struct wordlist *hosts = &exchange->http->app->policy.hosts;
	const char *host = exchange_header(exchange, "Host");

	for (size_t i = 0; host && i < hosts->len; i++)
		if (!strcasecmp(host, hosts->data[i]))
			return 0;
	return reply_error(&exchange->request, 421, "wrong-host",
			   "Use the address that the server printed.", err,
			   "this server does not go by the name %s", host ? host : "(none)");
}

static int find_route(struct http_exchange *exchange, struct err *err)
{
	struct request *request = &exchange->request;
	struct route_match match;
	const char *remedy;

	route_find(exchange->method, exchange->path, &request->arena, &match);
	request->route = match.route;
	memcpy(request->ids, match.ids, sizeof(match.ids));
	request->names[0] = match.names[0];
	request->names[1] = match.names[1];
	if (match.route)
		return 0;
	if (!*match.allow)
		return reply_error(request, 404, "not-found", "See /api/v1/openapi.json.", err,
				   "there is nothing at %s", exchange->path);
	reply_header(request, "Allow", match.allow);
	remedy = arena_printf(&request->arena, "Use %s; see /api/v1/openapi.json.", match.allow);
	return reply_error(request, 405, "wrong-method", remedy, err, "%s is not possible at %s",
			   exchange->method, exchange->path);
}

static bool same_origin(const struct http_exchange *exchange, const char *origin)
{
	const struct msg_policy *policy = &exchange->http->app->policy;
	const char *scheme = policy->tls ? "https://" : "http://";
	size_t length = strlen(scheme);

	if (!strcasecmp(origin, policy->origin))
		return true;
	return !strncasecmp(origin, scheme, length) &&
	       !strcasecmp(origin + length, exchange_header(exchange, "Host"));
}

/* A program that shows its token is no page of another site; a browser always tells its Origin. */
static int check_origin(struct http_exchange *exchange, struct err *err)
{
	const char *origin = exchange_header(exchange, "Origin");
	enum credential_kind by = exchange->by.kind;
	bool may_lack = by == BY_TOKEN || by == BY_PRINTED_TOKEN ||
			(exchange->request.route->flags & ROUTE_PUBLIC);

	if (!strcmp(exchange->method, "GET") || !strcmp(exchange->method, "HEAD"))
		return 0;
	if (origin ? same_origin(exchange, origin) : may_lack)
		return 0;
	return reply_error(&exchange->request, 403, "wrong-origin",
			   "Programs send `Authorization: Bearer TOKEN`.", err,
			   origin ? "requests of pages from %s are refused"
				  : "a request that changes something needs an Origin%s",
			   origin ? origin : "");
}

static int refuse_person(struct http_exchange *exchange, int why, struct err *err)
{
	struct request *request = &exchange->request;

	reply_header(request, "WWW-Authenticate", "Bearer");
	if (why == -EKEYREJECTED)
		return reply_error(request, 401, "no-proof",
				   "Sign in again; a program sends `Authorization: Bearer TOKEN`.",
				   err, "the cookie came without the proof that the page keeps");
	if (exchange->ticket)
		return reply_error(request, 401, "sign-in", "Open the link from the page again.",
				   err, "the link was used already, or has expired");
	return reply_error(request, 401, "sign-in",
			   "Open the link that the server printed, or send "
			   "`Authorization: Bearer TOKEN`.",
			   err, "not signed in");
}

/* The page's own files are for everybody: whoever it is that asks for them is not looked up. */
static int check_person(struct http_exchange *exchange, struct err *err)
{
	struct request *request = &exchange->request;
	const char *ticket = strcmp(exchange->method, "GET") ? NULL : exchange->ticket;
	int rc;

	if (request->route->flags & ROUTE_PUBLIC)
		return 0;
	rc = signin_check(request, ticket, exchange->uri, &exchange->user, &exchange->by, err);
	if (rc == -EACCES || rc == -EKEYREJECTED)
		return refuse_person(exchange, rc, err);
	if (rc)
		return rc;
	request->user = &exchange->user;
	request->by = &exchange->by;
	return rights_check_early(request, err);
}

static int check_length(struct http_exchange *exchange, struct err *err)
{
	const char *text = exchange_header(exchange, "Content-Length");
	unsigned long long length = text ? strtoull(text, NULL, 10) : 0;
	struct app *app = exchange->http->app;

	if (exchange->request.route->flags & ROUTE_UPLOAD)
		return share_room(app, exchange->request.user->id,
				  (int64_t)(length < INT64_MAX ? length : INT64_MAX), err);
	if (length > BODY_MOST)
		return err_set(err, E2BIG, "the body has %llu bytes, %zu are taken", length,
			       BODY_MOST);
	return 0;
}

int guard(struct http_exchange *exchange, struct err *err)
{
	int rc = check_rate(exchange, err);

	if (!rc)
		rc = check_host(exchange, err);
	if (!rc)
		rc = find_route(exchange, err);
	if (!rc)
		rc = check_person(exchange, err);
	if (!rc)
		rc = params_check(exchange, err);
	if (!rc)
		rc = check_origin(exchange, err);
	if (!rc)
		rc = check_length(exchange, err);
	return rc;
}
