// SPDX-License-Identifier: Apache-2.0
#include "server/web_main.h"
#include "base/arena.h"
#include "base/err.h"
#include "ipc/channel.h"
#include "jobs/protocol.h"
#include "store/datadir.h"

#include <errno.h>
#include <poll.h>

static int take_messages(struct channel *channel, struct err *err)
{
	const struct ipc_type *type;
	struct arena arena = { 0 };
	void *message;
	int rc;

	while ((rc = channel_receive(channel, &arena, &type, &message, err)) > 0) {
		if (type == &msg_ready)
			channel_send(channel, &msg_up, &(struct msg_up){ 0 }, err);
		ipc_release(type, message);
		arena_free(&arena);
	}
	return rc;
}

int web_side_main(const struct web_side *side, struct err *err)
{
	struct datadir *dir = datadir_open(side->data, DATADIR_SERVE, err);
	struct channel *channel;
	int rc = 0;

	if (!dir)
		return -EIO;
	channel = channel_new(side->channel, &runner_protocol);
	while (!rc) {
		struct pollfd ready = { .fd = side->channel, .events = channel_wants(channel) };

		poll(&ready, 1, -1);
		if (ready.revents & POLLOUT)
			rc = channel_flush(channel, err);
		if (!rc)
			rc = take_messages(channel, err);
	}
	channel_free(channel);
	datadir_close(dir);
	return rc == -EPIPE ? 0 : rc;
}
