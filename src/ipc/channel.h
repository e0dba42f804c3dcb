/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One end of a socketpair between two of our processes, with messages of a protocol on it.
 *
 * It never waits: the caller polls channel_fd() for channel_wants().  Each end first says protocol,
 * version and program; an end that says something else is refused, and so is one that sends what is
 * no message.  After that a channel is dead: it gives the same error, with the reason, for ever,
 * and nothing of that peer is looked at any more.  A channel belongs to one thread.
 */
#ifndef IPC_CHANNEL_H
#define IPC_CHANNEL_H

#include "ipc/message.h"

struct channel;

/* Two connected sockets, close-on-exec and not waiting. */
int channel_pair(int fds[static 2], struct err *err);

/* The descriptor is the channel's from then on. */
struct channel *channel_new(int fd, const struct ipc_protocol *protocol);
void channel_free(struct channel *channel);

int channel_fd(const struct channel *channel);
short channel_wants(const struct channel *channel); /* POLLIN, and POLLOUT while something waits */

/*
 * Sends a message, or keeps what the socket does not take yet; descriptors are copied.  -ENOBUFS
 * when the peer has left more than 4 MiB or 64 descriptors unread: it is then dead to us.
 */
int channel_send(struct channel *channel, const struct ipc_type *type, const void *message,
		 struct err *err);
/* Goes on with what waits; 0 also when some still does. */
int channel_flush(struct channel *channel, struct err *err);

/*
 * The next message: 1 with its type, and the message in the arena (ipc_release() it); 0 when there
 * is none yet; -EPIPE when the peer has gone, between messages; -EPROTO when it is no peer of ours.
 */
int channel_receive(struct channel *channel, struct arena *arena, const struct ipc_type **type,
		    void **message, struct err *err);

#endif
