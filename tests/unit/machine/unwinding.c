// SPDX-License-Identifier: Apache-2.0
#include "machine/unwinding.h"
#include "machine/samplequeue.h"
#include "perfdata/feature.h"
#include "perfdata/maker.h"
#include "perfdata/sample.h"
#include "symbol/folder.h"
#include "symbol/maker.h"
#include "test.h"
#include "unwind/maker.h"

#include <sys/mman.h>

#define BASE  0x7f0000000000u /* where the made file is mapped */
#define INNER (BASE + MADE_TEXT_OFF + 0x100)
#define OUTER (BASE + MADE_TEXT_OFF + 0x200)
#define HEAP  0x7e0000000000u
#define SP    0x7ffe0000u
#define USER  ((uint64_t)PERF_CONTEXT_USER)

/* A recording of a machine of that name, with one process that runs a library of two functions. */
struct scene {
	struct maker maker;
	struct perf_reader *reader;
	struct symbol_store *store;
	struct machine *machine;
	struct naming naming;
	struct unwinding unwinding;
	const struct thread *thread;
	uint64_t values[33], words[8];
	struct sample sample;
};

static void make_library(void)
{
	struct made_frames frames = { 0 };
	struct buf file = { 0 };

	make_usual_common(&frames);
	make_entry(&frames, MADE_TEXT_ADDR + 0x100, 0x100, "", 0);
	make_entry(&frames, MADE_TEXT_ADDR + 0x200, 0x100, "\x07\x10", 2);
	make_elf(&file, &(struct made_elf){
				.extra = (struct made_section[]){
					{ ".eh_frame", SHT_PROGBITS, SHF_ALLOC, MADE_FRAMES_ADDR, 0,
					  frames.bytes.data, frames.bytes.len },
					{ 0 } } });
	folder_put("lib.so", file.data, file.len);
	buf_free(&file);
	buf_free(&frames.bytes);
}

static void map(struct machine *machine, uint64_t start, uint16_t misc, const char *name)
{
	struct maker maker = { 0 };

	make_record(&maker, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER | misc);
	make_u32(&maker, 10);
	make_u32(&maker, 10);
	make_u64(&maker, start);
	make_u64(&maker, 0x10000);
	make_u64(&maker, 0);
	make_name(&maker, name);
	make_record_end(&maker);
	machine_take(machine, (const void *)(maker.out.data + maker.record),
		     maker.out.len - maker.record);
	make_free(&maker);
}

static void set_up(struct scene *s, const char *arch)
{
	struct err err = { 0 };

	folder_new();
	make_library();
	*s = (struct scene){ 0 };
	make_start(&s->maker, &(struct made_attr){ .sample_type = MADE_SAMPLE_TYPE }, 1);
	if (arch) {
		make_feature(&s->maker, FEATURE_ARCH);
		make_text(&s->maker, arch);
		make_feature_end(&s->maker);
	}
	make_finish(&s->maker);
	s->reader = perf_reader_open_mem(s->maker.out.data, s->maker.out.len, &err);
	EXPECT(s->reader);
	s->store = symbol_store_new(
		&(struct symbol_options){ .symfs = folder_path(""), .cache_dir = "" });
	s->machine = machine_new();
	map(s->machine, BASE, 0, "/lib.so");
	naming_init(&s->naming, s->machine, s->store);
	unwinding_init(&s->unwinding, &s->naming, s->reader);
	s->thread = machine_thread(s->machine, 10, 10);
	s->values[1] = SP;
	s->values[2] = INNER + 4;
	s->words[0] = OUTER + 8;
	s->sample = (struct sample){ .user_stack = s->words, .user_stack_size = sizeof(s->words) };
	s->sample.user_regs = (struct sample_regs){ .abi = PERF_SAMPLE_REGS_ABI_64,
						    .mask = 1 << 6 | 1 << 7 | 1 << 8,
						    .values = s->values };
}

static void tear_down(struct scene *s)
{
	unwinding_fini(&s->unwinding);
	naming_fini(&s->naming);
	machine_free(s->machine);
	symbol_store_free(s->store);
	perf_reader_close(s->reader);
	make_free(&s->maker);
	folder_remove();
}

