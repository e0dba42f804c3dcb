// SPDX-License-Identifier: Apache-2.0
#include "unwind/cfi.h"

/* Thirty bytes in truth.  It is read for each of its entries, so a long one could cost hours. */
#define COMMON_MAX 1024

/* The head of an entry: how long it is and what it belongs to. */
struct head {
	struct cursor body;
	size_t next;
	uint64_t id;  /* 0 or all ones: a CIE */
	size_t id_at; /* where the id stands, from which .eh_frame counts back */
	bool is_common, is_end;
};

static size_t place(const struct cfi_section *section, const struct cursor *c)
{
	return (size_t)(c->at - section->bases.bytes);
}

static bool read_head(const struct cfi_section *section, size_t offset, struct head *head)
{
	struct cursor c = cursor_of(section->bases.bytes, section->size);
	uint64_t length;
	bool wide = false;

	*head = (struct head){ .next = section->size };
	if (!cursor_bytes(&c, offset) || !cursor_left(&c)) {
		head->is_end = true;
		return true;
	}
	length = cursor_u32(&c);
	if (length == UINT32_MAX) {
		wide = true;
		length = cursor_u64(&c);
	}
	if (!length && !section->debug && !c.broken) {
		head->is_end = true; /* a linker's mark, put by crtend.o */
		return true;
	}
	if (c.broken || length > cursor_left(&c))
		return false;
	head->body = cursor_of(c.at, (size_t)length);
	head->next = place(section, &c) + (size_t)length;
	head->id_at = place(section, &c);
	/* .eh_frame has 32 bits here whatever the length has; .debug_frame follows the length. */
	if (wide && section->debug) {
		head->id = cursor_u64(&head->body);
		head->is_common = head->id == UINT64_MAX;
	} else {
		head->id = cursor_u32(&head->body);
		head->is_common = head->id == (section->debug ? UINT32_MAX : 0);
	}
	return !head->body.broken;
}

/* The letters behind the 'z', each with data of its own. */
static void read_augmentation(const struct cfi_section *section, struct cursor *c,
			      const char *letters, struct cfi_common *common)
{
	uint64_t size = cfi_uleb(c);
	struct cursor data;

	if (size > cursor_left(c)) {
		c->broken = true;
		return;
	}
	data = cursor_of(c->at, (size_t)size);
	cursor_bytes(c, (size_t)size);
	common->has_data = true;
	for (; *letters; letters++) {
		switch (*letters) {
		case 'R': common->encoding = cfi_u8(&data); break;
		case 'P': cfi_skip_pointer(&data, cfi_u8(&data), &section->bases); break;
		case 'L': cfi_u8(&data); break;
		case 'S': common->signal = true; break;
		case 'B':	 /* aarch64: the second key signs return addresses */
		case 'G': break; /* and memory tags */
		default: return; /* unknown, and so is what follows; the 'z' lets us go on */
		}
	}
	c->broken |= data.broken;
}

static bool read_common(const struct cfi_section *section, size_t offset, struct cfi_common *common)
{
	struct head head;
	struct cursor c;
	const char *letters;
	uint8_t version;
	size_t left;

	if (!read_head(section, offset, &head) || head.is_end || !head.is_common)
		return false;
	c = head.body;
	if (cursor_left(&c) > COMMON_MAX)
		return false;
	version = cfi_u8(&c);
	if (version != 1 && version != 3 && version != 4)
		return false;
	letters = (const char *)c.at;
	left = cursor_left(&c);
	if (!cursor_bytes(&c, strnlen(letters, left) + 1))
		return false;
	*common = (struct cfi_common){ 0 };
	if (!strncmp(letters, "eh", 2)) { /* gcc 2 */
		cfi_word(&c, section->bases.wide);
		letters += 2;
	}
	if (version == 4) {
		uint8_t address_size = cfi_u8(&c), segment_size = cfi_u8(&c);

		if (address_size != (section->bases.wide ? 8 : 4) || segment_size)
			return false;
	}
	common->code_align = cfi_uleb(&c);
	common->data_align = cfi_sleb(&c);
	common->return_column = version == 1 ? cfi_u8(&c) : (uint32_t)cfi_uleb(&c);
	if (*letters == 'z')
		read_augmentation(section, &c, letters + 1, common);
	else if (*letters)
		return false;
	common->program = c;
	return !c.broken;
}

static bool read_entry(const struct cfi_section *section, const struct head *head,
		       struct cfi_entry *entry)
{
	struct cursor c = head->body;
	uint64_t back = section->debug ? head->id : head->id_at - head->id;
	uint64_t extent, data;

	if (back >= section->size || !read_common(section, (size_t)back, &entry->common))
		return false;
	entry->start = cfi_pointer(&c, entry->common.encoding, &section->bases);
	extent = cfi_extent(&c, entry->common.encoding, &section->bases);
	if (entry->common.has_data) {
		data = cfi_uleb(&c);
		if (data > cursor_left(&c))
			return false;
		cursor_bytes(&c, (size_t)data);
	}
	entry->end = entry->start + extent;
	entry->program = c;
	/* Of functions that the linker took out, the entry may stay, at 0 or without length. */
	return !c.broken && entry->end > entry->start;
}

enum cfi_kind cfi_read(const struct cfi_section *section, size_t offset, struct cfi_entry *entry,
		       size_t *next)
{
	struct head head;
	bool sound = read_head(section, offset, &head);

	*next = head.next;
	if (!sound)
		return CFI_DAMAGED;
	if (head.is_end)
		return CFI_END;
	if (head.is_common)
		return CFI_COMMON;
	*entry = (struct cfi_entry){ .offset = offset };
	return read_entry(section, &head, entry) ? CFI_ENTRY : CFI_DAMAGED;
}

#define HEADER_VERSION 1

bool cfi_header_read(struct cfi_header *header, const struct cfi_bases *bases, size_t size)
{
	struct cursor c = cursor_of(bases->bytes, size);
	uint8_t frames, count, table;
	uint64_t entries;

	*header = (struct cfi_header){ .address = bases->address };
	if (cfi_u8(&c) != HEADER_VERSION)
		return false;
	frames = cfi_u8(&c);
	count = cfi_u8(&c);
	table = cfi_u8(&c);
	if (frames == CFI_OMITTED)
		return false;
	header->frames = cfi_pointer(&c, frames, bases);
	if (c.broken)
		return false;
	if (count == CFI_OMITTED || table != (CFI_FROM_DATA | CFI_S32))
		return true;
	entries = cfi_pointer(&c, count, bases);
	if (c.broken || entries > cursor_left(&c) / 8)
		return true;
	header->count = (size_t)entries;
	header->table = c.at;
	return true;
}

static uint64_t table_value(const struct cfi_header *header, size_t row, size_t column)
{
	int32_t value;

	memcpy(&value, header->table + row * 8 + column * 4, sizeof(value));
	return header->address + (uint64_t)(int64_t)value;
}

bool cfi_header_find(const struct cfi_header *header, uint64_t pc, uint64_t *entry)
{
	size_t low = 0, high = header->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table_value(header, middle, 0) <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	*entry = table_value(header, low - 1, 1);
	return true;
}
