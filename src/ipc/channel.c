// SPDX-License-Identifier: Apache-2.0
#include "ipc/channel.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG_BYTES ((size_t)4 << 20)
#define BACKLOG_FDS   64
#define READ_AT_ONCE  (64 * 1024)
#define HELLO_ROOM    128

/* Descriptors that wait, with the place in the stream of the first byte of their message. */
struct parcel {
	uint64_t at;
	int fds[IPC_MOST_FDS];
	unsigned count;
};

struct channel {
	int fd;
	const struct ipc_protocol *protocol;
	struct err dead; /* code 0 while it lives */
	bool greeted;	 /* the peer has said who it is */

	struct buf in; /* received, from the beginning of a message on */
	size_t in_at;  /* of it is done with */
	VEC(int) in_fds;

	struct buf out;
	size_t out_at;	   /* of it is sent */
	uint64_t out_base; /* the place in the stream of out.data[0] */
	VEC(struct parcel) parcels;
};

int channel_pair(int fds[static 2], struct err *err)
{
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds))
		return err_set(err, errno, "socketpair: %s", strerror(errno));
	return 0;
}

/* Of fixed size, so that whatever an older or newer program sends can be told from it. */
static void make_hello(const struct ipc_protocol *protocol, char into[static HELLO_ROOM])
{
	memset(into, 0, HELLO_ROOM);
	snprintf(into, HELLO_ROOM, "perfolio %s %s %u\n", PERFOLIO_VERSION, protocol->name,
		 protocol->version);
}

struct channel *channel_new(int fd, const struct ipc_protocol *protocol)
{
	struct channel *channel = mem_alloc(sizeof(*channel));
	char hello[HELLO_ROOM];

	channel->fd = fd;
	channel->protocol = protocol;
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	make_hello(protocol, hello);
	buf_add(&channel->out, hello, sizeof(hello));
	return channel;
}

static void close_all(const int *fds, size_t count)
{
	for (size_t i = 0; i < count; i++)
		close(fds[i]);
}

void channel_free(struct channel *channel)
{
	if (!channel)
		return;
	close_all(channel->in_fds.data, channel->in_fds.len);
	vec_each (parcel, &channel->parcels)
		close_all(parcel->fds, parcel->count);
	vec_free(&channel->in_fds);
	vec_free(&channel->parcels);
	buf_free(&channel->in);
	buf_free(&channel->out);
	close(channel->fd);
	free(channel);
}

int channel_fd(const struct channel *channel)
{
	return channel->fd;
}

short channel_wants(const struct channel *channel)
{
	if (channel->dead.code)
		return 0;
	return channel->out_at < channel->out.len ? POLLIN | POLLOUT : POLLIN;
}

/* What it died of is what every later call gives. */
static int die(struct channel *channel, const struct err *reason, struct err *err)
{
	if (!channel->dead.code)
		channel->dead = *reason;
	return err_set(err, channel->dead.code, "%s", channel->dead.text);
}

static int die_of(struct channel *channel, int code, const char *what, struct err *err)
{
	struct err reason = { 0 };

	err_set(&reason, code, "%s: %s", channel->protocol->name, what);
	return die(channel, &reason, err);
}

/* Sending */

static void attach(struct msghdr *header, char *room, const struct parcel *parcel)
{
	struct cmsghdr *control;

	header->msg_control = room;
	header->msg_controllen = CMSG_SPACE(parcel->count * sizeof(int));
	control = CMSG_FIRSTHDR(header);
	control->cmsg_level = SOL_SOCKET;
	control->cmsg_type = SCM_RIGHTS;
	control->cmsg_len = CMSG_LEN(parcel->count * sizeof(int));
	memcpy(CMSG_DATA(control), parcel->fds, parcel->count * sizeof(int));
}

/* A reset says that it had not read all of what we sent, which is an end like others. */
static int die_of_gone(struct channel *channel, struct err *err)
{
	return die_of(channel, EPIPE, "the other end has gone", err);
}

/*
 * Bytes up to the next parcel, or with it if it is due: the kernel keeps descriptors with the bytes
 * that they were sent with, and gives them out no later than those.
 */
