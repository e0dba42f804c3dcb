// SPDX-License-Identifier: Apache-2.0
#include "record/ownproc.h"
#include "base/vec.h"
#include "perfdata/attrs.h"
#include "perfdata/sample.h"
#include "record/tuck.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOM   65536
#define SECRET 0x5ec2e75ec2e75ec2ULL

/* A ring as the kernel fills it. */
struct filled {
	struct perf_event_mmap_page page;
	uint64_t data[ROOM / 8];
	struct ring ring;
};

static const struct perf_writer_attr attrs[] = {
	{ .attr.base = { .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
					PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER |
					PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT |
					PERF_SAMPLE_REGS_INTR,
			 .sample_id_all = 1,
			 .sample_regs_user = 3,
			 .sample_regs_intr = 1,
			 .sample_stack_user = 32 } },
};

static void start(struct filled *filled)
{
	*filled = (struct filled){ 0 };
	filled->ring = (struct ring){ .page = &filled->page,
				      .data = (const unsigned char *)filled->data,
				      .size = ROOM };
}

static void put(struct filled *filled, const void *bytes, size_t size)
{
	memcpy((char *)filled->data + filled->page.data_head, bytes, size);
	filled->page.data_head += size;
}

static uint64_t header(uint32_t type, uint16_t misc, size_t words)
{
	return type | (uint64_t)misc << 32 | (uint64_t)(words * 8) << 48;
}

static void put_fork(struct filled *filled, uint32_t pid, uint32_t parent, uint64_t time)
{
	uint64_t words[] = { header(PERF_RECORD_FORK, 0, 6),
			     pid | (uint64_t)parent << 32,
			     pid | (uint64_t)parent << 32,
			     time,
			     pid,
			     time };

	put(filled, words, sizeof(words));
}

static void put_exec(struct filled *filled, uint32_t pid, const char *name, uint64_t time)
{
	uint64_t words[] = { header(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, 6),
			     pid | (uint64_t)pid << 32,
			     0,
			     0,
			     pid,
			     time };

	memcpy(&words[2], name, strlen(name));
	put(filled, words, sizeof(words));
}

static void put_map(struct filled *filled, uint32_t pid, const char *path, uint64_t time)
{
	uint64_t words[9 + 8 + 2] = { header(PERF_RECORD_MMAP2, 0, 19), pid | (uint64_t)pid << 32 };

	words[8] = PROT_READ | PROT_EXEC;
	memcpy(&words[9], path, strlen(path));
	words[17] = pid;
	words[18] = time;
	put(filled, words, sizeof(words));
}

static void put_sample(struct filled *filled, uint32_t pid, uint64_t time)
{
	uint64_t words[] = { header(PERF_RECORD_SAMPLE, 0, 18),
			     0x1234,
			     pid | (uint64_t)pid << 32,
			     time,
			     20 | SECRET << 32, /* raw: 20 bytes */
			     SECRET,
			     SECRET,
			     PERF_SAMPLE_REGS_ABI_64,
			     SECRET,
			     SECRET,
			     32,
			     SECRET,
			     SECRET,
			     SECRET,
			     SECRET,
			     32,
			     99, /* weight */
			     PERF_SAMPLE_REGS_ABI_64 };
	uint64_t last = SECRET;

	words[0] = header(PERF_RECORD_SAMPLE, 0, 19);
	put(filled, words, sizeof(words));
	put(filled, &last, sizeof(last));
}

/* A process as /proc shows it. */
static void make_process(const char *proc, int pid, const char *program, const char *name,
			 const char *words, size_t size)
{
	char path[300];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%d", proc, pid);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/%d/exe", proc, pid);
	if (program)
		EXPECT_INT(symlink(program, path), 0);
	snprintf(path, sizeof(path), "%s/%d/comm", proc, pid);
	file = fopen(path, "w");
	fprintf(file, "%s\n", name);
	fclose(file);
	snprintf(path, sizeof(path), "%s/%d/cmdline", proc, pid);
	file = fopen(path, "w");
	fwrite(words, 1, size, file);
	fclose(file);
}

#define WORDS(text) text, sizeof(text)

static void make_proc(char *proc)
{
	EXPECT(mkdtemp(proc));
	make_process(proc, 10, "/usr/bin/perfolio", "exe", WORDS("perfolio\0serve\0--role=web"));
	make_process(proc, 11, "/usr/bin/perfolio", "perfolio", WORDS("perfolio\0record"));
	make_process(proc, 12, "/bin/sh", "sh", WORDS("sh"));
	make_process(proc, 13, NULL, "kthreadd", "", 0);
	/* whose program may not be looked at */
	make_process(proc, 14, NULL, "perfolio", WORDS("x\0serve"));
	make_process(proc, 15, NULL, "exe", WORDS("perfolio\0serve"));
	make_process(proc, 16, "/tmp/perfolio (deleted)", "x", WORDS("perfolio\0serve"));
}

static void remove_proc(const char *proc)
{
	char command[300];

	snprintf(command, sizeof(command), "rm -rf %s", proc);
	EXPECT_INT(system(command), 0);
}

