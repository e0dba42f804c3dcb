// SPDX-License-Identifier: Apache-2.0
/* Replies: what handlers make, and how it is sent. */
#include "base/mem.h"
#include "server/field.h"
#include "server/http_inside.h"

#include <ctype.h>
#include <errno.h>
#include <libdeflate.h>
#include <malloc.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PACK_LEAST 1024
#define PACK_LEVEL 1 /* a page on this machine waits for the packing, not for the bytes */

void reply_clear(struct http_exchange *exchange)
{
	struct http_reply *reply = &exchange->reply;

	if (reply->out)
		fclose(reply->out);
	if (reply->stream)
		stream_free(reply->stream);
	if (reply->fd >= 0)
		close(reply->fd);
	free(reply->bytes);
	reply->kind = REPLY_NONE;
	reply->out = NULL;
	reply->stream = NULL;
	reply->bytes = NULL;
	reply->size = 0;
	reply->fd = -1;
	reply->name = NULL;
}

struct json *reply_json(struct request *request)
{
	struct http_reply *reply = &request->http->reply;

	reply_clear(request->http);
	reply->kind = REPLY_BYTES;
	reply->type = "application/json";
	reply->out = open_memstream(&reply->bytes, &reply->size);
	if (!reply->out)
		abort(); /* out of memory, as in base/mem.c */
	reply->json = json_to(reply->out);
	return &reply->json;
}

void reply_status(struct request *request, int status)
{
	request->http->reply.status = status;
}

void reply_header(struct request *request, const char *name, const char *value)
{
	struct http_reply *reply = &request->http->reply;

	if (reply->header_count == HEADERS_MOST)
		return;
	reply->headers[reply->header_count].name = arena_strdup(&request->arena, name);
	reply->headers[reply->header_count++].value = arena_strdup(&request->arena, value);
}

void reply_bytes(struct request *request, const char *type, const void *bytes, size_t size)
{
	struct http_reply *reply = &request->http->reply;

	reply_clear(request->http);
	reply->kind = REPLY_BYTES;
	reply->type = arena_strdup(&request->arena, type);
	reply->bytes = mem_alloc(size + 1);
	if (size)
		memcpy(reply->bytes, bytes, size);
	reply->size = size;
}

void reply_take(struct request *request, const char *type, struct buf *buf)
{
	struct http_reply *reply = &request->http->reply;

	reply_clear(request->http);
	reply->kind = REPLY_BYTES;
	reply->type = arena_strdup(&request->arena, type);
	reply->bytes = buf->data;
	reply->size = buf->len;
	*buf = (struct buf){ 0 };
}

bool reply_etag(struct request *request, const char *etag)
{
	char *quoted = arena_printf(&request->arena, "\"%s\"", etag);

	reply_header(request, "ETag", quoted);
	if (strcmp(request->route->method, "GET")) /* what was changed is told in any case */
		return false;
	if (!field_has_etag(request_header(request, "If-None-Match"), quoted))
		return false;
	reply_clear(request->http);
	request->http->reply.status = 304;
	return true;
}

/* What failed has no version: the next answer may be another. */
static void drop_etag(struct http_reply *reply)
{
	size_t kept = 0;

	for (size_t i = 0; i < reply->header_count; i++)
		if (strcmp(reply->headers[i].name, "ETag"))
			reply->headers[kept++] = reply->headers[i];
	reply->header_count = kept;
}

int reply_error(struct request *request, int status, const char *code, const char *remedy,
		struct err *err, const char *format, ...)
{
	char text[sizeof(err->text)];
	struct json *json;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	drop_etag(&request->http->reply);
	json = reply_json(request);
	reply_status(request, status);
	json_open(json, NULL, '{');
	json_open(json, "error", '{');
	json_text(json, "code", code);
	json_text(json, "message", text);
	json_text(json, "remedy", remedy ? remedy : "");
	json_close(json);
	json_close(json);
	return err_set(err, status >= 500 ? EIO : EINVAL, "%s", text);
}

static const struct {
	int error, status;
	const char *code, *remedy;
} kinds[] = {
	{ ENOENT, 404, "not-found",
	  "Check the address; what was removed can be restored for 10 minutes." },
	{ EINVAL, 400, "bad-request", "Correct what the message names and send it again." },
	{ ENOEXEC, 400, "needs-shell", "Quote it, or let a shell run the command." },
	{ EACCES, 403, "forbidden",
	  "Sign in as a user with that permission, or ask the person who runs the server." },
	{ EAGAIN, 409, "not-now", "Check its state and try again." },
	{ EBUSY, 409, "busy", "Wait until it is done, or cancel that first." },
	{ EPERM, 409, "not-possible", "Check its state; its settings can start another run." },
	{ EEXIST, 409, "exists", "Choose another name." },
	{ E2BIG, 413, "too-large", "Send less." },
	{ EFBIG, 422, "too-large",
	  "Choose a part of the run or another format, or start the server with a higher "
	  "--max-export." },
	{ EDQUOT, 507, "quota", "Remove runs, or start the server with a higher --max-disk." },
	{ ENOSPC, 507, "disk-full", "Make room on the disk of the data folder, or remove runs." },
	{ EUSERS, 503, "too-many", "Wait a second and try again." },
	{ ETIMEDOUT, 504, "timeout", "Try again; `perfolio doctor` may say more." },
	{ ESTALE, 503, "store-gone", "The data folder was taken away: start the server again." },
	{ 0, 500, "internal", "The message says what failed; nothing was changed." },
};

