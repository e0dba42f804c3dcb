// SPDX-License-Identifier: Apache-2.0
#include "profile/build.h"
#include "base/buf.h"
#include "perfdata/counts.h"
#include "perfdata/maker.h"
#include "perfdata/reader.h"
#include "profile/breakdown.h"
#include "test.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define TYPE                                                                     \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)

static uint64_t now;

/* The id fields at the end of all records but samples. */
static void end_other(struct maker *m)
{
	make_u32(m, 7);
	make_u32(m, 7);
	make_u64(m, ++now);
	make_u64(m, 0); /* CPU */
	make_record_end(m);
}

static void start(struct maker *m)
{
	struct made_attr attr = { .type = PERF_TYPE_SOFTWARE, .sample_type = TYPE };

	now = 100;
	make_start(m, &attr, 1);
}

static void comm(struct maker *m, const char *name)
{
	make_record(m, PERF_RECORD_COMM, 0);
	make_u32(m, 7);
	make_u32(m, 7);
	make_name(m, name);
	end_other(m);
}

static void map(struct maker *m, uint64_t address, const char *name)
{
	make_record(m, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
	make_u32(m, 7);
	make_u32(m, 7);
	make_u64(m, address);
	make_u64(m, 0x1000);
	make_u64(m, 0);
	make_name(m, name);
	end_other(m);
}

/* Kernel code that brings its name along: needs no file. */
static void kernel_function(struct maker *m, uint64_t address, const char *name)
{
	make_record(m, PERF_RECORD_KSYMBOL, 0);
	make_u64(m, address);
	make_u32(m, 0x100);
	make_u32(m, PERF_RECORD_KSYMBOL_TYPE_BPF);
	make_name(m, name);
	end_other(m);
}

static void sample(struct maker *m, uint16_t mode, uint64_t ip, const uint64_t *chain, size_t count)
{
	make_record(m, PERF_RECORD_SAMPLE, mode);
	make_u64(m, ip);
	make_u32(m, 7);
	make_u32(m, 7);
	make_u64(m, ++now);
	make_u64(m, 1);	 /* CPU */
	make_u64(m, 10); /* period */
	make_u64(m, count);
	for (size_t i = 0; i < count; i++)
		make_u64(m, chain[i]);
	make_record_end(m);
}

#define SAMPLE(m, mode, ip, ...)                               \
	sample(m, mode, ip, (const uint64_t[]){ __VA_ARGS__ }, \
	       sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static struct profile *build(struct maker *m)
{
	struct symbol_store *store = symbol_store_new(&(struct symbol_options){ .cache_dir = "" });
	struct err err = { 0 };
	struct perf_reader *reader;
	struct profile *profile;

	make_finish(m);
	reader = perf_reader_open_mem(m->out.data, m->out.len, &err);
	EXPECT(reader);
	profile = profile_read(reader, store, &err);
	EXPECT(profile);
	perf_reader_close(reader);
	symbol_store_free(store);
	make_free(m);
	return profile;
}

/* "outer;inner" of a row, objects left out. */
static void expect_stack(const struct profile *p, size_t row, const char *wanted)
{
	uint32_t stack = p->samples.stack[row], frames[32];
	struct buf text = { 0 };
	size_t count = 0;

	for (; stack != STACK_ROOT && count < 32; stack = p->stacks.parent[stack])
		frames[count++] = p->stacks.function[stack];
	while (count--)
		buf_printf(&text, "%s%s", text.len ? ";" : "",
			   profile_function_name(p, frames[count]));
	EXPECT_TEXT(buf_text(&text), wanted);
	buf_free(&text);
}

TEST(build_follows_chains_through_kernel_and_user)
{
	struct maker m = { 0 };
	struct profile *p;

	start(&m);
	kernel_function(&m, 0xffffffffc0001000, "inner");
	kernel_function(&m, 0xffffffffc0002000, "outer");
	map(&m, 0x400000, "/nonexistent/prog");
	SAMPLE(&m, PERF_RECORD_MISC_KERNEL, 0xffffffffc0001010, PERF_CONTEXT_KERNEL,
	       0xffffffffc0001010, 0xffffffffc0002020, PERF_CONTEXT_USER, 0x400010);
	/* The chain lacks the kernel's part: the sampled address still is the leaf. */
	SAMPLE(&m, PERF_RECORD_MISC_KERNEL, 0xffffffffc0001010, PERF_CONTEXT_USER, 0x400010);
	p = build(&m);
	EXPECT_INT(p->samples.len, 2);
	expect_stack(p, 0, "[unknown];outer;inner");
	expect_stack(p, 1, "[unknown];inner");
	EXPECT_INT(p->samples.weight[0], 10);
	EXPECT_INT(p->samples.cpu[0], 1);
	EXPECT_INT(p->events.data[0].weight, 20);
	EXPECT_INT(p->leaves.data[p->samples.leaf[0]].offset, 0xffffffffc0001010);
	profile_free(p);
}

TEST(build_makes_one_frame_of_addresses_that_lead_nowhere)
{
	struct maker m = { 0 };
	struct profile *p;

	start(&m);
	kernel_function(&m, 0xffffffffc0001000, "inner");
	SAMPLE(&m, PERF_RECORD_MISC_KERNEL, 0xffffffffc0001010, PERF_CONTEXT_KERNEL,
	       0xffffffffc0001010, PERF_CONTEXT_USER, 0x1111, 0x2222, 0x3333);
	SAMPLE(&m, PERF_RECORD_MISC_USER, 0x1234, PERF_CONTEXT_USER, 0x1234);
	p = build(&m);
	expect_stack(p, 0, "[unknown];inner");
	expect_stack(p, 1, "[unknown]");
	EXPECT_INT(p->quality.cut_stacks, 2);
	EXPECT_INT(p->quality.unknown_leaves, 1);
	EXPECT(p->stacks.flags[p->samples.stack[0]] & STACK_CUT);
	profile_free(p);
}

TEST(build_keeps_names_and_mappings_apart_by_time)
{
	struct maker m = { 0 };
	struct profile *p;
	uint32_t before, after;

	start(&m);
	comm(&m, "first");
	SAMPLE(&m, PERF_RECORD_MISC_USER, 0x400010, PERF_CONTEXT_USER, 0x400010);
	comm(&m, "second");
	map(&m, 0x400000, "/nonexistent/plugin.so");
	/* The same chain of the same process, which is somewhere now. */
	SAMPLE(&m, PERF_RECORD_MISC_USER, 0x400010, PERF_CONTEXT_USER, 0x400010);
	p = build(&m);
	EXPECT_INT(p->threads.len, 2);
	EXPECT_TEXT(profile_text(p, p->threads.data[p->samples.thread[0]].comm), "first");
	EXPECT_TEXT(profile_text(p, p->threads.data[p->samples.thread[1]].comm), "second");
	before = p->functions.data[p->stacks.function[p->samples.stack[0]]].object;
	after = p->functions.data[p->stacks.function[p->samples.stack[1]]].object;
	EXPECT_TEXT(profile_text(p, p->objects.data[before].path), UNKNOWN_NAME);
	EXPECT_TEXT(profile_text(p, p->objects.data[after].path), "/nonexistent/plugin.so");
	EXPECT_INT(p->objects.data[after].state, DSO_MISSING);
	profile_free(p);
}

TEST(build_counts_what_did_not_come_through)
{
	struct maker m = { 0 };
	struct profile *p;

	start(&m);
	make_record(&m, PERF_RECORD_LOST, 0);
	make_u64(&m, 1);
	make_u64(&m, 25);
	end_other(&m);
	make_record(&m, PERF_RECORD_LOST_SAMPLES, 0);
	make_u64(&m, 3);
	end_other(&m);
	make_record(&m, PERF_RECORD_THROTTLE, 0);
	make_u64(&m, 0);
	make_u64(&m, 0);
	make_u64(&m, 0);
	end_other(&m);
	make_record(&m, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER); /* cut off */
	make_u64(&m, 1);
	make_record_end(&m);
	SAMPLE(&m, PERF_RECORD_MISC_GUEST_USER, 1, PERF_CONTEXT_GUEST_USER, 1);
	SAMPLE(&m, PERF_RECORD_MISC_USER, 1, PERF_CONTEXT_USER, 1);
	p = build(&m);
	EXPECT_INT(p->samples.len, 1);
	EXPECT_INT(p->quality.lost, 28); /* this kernel does not count them by event */
	EXPECT_INT(p->quality.lost_records, 25);
	EXPECT_INT(p->quality.lost_samples, 3);
	EXPECT_INT(p->quality.throttled, 1);
	EXPECT_INT(p->quality.damaged, 1);
	EXPECT_INT(p->events.data[0].guest_samples, 1);
	profile_free(p);
}

/* Records of huge sizes in the middle hide those behind them: these were not read. */
TEST(build_counts_bytes_of_records_it_does_not_understand)
{
	static const char bytes[4000];
	static const struct {
		const char *what;
		size_t unknown, bad, behind; /* bytes in front of the damage, and from there on */
	} cases[] = {
		{ "nothing before", 0, 0, 800 },
		{ "a type that nobody knows", 4000, 0, 800 },
		{ "samples that are cut off", 0, 8, 800 },
		{ "both", 4000, 8, 8 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t missing = cases[i].behind, header = sizeof(struct perf_event_header);
		struct maker m = { 0 };
		struct profile *p;

		test_case("%s", cases[i].what);
		start(&m);
		SAMPLE(&m, PERF_RECORD_MISC_USER, 1, PERF_CONTEXT_USER, 1);
		if (cases[i].unknown) {
			make_record(&m, 0xdead, 0);
			make_bytes(&m, bytes, cases[i].unknown);
			make_record_end(&m);
			missing += header + cases[i].unknown;
		}
		if (cases[i].bad) {
			make_record(&m, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
			make_bytes(&m, bytes, cases[i].bad);
			make_record_end(&m);
			missing += header + cases[i].bad;
		}
		make_bytes(&m, bytes, cases[i].behind); /* a record's size can't be 0 */
		p = build(&m);
		EXPECT_INT(p->samples.len, 1);
		EXPECT_INT(p->quality.bytes_missing, missing);
		EXPECT_INT(p->quality.bytes_all, missing + 72); /* the sample that is good */
		profile_free(p);
	}
}

static bool leaf_is_kernel(const struct profile *p, size_t row)
{
	uint32_t function = p->stacks.function[p->samples.stack[row]];

	return profile_object_is_kernel(&p->objects.data[p->functions.data[function].object]);
}

#define KERNEL 0xffffffff81000000

/*
 * Whether a sample is the kernel's is what its mode says, and of callers the marks in the chain,
 * where no mapping tells: the recorder may not see the kernel's.
 */
TEST(build_tells_the_kernel_without_its_mapping)
{
	struct breakdown rows;
	struct err err = { 0 };
	struct maker m = { 0 };
	struct profile *p;

	start(&m);
	SAMPLE(&m, PERF_RECORD_MISC_KERNEL, KERNEL + 1, PERF_CONTEXT_KERNEL, KERNEL + 1, KERNEL + 2,
	       PERF_CONTEXT_USER, 0x1000);
	SAMPLE(&m, PERF_RECORD_MISC_KERNEL, KERNEL + 1, PERF_CONTEXT_KERNEL, KERNEL + 1);
	SAMPLE(&m, PERF_RECORD_MISC_KERNEL, KERNEL + 1, PERF_CONTEXT_USER, 0x1000);
	SAMPLE(&m, PERF_RECORD_MISC_USER, 0x1000, PERF_CONTEXT_USER, 0x1000);
	p = build(&m);
	EXPECT_INT(p->samples.len, 4);
	expect_stack(p, 0, "[unknown];[unknown]"); /* the program's, the kernel's */
	expect_stack(p, 1, "[unknown]");
	expect_stack(p, 2, "[unknown];[unknown]");
	EXPECT_INT(p->samples.stack[0], p->samples.stack[2]);
	for (size_t i = 0; i < 4; i++)
		EXPECT_INT(leaf_is_kernel(p, i), i < 3);
	EXPECT_INT(breakdown_make(&rows, p, &(struct breakdown_options){ .keys = 1 << BY_OBJECT },
				  &err),
		   0);
	EXPECT_INT(rows.rows.len, 1); /* objects alone: all of them are unknown */
	EXPECT_INT(rows.rows.data[0].kernel, 30);
	EXPECT_INT(rows.rows.data[0].user, 10);
	breakdown_free(&rows);
	profile_free(p);
}

static void fork_at(struct maker *m, uint16_t misc, uint32_t pid, uint32_t parent, uint64_t time)
{
	make_record(m, PERF_RECORD_FORK, misc);
	make_u32(m, pid);
	make_u32(m, parent);
	make_u32(m, pid + 1);
	make_u32(m, parent);
	make_u64(m, time);
	end_other(m);
}

/* Recorders make records up for those that were there: perf's have a mark, ours no time. */
TEST(build_counts_processes_that_were_started)
{
	struct maker m = { 0 };
	struct profile *p;

	start(&m);
	fork_at(&m, PERF_RECORD_MISC_USER, 20, 1, 0);
	fork_at(&m, PERF_RECORD_MISC_FORK_EXEC, 21, 1, 7);
	fork_at(&m, 0, 20, 20, 101); /* a thread */
	fork_at(&m, 0, 22, 20, 102);
	p = build(&m);
	EXPECT_INT(p->quality.forks, 1);
	profile_free(p);
}

/* The id fields of MADE_SAMPLE_TYPE. */
static void make_trailer(struct maker *m, uint64_t id)
{
	make_u32(m, 7);
	make_u32(m, 7);
	make_u64(m, 100);
	make_u64(m, id);
	make_record_end(m);
}

/* The kernel's own records and the recorder's sums at the end tell of the same loss. */
TEST(build_counts_a_loss_once)
{
	static const uint64_t ids[] = { 11, 12 };
	struct made_attr attrs[2] = {
		{ .type = PERF_TYPE_SOFTWARE,
		  .config = PERF_COUNT_SW_CPU_CLOCK,
		  .sample_type = MADE_SAMPLE_TYPE,
		  .read_format = PERF_FORMAT_ID | 1 << 4 /* LOST */,
		  .ids = &ids[0],
		  .ids_count = 1 },
	};
	struct maker m = { 0 };
	struct profile *p;

	attrs[1] = attrs[0];
	attrs[1].config = PERF_COUNT_SW_PAGE_FAULTS;
	attrs[1].ids = &ids[1];
	make_start(&m, attrs, 2);
	make_record(&m, PERF_RECORD_LOST, 0);
	make_u64(&m, 11);
	make_u64(&m, 281);
	make_trailer(&m, 11);
	for (uint64_t id = 11; id <= 12; id++) {
		make_record(&m, PERF_RECORD_LOST_SAMPLES, 0);
		make_u64(&m, id == 11 ? 200 : 81);
		make_trailer(&m, id);
	}
	p = build(&m);
	EXPECT_INT(p->quality.lost, 281);
	EXPECT_INT(p->events.data[0].lost, 200);
	EXPECT_INT(p->events.data[1].lost, 81);
	profile_free(p);

	m = (struct maker){ 0 }; /* a recorder that was killed has made no sums */
	make_start(&m, attrs, 1);
	make_record(&m, PERF_RECORD_LOST, 0);
	make_u64(&m, 11);
	make_u64(&m, 281);
	make_trailer(&m, 11);
	p = build(&m);
	EXPECT_INT(p->quality.lost, 281);
	EXPECT_INT(p->events.data[0].lost, 281);
	profile_free(p);
}

static void make_counts(struct maker *m, uint64_t cpu_ns, uint64_t first, uint64_t second)
{
	struct perf_counts counts = { .flags = COUNTS_CPU | COUNTS_IDLE,
				      .cpu_ns = cpu_ns,
				      .idle_ns = 5 };

	*vec_push(&counts.events) = first;
	*vec_push(&counts.events) = second;
	for (uint64_t i = 0; i < BUDGET_WORDS && cpu_ns > 1000; i++) /* known at the end only */
		*vec_push(&counts.budget) = i + cpu_ns;
	make_record(m, USER_RECORD_FINISHED_ROUND, 0);
	make_u64(m, 0x1234); /* an entry of the table of features */
	perf_counts_add(&counts, &m->out);
	make_record_end(m);
	perf_counts_fini(&counts);
}

TEST(build_knows_what_the_events_counted)
{
	struct maker m = { 0 };
	struct profile *p;

	start(&m);
	p = build(&m);
	EXPECT_INT(p->coverage.known, false);
	EXPECT_INT(p->events.data[0].counted, 0);
	profile_free(p);

	m = (struct maker){ 0 };
	start(&m);
	make_counts(&m, 1000, 900, 7);
	make_counts(&m, 3000, 2900, 8); /* all since the start: the last one counts */
	make_round(&m);			/* and one without */
	p = build(&m);
	EXPECT_INT(p->coverage.known, true);
	EXPECT_INT(p->coverage.idle_known, true);
	EXPECT_INT(p->coverage.inherited, false);
	EXPECT_INT(p->coverage.cpu_ns, 3000);
	EXPECT_INT(p->coverage.idle_ns, 5);
	EXPECT_INT(p->events.data[0].counted, 2900);
	EXPECT_INT(p->budget[0], 3000);
	EXPECT_INT(p->budget[BUDGET_WORDS - 1], 3000 + BUDGET_WORDS - 1);
	profile_free(p);
}

TEST(build_gives_each_event_of_a_group_a_row)
{
	static const uint64_t ids[] = { 11, 12 };
	struct made_attr attrs[2] = {
		{ .type = PERF_TYPE_SOFTWARE,
		  .config = PERF_COUNT_SW_CPU_CLOCK,
		  .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				 PERF_SAMPLE_ID | PERF_SAMPLE_READ,
		  .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID,
		  .ids = &ids[0],
		  .ids_count = 1 },
	};
	struct maker m = { 0 };
	struct profile *p;

	attrs[1] = attrs[0];
	attrs[1].config = PERF_COUNT_SW_PAGE_FAULTS;
	attrs[1].ids = &ids[1];
	make_start(&m, attrs, 2);
	for (uint64_t i = 1; i <= 2; i++) {
		make_record(&m, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
		make_u64(&m, 0x1234);
		make_u32(&m, 7);
		make_u32(&m, 7);
		make_u64(&m, 100 + i);
		make_u64(&m, 11);
		make_u64(&m, 2); /* events in the group: totals so far */
		make_u64(&m, i * 1000);
		make_u64(&m, 11);
		make_u64(&m, 5); /* the second one grows only once */
		make_u64(&m, 12);
		make_record_end(&m);
	}
	p = build(&m);
	EXPECT_INT(p->samples.len, 3);
	EXPECT_INT(p->events.data[0].weight, 2000);
	EXPECT_INT(p->events.data[0].samples, 2);
	EXPECT_INT(p->events.data[1].weight, 5);
	EXPECT_INT(p->events.data[1].samples, 1);
	profile_free(p);
}

static bool has_function(const struct profile *p, const char *name)
{
	for (uint32_t i = 0; i < p->functions.len; i++)
		if (!strcmp(profile_function_name(p, i), name))
			return true;
	return false;
}

static void write_text(const char *path, const void *text, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	EXPECT_INT(write(fd, text, size), size);
	close(fd);
}

/* A recording that grows, and a JIT that writes its list only when its code has run for a while. */
TEST(build_asks_again_for_what_a_jit_has_named_since)
{
	const struct perf_reader_options follow = { .follow = true };
	char folder[] = "/tmp/perfolio-build-XXXXXX", file[64], list[64];
	struct symbol_options options = { .cache_dir = "", .symfs = mkdtemp(folder) };
	struct symbol_store *store = symbol_store_new(&options);
	struct profile_builder *builder;
	struct perf_reader *reader;
	struct maker m = { 0 };
	struct err err = { 0 };
	const struct profile *p;

	snprintf(list, sizeof(list), "%s/tmp", folder);
	EXPECT_INT(mkdir(list, 0700), 0);
	snprintf(list, sizeof(list), "%s/tmp/perf-7.map", folder);
	snprintf(file, sizeof(file), "%s/perf.data", folder);
	start(&m);
	map(&m, 0x1000, "//anon");
	SAMPLE(&m, PERF_RECORD_MISC_USER, 0x1010, PERF_CONTEXT_USER, 0x1010);
	write_text(file, m.out.data, m.out.len);
	reader = perf_reader_open(file, &follow, &err);
	builder = profile_builder_new(reader, store);
	p = profile_builder_profile(builder);
	make_round(&m);
	make_round(&m);
	write_text(file, m.out.data, m.out.len);
	EXPECT_INT(profile_builder_read(builder, &err), 0);
	expect_stack(p, 0, "[unknown]");
	write_text(list, "1000 100 made\n", 14);
	/* Looked at ten times a second, or seldom where a look took long: a busy machine. */
	for (int tries = 0; !has_function(p, "made") && tries < 1200; tries++) {
		poll(NULL, 0, 50);
		SAMPLE(&m, PERF_RECORD_MISC_USER, 0x1010, PERF_CONTEXT_USER, 0x1010);
		make_round(&m);
		make_round(&m);
		write_text(file, m.out.data, m.out.len);
		EXPECT_INT(profile_builder_read(builder, &err), 0);
	}
	make_finish(&m);
	write_text(file, m.out.data, m.out.len);
	EXPECT_INT(profile_builder_read(builder, &err), 0);
	expect_stack(p, p->samples.len - 1, "made");
	profile_builder_free(builder);
	perf_reader_close(reader);
	symbol_store_free(store);
	make_free(&m);
	unlink(list);
	unlink(file);
	*strrchr(list, '/') = '\0';
	rmdir(list);
	rmdir(folder);
}
