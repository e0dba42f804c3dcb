// SPDX-License-Identifier: Apache-2.0
/*
 * Replies whose bytes come when they come.  While there are none the connection is suspended: it
 * costs no thread and no polling.
 */
#include "server/http_inside.h"

#define BLOCK (16 << 10)

struct http_stream {
	struct http *http;
	struct MHD_Connection *connection;
	struct reply_source source;
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
	struct http_stream *stream = mem_alloc(sizeof(*stream));
	struct http *http = exchange->http;

	stream->http = http;
	stream->connection = exchange->connection;
	stream->source = *source;
	pthread_mutex_init(&stream->lock, NULL);
	pthread_mutex_lock(&http->lock);
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
}
