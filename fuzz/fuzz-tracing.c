// SPDX-License-Identifier: Apache-2.0
/*
 * The formats of tracepoints: the wrapping that a recording keeps them in, and whether each may be
 * given to libtraceevent, which then gets it: what passes the check must not hurt it.
 */
#include "base/outbuf.h"
#include "fuzz.h"
#include "perfdata/reader.h"
#include "perfdata/tracing.h"
#include "perfdata/tracing_check.h"
#include "perfdata/tracing_walk.h"

#include <fcntl.h>
#include <unistd.h>

static void note(const char *system, const char *format, size_t size, void *user)
{
	struct tracing_check check = tracing_check(format, size);
	char name[64];
	uint64_t id;

	(void)user;
	FUZZ_HOLDS(system);
	FUZZ_HOLDS(!check.print || check.fields);
	FUZZ_HOLDS(!check.fields || check.print_at <= size);
	tracing_name(format, size, name, sizeof(name), &id);
}

/* A format alone in the wrapping of a pipe's TRACING_DATA. */
static struct perf_reader *wrap(const uint8_t *format, size_t size, unsigned char *into)
{
	static const char head[] = "PERFILE2\x10\0\0\0\0\0\0\0" /* the pipe's header */
				   "\x42\0\0\0\0\0\x0c\0";	/* TRACING_DATA */
	static const char wrapping[] = "\x17\x08\x44tracing0.6\0\0\x08\0\x10\0\0header_page\0"
				       "\0\0\0\0\0\0\0\0header_event\0\0\0\0\0\0\0\0\0"
				       "\0\0\0\0\1\0\0\0sys\0\1\0\0\0";
	uint32_t all = (uint32_t)(sizeof(wrapping) - 1 + 8 + size + 8);
	uint64_t length = size;
	struct err err = { 0 };
	unsigned char *at = into;

	memcpy(at, head, sizeof(head) - 1);
	at += sizeof(head) - 1;
	memcpy(at, &all, 4);
	memcpy(at + 4, wrapping, sizeof(wrapping) - 1);
	at += 4 + sizeof(wrapping) - 1;
	memcpy(at, &length, 8);
	memcpy(at + 8, format, size);
	memset(at + 8 + size, 0, 16);
	return perf_reader_open_mem(into, (size_t)(at - into) + 8 + size + 16, &err);
}

/* Fields by name, of data that end anywhere. */
static void take_fields(const struct tracing *tracing, uint64_t id, const uint8_t *raw, size_t size)
{
	static const char *const names[] = { "x", "id", "ret", "pid", "comm", "common_pid" };
	struct tracing_field field;
	char text[16];
	int64_t number;

	if (!tracing_event(tracing, id, text, sizeof(text)))
		return;
	FUZZ_HOLDS(strlen(text) < sizeof(text));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!tracing_field(tracing, id, names[i], &field))
			continue;
		for (size_t part = 0; part <= size; part += 7) {
			FUZZ_HOLDS(!tracing_number(&field, raw, part, &number) ||
				   field.at + field.size <= part);
			tracing_text(&field, raw, part, text, sizeof(text));
			FUZZ_HOLDS(strlen(text) < sizeof(text));
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static unsigned char room[70000];
	struct tracing_head head;
	struct perf_reader *reader;
	struct tracing *tracing;
	struct record rec;
	struct err err = { 0 };
	struct outbuf out;
	int null;

	tracing_walk(data, size, &head, note, NULL);
	if (size > 65000)
		return 0;
	reader = wrap(data, size, room);
	FUZZ_HOLDS(reader && perf_reader_next(reader, &rec, &err) == 1);
	tracing = tracing_new(reader);
	FUZZ_HOLDS(tracing);
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	outbuf_init(&out, null);
	for (uint64_t id = 0; id < 3000; id++) {
		tracing_print(tracing, id, 0, data, size < 300 ? size : 300, &out);
		take_fields(tracing, id, data, size < 70 ? size : 70);
	}
	outbuf_fini(&out);
	close(null);
	tracing_free(tracing);
	perf_reader_close(reader);
	return 0;
}
