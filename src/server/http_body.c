// SPDX-License-Identifier: Apache-2.0
/* Bodies of requests: JSON in memory, files on their way to the disk. */
#include "base/file.h"
#include "base/jsonread.h"
#include "server/http_inside.h"
#include "server/share.h"
#include "store/content.h"
#include "store/datadir.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>
#include <unistd.h>

#define CHECK_EVERY (4 << 20)

static int upload_open(struct http_exchange *exchange)
{
	struct request *request = &exchange->request;
	struct err *err = &exchange->body_err;
	char name[CONTENT_UPLOAD_NAME];

	if (request->upload >= 0)
		return 0;
	request->upload = content_upload(request->app->dir, request->user->id, name, err);
	if (request->upload < 0)
		return request->upload;
	request->upload_name = arena_strdup(&request->arena, name);
	return 0;
}

/* The quota holds for what comes in, too; looked at now and then, for it counts all files. */
static int check_room(struct http_exchange *exchange)
{
	if (exchange->uploaded - exchange->upload_checked < CHECK_EVERY)
		return 0;
	exchange->upload_checked = exchange->uploaded;
	return share_room(exchange->http->app, exchange->request.user->id, 0, &exchange->body_err);
}

static void upload_write(struct http_exchange *exchange, const char *bytes, size_t size)
{
	int rc = upload_open(exchange);

	if (!rc)
		rc = check_room(exchange);
	if (rc)
		return;
	rc = fd_write_all(exchange->request.upload, bytes, size);
	if (rc)
		err_set(&exchange->body_err, -rc, "the file can't be kept: %s", strerror(-rc));
}

/* After a failure the rest is read and forgotten, for only then is the answer listened to. */
int body_take(struct http_exchange *exchange, const char *bytes, size_t size)
{
	exchange->uploaded += (int64_t)size;
	if (exchange->body_err.code)
		return exchange->uploaded > 64 * (int64_t)BODY_MOST ? -EPIPE : 0;
	if (exchange->request.route->flags & ROUTE_UPLOAD) {
		upload_write(exchange, bytes, size);
		if (exchange->body_err.code) /* counted from here on */
			exchange->uploaded = 0;
	} else if ((size_t)exchange->uploaded > BODY_MOST) {
		err_set(&exchange->body_err, E2BIG, "the body is longer than %zu bytes", BODY_MOST);
		buf_free(&exchange->body);
	} else {
		buf_add(&exchange->body, bytes, size);
	}
	return 0;
}

static int parse_json(struct http_exchange *exchange, struct err *err)
{
	struct request *request = &exchange->request;

	if (!exchange->body.len) {
		request->body = json_object_new_object();
		return 0;
	}
	request->body = jsonread(exchange->body.data, exchange->body.len, "the body", err);
	if (!request->body)
		return -EINVAL;
	if (!json_object_is_type(request->body, json_type_object))
		return err_set(err, EINVAL, "the body is not a JSON object");
	return 0;
}

int body_end(struct http_exchange *exchange, struct err *err)
{
	unsigned flags = exchange->request.route->flags;
	bool reading = !strcmp(exchange->method, "GET") || !strcmp(exchange->method, "HEAD");

	if (exchange->body_err.code) {
		*err = exchange->body_err;
		return -err->code;
	}
	if (flags & ROUTE_UPLOAD) {
		if (upload_open(exchange) ||
		    share_room(exchange->http->app, exchange->request.user->id, 0,
			       &exchange->body_err)) {
			*err = exchange->body_err;
			return -err->code;
		}
		lseek(exchange->request.upload, 0, SEEK_SET);
		return 0;
	}
	if (reading || (flags & ROUTE_NO_BODY) || !strcmp(exchange->method, "DELETE"))
		return 0;
	return parse_json(exchange, err);
}

/* Where a password or token may be: the texts of its members. */
static void wipe_body(struct http_exchange *exchange)
{
	static const char *const members[] = { "token", "name", "password", "path" };

	for (size_t i = 0; exchange->request.body && i < ARRAY_SIZE(members); i++) {
		struct json_object *value = NULL;

		json_object_object_get_ex(exchange->request.body, members[i], &value);
		if (json_object_is_type(value, json_type_string))
			sodium_memzero((char *)json_object_get_string(value),
				       (size_t)json_object_get_string_len(value));
	}
	if (exchange->body.data)
		sodium_memzero(exchange->body.data, exchange->body.len);
}

void body_drop(struct http_exchange *exchange)
{
	struct request *request = &exchange->request;

	if (exchange_is_secret(exchange))
		wipe_body(exchange);
	if (request->body)
		json_object_put(request->body);
	if (request->upload >= 0)
		close(request->upload);
	if (request->upload_name)
		content_upload_drop(request->app->dir, request->upload_name);
	buf_free(&exchange->body);
}
