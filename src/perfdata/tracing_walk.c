// SPDX-License-Identifier: Apache-2.0
#include "perfdata/tracing_walk.h"
#include "base/cursor.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static uint32_t take_u32(struct cursor *c, const struct tracing_head *head)
{
	uint32_t value = cursor_u32(c);

	return head->big_endian ? be32toh(value) : le32toh(value);
}

static uint64_t take_u64(struct cursor *c, const struct tracing_head *head)
{
	uint64_t value = cursor_u64(c);

	return head->big_endian ? be64toh(value) : le64toh(value);
}

static const char *take_text(struct cursor *c)
{
	size_t left = cursor_left(c);
	const char *text = (const char *)c->at, *end = left ? memchr(text, 0, left) : NULL;

	if (!end) {
		c->broken = true;
		return "";
	}
	return cursor_bytes(c, (size_t)(end - text) + 1);
}

static const char *take_sized(struct cursor *c, uint64_t size)
{
	if (size > cursor_left(c)) {
		c->broken = true;
		return NULL;
	}
	return cursor_bytes(c, (size_t)size);
}

static void expect(struct cursor *c, const void *bytes, size_t size)
{
	const void *got = cursor_bytes(c, size);

	if (!got || memcmp(got, bytes, size))
		c->broken = true;
}

static void take_head(struct cursor *c, struct tracing_head *head)
{
	const uint8_t *flags;

	expect(c, "\x17\x08\x44tracing", 10);
	take_text(c); /* version */
	flags = cursor_bytes(c, 2);
	if (!flags)
		return;
	head->big_endian = flags[0];
	head->long_size = flags[1];
	head->page_size = take_u32(c, head);
	expect(c, "header_page", 12);
	head->header_page_size = (size_t)take_u64(c, head);
	head->header_page = take_sized(c, head->header_page_size);
	expect(c, "header_event", 13);
	take_sized(c, take_u64(c, head));
}

static void take_formats(struct cursor *c, const struct tracing_head *head, const char *system,
			 tracing_format *format, void *user)
{
	for (uint32_t count = take_u32(c, head); count && !c->broken; count--) {
		uint64_t size = take_u64(c, head);
		const char *text = take_sized(c, size);

		if (text && !c->broken)
			format(system, text, (size_t)size, user);
	}
}

int tracing_walk(const void *bytes, size_t size, struct tracing_head *head, tracing_format *format,
		 void *user)
{
	struct cursor c = cursor_of(bytes, size);

	*head = (struct tracing_head){ 0 };
	take_head(&c, head);
	if (c.broken)
		return -EBADMSG;
	take_formats(&c, head, "", format, user);
	for (uint32_t systems = take_u32(&c, head); systems && !c.broken; systems--) {
		const char *system = take_text(&c);

		take_formats(&c, head, system, format, user);
	}
	take_sized(&c, take_u32(&c, head)); /* kallsyms of old recordings */
	head->printk_size = take_u32(&c, head);
	head->printk = take_sized(&c, head->printk_size);
	if (!head->printk)
		head->printk_size = 0;
	return c.broken ? -EBADMSG : 0;
}

/* What follows `key` at the start of a line. */
static const char *find_line(const char *text, size_t size, const char *key, size_t *length)
{
	size_t key_length = strlen(key);
	const char *end = text + size;

	while (text < end) {
		const char *line_end = memchr(text, '\n', (size_t)(end - text));

		if (!line_end)
			line_end = end;
		if ((size_t)(line_end - text) > key_length && !memcmp(text, key, key_length)) {
			*length = (size_t)(line_end - text) - key_length;
			return text + key_length;
		}
		text = line_end + 1;
	}
	return NULL;
}

bool tracing_name(const char *format, size_t size, char *name, size_t room, uint64_t *id)
{
	size_t length;
	const char *value = find_line(format, size, "name: ", &length);

	if (!value)
		return false;
	snprintf(name, room, "%.*s", (int)(length < room ? length : room - 1), value);
	value = find_line(format, size, "ID: ", &length);
	if (!value)
		return false;
	for (*id = 0; length && *value >= '0' && *value <= '9'; value++, length--)
		*id = *id * 10 + (uint64_t)(*value - '0');
	return true;
}