/* Words of ours are "the reason; what to do"; where they say nothing of the latter, the table does.
 */
static void reply_failure(struct http_exchange *exchange, int rc, const struct err *err)
{
	size_t kind = 0;
	char *message = arena_strdup(&exchange->request.arena,
				     err->text[0] ? err->text : strerror(-rc));
	char *remedy = strstr(message, "; ");
	struct err ignored;

	while (kinds[kind].error && kinds[kind].error != -rc)
		kind++;
	if (kinds[kind].error == EUSERS)
		reply_header(&exchange->request, "Retry-After", "1");
	if (remedy) {
		*remedy = '\0';
		remedy += 2;
		*remedy = (char)toupper((unsigned char)*remedy);
	}
	reply_error(&exchange->request, kinds[kind].status, kinds[kind].code,
		    remedy ? arena_printf(&exchange->request.arena, "%s.", remedy)
			   : kinds[kind].remedy,
		    &ignored, "%s", message);
}

/* Only a reader who names the version that he has a part of gets the rest of it. */
static bool range_is_current(const struct request *request)
{
	const char *wanted = request_header(request, "If-Range");
	const struct http_reply *reply = &request->http->reply;

	for (size_t i = 0; wanted && i < reply->header_count; i++)
		if (!strcmp(reply->headers[i].name, "ETag"))
			return !strcmp(reply->headers[i].value, wanted);
	return !wanted;
}

void reply_file(struct request *request, int fd, const char *type, const char *name)
{
	struct http_reply *reply = &request->http->reply;
	struct stat info = { 0 };
	uint64_t size;
	int range = 0;

	reply_clear(request->http);
	reply->kind = REPLY_FILE;
	reply->fd = fd;
	reply->type = arena_strdup(&request->arena, type);
	reply->name = name ? arena_strdup(&request->arena, name) : NULL;
	fstat(fd, &info);
	size = (uint64_t)info.st_size;
	reply->offset = 0;
	reply->length = size;
	if (range_is_current(request))
		range = field_range(request_header(request, "Range"), size, &reply->offset,
				    &reply->length);
	reply_header(request, "Accept-Ranges", "bytes");
	if (range > 0) {
		reply->status = 206;
		reply_header(request, "Content-Range",
			     arena_printf(&request->arena, "bytes %llu-%llu/%llu",
					  (unsigned long long)reply->offset,
					  (unsigned long long)(reply->offset + reply->length - 1),
					  (unsigned long long)size));
	} else if (range < 0) {
		struct err ignored;

		reply_header(
			request, "Content-Range",
			arena_printf(&request->arena, "bytes */%llu", (unsigned long long)size));
		reply_error(request, 416, "bad-range", "Ask for bytes that are in the file.",
			    &ignored, "the file has %llu bytes", (unsigned long long)size);
	}
}

static bool can_be_packed(const char *type)
{
	return !strncmp(type, "text/", 5) || strstr(type, "json") || strstr(type, "javascript") ||
	       strstr(type, "svg");
}

/* In the handler's thread: those that send must not wait for it. */
static void pack(struct http_exchange *exchange)
{
	struct http_reply *reply = &exchange->reply;
	struct libdeflate_compressor *compressor;
	size_t room, size;
	char *packed;

	if (reply->size < PACK_LEAST || !can_be_packed(reply->type))
		return;
	for (size_t i = 0; i < reply->header_count; i++)
		if (!strcmp(reply->headers[i].name, "Content-Encoding"))
			return;
	reply_header(&exchange->request, "Vary", "Accept-Encoding");
	if (!field_takes_gzip(exchange_header(exchange, "Accept-Encoding")))
		return;
	compressor = libdeflate_alloc_compressor(PACK_LEVEL);
	if (!compressor)
		return;
	room = libdeflate_gzip_compress_bound(compressor, reply->size);
	packed = mem_alloc(room);
	size = libdeflate_gzip_compress(compressor, reply->bytes, reply->size, packed, room);
	libdeflate_free_compressor(compressor);
	if (!size || size >= reply->size) {
		free(packed);
		return;
	}
	free(reply->bytes);
	reply->bytes = packed;
	reply->size = size;
	reply_header(&exchange->request, "Content-Encoding", "gzip");
}

/* Closing moves what was written to a block of its size and leaves the first as it is. */
static void close_secret(struct http_reply *reply)
{
	char *own;

	fflush(reply->out);
	own = mem_alloc(reply->size + 1);
	memcpy(own, reply->bytes, reply->size);
	sodium_memzero(reply->bytes, reply->size);
	fclose(reply->out);
	free(reply->bytes);
	reply->bytes = own;
}

