/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a part of the API is made of: a table of routes, and the calls for their handlers.
 *
 *	static int get_session(struct request *request, struct err *err)
 *	{
 *		struct session session;
 *		int rc = store_session_get(request->store, request->ids[0],
 *					   &request->arena, &session, err);
 *
 *		if (!rc)
 *			write_session(reply_json(request), &session);
 *		return rc;
 *	}
 *
 *	const struct route session_routes[] = {
 *		{ "GET", "/api/v1/sessions/{id}", RIGHT_LOOK, get_session },
 *		{ 0 },
 *	};
 *
 * Whoever asks has that right when the handler runs.  A handler that fails gives a negative errno
 *value and words; status and code of the reply follow from that by a table of http_reply.c, unless
 *it called reply_error() itself.
 */
#ifndef SERVER_ROUTE_H
#define SERVER_ROUTE_H

#include "base/arena.h"
#include "server/rights.h"
#include "store/people.h"
#include <json-c/json_object.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct app;
struct buf;
struct credential;
struct err;
struct json;
struct request;

enum route_flags {
	ROUTE_SLOW = 1 << 0,	/* may wait: runs in a thread of its own, the connection rests */
	ROUTE_UPLOAD = 1 << 1,	/* the body is a file: it streams into request->upload */
	ROUTE_PUBLIC = 1 << 2,	/* signing in, and the page's own files */
	ROUTE_NO_BODY = 1 << 3, /* a POST without JSON */
	ROUTE_SECRET = 1 << 5,	/* what is sent or answered is wiped from memory afterwards */
	ROUTE_MADE = 1 << 4 /* waits for an analyser, minutes if need be: as slow ones, but apart */
};

struct route {
	const char *method;
	const char *path; /* {id} a number, {name} a text without slashes */
	enum right right; /* that is needed: server/rights.h */
	int (*handle)(struct request *request, struct err *err);
	unsigned flags; /* enum route_flags */
};

/* Runs of others whose values of the environment, or address to tell, a reply has. */
struct values_seen {
	int64_t first, last;
	size_t count;
};

struct request {
	struct app *app; /* server/app.h */
	struct store *store;
	const struct route *route;
	struct arena arena; /* lives until the reply is sent */
	const struct user *user;
	const struct credential *by; /* how that was shown: server/signin.h */
	const char *account; /* of Unix, that the person's programs run as; once it was asked for */
	int64_t ids[2];
	const char *names[2];
	struct json_object *body; /* an object; NULL where the route has none */
	int upload;		  /* ROUTE_UPLOAD: the file, at its beginning */
	const char *upload_name;  /* for content_adopt(); who adopts it sets it to NULL */
	struct values_seen values;
	struct http_exchange *http;
};

/* Whether the client has gone, or will at least send no more: a ROUTE_MADE need not go on. */
bool request_gone(void *request);

/* Parameters of the address; a wrong one fails with -EINVAL in words. */
const char *request_text(const struct request *request, const char *name, const char *otherwise);
int request_u64(const struct request *request, const char *name, uint64_t otherwise,
		uint64_t *value, struct err *err);
int request_double(const struct request *request, const char *name, double otherwise, double *value,
		   struct err *err);
int request_flag(const struct request *request, const char *name, bool otherwise, bool *value,
		 struct err *err);

/* Members of the body, in the same way; a wrong type is named. */
int body_text(const struct request *request, const char *name, const char *otherwise,
	      const char **value, struct err *err);
int body_u64(const struct request *request, const char *name, uint64_t otherwise, uint64_t *value,
	     struct err *err);
int body_flag(const struct request *request, const char *name, bool otherwise, bool *value,
	      struct err *err);
int body_words(const struct request *request, const char *name, struct wordlist *value,
	       struct err *err);
/* A value's text, which has no NUL in it; a wrong type is told of under that name. */
int json_whole_text(struct json_object *value, const char *name, const char **text,
		    struct err *err);

/* The body of the reply as JSON: 200 unless reply_status() says else.  Packed where it pays. */
struct json *reply_json(struct request *request);
void reply_status(struct request *request, int status);
/* Bytes that are JSON or something else already; copied. */
void reply_bytes(struct request *request, const char *type, const void *bytes, size_t size);
/* The same without a copy: the buffer's memory is the reply's from then on. */
void reply_take(struct request *request, const char *type, struct buf *buf);
/* True if the client has this version already: it gets 304, and the handler is done. */
bool reply_etag(struct request *request, const char *etag);
/* A file, whole or the asked range; the descriptor is the reply's.  name: what to save it as. */
void reply_file(struct request *request, int fd, const char *type, const char *name);
/*
 * A reply that goes on until its source ends it or the client leaves; not packed.  read() is called
 * where there is room for more: up to `size` bytes, 0 when there are none now, -1 at the end.  It
 * calls http_rest() before it gives 0, under a lock that who has new bytes takes too, for
 * http_wake(): the connection rests between the two.  end() comes last, once.
 */
struct reply_source {
	void *user;
	ssize_t (*read)(void *user, char *into, size_t size);
	void (*end)(void *user);
};
void reply_stream(struct request *request, const char *type, const struct reply_source *source);
void http_rest(struct http_exchange *http);
void http_wake(struct http_exchange *http);
/* What went wrong, where no errno value says it; returns a code for the handler to return. */
int reply_error(struct request *request, int status, const char *code, const char *remedy,
		struct err *err, const char *format, ...) __attribute__((format(printf, 6, 7)));

#endif
