// SPDX-License-Identifier: Apache-2.0
#include "ipc/message.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/cursor.h"
#include "base/err.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define MOST_DEFAULT 4096

static size_t most_of(const struct ipc_field *field)
{
	return field->most ? field->most : MOST_DEFAULT;
}

static const void *field_in(const void *message, const struct ipc_field *field)
{
	return (const char *)message + field->offset;
}

/* Writing */

static int too_long(const struct ipc_field *field, struct err *err)
{
	return err_set(err, E2BIG, "%s is longer than %zu bytes", field->name, most_of(field));
}

static int put_bytes(struct buf *out, const struct ipc_field *field, const void *bytes, size_t size,
		     struct err *err)
{
	uint32_t length = (uint32_t)size;

	if (size > most_of(field))
		return too_long(field, err);
	buf_add(out, &length, sizeof(length));
	if (size)
		buf_add(out, bytes, size);
	return 0;
}

static int put_words(struct buf *out, const struct ipc_field *field, const struct wordlist *words,
		     struct err *err)
{
	struct buf all = { 0 };
	int rc;

	wordlist_join(words, &all);
	rc = put_bytes(out, field, all.data, all.len, err);
	buf_free(&all);
	return rc;
}

static void put_fd(struct buf *out, int fd, int *fds, uint16_t *count)
{
	buf_putc(out, fd >= 0);
	if (fd >= 0)
		fds[(*count)++] = fd;
}

static int put_field(struct buf *out, const struct ipc_field *field, const void *value, int *fds,
		     uint16_t *count, struct err *err)
{
	const struct ipc_bytes *bytes = value;
	const char *text;

	switch (field->kind) {
	case IPC_U64:
	case IPC_I64: buf_add(out, value, sizeof(uint64_t)); return 0;
	case IPC_BOOL: buf_putc(out, *(const bool *)value); return 0;
	case IPC_TEXT:
		text = *(const char *const *)value;
		return put_bytes(out, field, text ? text : "", text ? strlen(text) : 0, err);
	case IPC_WORDS: return put_words(out, field, value, err);
	case IPC_BYTES: return put_bytes(out, field, bytes->data, bytes->size, err);
	case IPC_FD:
		if (*count == IPC_MOST_FDS)
			return err_set(err, E2BIG, "more than %d descriptors", IPC_MOST_FDS);
		put_fd(out, *(const int *)value, fds, count);
		return 0;
	case IPC_END: break;
	}
	return err_set(err, EINVAL, "%s: a field of unknown kind", field->name);
}

static int number_of(const struct ipc_protocol *protocol, const struct ipc_type *type,
		     uint16_t *number, struct err *err)
{
	for (size_t i = 0; i < protocol->count; i++)
		if (protocol->types[i] == type) {
			*number = (uint16_t)i;
			return 0;
		}
	return err_set(err, EINVAL, "%s: %s has no such message", protocol->name, type->name);
}

int ipc_encode(const struct ipc_protocol *protocol, const struct ipc_type *type,
	       const void *message, struct buf *bytes, int fds[static IPC_MOST_FDS],
	       struct err *err)
{
	struct ipc_header header = { 0 };
	size_t start = bytes->len;
	int rc = number_of(protocol, type, &header.type, err);

	buf_add(bytes, &header, sizeof(header));
	for (const struct ipc_field *field = type->fields; field->kind && !rc; field++)
		rc = put_field(bytes, field, field_in(message, field), fds, &header.fds, err);
	header.size = (uint32_t)(bytes->len - start - sizeof(header));
	if (!rc && bytes->len - start - sizeof(header) > IPC_MOST_BYTES)
		rc = err_set(err, E2BIG, "longer than %zu bytes", IPC_MOST_BYTES);
	if (rc) {
		bytes->len = start;
		return err ? err_prefix(err, "%s", type->name) : rc;
	}
	memcpy(bytes->data + start, &header, sizeof(header));
	return 0;
}

/* Reading */

