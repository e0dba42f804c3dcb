// SPDX-License-Identifier: Apache-2.0
#include "perfdata/tracing.h"
#include "base/mem.h"
#include "base/outbuf.h"
#include "base/vec.h"
#include "perfdata/reader.h"
#include "perfdata/tracing_check.h"
#include "perfdata/tracing_walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

/*
 * libtraceevent takes a record's offsets on trust, two of 16 bits each: any of them leads into this
 * much memory, which is zero wherever the record does not reach.
 */
#define RAW_ROOM ((size_t)256 * 1024)

struct tracing {
	struct tep_handle *tep;
	VEC(uint64_t) unprintable; /* ids of those of which only the fields are known */
	struct trace_seq text;
	char *raw;
	tracing_resolver *resolver;
	void *resolver_user;
};

static void add_format(const char *system, const char *format, size_t size, void *user)
{
	struct tracing *tracing = user;
	struct tracing_check check = tracing_check(format, size);
	char *copy, name[128];
	uint64_t id;

	if (!check.fields || !tracing_name(format, size, name, sizeof(name), &id))
		return;
	if (check.print) {
		copy = mem_strndup(format, size); /* the library wants its text ended */
	} else {
		copy = mem_printf("%.*sprint fmt: \"\"\n", (int)check.print_at, format);
		*vec_push(&tracing->unprintable) = id;
	}
	tep_parse_event(tracing->tep, copy, strlen(copy), *system ? system : "ftrace");
	free(copy);
}

/* "0xffffffff81c1d0e3 : "text"" a line. */
static void add_printk(struct tracing *tracing, const char *text, size_t size)
{
	char *copy = mem_strndup(text, size), *line, *next = NULL;

	for (line = strtok_r(copy, "\n", &next); line; line = strtok_r(NULL, "\n", &next)) {
		char *colon = strchr(line, ':');

		/* The library looks for a line's end before the quote, and for that before the
		 * text's start if it is too short. */
		if (colon && colon[1] == ' ' && colon[2] == '"' && strlen(colon + 2) >= 4)
			tep_register_print_string(tracing->tep, colon + 2,
						  strtoull(line, NULL, 16));
	}
	free(copy);
}

/*
 * The recorder told its own `long`; a 32-bit one on a 64-bit kernel is wrong about it, so the size
 * of the page header's `commit`, which is a long of the kernel's, is taken.  Read here and not by
 * the library, which does not survive a damaged text.
 */
static int long_size(const struct tracing_head *head)
{
	char *text = mem_strndup(head->header_page ? head->header_page : "",
				 head->header_page ? head->header_page_size : 0);
	const char *commit = strstr(text, " commit;"),
		   *size = commit ? strstr(commit, "size:") : NULL;
	int told = size ? atoi(size + strlen("size:")) : head->long_size;

	free(text);
	return told == 4 ? 4 : 8;
}

