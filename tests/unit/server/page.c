// SPDX-License-Identifier: Apache-2.0
#include "server/page.h"
#include "test.h"
#include <stdlib.h>
#include <zlib.h>

TEST(page_find_answers_views_with_the_document)
{
	static const char *const views[] = { "/",      "/s/7",	   "/s/7/",    "/r/12/flame",
					     "/hosts", "/compare", "/sign-in", "/index.html" };
	static const char *const others[] = { "",	  "/api/v1/me",	    "/sx",
					      "/assets/", "/../etc/passwd", "index.html",
					      "/hostsx/1" };

	for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++) {
		const struct page_file *file = page_find(views[i]);

		test_case("%s", views[i]);
		EXPECT(file);
		EXPECT_TEXT(file->path, "/index.html");
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		test_case("%s", others[i]);
		EXPECT(!page_find(others[i]));
	}
}

/* zlib unpacks each file to the size that it is said to have. */
TEST(page_files_unpack)
{
	for (const struct page_file *file = page_files; file->path; file++) {
		unsigned char *into = malloc(file->size + 1);
		z_stream stream = { .next_in = (unsigned char *)file->gzip,
				    .avail_in = (uInt)file->gzip_size,
				    .next_out = into,
				    .avail_out = (uInt)file->size + 1 };

		test_case("%s", file->path);
		EXPECT_INT(inflateInit2(&stream, 15 + 16), Z_OK);
		EXPECT_INT(inflate(&stream, Z_FINISH), Z_STREAM_END);
		EXPECT_INT(stream.total_out, file->size);
		EXPECT(page_find(file->path) == file);
		inflateEnd(&stream);
		free(into);
	}
}
