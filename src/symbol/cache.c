// SPDX-License-Identifier: Apache-2.0
#include "symbol/cache.h"
#include "base/file.h"
#include "base/mem.h"
#include "symbol/image.h"
#include "symbol/table.h"

#define XXH_INLINE_ALL
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define CACHE_MAGIC   "pfolsyms"
#define CACHE_VERSION 3
#define CACHE_ORDER   0x01020304u
#define SOURCE_MAX    PATH_MAX
#define USED_AFTER_S  (24 * 60 * 60) /* a hit renews a file's time when it is older than this */

/* The head of a file; the source's path follows, filled up with NULs to 8 bytes, then the table. */
struct cache_head {
	char magic[8];
	uint32_t version, order;
	uint64_t checksum; /* of all that follows this field */
	struct cache_identity identity;
	uint64_t text, stext;
	uint32_t state, source_size;
};

#define CHECKED_FROM (offsetof(struct cache_head, checksum) + sizeof(uint64_t))

_Static_assert(sizeof(struct cache_head) % 8 == 0, "the table behind it is aligned");

void cache_identity_init(struct cache_identity *identity, enum cache_kind kind,
			 const struct build_id *build_id, const struct image_stamp *stamp)
{
	memset(identity, 0, sizeof(*identity));
	identity->kind = (uint8_t)kind;
	identity->build_id_size = build_id->size;
	memcpy(identity->build_id, build_id->bytes, build_id->size);
	if (build_id->size || !stamp)
		return;
	identity->device = stamp->device;
	identity->inode = stamp->inode;
	identity->size = stamp->size;
	identity->mtime_s = (uint64_t)stamp->mtime.tv_sec;
	identity->mtime_ns = (uint64_t)stamp->mtime.tv_nsec;
	identity->ctime_s = (uint64_t)stamp->ctime.tv_sec;
	identity->ctime_ns = (uint64_t)stamp->ctime.tv_nsec;
}

uint64_t cache_checksum(const void *bytes, size_t size)
{
	return size > CHECKED_FROM
		       ? XXH3_64bits((const char *)bytes + CHECKED_FROM, size - CHECKED_FROM)
		       : 0;
}

static bool is_same(const struct cache_identity *a, const struct cache_identity *b, bool any_source)
{
	if (!any_source)
		return !memcmp(a, b, sizeof(*a));
	return a->kind == b->kind && a->build_id_size && a->build_id_size == b->build_id_size &&
	       !memcmp(a->build_id, b->build_id,
		       a->build_id_size < BUILD_ID_SIZE ? a->build_id_size : BUILD_ID_SIZE);
}

/* Where the kept bytes begin behind the head; 0 if that is not of this identity. */
static size_t parse_head(const void *bytes, size_t size, const struct cache_identity *identity,
			 bool any_source, struct cache_note *note)
{
	const char *source = (const char *)bytes + sizeof(struct cache_head);
	struct cache_head head;
	size_t before;

	if (size < sizeof(head))
		return 0;
	memcpy(&head, bytes, sizeof(head));
	before = sizeof(head) + head.source_size;
	if (memcmp(head.magic, CACHE_MAGIC, sizeof(head.magic)) || head.version != CACHE_VERSION ||
	    head.order != CACHE_ORDER || !is_same(&head.identity, identity, any_source) ||
	    head.source_size < 8 || head.source_size % 8 || head.source_size > SOURCE_MAX ||
	    before > size || source[head.source_size - 1] ||
	    head.checksum != cache_checksum(bytes, size))
		return 0;
	*note = (struct cache_note){ .source = source,
				     .text = head.text,
				     .stext = head.stext,
				     .state = (uint8_t)head.state };
	return before;
}

struct table *cache_parse(const void *bytes, size_t size, const struct cache_identity *identity,
			  bool any_source, struct cache_note *note)
{
	size_t before = parse_head(bytes, size, identity, any_source, note);

	return before ? table_of((const char *)bytes + before, size - before) : NULL;
}

static char *path_of(const struct cache *cache, const struct cache_identity *identity)
{
	const char *kind = identity->kind == CACHE_KALLSYMS  ? "kernel"
			   : identity->kind == CACHE_VMLINUX ? "vmlinux"
			   : identity->kind == CACHE_LINES   ? "lines"
							     : "object";
	struct build_id id = { .size = identity->build_id_size };
	char text[BUILD_ID_TEXT];

	if (!id.size)
		return mem_printf(
			"%s/file-%016" PRIx64, cache->dir,
			(uint64_t)XXH3_64bits(&identity->device, 5 * sizeof(identity->device)));
	memcpy(id.bytes, identity->build_id, sizeof(id.bytes));
	return mem_printf("%s/%s-%s", cache->dir, kind, build_id_text(text, &id));
}

/* Only what we wrote ourselves is believed: with sudo the folder may be somebody else's. */
static void *map_file(int fd, size_t *size)
{
	struct stat st;
	void *map;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    st.st_size < (off_t)sizeof(struct cache_head))
		return NULL;
	*size = (size_t)st.st_size;
	map = mmap(NULL, *size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (map == MAP_FAILED)
		return NULL;
	if (time(NULL) - st.st_mtim.tv_sec > USED_AFTER_S)
		futimens(fd, NULL);
	return map;
}

