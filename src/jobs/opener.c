// SPDX-License-Identifier: Apache-2.0
#include "jobs/opener.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "jobs/sandbox.h"
#include "symbol/image.h"
#include "symbol/process.h"

#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#define ITS_FD 3

/* One packet; the path is as long as the packet says. */
struct question {
	int32_t kind; /* enum image_question */
	int32_t pid;
	char path[PATH_MAX];
};

#define HEAD offsetof(struct question, path)

/* ---- the opener ---- */

static bool lies_in(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return length && !strncmp(path, folder, length) &&
	       (path[length] == '/' || path[length] == '\0');
}

/* By where it really is, whatever name led there. */
static int judge(int fd, const char *forbidden)
{
	char link[64], path[PATH_MAX];
	struct statfs system;
	ssize_t length;

	if (fstatfs(fd, &system))
		return -errno;
	if (system.f_type == PROC_SUPER_MAGIC)
		return -EACCES;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	if (length < 0)
		return -errno;
	path[length] = '\0';
	return lies_in(path, forbidden) ? -EACCES : 0;
}

static int open_for(const struct question *q, struct image *image)
{
	struct buf source = { 0 };
	char root[64] = "";
	int rc;

	if (q->path[0] != '/')
		return -EINVAL;
	if (q->pid)
		snprintf(root, sizeof(root), "/proc/%d/root", (int)q->pid);
	if (q->kind == IMAGE_MAPPED)
		rc = process_open_mapped(q->pid, q->path, image, &source);
	else if (q->kind == IMAGE_PLAIN)
		rc = image_open_plain_in(image, root, q->path);
	else
		rc = image_open_in(image, root, q->path);
	buf_free(&source);
	return rc;
}

static int answer(const struct question *q, const char *forbidden, struct image *image)
{
	int rc;

	if (q->kind == IMAGE_APART)
		return process_is_apart(q->pid);
	rc = open_for(q, image);
	return rc ? rc : judge(image->fd, forbidden);
}

static int send_answer(int channel, int32_t rc, const struct image *image)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr head;
	} control = { 0 };
	struct iovec part = { &rc, sizeof(rc) };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	if (!rc && image->is_file) {
		message.msg_control = control.bytes;
		message.msg_controllen = sizeof(control.bytes);
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.head), &image->fd, sizeof(int));
	}
	return sendmsg(channel, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* False at the end of the channel, or of what can be understood. */
static bool next_question(int channel, struct question *q)
{
	ssize_t got;

	do
		got = recv(channel, q, sizeof(*q) - 1, 0);
	while (got < 0 && errno == EINTR);
	if (got < (ssize_t)HEAD)
		return false;
	((char *)q)[got] = '\0';
	return true;
}

/* The first packet names the folder; who asks is to be trusted until it has read something. */
static void serve(int channel)
{
	struct question q;
	char *forbidden;

	if (!next_question(channel, &q))
		return;
	forbidden = realpath(q.path, NULL);
	if (!forbidden)
		forbidden = mem_strdup(q.path);
	while (next_question(channel, &q)) {
		struct image image = { 0 };
		int rc = answer(&q, forbidden, &image);

		rc = send_answer(channel, rc, &image);
		image_close(&image);
		if (rc)
			break;
	}
	free(forbidden);
}

/* It holds nothing that was for the analyser, above all not the channel that tells of its end. */
static _Noreturn void be_opener(int channel, const struct sandbox *like)
{
	struct sandbox sandbox = *like;
	struct err err = { 0 };

	sandbox.profile = SANDBOX_OPENER;
	if (dup2(channel, ITS_FD) < 0)
		_exit(1);
	syscall(SYS_close_range, ITS_FD + 1, ~0U, 0);
	if (sandbox_enter(&sandbox, NULL, &err))
		_exit(1);
	serve(ITS_FD);
	_exit(0);
}

int opener_start(const struct sandbox *sandbox, struct err *err)
{
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return err_set(err, errno, "opener: %s", strerror(errno));
	pid = fork();
	if (!pid) {
		close(pair[0]);
		be_opener(pair[1], sandbox);
	}
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return err_set(err, errno, "opener: %s", strerror(errno));
	}
	return pair[0];
}

/* ---- who asks it ---- */

/* As the table of the running kernel's names is: one for all stores of the process. */
static struct {
	pthread_mutex_t lock;
	int fd;
} door = { PTHREAD_MUTEX_INITIALIZER, -1 };

static int send_question(enum image_question kind, pid_t pid, const char *path)
{
	struct question q = { .kind = (int32_t)kind, .pid = pid };
	size_t length = strlen(path);

	if (length >= sizeof(q.path))
		return -ENAMETOOLONG;
	memcpy(q.path, path, length);
	return send(door.fd, &q, HEAD + length, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* 0 and *fd, which is -1 for an answer without one; or what the opener says. */
static int take_answer(int *fd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr head;
	} control = { 0 };
	int32_t rc = -EIO;
	struct iovec part = { &rc, sizeof(rc) };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control.bytes,
				  .msg_controllen = sizeof(control.bytes) };
	ssize_t got;

	do
		got = recvmsg(door.fd, &message, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got != sizeof(rc))
		return -EIO;
	if (message.msg_controllen >= CMSG_LEN(sizeof(int)))
		memcpy(fd, CMSG_DATA(&control.head), sizeof(int));
	return rc;
}

static int ask(enum image_question kind, pid_t pid, const char *path)
{
	int rc, fd = -1;

	pthread_mutex_lock(&door.lock);
	rc = send_question(kind, pid, path);
	if (!rc)
		rc = take_answer(&fd);
	pthread_mutex_unlock(&door.lock);
	return kind == IMAGE_APART || rc ? rc : fd < 0 ? -EIO : fd;
}

int opener_use(int fd, const char *forbidden, struct err *err)
{
	int rc;

	door.fd = fd;
	rc = send_question(IMAGE_IN, 0, forbidden ? forbidden : "");
	if (rc)
		return err_set(err, -rc, "opener: %s", strerror(-rc));
	image_ask(ask);
	return 0;
}
