/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables kept on disk, so that the next run need not read the symbols again; digests of debug
 * information too (dwarf/digest.h).
 *
 * One file an object, in a folder of the user's own, named by its build-id; by device, inode, size
 * and time where there is none.  A file holds what its table was made from, and is made anew when
 * that differs, when it was written by another version or does not have its checksum.  Files
 * appear by rename and are never changed, so they may be mapped.  Past the size limit those not
 * used for longest go.
 */
#ifndef SYMBOL_CACHE_H
#define SYMBOL_CACHE_H

#include "perfdata/buildid.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

struct image_stamp;
struct table;

struct cache {
	char *dir; /* NULL: nothing is kept */
	uint64_t limit;
};

enum cache_kind { CACHE_FILE = 1, CACHE_KALLSYMS, CACHE_VMLINUX, CACHE_LINES };

/* What a table was made from.  No padding: it is compared and hashed as bytes. */
struct cache_identity {
	uint8_t kind;  /* enum cache_kind */
	uint8_t state; /* enum dso_state: how complete the source was */
	uint8_t build_id_size, build_id[BUILD_ID_SIZE];
	uint8_t reserved;
	/* without a build-id; the time of its last change, since the other may be set to any */
	uint64_t device, inode, size, mtime_s, mtime_ns, ctime_s, ctime_ns;
	uint64_t symbols_size, strings_size; /* of the tables that were read */
	uint64_t boot; /* kallsyms: where things are differs from boot to boot */
};

/* What else is kept with a table. */
struct cache_note {
	const char *source; /* the file of the names; borrowed from the table's mapping */
	uint64_t text, stext;
	uint8_t state;
};

void cache_identity_init(struct cache_identity *identity, enum cache_kind kind,
			 const struct build_id *build_id, const struct image_stamp *stamp);

/*
 * The table kept under that identity or NULL.  With `any_source` only the build-id must be the
 * same: for objects whose file is gone.
 */
struct table *cache_load(const struct cache *cache, const struct cache_identity *identity,
			 bool any_source, struct cache_note *note);

/* Failing is no error: then it is not kept. */
void cache_save(const struct cache *cache, const struct cache_identity *identity,
		const struct table *table, const struct cache_note *note);

/* The same for bytes of any kind: mapped ones, and those of several parts one behind the other. */
struct cache_bytes {
	const void *data; /* NULL: nothing is kept */
	size_t size;
	void *map;
	size_t map_size;
};
struct cache_bytes cache_load_bytes(const struct cache *cache,
				    const struct cache_identity *identity);
void cache_free_bytes(struct cache_bytes *bytes);
void cache_save_bytes(const struct cache *cache, const struct cache_identity *identity,
		      const struct iovec *parts, size_t count, const struct cache_note *note);

/* The table in the bytes of a cache's file, which must outlive it; tests and fuzzers enter here. */
struct table *cache_parse(const void *bytes, size_t size, const struct cache_identity *identity,
			  bool any_source, struct cache_note *note);
uint64_t cache_checksum(const void *bytes, size_t size);

#endif
