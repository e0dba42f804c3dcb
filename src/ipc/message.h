/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages between our own processes, as bytes and descriptors, by a table of their fields.
 *
 *	struct start {
 *		uint64_t run;
 *		const char *folder;
 *		int output;
 *	};
 *	static const struct ipc_field start_fields[] = {
 *		{ IPC_U64, "run", offsetof(struct start, run) },
 *		{ IPC_TEXT, "folder", offsetof(struct start, folder), .most = PATH_MAX },
 *		{ IPC_FD, "output", offsetof(struct start, output) },
 *		{ 0 },
 *	};
 *	static const struct ipc_type start_type = IPC_TYPE("start", struct start, start_fields);
 *
 * A peer may have been taken over: what it sends is either exactly one message of the table, within
 * every limit, or an error.  There is one way to write a message, and only that is understood.
 * Numbers are in this machine's byte order, for both ends are the same program.
 */
#ifndef IPC_MESSAGE_H
#define IPC_MESSAGE_H

#include "base/wordlist.h"
#include <stdbool.h>
#include <stdint.h>

struct arena;
struct buf;
struct err;

enum ipc_kind {
	IPC_END = 0,
	IPC_U64,   /* uint64_t */
	IPC_I64,   /* int64_t */
	IPC_BOOL,  /* bool */
	IPC_TEXT,  /* const char *, NULL is ""; `most` bytes of it */
	IPC_WORDS, /* struct wordlist; `most` bytes of all, with a NUL each */
	IPC_BYTES, /* struct ipc_bytes; `most` of them */
	IPC_FD,	   /* int, -1 for none; the receiver's own descriptor */
};

struct ipc_bytes {
	const void *data;
	size_t size;
};

struct ipc_field {
	enum ipc_kind kind;
	const char *name;
	size_t offset;
	size_t most; /* 0: 4096 */
};

struct ipc_type {
	const char *name;
	size_t size; /* of the struct */
	const struct ipc_field *fields;
};
#define IPC_TYPE(text, type, table)                                     \
	{                                                               \
		.name = (text), .size = sizeof(type), .fields = (table) \
	}

/* A type's place in the list is its number, so two ends must have the same list: the version. */
struct ipc_protocol {
	const char *name;
	uint32_t version;
	const struct ipc_type *const *types;
	size_t count;
};

#define IPC_MOST_BYTES ((size_t)1 << 20) /* of a message */
#define IPC_MOST_FDS   8

struct ipc_header {
	uint32_t size; /* of what follows it */
	uint16_t type;
	uint16_t fds;
};

/*
 * Adds a message with its header to *bytes and its descriptors, which stay the caller's, to fds.
 * -E2BIG if a field is longer than it may be, and then nothing is added.
 */
int ipc_encode(const struct ipc_protocol *protocol, const struct ipc_type *type,
	       const void *message, struct buf *bytes, int fds[static IPC_MOST_FDS],
	       struct err *err);

/* Whether a header can be one of that protocol; -EPROTO says why not. */
int ipc_check_header(const struct ipc_protocol *protocol, const struct ipc_header *header,
		     struct err *err);

/*
 * The message behind a checked header, in the arena; NULL with -EPROTO in *err.  The descriptors,
 * header->fds of them, are its own from then on, or the caller's still when it fails.
 */
void *ipc_decode(const struct ipc_protocol *protocol, const struct ipc_header *header,
		 const void *payload, const int *fds, struct arena *arena, struct err *err);

/* Closes the descriptors that nobody took; who takes one leaves -1 in its place. */
void ipc_release(const struct ipc_type *type, void *message);

#endif
