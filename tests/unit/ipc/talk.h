/* SPDX-License-Identifier: Apache-2.0 */
/* A protocol with a field of each kind, for tests and for the fuzzer. */
#ifndef UNIT_IPC_TALK_H
#define UNIT_IPC_TALK_H

#include "ipc/message.h"

struct talk_all {
	uint64_t number;
	int64_t offset;
	bool yes;
	const char *text;
	struct wordlist words;
	struct ipc_bytes bytes;
	int first, second;
};

static const struct ipc_field talk_all_fields[] = {
	{ IPC_U64, "number", offsetof(struct talk_all, number) },
	{ IPC_I64, "offset", offsetof(struct talk_all, offset) },
	{ IPC_BOOL, "yes", offsetof(struct talk_all, yes) },
	{ IPC_TEXT, "text", offsetof(struct talk_all, text), .most = 20 },
	{ IPC_WORDS, "words", offsetof(struct talk_all, words), .most = 30 },
	{ IPC_BYTES, "bytes", offsetof(struct talk_all, bytes), .most = 600000 },
	{ IPC_FD, "first", offsetof(struct talk_all, first) },
	{ IPC_FD, "second", offsetof(struct talk_all, second) },
	{ 0 },
};
static const struct ipc_type talk_all = IPC_TYPE("all", struct talk_all, talk_all_fields);

struct talk_nothing {
	char unused;
};
static const struct ipc_field talk_nothing_fields[] = { { 0 } };
static const struct ipc_type talk_nothing = IPC_TYPE("nothing", struct talk_nothing,
						     talk_nothing_fields);

static const struct ipc_type *const talk_types[] = { &talk_nothing, &talk_all };
static const struct ipc_protocol talk = { "talk", 3, talk_types, 2 };

#endif
