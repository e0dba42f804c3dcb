// SPDX-License-Identifier: Apache-2.0
#include "server/http.h"
#include "base/clock.h"
#include "base/mem.h"
#include "server/http_inside.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTIONS_MOST  2000
#define FROM_ONE_MOST	  1000	     /* address: the rest is for others */
#define CONNECTION_MEMORY (64 << 10) /* of one request's head, and of what is sent at once */
#define QUIET_S		  40	     /* a connection on which nothing moves */
#define HEAD_MS		  20000
#define NEXT_MS		  65000
#define DRAIN_KNOWN	  ((uint64_t)1 << 30) /* of who is signed in */
#define DRAIN_STRANGER	  ((uint64_t)4 << 20)
/* GnuTLS on its own still speaks 1.0. */
#define TLS_VERSIONS "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

static void set_deadline(struct http_exchange *exchange, int64_t deadline_ns)
{
	pthread_mutex_lock(&exchange->http->lock);
	if (exchange->peer)
		exchange->peer->deadline_ns = deadline_ns;
	pthread_mutex_unlock(&exchange->http->lock);
}

static void name_address(const struct sockaddr *address, char into[static INET6_ADDRSTRLEN])
{
	strcpy(into, "unix");
	if (address && address->sa_family == AF_INET)
		inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)address)->sin_addr,
			  into, INET6_ADDRSTRLEN);
	else if (address && address->sa_family == AF_INET6)
		inet_ntop(AF_INET6,
			  &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr, into,
			  INET6_ADDRSTRLEN);
}

static void peer_add(struct http *http, struct MHD_Connection *connection, void **context)
{
	struct http_peer *peer = mem_alloc(sizeof(*peer));
	const union MHD_ConnectionInfo *fd, *address;
	int ms = http->options.head_ms ? http->options.head_ms : HEAD_MS;

	fd = http->mhd->connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	address = http->mhd->connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	peer->fd = fd ? fd->connect_fd : -1;
	name_address(address ? address->client_addr : NULL, peer->address);
	peer->deadline_ns = clock_now_ns() + ms * NS_PER_MSEC;
	pthread_mutex_lock(&http->lock);
	peer->next = http->peers;
	peer->link = &http->peers;
	if (peer->next)
		peer->next->link = &peer->next;
	http->peers = peer;
	pthread_mutex_unlock(&http->lock);
	*context = peer;
}

static void peer_remove(struct http *http, struct http_peer *peer)
{
	pthread_mutex_lock(&http->lock);
	*peer->link = peer->next;
	if (peer->next)
		peer->next->link = peer->link;
	pthread_mutex_unlock(&http->lock);
	free(peer);
}

static void on_connection(void *cls, struct MHD_Connection *connection, void **context,
			  enum MHD_ConnectionNotificationCode code)
{
	struct http *http = cls;

	if (code == MHD_CONNECTION_NOTIFY_STARTED)
		peer_add(http, connection, context);
	else if (*context)
		peer_remove(http, *context);
}

static struct http_exchange *exchange_new(struct http *http, struct MHD_Connection *connection,
					  const char *method, const char *path)
{
	struct http_exchange *exchange = mem_alloc(sizeof(*exchange));
	const union MHD_ConnectionInfo *context;

	context = http->mhd->connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	exchange->http = http;
	exchange->connection = connection;
	exchange->peer = context ? context->socket_context : NULL;
	exchange->method = method;
	exchange->began_ns = clock_now_ns();
	exchange->path = arena_strdup(&exchange->request.arena, path);
	exchange->reply.fd = -1;
	exchange->request.upload = -1;
	exchange->request.http = exchange;
	exchange->request.app = http->app;
	exchange->request.store = http->app->store;
	return exchange;
}

static void exchange_free(struct http_exchange *exchange)
{
	body_drop(exchange);
	reply_clear(exchange);
	arena_free(&exchange->request.arena);
	free(exchange);
}

static void on_completed(void *cls, struct MHD_Connection *connection, void **state,
			 enum MHD_RequestTerminationCode code)
{
	struct http_exchange *exchange = *state;
	struct http *http = cls;
	int ms = http->options.head_ms ? http->options.head_ms : NEXT_MS;

	(void)connection;
	(void)code;
	if (!exchange)
		return;
	set_deadline(exchange, clock_now_ns() + ms * NS_PER_MSEC);
	exchange_free(exchange);
	*state = NULL;
}

