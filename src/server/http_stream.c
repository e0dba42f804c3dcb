// SPDX-License-Identifier: Apache-2.0
/*
 * Replies whose bytes come when they come.  While there are none the connection is suspended: it
 * costs no thread and no polling.
 */
#include "server/http_inside.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define BLOCK	   (16 << 10)
#define STOP_PIPES 0 /* no stream has this id */

struct http_stream {
	struct http *http;
	struct MHD_Connection *connection;
	struct reply_source source;
	uint64_t id;
	struct http_stream *next, **link; /* under the server's lock */
	pthread_mutex_t lock;
	bool resting, stopping;
};

static bool is_stopping(struct http_stream *stream)
{
	bool stopping;

	pthread_mutex_lock(&stream->lock);
	stopping = stream->stopping;
	pthread_mutex_unlock(&stream->lock);
	return stopping;
}

static ssize_t on_read(void *cls, uint64_t at, char *into, size_t room)
{
	struct http_stream *stream = cls;
	ssize_t got = -1;

	(void)at;
	if (!is_stopping(stream))
		got = stream->source.read(stream->source.user, into, room);
	/* one that may not rest any more would be asked without a pause */
	if (got < 0 || (!got && is_stopping(stream)))
		return MHD_CONTENT_READER_END_OF_STREAM;
	return got;
}

void http_rest(struct http_exchange *http)
{
	struct http_stream *stream = http->reply.stream;

	pthread_mutex_lock(&stream->lock);
	if (!stream->resting && !stream->stopping) {
		stream->resting = true;
		stream->http->mhd->suspend(stream->connection);
	}
	pthread_mutex_unlock(&stream->lock);
}

static void stream_wake(struct http_stream *stream)
{
	pthread_mutex_lock(&stream->lock);
	if (stream->resting) {
		stream->resting = false;
		stream->http->mhd->resume(stream->connection);
	}
	pthread_mutex_unlock(&stream->lock);
}

void http_wake(struct http_exchange *http)
{
	stream_wake(http->reply.stream);
}

void stream_free(struct http_stream *stream)
{
	struct http *http = stream->http;

	pthread_mutex_lock(&http->lock);
	*stream->link = stream->next;
	if (stream->next)
		stream->next->link = stream->link;
	pthread_mutex_unlock(&http->lock);
	stream->source.end(stream->source.user);
	pthread_mutex_destroy(&stream->lock);
	free(stream);
}

/* The stream is the exchange's, which outlives all calls for the response. */
struct MHD_Response *stream_response(struct http_stream *stream)
{
	return stream->http->mhd->response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, on_read, stream,
							 NULL);
}

static struct http_stream *stream_new(struct http_exchange *exchange,
				      const struct reply_source *source)
{
	static uint64_t last_id = STOP_PIPES;
	struct http_stream *stream = mem_alloc(sizeof(*stream));
	struct http *http = exchange->http;

	stream->http = http;
	stream->connection = exchange->connection;
	stream->source = *source;
	pthread_mutex_init(&stream->lock, NULL);
	pthread_mutex_lock(&http->lock);
	stream->id = ++last_id;
	stream->stopping = http->stopping;
	stream->next = http->streams;
	stream->link = &http->streams;
	if (stream->next)
		stream->next->link = &stream->next;
	http->streams = stream;
	pthread_mutex_unlock(&http->lock);
	return stream;
}

void reply_stream(struct request *request, const char *type, const struct reply_source *source)
{
	struct http_exchange *exchange = request->http;

	reply_clear(exchange);
	exchange->reply.kind = REPLY_STREAM;
	exchange->reply.type = arena_strdup(&request->arena, type);
	exchange->reply.stream = stream_new(exchange, source);
}

struct pipe_reply {
	struct http_exchange *exchange;
	int fd;
};

static ssize_t pipe_read(void *user, char *into, size_t room)
{
	struct pipe_reply *reply = user;
	struct http_stream *stream = reply->exchange->reply.stream;
	struct epoll_event event = { .events = EPOLLIN | EPOLLONESHOT, .data.u64 = stream->id };
	ssize_t got;

	do {
		got = read(reply->fd, into, room);
	} while (got < 0 && errno == EINTR);
	if (got > 0)
		return got;
	if (!got || errno != EAGAIN)
		return -1;
	http_rest(reply->exchange);
	epoll_ctl(stream->http->pipes, EPOLL_CTL_MOD, reply->fd, &event);
	return 0;
}

static void pipe_end(void *user)
{
	struct pipe_reply *reply = user;

	close(reply->fd);
	free(reply);
}

void reply_pipe(struct request *request, int fd, const char *type, const char *name)
{
	struct pipe_reply *reply = mem_alloc(sizeof(*reply));
	struct reply_source source = { reply, pipe_read, pipe_end };
	struct epoll_event event = { .events = 0 };

	reply->exchange = request->http;
	reply->fd = fd;
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	epoll_ctl(request->http->http->pipes, EPOLL_CTL_ADD, fd, &event);
	reply_stream(request, type, &source);
	if (name)
		request->http->reply.name = arena_strdup(&request->arena, name);
}

/* By its id: the stream may have ended since the event was taken. */
static void wake_by_id(struct http *http, uint64_t id)
{
	pthread_mutex_lock(&http->lock);
	for (struct http_stream *stream = http->streams; stream; stream = stream->next)
		if (stream->id == id)
			stream_wake(stream);
	pthread_mutex_unlock(&http->lock);
}

static void *pipe_thread(void *arg)
{
	struct http *http = arg;
	struct epoll_event event;

	for (;;) {
		int got = epoll_wait(http->pipes, &event, 1, -1);

		if (got == 1 && event.data.u64 == STOP_PIPES)
			return NULL;
		if (got == 1)
			wake_by_id(http, event.data.u64);
		else if (errno != EINTR)
			return NULL;
	}
}

int streams_start(struct http *http, struct err *err)
{
	http->pipes = epoll_create1(EPOLL_CLOEXEC);
	if (http->pipes < 0)
		return err_set(err, errno, "epoll: %s", strerror(errno));
	if (pthread_create(&http->pipe_thread, NULL, pipe_thread, http)) {
		close(http->pipes);
		return err_set(err, EAGAIN, "no thread can be started");
	}
	return 0;
}

static void stop_pipe_thread(struct http *http)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = STOP_PIPES };
	int stop = eventfd(1, EFD_CLOEXEC);

	epoll_ctl(http->pipes, EPOLL_CTL_ADD, stop, &event);
	pthread_join(http->pipe_thread, NULL);
	close(stop);
	close(http->pipes);
}

void streams_stop(struct http *http)
{
	pthread_mutex_lock(&http->lock);
	for (struct http_stream *stream = http->streams; stream; stream = stream->next) {
		pthread_mutex_lock(&stream->lock);
		stream->stopping = true;
		pthread_mutex_unlock(&stream->lock);
		stream_wake(stream);
	}
	pthread_mutex_unlock(&http->lock);
	stop_pipe_thread(http);
}
