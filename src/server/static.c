// SPDX-License-Identifier: Apache-2.0
/* The files of the page. */
#include "server/static.h"
#include "base/err.h"
#include "base/mem.h"
#include "server/field.h"
#include "server/http_inside.h"
#include "server/page.h"

#include <errno.h>
#include <libdeflate.h>
#include <string.h>

/* For the few who don't take it packed. */
static void reply_unpacked(struct request *request, const struct page_file *file)
{
	struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
	char *bytes = mem_alloc(file->size + 1);
	size_t got = 0;

	if (decompressor)
		libdeflate_gzip_decompress(decompressor, file->gzip, file->gzip_size, bytes,
					   file->size, &got);
	libdeflate_free_decompressor(decompressor);
	reply_bytes(request, file->type, bytes, got);
	free(bytes);
}

static void reply_content(struct request *request, const struct page_file *file)
{
	reply_header(request, "Vary", "Accept-Encoding");
	if (!field_takes_gzip(request_header(request, "Accept-Encoding"))) {
		reply_unpacked(request, file);
		return;
	}
	reply_bytes(request, file->type, file->gzip, file->gzip_size);
	reply_header(request, "Content-Encoding", "gzip");
}

static void reply_page_file(struct request *request, const struct page_file *file)
{
	char *etag = arena_strndup(&request->arena, file->etag + 1, strlen(file->etag) - 2);

	reply_header(request, "Cache-Control",
		     file->hashed ? "public, max-age=31536000, immutable" : "no-cache");
	if (!reply_etag(request, etag))
		reply_content(request, file);
}

/* Whether a person asks, with a browser. */
static bool wants_page(const struct request *request)
{
	const char *accepts = request_header(request, "Accept");

	return accepts && strstr(accepts, "text/html");
}

/* In the page, which says so with ways to go on; programs get the error. */
static int not_here(struct request *request, const char *path, struct err *err)
{
	const struct page_file *page = page_find("/");

	if (!page || !wants_page(request) || !strncmp(path, "/api/", 5))
		return err_set(err, ENOENT, "there is nothing at %s", path);
	reply_content(request, page);
	reply_status(request, 404);
	return 0;
}

static int get_static(struct request *request, struct err *err)
{
	const char *path = request->http->path;
	const struct page_file *file = page_find(path);

	if (!file)
		return not_here(request, path, err);
	reply_page_file(request, file);
	return 0;
}

const struct route static_route = { "GET", "/", RIGHT_LOOK, get_static, ROUTE_PUBLIC };