/*
 * A client that does not wait for `100 Continue` reads no answer before it has sent its body, and
 * would see its connection broken instead.  So a body of bearable size is read and forgotten; one
 * in chunks has none, whatever length it says beside.
 */
static bool must_drain(const struct http_exchange *exchange)
{
	const char *length = exchange_header(exchange, "Content-Length");
	uint64_t most = exchange->request.user ? DRAIN_KNOWN : DRAIN_STRANGER;

	return length && strtoull(length, NULL, 10) <= most &&
	       !exchange_header(exchange, "Transfer-Encoding") &&
	       !exchange_header(exchange, "Expect");
}

/* What is refused is answered at once where that is understood. */
static enum MHD_Result begin(struct http_exchange *exchange)
{
	struct err err = { 0 };
	int rc = guard(exchange, &err);

	if (!rc) {
		set_deadline(exchange, exchange->began_ns + 30 * NS_PER_SEC);
		return MHD_YES;
	}
	reply_settle(exchange, rc, &err);
	if (must_drain(exchange)) {
		exchange->step = STEP_REFUSED;
		set_deadline(exchange, exchange->began_ns + 30 * NS_PER_SEC);
		return MHD_YES;
	}
	set_deadline(exchange, 0);
	exchange->step = STEP_REPLIED;
	return reply_queue(exchange);
}

/* A body that comes at less than 16 KiB a second is too slow. */
static enum MHD_Result more_body(struct http_exchange *exchange, const char *bytes, size_t *size)
{
	size_t got = *size;

	*size = 0;
	if (exchange->step == STEP_REFUSED)
		exchange->uploaded += (int64_t)got; /* no longer than its length: must_drain() */
	else if (body_take(exchange, bytes, got))
		return MHD_NO;
	set_deadline(exchange, exchange->began_ns + 30 * NS_PER_SEC +
				       exchange->uploaded / (16 << 10) * NS_PER_SEC);
	return MHD_YES;
}

static enum MHD_Result work(struct http_exchange *exchange)
{
	struct err err = { 0 };
	int rc = body_end(exchange, &err);

	set_deadline(exchange, 0);
	if (rc) {
		reply_settle(exchange, rc, &err);
	} else if ((exchange->request.route->flags & ROUTE_PUBLIC) &&
		   !(exchange->request.route->flags & ROUTE_SLOW)) {
		work_run(exchange);
	} else {
		exchange->step = STEP_WORKING;
		exchange->http->mhd->suspend(exchange->connection);
		if (!work_hand_in(exchange))
			return MHD_YES;
		rc = reply_error(&exchange->request, 503, "busy", "Try again in a moment.", &err,
				 "too many requests are being worked on");
		reply_settle(exchange, rc, &err);
		exchange->http->mhd->resume(exchange->connection);
		exchange->step = STEP_READY;
		return MHD_YES;
	}
	exchange->step = STEP_REPLIED;
	return reply_queue(exchange);
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *connection, const char *url,
				  const char *method, const char *version, const char *data,
				  size_t *size, void **state)
{
	struct http_exchange *exchange = *state;

	(void)version;
	if (!exchange) {
		*state = exchange = exchange_new(cls, connection, method, url);
		return begin(exchange);
	}
	if (*size)
		return more_body(exchange, data, size);
	if (exchange->step == STEP_BODY)
		return work(exchange);
	if (exchange->step != STEP_READY && exchange->step != STEP_REFUSED)
		return MHD_YES;
	exchange->step = STEP_REPLIED;
	return reply_queue(exchange);
}

const char *exchange_header(const struct http_exchange *exchange, const char *name)
{
	return exchange->http->mhd->lookup(exchange->connection, MHD_HEADER_KIND, name);
}

const char *request_header(const struct request *request, const char *name)
{
	return exchange_header(request->http, name);
}

const char *request_address(const struct request *request)
{
	return request->http->peer ? request->http->peer->address : "unix";
}

/*
 * The client has gone, or will at least send no more, and all that it sent was read: what is
 * missing of its request will never come.  libmicrohttpd waits for it all the same.
 */
