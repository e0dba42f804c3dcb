/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the HTTP server share. */
#ifndef SERVER_HTTP_INSIDE_H
#define SERVER_HTTP_INSIDE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "server/app.h"
#include "server/http.h"
#include "server/mhd.h"
#include "server/route.h"
#include "server/signin.h"
#include "store/people.h"

#include <netinet/in.h>
#include <pthread.h>

#define BODY_MOST      ((size_t)1 << 20) /* of JSON */
#define HEADERS_MOST   8		 /* of a reply, besides those that all have */
#define SLOW_THREADS   64		 /* one person has 18 at most: link.c */
#define MADE_THREADS   8
#define QUICK_THREADS  4
#define TASKS_MOST     512
#define ADDRESSES_MOST 256
#define STACK_USED     ((size_t)16 << 10) /* by what looks at secrets */

/* A connection, for those who send a request too slowly, and for those who hold many. */
struct http_peer {
	struct http_peer *next, **link;
	int fd;
	int64_t deadline_ns; /* it is cut off then; 0: never */
	bool gone;	     /* it was seen to send no more */
	bool half_open;	     /* it has not sent the head of a request yet */
	bool busy;	     /* a request of it is being worked on */
	bool cut;	     /* it was cut off and will end */
	char address[INET6_ADDRSTRLEN];
};

/* How many requests an address may still make; it fills up with time. */
struct http_bucket {
	char address[INET6_ADDRSTRLEN];
	int64_t at_ns;
	double left;
};

enum reply_kind { REPLY_NONE, REPLY_BYTES, REPLY_FILE, REPLY_STREAM };

struct http_reply {
	enum reply_kind kind;
	int status;
	const char *type, *name; /* name: what to save it as */
	/* REPLY_BYTES */
	FILE *out; /* while JSON is being written */
	char *bytes;
	size_t size;
	struct json json;
	/* REPLY_FILE */
	int fd;
	uint64_t offset, length;
	/* REPLY_STREAM */
	struct http_stream *stream; /* until the exchange ends */
	struct {
		const char *name, *value;
	} headers[HEADERS_MOST];
	size_t header_count;
	struct MHD_Response *secret; /* held until it was sent, to be wiped then */
};

enum exchange_step { STEP_HEAD, STEP_BODY, STEP_REFUSED, STEP_WORKING, STEP_READY, STEP_REPLIED };

struct http_exchange {
	struct http *http;
	struct MHD_Connection *connection;
	struct http_peer *peer;
	struct request request;
	struct user user;
	struct credential by;
	const char *method;
	char *uri;	     /* as it was sent, without the ticket */
	char *path;	     /* of it, with its %XX as what they stand for */
	char *ticket;	     /* NULL: none; wiped once it was looked at */
	bool two_ways;	     /* nobody knows where it ends: nothing more is read */
	const char *uri_end; /* in the library's memory: only to be compared */
	enum exchange_step step;
	int64_t began_ns;
	struct err body_err; /* the body can't be taken: told when it has come */
	struct buf body;
	int64_t uploaded, upload_checked;
	struct http_reply reply;
	struct http_exchange *next_task;
};

/* Handlers that wait for a thread, in order. */
struct http_tasks {
	struct http_exchange *first, **last;
	size_t waiting, idle, threads, threads_most;
	pthread_cond_t more;
};

struct http {
	struct app *app;
	const struct mhd *mhd;
	struct MHD_Daemon *daemon;
	struct http_options options;
	pthread_mutex_t lock; /* for all below */
	struct http_peer *peers;
	struct http_bucket buckets[ADDRESSES_MOST];
	struct http_tasks quick, slow, made;
	struct http_stream *streams;
	bool stopping;
	pthread_cond_t changed; /* threads, while stopping */
	pthread_t clock;	/* cuts off the slow */
};

/* http_guard.c: whether it is to be served at all; fills route, ids and user.  0 or refused. */
int guard(struct http_exchange *exchange, struct err *err);

/* http_strict.c: whether nobody can understand its head differently. */
int strict_check(struct http_exchange *exchange, const char *version, struct err *err);

/* http_work.c */
void tasks_init(struct http_tasks *tasks, size_t threads_most);
/* Hands it to a thread; -EBUSY when too many wait. */
int work_hand_in(struct http_exchange *exchange);
void work_run(struct http_exchange *exchange); /* here and now */
void work_stop(struct http *http);

/* http_reply.c */
void reply_clear(struct http_exchange *exchange);
/* After all of it was sent. */
void reply_wipe(struct http_exchange *exchange);
/* Makes the reply from what a handler returned, if it made none itself. */
void reply_settle(struct http_exchange *exchange, int rc, const struct err *err);
enum MHD_Result reply_queue(struct http_exchange *exchange);

/* http_stream.c */
struct MHD_Response *stream_response(struct http_stream *stream);
void stream_free(struct http_stream *stream);
void streams_stop(struct http *http);

/* http_body.c */
int body_take(struct http_exchange *exchange, const char *bytes, size_t size);
/* All of it is there. */
int body_end(struct http_exchange *exchange, struct err *err);
void body_drop(struct http_exchange *exchange);

/* Whether what it is about is to be wiped from memory: ROUTE_SECRET. */
static inline bool exchange_is_secret(const struct http_exchange *exchange)
{
	return exchange->request.route && (exchange->request.route->flags & ROUTE_SECRET);
}
const char *exchange_header(const struct http_exchange *exchange, const char *name);

#endif
