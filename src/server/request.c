// SPDX-License-Identifier: Apache-2.0
/* What handlers ask a request for: parameters of its address, members of its body. */
#include "base/err.h"
#include "base/text.h"
#include "base/wordlist.h"
#include "server/http_inside.h"

#include <errno.h>
#include <json-c/json_object.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

bool request_gone(void *user)
{
	const struct request *request = user;
	const struct http_exchange *exchange = request->http;
	struct pollfd poller = { .fd = -1, .events = POLLRDHUP };

	if (exchange && exchange->peer)
		poller.fd = exchange->peer->fd;
	return poll(&poller, 1, 0) == 1 && poller.revents & (POLLRDHUP | POLLHUP | POLLERR);
}

const char *request_text(const struct request *request, const char *name, const char *otherwise)
{
	const struct http_exchange *exchange = request->http;
	const char *text = exchange->http->mhd->lookup(exchange->connection, MHD_GET_ARGUMENT_KIND,
						       name);

	return text ? text : otherwise;
}

int request_u64(const struct request *request, const char *name, uint64_t otherwise,
		uint64_t *value, struct err *err)
{
	const char *text = request_text(request, name, NULL);
	char *end;

	*value = otherwise;
	if (!text || !*text)
		return 0;
	errno = 0;
	*value = strtoull(text, &end, 10);
	if (errno || *end || *text < '0' || *text > '9')
		return err_set(err, EINVAL, "%s=%s: must be a whole number", name, text);
	return 0;
}

int request_double(const struct request *request, const char *name, double otherwise, double *value,
		   struct err *err)
{
	const char *text = request_text(request, name, NULL);
	char *end;

	*value = otherwise;
	if (!text || !*text)
		return 0;
	*value = strtod(text, &end);
	if (*end || !(*value >= -1e300 && *value <= 1e300))
		return err_set(err, EINVAL, "%s=%s: must be a number", name, text);
	return 0;
}

int request_flag(const struct request *request, const char *name, bool otherwise, bool *value,
		 struct err *err)
{
	const char *text = request_text(request, name, NULL);

	*value = otherwise;
	if (!text || !*text)
		return 0;
	*value = !strcmp(text, "true") || !strcmp(text, "1");
	if (!*value && strcmp(text, "false") && strcmp(text, "0"))
		return err_set(err, EINVAL, "%s=%s: must be true or false", name, text);
	return 0;
}

static int wrong(const char *name, const char *wanted, struct err *err)
{
	return err_set(err, EINVAL, "`%s` must be %s", name, wanted);
}

/* A member that is there and not null. */
static struct json_object *member(const struct request *request, const char *name)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(request->body, name, &value);
	return value;
}

int json_whole_text(struct json_object *value, const char *name, const char **text, struct err *err)
{
	if (!json_object_is_type(value, json_type_string))
		return wrong(name, "a text", err);
	*text = json_object_get_string(value);
	if (strlen(*text) != (size_t)json_object_get_string_len(value))
		return wrong(name, "a text without NUL", err);
	return 0;
}

int body_text(const struct request *request, const char *name, const char *otherwise,
	      const char **value, struct err *err)
{
	struct json_object *found = member(request, name);

	*value = otherwise;
	return found ? json_whole_text(found, name, value, err) : 0;
}

int body_u64(const struct request *request, const char *name, uint64_t otherwise, uint64_t *value,
	     struct err *err)
{
	struct json_object *found = member(request, name);

	*value = otherwise;
	if (!found)
		return 0;
	if (!json_object_is_type(found, json_type_int) || json_object_get_int64(found) < 0)
		return wrong(name, "a whole number", err);
	*value = (uint64_t)json_object_get_int64(found);
	return 0;
}

int body_flag(const struct request *request, const char *name, bool otherwise, bool *value,
	      struct err *err)
{
	struct json_object *found = member(request, name);

	*value = otherwise;
	if (!found)
		return 0;
	if (!json_object_is_type(found, json_type_boolean))
		return wrong(name, "true or false", err);
	*value = json_object_get_boolean(found);
	return 0;
}

int body_words(const struct request *request, const char *name, struct wordlist *value,
	       struct err *err)
{
	struct json_object *found = member(request, name);
	const char *word;
	int rc = 0;

	if (!found)
		return 0;
	if (!json_object_is_type(found, json_type_array))
		return wrong(name, "a list of texts", err);
	for (size_t i = 0; i < json_object_array_length(found) && !rc; i++) {
		rc = json_whole_text(json_object_array_get_idx(found, i), name, &word, err);
		if (!rc)
			*vec_push(value) = word;
	}
	return rc;
}