static bool has_gone(struct http_peer *peer)
{
	struct pollfd poller = { .fd = peer->fd, .events = POLLRDHUP };
	bool gone = poll(&poller, 1, 0) == 1 && (poller.revents & (POLLRDHUP | POLLHUP));
	bool before = peer->gone;
	int unread = 0;

	peer->gone = gone && !ioctl(peer->fd, FIONREAD, &unread) && !unread;
	return peer->gone && before; /* one that is being read right now has a second */
}

static void cut_off_the_slow(struct http *http, int64_t now_ns)
{
	for (struct http_peer *peer = http->peers; peer; peer = peer->next) {
		if (!peer->deadline_ns || (peer->deadline_ns > now_ns && !has_gone(peer)))
			continue;
		peer->deadline_ns = 0;
		shutdown(peer->fd, SHUT_RDWR);
	}
}

static void *clock_thread(void *arg)
{
	struct http *http = arg;
	struct timespec until;

	pthread_mutex_lock(&http->lock);
	while (!http->stopping) {
		until = clock_in(1);
		pthread_cond_timedwait(&http->changed, &http->lock, &until);
		cut_off_the_slow(http, clock_now_ns());
	}
	pthread_mutex_unlock(&http->lock);
	return NULL;
}

/* Its own complaints would be a second voice on stderr. */
static void say_nothing(void *cls, const char *format, va_list args)
{
	(void)cls;
	(void)format;
	(void)args;
}

static struct MHD_Daemon *start_daemon(struct http *http)
{
	const struct http_options *o = &http->options;
	unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
			 MHD_USE_ERROR_LOG | (o->tls_cert ? MHD_USE_TLS : 0);
	struct MHD_OptionItem tls[] = {
		{ MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)o->tls_cert },
		{ MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)o->tls_key },
		{ MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)TLS_VERSIONS },
		{ MHD_OPTION_END, 0, NULL },
	};

	return http->mhd->start_daemon(
		flags, 0, NULL, NULL, on_request, http, MHD_OPTION_EXTERNAL_LOGGER, say_nothing,
		NULL, MHD_OPTION_LISTEN_SOCKET, o->listen, MHD_OPTION_THREAD_POOL_SIZE, 2U,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MOST,
		MHD_OPTION_PER_IP_CONNECTION_LIMIT, (unsigned)FROM_ONE_MOST,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)QUIET_S,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, http, MHD_OPTION_NOTIFY_COMPLETED,
		on_completed, http, MHD_OPTION_ARRAY, o->tls_cert ? tls : tls + 3, MHD_OPTION_END);
}

static void http_free(struct http *http)
{
	pthread_cond_destroy(&http->changed);
	pthread_cond_destroy(&http->quick.more);
	pthread_cond_destroy(&http->slow.more);
	pthread_cond_destroy(&http->made.more);
	pthread_mutex_destroy(&http->lock);
	free(http);
}

struct http *http_start(struct app *app, const struct http_options *options, struct err *err)
{
	const struct mhd *mhd = mhd_load(err);
	struct http *http;

	if (!mhd)
		return NULL;
	if (options->tls_cert && mhd->has_feature(MHD_FEATURE_TLS) != MHD_YES) {
		err_set(err, ENOTSUP, "this libmicrohttpd was built without TLS");
		return NULL;
	}
	http = mem_alloc(sizeof(*http));
	http->app = app;
	http->mhd = mhd;
	http->options = *options;
	pthread_mutex_init(&http->lock, NULL);
	clock_cond_init(&http->changed);
	tasks_init(&http->quick, QUICK_THREADS);
	tasks_init(&http->slow, SLOW_THREADS);
	tasks_init(&http->made, MADE_THREADS);
	http->daemon = start_daemon(http);
	if (!http->daemon) {
		err_set(err, EINVAL, "the HTTP server does not start%s",
			options->tls_cert ? ": are certificate and key a pair, in PEM?" : "");
		http_free(http);
		return NULL;
	}
	pthread_create(&http->clock, NULL, clock_thread, http);
	return http;
}

void http_stop(struct http *http)
{
	if (!http)
		return;
	pthread_mutex_lock(&http->lock);
	http->stopping = true;
	pthread_cond_broadcast(&http->changed);
	pthread_mutex_unlock(&http->lock);
	pthread_join(http->clock, NULL);
	http->mhd->quiesce_daemon(http->daemon);
	work_stop(http);
	streams_stop(http);
	http->mhd->stop_daemon(http->daemon);
	close(http->options.listen);
	http_free(http);
}
