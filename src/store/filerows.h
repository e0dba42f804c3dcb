/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store's rows of files: which run has which, and what is in them by its hash.
 *
 * The files themselves are the business of store/content.h and store/datadir.h, which alone call
 * this.  Several rows may have the same hash; the content is there once, as long as one of them is.
 */
#ifndef STORE_FILEROWS_H
#define STORE_FILEROWS_H

#include "store/store.h"

#define HASH_TEXT 65 /* 256 bits in hex and the NUL */

struct file_row {
	int64_t id, run;
	const char *kind;     /* "recording", "series", "output", "import", "index" */
	char hash[HASH_TEXT]; /* "" while it is being written */
	int64_t size;
	int64_t created_ns;
};
struct file_rows VEC_OF(struct file_row);

struct hash {
	char text[HASH_TEXT];
};
struct hashes VEC_OF(struct hash);

int store_file_add(struct store *store, int64_t run, const char *kind, int64_t *id,
		   struct err *err);
/* It is complete; -ENOENT when its run is gone by now. */
int store_file_finish(struct store *store, int64_t id, const char *hash, int64_t size,
		      struct err *err);
/* Adds to *into, by id.  run 0: all there are, also of what was removed. */
int store_file_list(struct store *store, int64_t run, struct arena *arena, struct file_rows *into,
		    struct err *err);
int store_file_get(struct store *store, int64_t id, struct arena *arena, struct file_row *into,
		   struct err *err);
/* Forgets a row; *orphan is its hash when no other row has it, else "". */
int store_file_drop(struct store *store, int64_t id, char orphan[static HASH_TEXT],
		    struct err *err);

/*
 * Forgets what was removed and is due, some at a time, for a journal of bounded size: until there
 * are no more *things.  *orphans are the hashes that no row has any more.
 */
int store_purge(struct store *store, int64_t now_ns, struct hashes *orphans, int64_t *things,
		struct err *err);

int store_bytes(struct store *store, int64_t *bytes, struct err *err); /* each content once */
/*
 * The same of one who made runs, with the rows of his sessions and runs; files that are still being
 * written are named only.
 */
struct file_ids VEC_OF(int64_t);
int store_bytes_of(struct store *store, int64_t maker, int64_t *bytes, struct file_ids *unfinished,
		   struct err *err);

#endif
