// SPDX-License-Identifier: Apache-2.0
#include "symbol/image.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD_MAX ((uint64_t)2 << 30) /* offsets into a part are kept in 32 bits */

static struct image_stamp stamp_of(const struct stat *st)
{
	return (struct image_stamp){ .device = st->st_dev,
				     .inode = st->st_ino,
				     .size = (uint64_t)st->st_size,
				     .mtime = st->st_mtim,
				     .ctime = st->st_ctim };
}

/* The kernel writes 32 bits, whatever the request says of its size. */
static uint64_t generation_of(int fd)
{
	uint32_t generation[2] = { 0 };

	return ioctl(fd, FS_IOC_GETVERSION, generation) ? 0 : generation[0];
}

/* Without O_NONBLOCK a pipe of that name would hold us up. */
#define OPEN_FLAGS (O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)

static int take_fd(struct image *image, int fd)
{
	struct stat st;
	int rc = 0;

	*image = (struct image){ 0 };
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		rc = -errno;
	else if (!S_ISREG(st.st_mode))
		rc = -EINVAL;
	if (rc) {
		close(fd);
		return rc;
	}
	image->fd = fd;
	image->is_file = true;
	image->stamp = stamp_of(&st);
	image->stamp.generation = generation_of(fd);
	image->size = image->stamp.size;
	return 0;
}

static image_asked *somebody;

void image_ask(image_asked *asked)
{
	somebody = asked;
}

int image_refused(int rc, enum image_question question, pid_t pid, const char *path)
{
	return somebody && (rc == -EACCES || rc == -EPERM) ? somebody(question, pid, path) : rc;
}

int image_open_refused(struct image *image, int rc, enum image_question question, pid_t pid,
		       const char *path)
{
	int fd = rc ? image_refused(rc, question, pid, path) : -1;

	return fd < 0 ? (rc ? fd : 0) : take_fd(image, fd);
}

int image_open(struct image *image, const char *path)
{
	int rc = take_fd(image, open(path, OPEN_FLAGS));

	return image_open_refused(image, rc, IMAGE_IN, 0, path);
}

static int open_in(struct image *image, const char *root, const char *path, int flags)
{
	struct open_how how = { .flags = (uint64_t)flags,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	int dir, fd, failure;
	char *whole;

	*image = (struct image){ 0 };
	dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	failure = errno;
	close(dir);
	if (fd < 0 && failure == ENOSYS) { /* before Linux 5.6, or under seccomp */
		whole = mem_printf("%s/%s", root, path);
		fd = open(whole, flags);
		failure = errno;
		free(whole);
	}
	errno = failure;
	return take_fd(image, fd);
}

/* The process whose root it is; 0: a folder that stands for /, and is nobody's. */
static pid_t process_of_root(const char *root)
{
	int pid = 0, end = 0;

	return sscanf(root, "/proc/%d/root%n", &pid, &end) == 1 && end && !root[end] ? pid : 0;
}

int image_open_in(struct image *image, const char *root, const char *path)
{
	pid_t pid = process_of_root(root);
	int rc;

	if (!root[0])
		return image_open(image, path);
	rc = open_in(image, root, path, OPEN_FLAGS);
	return pid ? image_open_refused(image, rc, IMAGE_IN, pid, path) : rc;
}

int image_open_plain_in(struct image *image, const char *root, const char *path)
{
	pid_t pid = process_of_root(root);
	int rc = root[0] ? open_in(image, root, path, OPEN_FLAGS | O_NOFOLLOW)
			 : take_fd(image, open(path, OPEN_FLAGS | O_NOFOLLOW));

	return pid || !root[0] ? image_open_refused(image, rc, IMAGE_PLAIN, pid, path) : rc;
}

struct image image_of(const void *data, size_t size)
{
	return (struct image){ .data = data ? data : (const void *)"", .size = size };
}

struct image image_owning(void *data, size_t size)
{
	struct image image = image_of(data, size);

	image.owned = data;
	return image;
}

void image_close(struct image *image)
{
	if (image->is_file)
		close(image->fd);
	free(image->owned);
	*image = (struct image){ 0 };
}

static bool read_fd(int fd, uint64_t offset, unsigned char *into, size_t size)
{
	while (size) {
		ssize_t got = pread(fd, into, size, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		into += got;
		offset += (uint64_t)got;
		size -= (size_t)got;
	}
	return true;
}

bool image_read(const struct image *image, uint64_t offset, void *into, size_t size)
{
	if (offset > image->size || size > image->size - offset)
		return false;
	if (image->is_file)
		return read_fd(image->fd, offset, into, size);
	if (size)
		memcpy(into, image->data + offset, size);
	return true;
}

unsigned char *image_load_room(const struct image *image, uint64_t offset, uint64_t size,
			       size_t room)
{
	unsigned char *bytes;

	/* Looked at before memory is asked for: a header may claim any size. */
	if (offset > image->size || size > image->size - offset || size > LOAD_MAX)
		return NULL;
	bytes = mem_alloc_large(room);
	if (!image_read(image, offset, bytes, size)) {
		free(bytes);
		return NULL;
	}
	bytes[size] = '\0';
	return bytes;
}

unsigned char *image_load(const struct image *image, uint64_t offset, uint64_t size)
{
	return image_load_room(image, offset, size, size + 1);
}

bool image_changed(const struct image *image)
{
	struct image_stamp now;
	struct stat st;

	if (!image->is_file)
		return false;
	if (fstat(image->fd, &st))
		return true;
	now = stamp_of(&st);
	return now.size != image->stamp.size || now.mtime.tv_sec != image->stamp.mtime.tv_sec ||
	       now.mtime.tv_nsec != image->stamp.mtime.tv_nsec;
}
