// SPDX-License-Identifier: Apache-2.0
#include "dwarf/digest.h"
#include "dwarf/file.h"

enum head { HEAD_ROWS, HEAD_FUNCTIONS, HEAD_TEXTS, HEAD_RESERVED, HEAD_SIZE };

_Static_assert(sizeof(((struct digest_made *)0)->head) == HEAD_SIZE * sizeof(uint64_t),
	       "as many as are named");

bool digest_of(struct digest *digest, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	uint64_t head[HEAD_SIZE];

	*digest = (struct digest){ 0 };
	if (size < sizeof(head))
		return false;
	memcpy(head, at, sizeof(head));
	at += sizeof(head);
	size -= sizeof(head);
	if (head[HEAD_ROWS] > size / sizeof(struct digest_row))
		return false;
	digest->rows = (const void *)at;
	digest->row_count = head[HEAD_ROWS];
	at += digest->row_count * sizeof(struct digest_row);
	size -= digest->row_count * sizeof(struct digest_row);
	if (head[HEAD_FUNCTIONS] > size / sizeof(struct digest_function))
		return false;
	digest->functions = (const void *)at;
	digest->function_count = head[HEAD_FUNCTIONS];
	at += digest->function_count * sizeof(struct digest_function);
	size -= digest->function_count * sizeof(struct digest_function);
	digest->texts = (const char *)at;
	digest->texts_size = head[HEAD_TEXTS];
	return digest->texts_size == size && (!size || !at[size - 1]);
}

void digest_parts(struct digest_made *made, struct iovec parts[DIGEST_PARTS])
{
	made->head[HEAD_ROWS] = made->rows.len;
	made->head[HEAD_FUNCTIONS] = made->functions.len;
	made->head[HEAD_TEXTS] = made->texts.len;
	parts[0] = (struct iovec){ made->head, sizeof(made->head) };
	parts[1] = (struct iovec){ made->rows.data, made->rows.len * sizeof(*made->rows.data) };
	parts[2] = (struct iovec){ made->functions.data,
				   made->functions.len * sizeof(*made->functions.data) };
	parts[3] = (struct iovec){ made->texts.data, made->texts.len };
}

void digest_made_free(struct digest_made *made)
{
	vec_free(&made->rows);
	vec_free(&made->functions);
	buf_free(&made->texts);
}

static const char *text_at(const struct digest *digest, uint32_t offset)
{
	return offset < digest->texts_size ? digest->texts + offset : NULL;
}

const struct digest_row *digest_row_at(const struct digest *digest, uint64_t address)
{
	size_t low = 0, high = digest->row_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (digest->rows[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &digest->rows[low - 1] : NULL;
}

static size_t fill(const struct digest *digest, const struct digest_row *row,
		   struct dwarf_frame *frames, size_t room)
{
	uint32_t at = row->function < digest->function_count ? row->function : DIGEST_NONE;
	size_t count = 0;

	if (!room || (at == DIGEST_NONE && row->file == DIGEST_EMPTY))
		return 0;
	frames[0] = (struct dwarf_frame){ .file = text_at(digest, row->file), .line = row->line };
	while (at != DIGEST_NONE && count < room && count < DWARF_DEPTH) {
		const struct digest_function *function = &digest->functions[at];

		frames[count++].name = text_at(digest, function->name);
		at = function->parent < at ? function->parent : DIGEST_NONE;
		if (at == DIGEST_NONE || count == room || count == DWARF_DEPTH)
			break;
		frames[count - 1].inlined = true;
		frames[count] = (struct dwarf_frame){ .file = text_at(digest, function->file),
						      .line = function->line };
	}
	return count ? count : 1;
}

bool digest_find(const struct digest *digest, uint64_t address, struct dwarf_frame *frames,
		 size_t room, size_t *count)
{
	const struct digest_row *row = digest_row_at(digest, address);

	*count = 0;
	if (!row)
		return digest->row_count; /* before all units */
	if (row->function == DIGEST_UNREAD)
		return false;
	*count = fill(digest, row, frames, room);
	return true;
}