static void expect_chain(const struct scene *s, const uint64_t *chain, size_t count)
{
	EXPECT_INT(s->sample.chain_len, count);
	for (size_t i = 0; i < count; i++) {
		test_case("entry %zu", i);
		EXPECT(s->sample.chain[i] == chain[i]);
	}
}

TEST(unwinding_makes_a_chain)
{
	struct scene s;

	set_up(&s, "x86_64");
	EXPECT(unwinding_apply(&s.unwinding, s.thread, &s.sample));
	expect_chain(&s, (uint64_t[]){ USER, INNER + 4, OUTER + 7 }, 3);
	EXPECT(s.sample.chain_origin.unwound);
	EXPECT_BOOL(s.sample.chain_origin.short_copy, false);
	EXPECT_BOOL(s.sample.chain_origin.no_rules, false);
	tear_down(&s);
}

TEST(unwinding_keeps_the_kernels_part)
{
	const uint64_t chain[] = { (uint64_t)PERF_CONTEXT_KERNEL,
				   0xffffffff81000010,
				   0xffffffff81000020,
				   USER,
				   INNER + 4,
				   0x99 };
	struct scene s;

	set_up(&s, "x86_64");
	s.sample.chain = chain;
	s.sample.chain_len = ARRAY_SIZE(chain);
	EXPECT(unwinding_apply(&s.unwinding, s.thread, &s.sample));
	expect_chain(&s, (uint64_t[]){ chain[0], chain[1], chain[2], USER, INNER + 4, OUTER + 7 },
		     6);
	tear_down(&s);
}

TEST(unwinding_splices_where_the_copy_ends)
{
	const uint64_t chain[] = { USER, INNER + 4, OUTER + 0x21 };
	struct scene s;

	set_up(&s, "x86_64");
	s.sample.user_stack_size = 4;
	s.sample.chain = chain;
	s.sample.chain_len = ARRAY_SIZE(chain);
	EXPECT(unwinding_apply(&s.unwinding, s.thread, &s.sample));
	expect_chain(&s, (uint64_t[]){ USER, INNER + 4, OUTER + 0x20 }, 3);
	EXPECT(s.sample.chain_origin.spliced);
	EXPECT(s.sample.chain_origin.short_copy);
	tear_down(&s);
}

/* Recorded for DWARF, the heap has a mapping as well. */
TEST(unwinding_splices_no_data)
{
	const uint64_t chain[] = { USER, INNER + 4, OUTER + 0x21, HEAP + 8 };
	struct scene s;

	set_up(&s, "x86_64");
	map(s.machine, HEAP, PERF_RECORD_MISC_MMAP_DATA, "[heap]");
	s.sample.user_stack_size = 4;
	s.sample.chain = chain;
	s.sample.chain_len = ARRAY_SIZE(chain);
	EXPECT(unwinding_apply(&s.unwinding, s.thread, &s.sample));
	expect_chain(&s, (uint64_t[]){ USER, INNER + 4 }, 2);
	EXPECT_BOOL(s.sample.chain_origin.spliced, false);
	EXPECT(s.sample.chain_origin.short_copy);
	tear_down(&s);
}

TEST(unwinding_says_that_rules_are_missing)
{
	struct scene s;

	set_up(&s, "x86_64");
	s.values[2] = INNER + 0x1000;
	EXPECT(unwinding_apply(&s.unwinding, s.thread, &s.sample));
	expect_chain(&s, (uint64_t[]){ USER, INNER + 0x1000 }, 2);
	EXPECT(s.sample.chain_origin.no_rules);
	tear_down(&s);
}

TEST(unwinding_leaves_alone_what_it_can_not_do)
{
	struct scene s;

	set_up(&s, "s390x");
	EXPECT_BOOL(unwinding_apply(&s.unwinding, s.thread, &s.sample), false);
	EXPECT(!s.sample.chain);
	tear_down(&s);

	set_up(&s, "x86_64");
	s.sample.user_stack_size = 0;
	EXPECT_BOOL(unwinding_apply(&s.unwinding, s.thread, &s.sample), false);
	s.sample.user_stack_size = 64;
	s.sample.user_regs.values = NULL; /* a kernel thread has none */
	EXPECT_BOOL(unwinding_apply(&s.unwinding, s.thread, &s.sample), false);
	s.sample.user_regs.values = s.values;
	s.naming.store = NULL;
	EXPECT_BOOL(unwinding_apply(&s.unwinding, s.thread, &s.sample), false);
	tear_down(&s);
}