static ssize_t send_some(struct channel *channel)
{
	_Alignas(struct cmsghdr) char room[CMSG_SPACE(IPC_MOST_FDS * sizeof(int))] = { 0 };
	uint64_t at = channel->out_base + channel->out_at;
	struct iovec bytes = { .iov_base = channel->out.data + channel->out_at,
			       .iov_len = channel->out.len - channel->out_at };
	struct msghdr header = { .msg_iov = &bytes, .msg_iovlen = 1 };
	struct parcel *parcel = channel->parcels.len ? &channel->parcels.data[0] : NULL;
	bool due = parcel && parcel->at == at;
	ssize_t sent;

	if (due && channel->parcels.len > 1)
		bytes.iov_len = (size_t)(channel->parcels.data[1].at - at);
	else if (parcel && !due)
		bytes.iov_len = (size_t)(parcel->at - at);
	if (due)
		attach(&header, room, parcel);
	sent = sendmsg(channel->fd, &header, MSG_NOSIGNAL);
	if (sent > 0 && due) {
		close_all(parcel->fds, parcel->count);
		memmove(parcel, parcel + 1, (--channel->parcels.len) * sizeof(*parcel));
	}
	return sent;
}

int channel_flush(struct channel *channel, struct err *err)
{
	ssize_t sent;

	if (channel->dead.code)
		return die(channel, NULL, err);
	while (channel->out_at < channel->out.len) {
		sent = send_some(channel);
		if (sent > 0)
			channel->out_at += (size_t)sent;
		else if (errno == EAGAIN)
			break;
		else if (errno == EPIPE || errno == ECONNRESET)
			return die_of_gone(channel, err);
		else if (errno != EINTR)
			return die_of(channel, errno, strerror(errno), err);
	}
	/* moved when most is sent, so that each byte is moved about once */
	if (channel->out_at > channel->out.len / 2) {
		channel->out.len -= channel->out_at;
		memmove(channel->out.data, channel->out.data + channel->out_at, channel->out.len);
		channel->out_base += channel->out_at;
		channel->out_at = 0;
	}
	return 0;
}

/* Copies, so that the caller may close its own; all or none. */
static int copy_fds(struct channel *channel, const int *fds, unsigned count, struct parcel *into,
		    struct err *err)
{
	for (; into->count < count; into->count++) {
		into->fds[into->count] = fcntl(fds[into->count], F_DUPFD_CLOEXEC, 3);
		if (into->fds[into->count] < 0) {
			err_set(err, errno, "%s: descriptor %d: %s", channel->protocol->name,
				fds[into->count], strerror(errno));
			close_all(into->fds, into->count);
			return -err->code;
		}
	}
	return 0;
}

static int enqueue(struct channel *channel, const struct ipc_type *type, const void *message,
		   struct err *err)
{
	size_t start = channel->out.len;
	struct parcel parcel = { .at = channel->out_base + start };
	struct ipc_header header;
	int fds[IPC_MOST_FDS];
	int rc = ipc_encode(channel->protocol, type, message, &channel->out, fds, err);

	if (rc)
		return rc;
	memcpy(&header, channel->out.data + start, sizeof(header));
	rc = copy_fds(channel, fds, header.fds, &parcel, err);
	if (rc)
		channel->out.len = start;
	else if (parcel.count)
		*vec_push(&channel->parcels) = parcel;
	return rc;
}

int channel_send(struct channel *channel, const struct ipc_type *type, const void *message,
		 struct err *err)
{
	struct err own = { 0 };
	int rc;

	err = err ? err : &own;
	if (channel->dead.code)
		return die(channel, NULL, err);
	rc = enqueue(channel, type, message, err);
	if (!rc)
		rc = channel_flush(channel, err);
	if (!rc && (channel->out.len - channel->out_at > BACKLOG_BYTES ||
		    channel->parcels.len * IPC_MOST_FDS > BACKLOG_FDS))
		rc = die_of(channel, ENOBUFS, "the other end does not read", err);
	return rc;
}

/* Receiving */

static int keep_fds(struct channel *channel, struct msghdr *header, struct err *err)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c; c = CMSG_NXTHDR(header, c)) {
		size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < count; i++)
			memcpy(vec_push(&channel->in_fds), CMSG_DATA(c) + i * sizeof(int),
			       sizeof(int));
	}
	if (header->msg_flags & MSG_CTRUNC)
		return die_of(channel, EPROTO, "descriptors were lost", err);
	if (channel->in_fds.len > BACKLOG_FDS)
		return die_of(channel, EPROTO, "more descriptors than messages can hold", err);
	return 0;
}

