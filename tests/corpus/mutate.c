// SPDX-License-Identifier: Apache-2.0
/*
 * Damages recordings and reads them, in this process so that a sanitizer sees everything: each file
 * cut at ROUNDS places, and with ROUNDS sets of random bytes changed.
 *
 *	mutate ROUNDS SEED FILE...
 *
 * Whatever the damage, reading ends, and nothing that is printed of it is looked at.
 */
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/outbuf.h"
#include "perfdata/sort.h"
#include "render/script_dump.h"
#include "render/script_header.h"
#include "render/script_text.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DUMPED 2000 /* records of a file whose bytes are printed; all are taken apart */

struct run {
	struct perf_reader *reader;
	struct outbuf out;
	struct script_text text;
	struct script_dump dump;
	uint64_t records;
};

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void print_sample(struct run *run, const struct sorted_record *rec)
{
	struct sample sample;

	if (!rec->attr || sample_parse(rec->attr, rec->rec.header, &sample))
		return;
	script_text_sample(&run->text, rec->attr, &sample,
			   machine_thread(run->text.machine, sample.pid, sample.tid));
}

static void take_record(struct run *run, const struct sorted_record *rec)
{
	const struct perf_event_header *header = rec->rec.header;
	size_t trailer = rec->attr ? rec->attr->trailer_size : 0;
	char extra[64];

	if (rec->rec.extra_size)
		perf_reader_extra(run->reader, &rec->rec, 0, extra, sizeof(extra));
	if (run->records++ < DUMPED)
		script_dump(&run->dump, rec);
	if (header->type == PERF_RECORD_SAMPLE)
		print_sample(run, rec);
	else if (header->size >= trailer + sizeof(*header))
		machine_take(run->text.machine, header, header->size - trailer);
}

/* All that `script` can do with a recording. */
static void read_all(const unsigned char *bytes, size_t size, int null)
{
	struct run run = { 0 };
	struct record_sort *sort;
	struct sorted_record rec;
	struct err err = { 0 };

	run.reader = perf_reader_open_mem(bytes, size, &err);
	if (!run.reader)
		return;
	outbuf_init(&run.out, null);
	run.text = (struct script_text){ .out = &run.out,
					 .reader = run.reader,
					 .machine = machine_new(),
					 .max_stack = SCRIPT_MAX_STACK };
	for (int kind = 0; kind < KIND_COUNT; kind++)
		run.text.fields.chosen[kind] = (1ull << SCRIPT_FIELD_COUNT) - 1;
	run.dump = (struct script_dump){ .out = &run.out,
					 .reader = run.reader,
					 .machine = run.text.machine,
					 .path = "damaged" };
	script_symbols_init(&run.text.symbols, run.text.machine);
	machine_take_build_ids(run.text.machine, run.reader);
	script_header(&run.out, run.reader, "damaged", true);
	sort = record_sort_new(run.reader, (size_t)1 << 20);
	while (record_sort_next(sort, &rec, &err) > 0)
		take_record(&run, &rec);
	record_sort_free(sort);
	script_text_free(&run.text);
	machine_free(run.text.machine);
	perf_reader_close(run.reader);
	outbuf_fini(&run.out);
}

/* A copy of exactly its size, so that a read past the end is seen. */
static void read_cut(const unsigned char *bytes, size_t size, int null)
{
	unsigned char *copy = mem_resize(NULL, size + !size, 1);

	memcpy(copy, bytes, size);
	read_all(copy, size, null);
	free(copy);
}

static void read_changed(const unsigned char *bytes, size_t size, uint64_t *state, int null)
{
	unsigned char *copy = mem_resize(NULL, size, 1);

	memcpy(copy, bytes, size);
	for (uint64_t i = next_random(state) % 8; i < 8; i++) {
		/* Headers and counts stand early: every other change hits the first bytes. */
		size_t at = next_random(state) % (i % 2 && size > 2048 ? 2048 : size);

		copy[at] = (unsigned char)next_random(state);
	}
	read_all(copy, size, null);
	free(copy);
}

static int mutate(const char *path, uint64_t rounds, uint64_t seed, int null)
{
	struct err err = { 0 };
	size_t size;
	unsigned char *bytes = (unsigned char *)file_read(path, &size, &err);
	uint64_t state = seed * 2 + 1;

	if (!bytes) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	for (uint64_t i = 0; i < rounds && size; i++) {
		read_cut(bytes, next_random(&state) % size, null);
		read_changed(bytes, size, &state, null);
	}
	free(bytes);
	return 0;
}

int main(int argc, char **argv)
{
	int null = open("/dev/null", O_WRONLY), status = argc < 4 || null < 0;

	for (int i = 3; i < argc && !status; i++)
		status = mutate(argv[i], strtoull(argv[1], NULL, 0), strtoull(argv[2], NULL, 0),
				null);
	close(null);
	return status;
}
