// SPDX-License-Identifier: Apache-2.0
#include "server/http.h"
#include "base/clock.h"
#include "base/mem.h"
#include "server/http_inside.h"
#include "server/hub.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTIONS_MOST 2000
#define FROM_ONE_MOST	 1500 /* address: the rest is for others */
/* From these on the oldest is cut off for each new one; what has sent no head is the first to go.
 */
#define FROM_ONE_MANY	  900
#define ALL_MANY	  1700
#define HALF_OPEN_MANY	  100 /* of one address; a proxy's requests have their heads at once */
#define HALF_OPEN_ALL	  400
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

static void set_busy(struct http_exchange *exchange, bool busy)
{
	pthread_mutex_lock(&exchange->http->lock);
	if (exchange->peer) {
		exchange->peer->busy = busy;
		if (busy)
			exchange->peer->half_open = false;
	}
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

static void cut_off(struct http_peer *peer)
{
	peer->deadline_ns = 0;
	peer->cut = true;
	shutdown(peer->fd, SHUT_RDWR);
}

/* What some peers have open, of one address or of all. */
struct crowd {
	size_t count, half_open;
	struct http_peer *oldest_half_open, *oldest_idle;
};

/* The newest is the first in the list, so what is met last is the oldest. */
static void crowd_add(struct crowd *crowd, struct http_peer *peer)
{
	crowd->count++;
	crowd->half_open += peer->half_open;
	if (peer->half_open)
		crowd->oldest_half_open = peer;
	else if (!peer->busy)
		crowd->oldest_idle = peer;
}

static void thin_out(const struct crowd *crowd, size_t many, size_t many_half_open)
{
	struct http_peer *first = crowd->oldest_half_open;

	if (first && (crowd->half_open >= many_half_open || crowd->count >= many))
		cut_off(first);
	else if (crowd->oldest_idle && crowd->count >= many)
		cut_off(crowd->oldest_idle);
}

/* For one more of that address.  With the lock held. */
static void make_room(struct http *http, const char *address)
{
	struct crowd all = { 0 }, own = { 0 };

	for (struct http_peer *peer = http->peers; peer; peer = peer->next) {
		if (peer->cut)
			continue;
		crowd_add(&all, peer);
		if (!strcmp(peer->address, address))
			crowd_add(&own, peer);
	}
	if (own.half_open >= HALF_OPEN_MANY || own.count >= FROM_ONE_MANY)
		thin_out(&own, FROM_ONE_MANY, HALF_OPEN_MANY);
	else
		thin_out(&all, ALL_MANY, HALF_OPEN_ALL);
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
	peer->half_open = true;
	pthread_mutex_lock(&http->lock);
	make_room(http, peer->address);
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

/* A ticket is the last parameter of an address: what is before it is what it was made for. */
static char *cut_ticket(char *uri)
{
	char *query = strchr(uri, '?'), *last = query ? strrchr(query, '&') : NULL;

	last = last ? last : query;
	if (!last || strncmp(last + 1, "ticket=", 7))
		return NULL;
	*last = '\0';
	return last + 8;
}

static struct http_exchange *exchange_new(struct http *http, struct MHD_Connection *connection,
					  const char *uri)
{
	struct http_exchange *exchange = mem_alloc(sizeof(*exchange));
	const union MHD_ConnectionInfo *context;

	context = http->mhd->connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	exchange->http = http;
	exchange->connection = connection;
	exchange->peer = context ? context->socket_context : NULL;
	exchange->began_ns = clock_now_ns();
	exchange->uri = arena_strdup(&exchange->request.arena, uri ? uri : "");
	exchange->uri_end = uri ? uri + strlen(uri) : NULL;
	exchange->ticket = cut_ticket(exchange->uri);
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
	reply_wipe(exchange);
	if (exchange_is_secret(exchange))
		arena_wipe(&exchange->request.arena);
	else
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
	set_busy(exchange, false);
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

/* In place: that is the only copy of them that there is. */
static enum MHD_Result wipe_value(void *cls, enum MHD_ValueKind kind, const char *name,
				  const char *value)
{
	(void)cls;
	if (value && (kind == MHD_COOKIE_KIND || !strcasecmp(name, "Cookie") ||
		      !strcasecmp(name, "Authorization") || !strcasecmp(name, PROOF_HEADER)))
		sodium_memzero((char *)value, strlen(value));
	return MHD_YES;
}

/*
 * Who has shown who it is need not do so again: nothing of it stays while the request is worked on,
 * nor on the stack, where hashing has left pieces.
 */
static int guard_and_wipe(struct http_exchange *exchange, const char *version, struct err *err)
{
	int rc = strict_check(exchange, version, err);

	exchange->two_ways = rc;
	if (!rc)
		rc = guard(exchange, err);
	exchange->http->mhd->each_value(exchange->connection, MHD_HEADER_KIND | MHD_COOKIE_KIND,
					wipe_value, NULL);
	if (exchange->ticket)
		sodium_memzero(exchange->ticket, strlen(exchange->ticket));
	sodium_stackzero(STACK_USED);
	return rc;
}

/* What is refused is answered at once where that is understood. */
static enum MHD_Result begin(struct http_exchange *exchange, const char *version)
{
	struct err err = { 0 };
	int rc = guard_and_wipe(exchange, version, &err);

	exchange->step = STEP_BODY;
	if (!rc) {
		set_deadline(exchange, exchange->began_ns + 30 * NS_PER_SEC);
		return MHD_YES;
	}
	reply_settle(exchange, rc, &err);
	if (!exchange->two_ways && must_drain(exchange)) {
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
	if (exchange_is_secret(exchange))
		sodium_memzero((char *)bytes, got);
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

/* The only moment at which the address is there as it was sent; on_completed() comes in any case.
 */
static void *on_uri(void *cls, const char *uri, struct MHD_Connection *connection)
{
	return exchange_new(cls, connection, uri);
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *connection, const char *url,
				  const char *method, const char *version, const char *data,
				  size_t *size, void **state)
{
	struct http_exchange *exchange = *state;

	(void)cls;
	(void)connection;
	if (exchange->step == STEP_HEAD) {
		set_busy(exchange, true);
		exchange->method = method;
		exchange->path = arena_strdup(&exchange->request.arena, url);
		return begin(exchange, version);
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
		cut_off(peer);
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
		pthread_mutex_unlock(&http->lock);
		if (http->app->hub && signins_changed(http->app->signins))
			hub_recheck(http->app->hub);
		pthread_mutex_lock(&http->lock);
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
		NULL, MHD_OPTION_URI_LOG_CALLBACK, on_uri, http, MHD_OPTION_STRICT_FOR_CLIENT, 1,
		MHD_OPTION_LISTEN_SOCKET, o->listen, MHD_OPTION_THREAD_POOL_SIZE, 2U,
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
