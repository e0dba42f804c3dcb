// SPDX-License-Identifier: Apache-2.0
#include "profile/overview.h"
#include "made.h"
#include "test.h"

#define SECOND 1000000000ull

/* A program that ran for two seconds on one CPU. */
static struct overview_facts busy(void)
{
	return (struct overview_facts){ .duration_ns = 2 * SECOND,
					.knows_cpu = true,
					.user_ns = 19 * SECOND / 10,
					.system_ns = SECOND / 20,
					.knows_counts = true,
					.samples = 200,
					.processes = 1,
					.threads = 1 };
}

static void expect(const struct overview_facts *facts, const char *rule, const char *words)
{
	struct overview *overview = mem_alloc(sizeof(*overview));

	test_case("%s", rule);
	overview_make(overview, facts);
	EXPECT(overview->count >= 1);
	EXPECT_TEXT(overview->findings[0].rule, rule);
	EXPECT_CONTAINS(overview->findings[0].text, words);
	EXPECT(overview->findings[0].evidence_count >= 1);
	free(overview);
}

TEST(overview_names_what_limited_a_program)
{
	struct overview_facts facts = busy();

	facts.functions.data[0] = (struct overview_top){ (char *)"spin", "/bin/spin", 0.95, false };
	facts.functions.count = 1;
	expect(&facts, "cpu-bound",
	       "It was limited by the CPU: it ran for 98 % of its 2 s, 100 % of its time in its "
	       "own code and libraries; `spin` alone took 95 %.");
	facts.user_ns = 7 * SECOND;
	expect(&facts, "cpu-bound", "it kept 3.5 CPUs busy");

	facts = busy();
	facts.user_ns = SECOND / 50;
	expect(&facts, "mostly-idle", "It was mostly idle: it ran for 3.5 % of its 2 s");
	facts.user_ns = SECOND;
	expect(&facts, "waiting", "It waited for 48 % of its 2 s");
	facts.mixed_switches = true;
	expect(&facts, "waiting", "It ran for 52 % of its 2 s; for the rest it waited, or others");
	facts.mixed_switches = false;
	facts.involuntary_switches = 300;
	expect(&facts, "cpu-bound", "it ran for 52 % of its 2 s, while others had the CPU");

	facts = busy();
	facts.kernel = 0.8;
	facts.calls = 0.7;
	facts.has_kernel_stacks = true;
	facts.functions.data[0] = (struct overview_top){ (char *)"getpid", "[kernel]", 0.5, true };
	facts.functions.count = 1;
	expect(&facts, "system-calls", "It was limited by system calls: 70 % of its CPU time");
	facts.calls = 0.2;
	facts.faults = 0.55;
	expect(&facts, "page-faults", "It was limited by page faults: 55 % of its CPU time");
	facts.processes = 150;
	facts.processing = 0.3;
	expect(&facts, "short-processes", "at least 150 of them were met, with 1.3 samples each");
}

/* Without stacks of the kernel, its own account has to do. */
TEST(overview_without_stacks)
{
	struct overview_facts facts = busy();

	facts.samples = 0;
	facts.user_ns = SECOND / 2;
	facts.system_ns = 3 * SECOND / 2;
	expect(&facts, "system-calls", "75 % of its CPU time went into the kernel's work");
	facts.minor_faults = 1500000;
	expect(&facts, "page-faults", "It was limited by page faults");
}

TEST(overview_of_a_machine)
{
	struct overview_facts facts = { .duration_ns = SECOND,
					.whole_host = true,
					.samples = 1000,
					.sampled_ns = 2 * SECOND,
					.idle = 0.9 };

	expect(&facts, "mostly-idle", "The machine was mostly idle: its CPUs had no work for 90 %");
	facts.idle = 0.1;
	expect(&facts, "cpu-bound", "The machine was limited by the CPU");
}

TEST(overview_says_when_it_can_not_know)
{
	struct overview_facts facts = { .duration_ns = SECOND / 1000, .samples = 3 };
	struct overview *overview = mem_alloc(sizeof(*overview));

	overview_make(overview, &facts);
	EXPECT(!overview->sure);
	EXPECT_TEXT(overview->findings[0].text,
		    "There is too little data to say what limited it: 3 samples in 1 ms.");
	overview_make(overview, &(struct overview_facts){ 0 });
	EXPECT(!overview->sure);
	free(overview);
}

TEST(overview_tells_more_than_one_thing)
{
	struct overview_facts facts = busy();
	struct overview *overview = mem_alloc(sizeof(*overview));
	char all[1000] = "";

	facts.kernel = 0.3;
	facts.lost = 50;
	facts.failed = true;
	strcpy(facts.ending, "signal 9");
	facts.involuntary_switches = 90000;
	facts.major_faults = 500;
	facts.ipc = 0.4;
	overview_make(overview, &facts);
	for (size_t i = 0; i < overview->count; i++) {
		strcat(all, overview->findings[i].rule);
		strcat(all, " ");
	}
	EXPECT_TEXT(all, "cpu-bound failed kernel stalled switches disk-faults lost-samples ");
	free(overview);
}

static void add_kernel(struct profile *profile, uint64_t time, const char *const *names)
{
	uint32_t object = profile_object(profile, "[kernel]", &(struct build_id){ 0 }, DSO_KERNEL);
	uint32_t stack = made_stack(profile, "main");

	for (; *names; names++)
		stack = profile_stack(profile, stack,
				      profile_function(profile, *names, object, FRAME_KERNEL),
				      false);
	profile_add(profile, &(struct profile_row){ .time = time, .weight = 10, .stack = stack });
}

TEST(overview_facts_come_from_stacks)
{
	static const char *const call[] = { "do_syscall_64", "ksys_read", NULL };
	static const char *const fault[] = { "asm_exc_page_fault", "handle_mm_fault", NULL };
	static const char *const fork[] = { "do_syscall_64", "kernel_clone", "copy_process",
					    "handle_mm_fault", NULL };
	static const char *const idle[] = { "do_idle", "default_idle", NULL };
	struct profile *profile = made_profile();
	struct overview_facts facts = { 0 };

	add_kernel(profile, 1, call);
	add_kernel(profile, 2, call);
	add_kernel(profile, 3, fault);
	add_kernel(profile, 4, fork);
	made_sample(profile, 5, "main;work", 40);
	add_kernel(profile, 6, idle);
	overview_facts_add(&facts, profile, 0);
	EXPECT_INT(facts.samples, 6);
	EXPECT_NEAR(facts.idle, 10 / 90.0, 1e-9);
	EXPECT_NEAR(facts.kernel, 0.5, 1e-9);
	EXPECT_NEAR(facts.calls, 0.25, 1e-9);
	EXPECT_NEAR(facts.faults, 0.125, 1e-9);
	EXPECT_NEAR(facts.processing, 0.125, 1e-9);
	EXPECT(facts.has_kernel_stacks);
	EXPECT_TEXT(facts.functions.data[0].name, "work");
	EXPECT_NEAR(facts.functions.data[0].share, 0.5, 1e-9);
	EXPECT_INT(facts.functions.count, 3);
	EXPECT_INT(facts.processes, 1);
	EXPECT_INT(facts.sampled_ns, 80);
	overview_facts_free(&facts);
	profile_free(profile);
}