/* The whole file, or NULL. */
static void *open_mapped(const struct cache *cache, const struct cache_identity *identity,
			 size_t *size)
{
	void *map = NULL;
	char *path;
	int fd;

	if (!cache->dir)
		return NULL;
	path = path_of(cache, identity);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	free(path);
	if (fd < 0)
		return NULL;
	map = map_file(fd, size);
	close(fd);
	return map;
}

struct table *cache_load(const struct cache *cache, const struct cache_identity *identity,
			 bool any_source, struct cache_note *note)
{
	struct table *table = NULL;
	size_t size = 0;
	void *map = open_mapped(cache, identity, &size);

	if (map)
		table = cache_parse(map, size, identity, any_source, note);
	if (table)
		table_keep_mapping(table, map, size);
	else if (map)
		munmap(map, size);
	return table;
}

struct cache_bytes cache_load_bytes(const struct cache *cache,
				    const struct cache_identity *identity)
{
	struct cache_bytes bytes = { 0 };
	struct cache_note note;
	size_t before;

	bytes.map = open_mapped(cache, identity, &bytes.map_size);
	if (!bytes.map)
		return bytes;
	before = parse_head(bytes.map, bytes.map_size, identity, false, &note);
	if (!before) {
		cache_free_bytes(&bytes);
		return bytes;
	}
	bytes.data = (const char *)bytes.map + before;
	bytes.size = bytes.map_size - before;
	return bytes;
}

void cache_free_bytes(struct cache_bytes *bytes)
{
	if (bytes->map)
		munmap(bytes->map, bytes->map_size);
	*bytes = (struct cache_bytes){ 0 };
}

/* A file of the folder, for those that must go. */
struct kept {
	char *name;
	uint64_t size;
	int64_t used_s;
};

static int compare_used(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	return x->used_s < y->used_s ? -1 : x->used_s > y->used_s;
}

/* Down to three quarters of the limit, so that not every new file makes us look. */
static void evict(const struct cache *cache)
{
	VEC(struct kept) files = { 0 };
	struct strlist names = { 0 };
	uint64_t total = 0;
	bool full;

	dir_names(cache->dir, &names, NULL);
	vec_each (name, &names) {
		char *path = mem_printf("%s/%s", cache->dir, *name);
		struct stat st;

		if (!lstat(path, &st) && S_ISREG(st.st_mode)) {
			*vec_push(&files) = (struct kept){ path, (uint64_t)st.st_size,
							   st.st_mtim.tv_sec };
			total += (uint64_t)st.st_size;
		} else {
			free(path);
		}
	}
	full = total > cache->limit;
	if (full)
		qsort(files.data, files.len, sizeof(*files.data), compare_used);
	vec_each (file, &files) {
		if (full && total > cache->limit / 4 * 3) {
			unlink(file->name);
			total -= file->size;
		}
		free(file->name);
	}
	vec_free(&files);
	strlist_free(&names);
}

static int write_parts(int fd, const struct cache_identity *identity, const struct iovec *parts,
		       size_t count, const struct cache_note *note)
{
	size_t length = strlen(note->source), source_size = (length + 8) / 8 * 8;
	char source[SOURCE_MAX] = { 0 };
	struct cache_head head = {
		.magic = CACHE_MAGIC, /* its NUL has no room and is not wanted */
		.version = CACHE_VERSION,
		.order = CACHE_ORDER,
		.identity = *identity,
		.text = note->text,
		.stext = note->stext,
		.state = note->state,
		.source_size = (uint32_t)source_size,
	};
	XXH3_state_t sum;
	int rc;

	memcpy(source, note->source, length);
	XXH3_64bits_reset(&sum);
	XXH3_64bits_update(&sum, (char *)&head + CHECKED_FROM, sizeof(head) - CHECKED_FROM);
	XXH3_64bits_update(&sum, source, source_size);
	for (size_t i = 0; i < count; i++)
		XXH3_64bits_update(&sum, parts[i].iov_base, parts[i].iov_len);
	head.checksum = XXH3_64bits_digest(&sum);
	rc = fd_write_all(fd, &head, sizeof(head));
	rc = rc ? rc : fd_write_all(fd, source, source_size);
	for (size_t i = 0; i < count && !rc; i++)
		rc = fd_write_all(fd, parts[i].iov_base, parts[i].iov_len);
	return rc;
}

void cache_save_bytes(const struct cache *cache, const struct cache_identity *identity,
		      const struct iovec *parts, size_t count, const struct cache_note *note)
{
	char *path, *temporary;
	int fd;

	if (!cache->dir || strlen(note->source) + 8 > SOURCE_MAX || dir_make(cache->dir, NULL))
		return;
	temporary = mem_printf("%s/new-XXXXXX", cache->dir);
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd >= 0) {
		path = path_of(cache, identity);
		if (write_parts(fd, identity, parts, count, note) || rename(temporary, path))
			unlink(temporary);
		close(fd);
		free(path);
		evict(cache);
	}
	free(temporary);
}

void cache_save(const struct cache *cache, const struct cache_identity *identity,
		const struct table *table, const struct cache_note *note)
{
	struct table_parts parts = table_parts(table);

	cache_save_bytes(cache, identity,
			 (struct iovec[]){ { (void *)parts.columns, parts.columns_size },
					   { (void *)parts.strings, parts.strings_size } },
			 2, note);
}