TEST(ownproc_by_proc)
{
	static const struct {
		int pid;
		bool any, asked;
	} cases[] = {
		{ 10, true, true },   { 11, true, false }, { 12, false, false },
		{ 13, false, false }, { 14, true, true },  { 15, true, true },
		{ 16, true, true },   { 99, true, true }, /* gone: nobody knows */
		{ 0, true, true },    { -1, true, true },
	};
	char proc[] = "/tmp/perfolio-ownproc-XXXXXX";

	make_proc(proc);
	for (int asked = 0; asked < 2; asked++) {
		struct ownproc_options options = { .proc = proc, .asked_for = asked };
		struct ownproc *own = ownproc_new(&options, attrs, 1);

		if (asked)
			ownproc_scan(own);
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
			EXPECT_BOOL(ownproc_was(own, cases[i].pid, 5),
				    asked ? cases[i].asked : cases[i].any);
		ownproc_free(own);
	}
	remove_proc(proc);
}

/* What a record of another ring says that is looked at later. */
TEST(ownproc_by_records)
{
	static const struct {
		int pid;
		uint64_t time;
		bool ours;
	} cases[] = {
		{ 20, 150, true },  /* child of the web side */
		{ 20, 199, true },  /* until it is another program */
		{ 20, 201, false }, /* which it is from then on */
		{ 21, 150, false }, /* child of a shell */
		{ 21, 301, true },  /* which becomes a server, by its file's name */
		{ 22, 350, true },  /* and has a child */
		{ 22, 401, false }, /* that becomes another program */
		{ 23, 50, true },   /* nobody knows what it was */
		{ 23, 250, false }, /* before it was sleep */
		{ 24, 250, false }, /* child of what was ours and isn't any more */
		{ 25, 120, true },  /* child of what was ours then */
	};
	char proc[] = "/tmp/perfolio-ownproc-XXXXXX";

	make_proc(proc);
	for (int turned = 0; turned < 2; turned++) {
		struct ownproc_options options = { .proc = proc };
		struct ownproc *own = ownproc_new(&options, attrs, 1);
		struct filled *rings = calloc(2, sizeof(*rings));
		struct filled *a = &rings[turned], *b = &rings[!turned];
		struct ring both[2];

		start(&rings[0]);
		start(&rings[1]);
		put_fork(a, 20, 10, 100);
		put_fork(a, 21, 12, 100);
		put_fork(a, 25, 20, 110);
		put_exec(b, 20, "sleep", 200);
		put_fork(a, 24, 20, 220);
		put_exec(b, 21, "exe", 299);
		put_map(b, 21, "/opt/bin/perfolio", 300);
		put_fork(a, 22, 21, 320);
		put_exec(b, 22, "sh", 400);
		put_exec(b, 23, "sleep", 200);
		both[0] = rings[0].ring;
		both[1] = rings[1].ring;
		ownproc_look(own, both, 2);
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
			test_case("pid %d at %d", cases[i].pid, (int)cases[i].time);
			EXPECT_BOOL(ownproc_was(own, cases[i].pid, cases[i].time), cases[i].ours);
		}
		ownproc_free(own);
		free(rings);
	}
	remove_proc(proc);
}

static bool holds_secret(const void *bytes, size_t size)
{
	uint32_t half = (uint32_t)SECRET;

	return memmem(bytes, size, &half, sizeof(half));
}

static void expect_blank(const struct perf_event_header *record)
{
	struct attr_table table = { 0 };
	const struct perf_attr *attr = attr_table_add(&table, &attrs[0].attr, NULL, 0);
	struct sample sample;

	EXPECT_INT(sample_parse(attr, record, &sample), 0);
	EXPECT_INT(sample.ip, 0x1234);
	EXPECT_INT(sample.weight, 99);
	EXPECT_INT(sample.raw_size, 20);
	EXPECT_INT(sample.user_regs.abi, 0);
	EXPECT(!sample.user_stack);
	attr_table_free(&table);
}

TEST(ownproc_samples_are_blanked)
{
	char proc[] = "/tmp/perfolio-ownproc-XXXXXX";
	struct ownproc_options options = { .proc = proc };
	struct filled *filled = calloc(1, sizeof(*filled));
	struct ownproc *own;
	struct tuck *tuck;
	struct ring_view view;
	struct iovec parts[2];
	size_t records = 0, secrets = 0;
	uint64_t at;

	make_proc(proc);
	start(filled);
	own = ownproc_new(&options, attrs, 1);
	tuck = tuck_new(attrs, 1, own);
	EXPECT(tuck_holds_memory(attrs, 1));
	put_sample(filled, 12, 10);
	put_sample(filled, 12, 11);
	put_sample(filled, 10, 12);
	put_sample(filled, 10, 13);
	put_exec(filled, 10, "sh", 14);
	put_sample(filled, 10, 15);
	ownproc_look(own, &filled->ring, 1);
	EXPECT(ring_view(&filled->ring, &view));
	at = view.start;
	while (tuck_next(tuck, &view, &at, parts)) {
		const unsigned char *from = parts[0].iov_base, *end = from + parts[0].iov_len;

		while (from < end) {
			const struct perf_event_header *record = (const void *)from;

			if (record->type == PERF_RECORD_SAMPLE &&
			    !holds_secret(record, record->size))
				expect_blank(record);
			else if (record->type == PERF_RECORD_SAMPLE)
				secrets++;
			records++;
			from += record->size;
		}
	}
	EXPECT_INT(records, 6);
	EXPECT_INT(secrets, 3);
	EXPECT_INT(tuck_blanked(tuck), 2);
	tuck_free(tuck);
	ownproc_free(own);
	free(filled);
	remove_proc(proc);
}
