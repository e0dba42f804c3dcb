/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a file that others may rewrite or cut while we read it.
 *
 * Files are read with pread and never mapped: touching a mapped page behind a new, earlier end is a
 * SIGBUS.  What is read is a copy, so it holds still, and image_changed tells afterwards whether
 * two copies may come from two different contents.  Memory (an unpacked section, the vdso, a
 * fuzzer's input) looks the same.
 */
#ifndef SYMBOL_IMAGE_H
#define SYMBOL_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct image {
	const unsigned char *data; /* in memory; NULL: read from fd */
	uint64_t size;
	int fd;
	bool is_file; /* fd is open */
	void *owned;  /* freed on close */
	struct image_stamp {
		uint64_t device, inode, size;
		struct timespec mtime;
	} stamp;
};

/* A regular file; 0 or a negative errno value. */
int image_open(struct image *image, const char *path);

/*
 * The same below a folder that stands for /: links lead nowhere out of it, also absolute ones.
 * That is how a container's own programs see their files.
 */
int image_open_in(struct image *image, const char *root, const char *path);

struct image image_of(const void *data, size_t size); /* must outlive it */
struct image image_owning(void *data, size_t size);   /* freed by image_close */
void image_close(struct image *image);

/* Exactly these bytes; false where there are fewer. */
bool image_read(const struct image *image, uint64_t offset, void *into, size_t size);

/* A copy of a part, ended by a NUL that does not count; NULL where it does not lie inside. */
unsigned char *image_load(const struct image *image, uint64_t offset, uint64_t size);

/* The same in a block of at least `room` bytes, which must be more than size. */
unsigned char *image_load_room(const struct image *image, uint64_t offset, uint64_t size,
			       size_t room);

/* Whether the file was written to since it was opened. */
bool image_changed(const struct image *image);

#endif