/* Files of other recorders may not say what machine they are of. */
TEST(unwinding_knows_an_arm_by_its_registers)
{
	struct scene s;

	set_up(&s, NULL);
	s.values[31] = SP;
	s.values[32] = INNER + 8;
	s.sample.user_regs.mask = 0x1ffffffff;
	EXPECT(unwinding_apply(&s.unwinding, s.thread, &s.sample));
	EXPECT_INT(s.sample.chain[1], INNER + 8);
	tear_down(&s);
}

#define MANY 2000

/* A stack for each number: some end early, some lead nowhere, some have nothing to unwind. */
static void vary(struct scene *s, unsigned number, uint64_t *words, struct sample *sample)
{
	words[0] = OUTER + 1 + number % 24;
	*sample = s->sample;
	sample->user_stack = words;
	sample->time = number;
	if (number % 7 == 3)
		sample->user_stack_size = 4;
	if (number % 11 == 5)
		words[0] = 0x10;
	if (number % 13 == 7)
		sample->user_stack_size = 0;
}

static void expect_same(const struct sample *got, struct scene *s)
{
	uint64_t words[8] = { 0 };
	struct sample want;

	test_case("sample %u", (unsigned)got->time);
	vary(s, (unsigned)got->time, words, &want);
	unwinding_apply(&s->unwinding, s->thread, &want);
	EXPECT_INT(got->chain_len, want.chain_len);
	EXPECT(!want.chain_len || !memcmp(got->chain, want.chain, want.chain_len * 8));
	EXPECT(!memcmp(&got->chain_origin, &want.chain_origin, sizeof(want.chain_origin)));
}

/* What threads do meanwhile is what would have been done at once, in the same order. */
TEST(unwinding_of_many_is_that_of_each)
{
	for (unsigned workers = 1; workers < 5; workers++) {
		static uint64_t words[MANY][8];
		struct queued_sample *queued;
		struct sample_queue queue;
		struct scene s, other;
		unsigned next = 0;

		set_up(&s, "x86_64");
		other = s;
		unwinding_init(&other.unwinding, &s.naming, s.reader);
		s.unwinding.workers = workers;
		sample_queue_init(&queue, &s.unwinding);
		for (unsigned i = 0; i < MANY; i++) {
			struct queued_sample *slot = sample_queue_slot(&queue);

			sample_queue_tick(&queue);
			vary(&s, i, words[i], &slot->sample);
			slot->thread = s.thread;
			sample_queue_push(&queue, true);
			/* In between, everything has to come out. */
			while ((queued = sample_queue_next(&queue, i % 701 == 700))) {
				EXPECT_INT(queued->sample.time, next++);
				expect_same(&queued->sample, &other);
			}
			EXPECT(i + 1 - next < 256);
		}
		while ((queued = sample_queue_next(&queue, true)))
			EXPECT_INT(queued->sample.time, next++);
		EXPECT_INT(next, MANY);
		sample_queue_fini(&queue);
		unwinding_fini(&other.unwinding);
		tear_down(&s);
	}
}

/* A sample does not wait for longer than its record lasts. */
TEST(unwinding_does_not_keep_samples_for_ever)
{
	struct sample_queue queue;
	struct queued_sample *slot;
	struct scene s;
	unsigned calls = 0;

	set_up(&s, "x86_64");
	s.unwinding.workers = 2;
	sample_queue_init(&queue, &s.unwinding);
	slot = sample_queue_slot(&queue);
	slot->sample = s.sample;
	slot->thread = s.thread;
	sample_queue_push(&queue, true);
	for (; !sample_queue_next(&queue, false); calls++)
		sample_queue_tick(&queue);
	EXPECT(calls > 100 && calls < 256);
	sample_queue_push(&queue, false);
	EXPECT(sample_queue_next(&queue, false) == &queue.ring[1]);
	sample_queue_fini(&queue);
	tear_down(&s);
}
