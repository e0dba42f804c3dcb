/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of the page, packed; web/app is where they come from and tools/page.py what puts them
 * here.
 */
#ifndef SERVER_PAGE_H
#define SERVER_PAGE_H

#include <stdbool.h>
#include <stddef.h>

struct page_file {
	const char *path; /* "/index.html", "/assets/main-1a2b3c.js" */
	const char *type; /* for Content-Type */
	const char *etag; /* with its quotes */
	const unsigned char *gzip;
	size_t gzip_size;
	size_t size; /* unpacked */
	bool hashed; /* its name changes with its content: may be kept for ever */
};

/* Ends with a row without a path. */
extern const struct page_file page_files[];

/*
 * The file that answers an address (a path without its query): one of page_files, the document for
 * the addresses of views ("/", "/s/7", "/r/12/flame", ...), NULL for what is neither.
 */
const struct page_file *page_find(const char *path);

#endif