int ipc_check_header(const struct ipc_protocol *protocol, const struct ipc_header *header,
		     struct err *err)
{
	if (header->type >= protocol->count)
		return err_set(err, EPROTO, "%s: no message has number %u", protocol->name,
			       header->type);
	if (header->size > IPC_MOST_BYTES)
		return err_set(err, EPROTO, "%s: a message of %u bytes", protocol->name,
			       header->size);
	if (header->fds > IPC_MOST_FDS)
		return err_set(err, EPROTO, "%s: a message with %u descriptors", protocol->name,
			       header->fds);
	return 0;
}

struct reading {
	struct cursor at;
	struct arena *arena;
	const int *fds;
	unsigned fds_left;
};

/* A length and as many bytes, of which there may not be more than the field takes. */
static const void *get_bytes(struct reading *in, const struct ipc_field *field, size_t *size)
{
	*size = cursor_u32(&in->at);
	if (*size > most_of(field))
		in->at.broken = true;
	return cursor_bytes(&in->at, *size);
}

/* A copy that can be used as text: with a NUL behind. */
static char *copy_bytes(struct reading *in, const void *bytes, size_t size)
{
	char *copy = arena_alloc(in->arena, size + 1);

	if (bytes && size)
		memcpy(copy, bytes, size);
	return copy;
}

static void get_text(struct reading *in, const struct ipc_field *field, const char **into)
{
	size_t size;
	const void *bytes = get_bytes(in, field, &size);

	if (bytes && memchr(bytes, '\0', size))
		in->at.broken = true;
	*into = copy_bytes(in, bytes, in->at.broken ? 0 : size);
}

static void get_words(struct reading *in, const struct ipc_field *field, struct wordlist *into)
{
	size_t size;
	const char *bytes = get_bytes(in, field, &size);

	if (!bytes || (size && bytes[size - 1]))
		in->at.broken = true;
	else
		*into = wordlist_split(bytes, size, in->arena);
}

static bool get_bool(struct reading *in)
{
	unsigned char value;

	cursor_read(&in->at, &value, 1);
	if (value > 1)
		in->at.broken = true;
	return value == 1;
}

static int get_fd(struct reading *in)
{
	if (!get_bool(in))
		return -1;
	if (!in->fds_left) {
		in->at.broken = true;
		return -1;
	}
	in->fds_left--;
	return *in->fds++;
}

static void get_field(struct reading *in, const struct ipc_field *field, void *into)
{
	struct ipc_bytes *bytes = into;
	const void *found;

	switch (field->kind) {
	case IPC_U64:
	case IPC_I64: cursor_read(&in->at, into, sizeof(uint64_t)); break;
	case IPC_BOOL: *(bool *)into = get_bool(in); break;
	case IPC_TEXT: get_text(in, field, into); break;
	case IPC_WORDS: get_words(in, field, into); break;
	case IPC_BYTES:
		found = get_bytes(in, field, &bytes->size);
		bytes->size = found ? bytes->size : 0;
		bytes->data = copy_bytes(in, found, bytes->size);
		break;
	case IPC_FD: *(int *)into = get_fd(in); break;
	case IPC_END: break;
	}
}

void *ipc_decode(const struct ipc_protocol *protocol, const struct ipc_header *header,
		 const void *payload, const int *fds, struct arena *arena, struct err *err)
{
	const struct ipc_type *type = protocol->types[header->type];
	struct reading in = { .at = cursor_of(payload, header->size),
			      .arena = arena,
			      .fds = fds,
			      .fds_left = header->fds };
	char *message = arena_alloc(arena, type->size);

	for (const struct ipc_field *field = type->fields; field->kind; field++) {
		get_field(&in, field, message + field->offset);
		if (in.at.broken) {
			err_set(err, EPROTO, "%s: %s: %s is cut, too long or malformed",
				protocol->name, type->name, field->name);
			return NULL;
		}
	}
	if (cursor_left(&in.at) || in.fds_left) {
		err_set(err, EPROTO, "%s: %s: %zu bytes and %u descriptors too many",
			protocol->name, type->name, cursor_left(&in.at), in.fds_left);
		return NULL;
	}
	return message;
}

void ipc_release(const struct ipc_type *type, void *message)
{
	for (const struct ipc_field *field = type->fields; message && field->kind; field++) {
		int *fd = (int *)((char *)message + field->offset);

		if (field->kind == IPC_FD && *fd >= 0) {
			close(*fd);
			*fd = -1;
		}
	}
}