/* 1 when something came, 0 when there is nothing, negative at the end. */
static int receive_some(struct channel *channel, struct err *err)
{
	_Alignas(struct cmsghdr) char room[CMSG_SPACE(IPC_MOST_FDS * sizeof(int))];
	struct iovec bytes;
	struct msghdr header = { .msg_iov = &bytes,
				 .msg_iovlen = 1,
				 .msg_control = room,
				 .msg_controllen = sizeof(room) };
	ssize_t got;
	int rc;

	channel->in.len -= channel->in_at;
	if (channel->in_at)
		memmove(channel->in.data, channel->in.data + channel->in_at, channel->in.len);
	channel->in_at = 0;
	vec_reserve(&channel->in, channel->in.len + READ_AT_ONCE);
	bytes.iov_base = channel->in.data + channel->in.len;
	bytes.iov_len = READ_AT_ONCE;
	do {
		got = recvmsg(channel->fd, &header, MSG_CMSG_CLOEXEC);
	} while (got < 0 && errno == EINTR);
	if (got < 0 && errno != ECONNRESET)
		return errno == EAGAIN ? 0 : die_of(channel, errno, strerror(errno), err);
	rc = got > 0 ? keep_fds(channel, &header, err) : 0;
	channel->in.len += got > 0 ? (size_t)got : 0;
	if (!rc && got <= 0)
		rc = channel->in.len ? die_of(channel, EPROTO, "ended in mid-message", err)
				     : die_of_gone(channel, err);
	return rc ? rc : 1;
}

/* The next size bytes, if they are there. */
static const char *peek(const struct channel *channel, size_t size)
{
	return channel->in.len - channel->in_at < size ? NULL : channel->in.data + channel->in_at;
}

static int greet(struct channel *channel, struct err *err)
{
	const char *got = peek(channel, HELLO_ROOM);
	char want[HELLO_ROOM];
	struct err reason = { 0 };

	if (!got)
		return 0;
	make_hello(channel->protocol, want);
	if (memcmp(got, want, HELLO_ROOM)) {
		err_set(&reason, EPROTO, "%s: the other end does not speak '%.*s'",
			channel->protocol->name, (int)strcspn(want, "\n"), want);
		return die(channel, &reason, err);
	}
	channel->greeted = true;
	channel->in_at += HELLO_ROOM;
	return 1;
}

/* 1 and the message when all of it is there, 0 when it is not. */
static int take_message(struct channel *channel, struct arena *arena, const struct ipc_type **type,
			void **message, struct err *err)
{
	struct err reason = { 0 };
	struct ipc_header header;
	const char *bytes = peek(channel, sizeof(header));

	if (!bytes)
		return 0;
	memcpy(&header, bytes, sizeof(header));
	if (ipc_check_header(channel->protocol, &header, &reason))
		return die(channel, &reason, err);
	bytes = peek(channel, sizeof(header) + header.size);
	if (!bytes)
		return 0;
	if (header.fds > channel->in_fds.len)
		return die_of(channel, EPROTO, "a message without its descriptors", err);
	*message = ipc_decode(channel->protocol, &header, bytes + sizeof(header),
			      channel->in_fds.data, arena, &reason);
	if (!*message)
		return die(channel, &reason, err);
	*type = channel->protocol->types[header.type];
	channel->in_at += sizeof(header) + header.size;
	channel->in_fds.len -= header.fds;
	if (channel->in_fds.len)
		memmove(channel->in_fds.data, channel->in_fds.data + header.fds,
			channel->in_fds.len * sizeof(int));
	return 1;
}

int channel_receive(struct channel *channel, struct arena *arena, const struct ipc_type **type,
		    void **message, struct err *err)
{
	int rc;

	if (channel->dead.code)
		return die(channel, NULL, err);
	for (;;) {
		rc = channel->greeted ? 1 : greet(channel, err);
		if (rc > 0)
			rc = take_message(channel, arena, type, message, err);
		if (rc)
			return rc;
		rc = receive_some(channel, err);
		if (rc <= 0)
			return rc;
	}
}
