// SPDX-License-Identifier: Apache-2.0
/* A whole recording: read, sorted, taken apart, and every record printed. */
#include "base/outbuf.h"
#include "fuzz.h"
#include "perfdata/sort.h"
#include "render/script_dump.h"
#include "render/script_text.h"

#include <fcntl.h>

#define RECORDS 1000

static void take_record(struct script_text *text, struct script_dump *dump,
			const struct sorted_record *rec)
{
	const struct perf_event_header *header = rec->rec.header;
	size_t trailer = rec->attr ? rec->attr->trailer_size : 0;
	struct sample sample;

	FUZZ_HOLDS(header->size >= sizeof(*header));
	FUZZ_HOLDS(!((uintptr_t)header & 7));
	script_dump(dump, rec);
	if (header->type != PERF_RECORD_SAMPLE) {
		if (header->size >= trailer + sizeof(*header))
			machine_take(text->machine, header, header->size - trailer);
	} else if (rec->attr && !sample_parse(rec->attr, header, &sample)) {
		script_text_sample(text, rec->attr, &sample,
				   machine_sample_thread(text->machine, &sample));
	}
}

static void read_all(struct perf_reader *reader, bool odd, struct outbuf *out)
{
	/* Guests are taken, one way or the other. */
	struct guest_sources guests = { .modules = "/dev/null", .code = odd };
	struct record_sort *sort = record_sort_new(reader, (size_t)1 << 20);
	struct script_text text = { .out = out,
				    .reader = reader,
				    .machine = machine_new(),
				    .max_stack = SCRIPT_MAX_STACK };
	struct script_dump dump = { out, reader, text.machine, "fuzzed", NULL };
	struct sorted_record rec;
	struct err err = { 0 };

	/* All fields but `trace`, which is libtraceevent's. */
	for (int kind = 0; kind < KIND_COUNT; kind++)
		text.fields.chosen[kind] = ((1ull << SCRIPT_FIELD_COUNT) - 1) &
					   ~(1ull << SCRIPT_TRACE);
	script_symbols_init(&text.symbols, text.machine);
	machine_use_guests(text.machine, &guests);
	machine_take_build_ids(text.machine, reader);
	/* A few bytes of zstd can hold any number of records. */
	for (int count = 0; count < RECORDS && record_sort_next(sort, &rec, &err) > 0; count++)
		take_record(&text, &dump, &rec);
	record_sort_free(sort);
	script_text_free(&text);
	machine_free(text.machine);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int null = -1;
	struct perf_reader *reader;
	struct err err = { 0 };
	struct outbuf out;

	if (null < 0)
		null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	reader = perf_reader_open_mem(data, size, &err);
	FUZZ_HOLDS(reader || err.code);
	if (!reader)
		return 0;
	outbuf_init(&out, null);
	read_all(reader, size & 1, &out);
	outbuf_fini(&out);
	perf_reader_close(reader);
	return 0;
}