void reply_settle(struct http_exchange *exchange, int rc, const struct err *err)
{
	if (rc && !(exchange->reply.kind == REPLY_BYTES && exchange->reply.status >= 400))
		reply_failure(exchange, rc, err);
	if (exchange->reply.out && exchange_is_secret(exchange))
		close_secret(&exchange->reply);
	else if (exchange->reply.out)
		fclose(exchange->reply.out);
	exchange->reply.out = NULL;
	if (!exchange->reply.status)
		exchange->reply.status = exchange->reply.kind == REPLY_NONE ? 204 : 200;
	if (exchange->reply.kind == REPLY_BYTES)
		pack(exchange);
}

static void wipe_and_free(void *bytes)
{
	sodium_memzero(bytes, malloc_usable_size(bytes));
	free(bytes);
}

static struct MHD_Response *make_response(struct http_exchange *exchange)
{
	struct http_reply *reply = &exchange->reply;
	const struct mhd *mhd = exchange->http->mhd;
	struct MHD_Response *response;

	switch (reply->kind) {
	case REPLY_STREAM: return stream_response(reply->stream);
	case REPLY_FILE:
		response = mhd->response_from_fd(reply->length, reply->fd, reply->offset);
		if (response)
			reply->fd = -1;
		return response;
	case REPLY_BYTES:
		response = mhd->response_from_owned(reply->size, reply->bytes,
						    exchange_is_secret(exchange) ? wipe_and_free
										 : free);
		if (response)
			reply->bytes = NULL;
		return response;
	default: return mhd->response_from_buffer(0, (void *)"", MHD_RESPMEM_PERSISTENT);
	}
}

/* A name as one may put it between the quotes of a header. */
static char *safe_name(struct arena *arena, const char *name)
{
	char *safe = arena_strdup(arena, name);

	for (char *c = safe; *c; c++)
		if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f || strchr("\"\\/", *c))
			*c = '_';
	return safe;
}

/*
 * A file that is saved may hold script of others, and is nobody's page: whatever a browser makes of
 * it, it gets an origin of its own and runs nothing.
 */
static const char *fence_of(const struct http_reply *reply)
{
	return reply->name ? "sandbox; default-src 'none'; frame-ancestors 'none'"
			   : "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; "
			     "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
}

static void add_headers(struct http_exchange *exchange, struct MHD_Response *response)
{
	static const char *const always[][2] = {
		{ "X-Content-Type-Options", "nosniff" },
		{ "Referrer-Policy", "no-referrer" },
		{ "Cross-Origin-Opener-Policy", "same-origin" },
		{ "Cross-Origin-Resource-Policy", "same-origin" },
		{ "X-Frame-Options", "DENY" },
	};
	const struct mhd *mhd = exchange->http->mhd;
	struct http_reply *reply = &exchange->reply;
	bool cached = false;

	for (size_t i = 0; i < ARRAY_SIZE(always); i++)
		mhd->add_header(response, always[i][0], always[i][1]);
	mhd->add_header(response, "Content-Security-Policy", fence_of(reply));
	if (exchange->http->app->policy.tls)
		mhd->add_header(response, "Strict-Transport-Security", "max-age=31536000");
	for (size_t i = 0; i < reply->header_count; i++) {
		mhd->add_header(response, reply->headers[i].name, reply->headers[i].value);
		cached |= !strcmp(reply->headers[i].name, "Cache-Control");
	}
	if (!cached)
		mhd->add_header(response, "Cache-Control", "no-cache, private");
	if (reply->kind != REPLY_NONE)
		mhd->add_header(response, "Content-Type", reply->type);
	if (reply->name)
		mhd->add_header(response, "Content-Disposition",
				arena_printf(&exchange->request.arena,
					     "attachment; filename=\"%s\"",
					     safe_name(&exchange->request.arena, reply->name)));
}

enum MHD_Result reply_queue(struct http_exchange *exchange)
{
	struct http_reply *reply = &exchange->reply;
	struct MHD_Response *response;
	enum MHD_Result result;

	response = make_response(exchange);
	if (!response)
		return MHD_NO;
	add_headers(exchange, response);
	result = exchange->http->mhd->queue_response(exchange->connection, (unsigned)reply->status,
						     response);
	if (exchange_is_secret(exchange))
		reply->secret = response;
	else
		exchange->http->mhd->destroy_response(response);
	return result;
}

/* The library has a copy of each header; the buffer that it was sent from it clears itself. */
void reply_wipe(struct http_exchange *exchange)
{
	const struct mhd *mhd = exchange->http->mhd;
	struct MHD_Response *response = exchange->reply.secret;
	const char *cookie;

	if (!response)
		return;
	cookie = mhd->response_header(response, "Set-Cookie");
	if (cookie)
		sodium_memzero((char *)cookie, strlen(cookie));
	mhd->destroy_response(response);
}