static void take_head(struct tracing *tracing, const struct tracing_head *head)
{
	tep_set_file_bigendian(tracing->tep, head->big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(tracing->tep, tep_is_bigendian());
	tep_set_page_size(tracing->tep, (int)head->page_size);
	tep_set_long_size(tracing->tep, long_size(head));
}

static void ignore_format(const char *system, const char *format, size_t size, void *user)
{
	(void)system;
	(void)format;
	(void)size;
	(void)user;
}

struct tracing *tracing_new(struct perf_reader *reader)
{
	struct tracing_head head;
	struct tracing *tracing;
	const void *bytes;
	size_t size;

	if (!perf_reader_feature(reader, FEATURE_TRACING_DATA, &bytes, &size))
		return NULL;
	tracing = mem_alloc(sizeof(*tracing));
	tep_set_loglevel(TEP_LOG_NONE);
	tracing->tep = tep_alloc();
	if (!tracing->tep)
		abort();
	tracing->raw = mem_alloc(RAW_ROOM);
	trace_seq_init(&tracing->text);
	/* Sizes and byte order are wanted before the first format. */
	tracing_walk(bytes, size, &head, ignore_format, NULL);
	take_head(tracing, &head);
	tracing_walk(bytes, size, &head, add_format, tracing);
	if (head.printk_size)
		add_printk(tracing, head.printk, head.printk_size);
	return tracing;
}

void tracing_free(struct tracing *tracing)
{
	if (!tracing)
		return;
	trace_seq_destroy(&tracing->text);
	tep_free(tracing->tep);
	vec_free(&tracing->unprintable);
	free(tracing->raw);
	free(tracing);
}

/* The fields of a probe's format begin with its address. */
static void add_probe(const char *system, const char *format, size_t size, void *user)
{
	struct tracing_ids *ids = user;
	char name[128];
	uint64_t id;

	(void)system;
	if (memmem(format, size, " __probe_", strlen(" __probe_")) &&
	    tracing_name(format, size, name, sizeof(name), &id))
		*vec_push(ids) = id;
}

void tracing_find_probes(struct perf_reader *reader, struct tracing_ids *ids)
{
	struct tracing_head head;
	const void *bytes;
	size_t size;

	if (perf_reader_feature(reader, FEATURE_TRACING_DATA, &bytes, &size))
		tracing_walk(bytes, size, &head, add_probe, ids);
}

static char *resolve(void *user, unsigned long long *address, char **module)
{
	struct tracing *tracing = user;
	uint64_t start = 0;
	const char *in = NULL;
	const char *name = tracing->resolver(tracing->resolver_user, *address, &start, &in);

	if (!name)
		return NULL;
	*address = start;
	*module = (char *)in; /* the library only reads them */
	return (char *)name;
}

void tracing_set_resolver(struct tracing *tracing, tracing_resolver *resolver, void *user)
{
	if (!tracing)
		return;
	tracing->resolver = resolver;
	tracing->resolver_user = user;
	tep_set_function_resolver(tracing->tep, resolve, tracing);
}

static bool is_unprintable(const struct tracing *tracing, uint64_t id)
{
	for (size_t i = 0; i < tracing->unprintable.len; i++)
		if (tracing->unprintable.data[i] == id)
			return true;
	return false;
}

static void print(struct tracing *tracing, uint64_t id, struct tep_record *record, const void *raw,
		  bool fields, struct outbuf *out)
{
	struct tep_event *event = tracing ? tep_find_event(tracing->tep, (int)id) : NULL;
	size_t size = (size_t)record->size;

	if (!event || size > RAW_ROOM / 4)
		return;
	memcpy(tracing->raw, raw, size);
	record->data = tracing->raw;
	trace_seq_reset(&tracing->text);
	if (fields) {
		tep_print_fields(&tracing->text, tracing->raw, (int)size, event);
	} else if (is_unprintable(tracing, id)) {
		trace_seq_puts(&tracing->text, "[FAILED TO PARSE]"); /* perf's words */
		tep_print_fields(&tracing->text, tracing->raw, (int)size, event);
	} else {
		tep_print_event(tracing->tep, &tracing->text, record, "%s", TEP_PRINT_INFO);
	}
	trace_seq_terminate(&tracing->text);
	out_bytes(out, tracing->text.buffer, tracing->text.len);
	memset(tracing->raw, 0, size);
}

void tracing_print(struct tracing *tracing, uint64_t id, uint32_t cpu, const void *raw, size_t size,
		   struct outbuf *out)
{
	struct tep_record record = { .cpu = (int)cpu, .size = (int)size };

	print(tracing, id, &record, raw, false, out);
}

void tracing_print_fields(struct tracing *tracing, uint64_t id, const void *raw, size_t size,
			  struct outbuf *out)
{
	struct tep_record record = { .size = (int)size };

	print(tracing, id, &record, raw, true, out);
}

bool tracing_event(const struct tracing *tracing, uint64_t id, char *into, size_t room)
{
	struct tep_event *event = tracing ? tep_find_event(tracing->tep, (int)id) : NULL;

	if (!event)
		return false;
	snprintf(into, room, "%s:%s", event->system, event->name);
	return true;
}

void tracing_fields(const struct tracing *tracing, uint64_t id, struct outbuf *out)
{
	struct tep_event *event = tracing ? tep_find_event(tracing->tep, (int)id) : NULL;
	const struct tep_format_field *field = event ? event->format.fields : NULL;

	for (; field; field = field->next)
		out_printf(out, "%s%s", field->name, field->next ? "," : "");
}

static bool is_number(const struct tep_format_field *field)
{
	const unsigned long others = TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC |
				     TEP_FIELD_IS_STRING | TEP_FIELD_IS_RELATIVE;

	return !(field->flags & others) &&
	       (field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8);
}

bool tracing_field(const struct tracing *tracing, uint64_t id, const char *name,
		   struct tracing_field *into)
{
	struct tep_event *event = tracing ? tep_find_event(tracing->tep, (int)id) : NULL;
	struct tep_format_field *field = event ? tep_find_any_field(event, name) : NULL;
	bool is_text, is_far;

	if (!field || field->offset < 0 || field->size <= 0)
		return false;
	is_text = field->flags & TEP_FIELD_IS_STRING;
	is_far = field->flags & TEP_FIELD_IS_DYNAMIC;
	if (is_text ? is_far && field->size != 4 : !is_number(field))
		return false;
	*into = (struct tracing_field){
		.at = (uint32_t)field->offset,
		.size = (uint32_t)field->size,
		.is_signed = field->flags & TEP_FIELD_IS_SIGNED,
		.is_text = is_text,
		.is_far = is_far,
		.relative = field->flags & TEP_FIELD_IS_RELATIVE,
		.swapped = tep_is_file_bigendian(tracing->tep) != tep_is_bigendian(),
	};
	return true;
}

/* An integer of `size` bytes in this machine's order, its sign kept. */
static int64_t widen(uint64_t value, unsigned size, bool is_signed)
{
	unsigned unused = 64 - size * 8;

	value <<= unused;
	return is_signed ? (int64_t)value >> unused : (int64_t)(value >> unused);
}

/* Whether the field lies inside the data; its bytes as a number then. */
static bool take_bytes(const struct tracing_field *field, const void *raw, size_t size,
		       uint64_t *bytes)
{
	const unsigned char *at = (const unsigned char *)raw + field->at;
	bool big = field->swapped != tep_is_bigendian();

	if (field->size > size || field->at > size - field->size)
		return false;
	*bytes = 0;
	for (unsigned i = 0; i < field->size && i < sizeof(*bytes); i++)
		*bytes |= (uint64_t)at[i] << 8 * (big ? field->size - 1 - i : i);
	return true;
}

bool tracing_number(const struct tracing_field *field, const void *raw, size_t size, int64_t *value)
{
	uint64_t bytes;

	if (field->is_text || !take_bytes(field, raw, size, &bytes))
		return false;
	*value = widen(bytes, field->size, field->is_signed);
	return true;
}

void tracing_text(const struct tracing_field *field, const void *raw, size_t size, char *into,
		  size_t room)
{
	size_t at = field->at, length = field->size;
	uint64_t far = 0;

	if (field->is_far) {
		if (!take_bytes(field, raw, size, &far))
			far = 0;
		at = (far & 0xffff) + (field->relative ? field->at + field->size : 0);
		length = far >> 16 & 0xffff;
	}
	if (!field->is_text || at > size || length > size - at)
		length = 0;
	length = length ? strnlen((const char *)raw + at, length) : 0;
	if (length >= room)
		length = room - 1;
	if (length)
		memcpy(into, (const char *)raw + at, length);
	into[length] = 0;
}
