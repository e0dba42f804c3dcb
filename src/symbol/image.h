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
#include <sys/types.h>
#include <time.h>

struct image {
	const unsigned char *data; /* in memory; NULL: read from fd */
	uint64_t size;
	int fd;
	bool is_file; /* fd is open */
	void *owned;  /* freed on close */
	struct image_stamp {
		uint64_t device, inode, size;
		uint64_t generation; /* of the inode; 0: the file system has none */
		struct timespec mtime, ctime;
	} stamp;
};

/* A regular file; 0 or a negative errno value. */
int image_open(struct image *image, const char *path);

/*
 * The same below a folder that stands for /: links lead nowhere out of it, also absolute ones.
 * That is how a container's own programs see their files.
 */
int image_open_in(struct image *image, const char *root, const char *path);

/* The same, and what bears the name is the file itself, no link to one. */
int image_open_plain_in(struct image *image, const char *root, const char *path);

/*
 * Who is fenced in can have somebody outside to ask for what it may not look at itself; NULL: it
 * has nobody.  Returns a descriptor, the answer 0 or 1, or a negative errno value; from any thread.
 */
enum image_question {
	IMAGE_IN,     /* the file that the process knows by that path; pid 0: that everybody does */
	IMAGE_MAPPED, /* process_open_mapped() */
	IMAGE_APART,  /* process_is_apart() */
	IMAGE_PLAIN,  /* as IMAGE_IN, and no link */
};
typedef int image_asked(enum image_question question, pid_t pid, const char *path);
void image_ask(image_asked *asked);

/* Asks, where rc says that it was permission that lacked; rc where there is nobody. */
int image_refused(int rc, enum image_question question, pid_t pid, const char *path);
/* The same for an open file, which comes to *image. */
int image_open_refused(struct image *image, int rc, enum image_question question, pid_t pid,
		       const char *path);

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
