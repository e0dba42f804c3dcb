/* SPDX-License-Identifier: Apache-2.0 */
/* The event stream of the API: GET /api/v1/stream, and what an open one follows. */
#ifndef SERVER_STREAM_H
#define SERVER_STREAM_H

#include <stdint.h>

struct err;
struct store;

/* The next epoch of ids (server/hub.h): higher than all before, also after a crash. */
int stream_epoch(struct store *store, uint64_t *epoch, struct err *err);

#endif
