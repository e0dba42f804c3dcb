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
	facts.user_ns = 284 * SECOND / 100;
	expect(&facts, "cpu-bound", "it kept 1.4 CPUs busy for 2 s, ");
	facts.user_ns = 21 * SECOND / 10;
	expect(&facts, "cpu-bound", "it ran for 100 % of its 2 s, ");

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
	expect(&facts, "short-processes",
	       "It started many short processes: at least 150, with 13 ms of CPU time each; "
	       "starting and ending them, and their first touch of memory, took 85 % of it.");
	facts = busy();
	facts.samples = 0;
	facts.forks = 400;
	expect(&facts, "short-processes", "It started many short processes: 400, with 4.875 ms");
	/* a script that sleeps, and starts something now and then */
	facts.user_ns = facts.system_ns = SECOND / 100;
	facts.forks = 17;
	expect(&facts, "mostly-idle", "It was mostly idle: it ran for 1.0 % of its 2 s");
	facts.forks = 400;
	expect(&facts, "short-processes", "It started many short processes: 400, with 50 us");
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
					.clocked = true,
					.samples = 1000,
					.sampled_ns = 2 * SECOND,
					.idle = 0.9 };

	expect(&facts, "mostly-idle", "The machine was mostly idle: its CPUs had no work for 90 %");
	facts.idle = 0.1;
	facts.programs.data[0] = (struct overview_top){ (char *)"cc1", NULL, 0.8, false };
	facts.programs.count = 1;
	expect(&facts, "cpu-bound",
	       "The machine was busy: its CPUs had work for 90 % of the time; `cc1` took 80 % of "
	       "that.");
	/* CPUs without work count no cycles: nobody knows how long they had none */
	facts.clocked = false;
	expect(&facts, "cpu-bound",
	       "The whole machine was sampled where it had work; `cc1` took 80 % of that.");
	facts.idle = 0.9;
	expect(&facts, "cpu-bound", "The whole machine was sampled where it had work; ");
}

/* Samples of allocations, of page faults, or of what folded stacks don't tell. */
TEST(overview_of_other_events)
{
	struct overview_facts facts = { .samples = 1000, .other_event = "alloc_space" };

	facts.functions.data[0] = (struct overview_top){ (char *)"grow", "prog", 0.38, false };
	facts.functions.count = 1;
	expect(&facts, "other-event",
	       "Its samples are of `alloc_space`, not of time, and don't tell what limited it; "
	       "`grow` alone has 38 %.");
	facts.other_event = "";
	expect(&facts, "other-event",
	       "Nothing tells what its samples are of, and so what limited it; `grow` alone has");
	/* the kernel's account of CPU time goes on telling */
	facts = busy();
	facts.other_event = "page-faults";
	facts.kernel = 0.9;
	expect(&facts, "cpu-bound",
	       "it ran for 98 % of its 2 s, 97 % of its time in its own code and libraries.");
}

/* Names of C++ have thousands of letters: what comes after them must still be read. */
TEST(overview_cuts_long_names)
{
	struct overview_facts facts = busy();
	struct overview *overview = mem_alloc(sizeof(*overview));
	char name[3000];
	const char *text;

	memset(name, 'x', sizeof(name));
	memcpy(name + 399, "\xc3\xa4", 2); /* a letter of two bytes, where it is cut */
	name[sizeof(name) - 1] = '\0';
	for (size_t i = 0; i < OVERVIEW_TOP; i++)
		facts.functions.data[i] = (struct overview_top){ name, "prog", 0.2, false };
	facts.functions.count = OVERVIEW_TOP;
	overview_make(overview, &facts);
	EXPECT_TEXT(overview->findings[1].rule, "heavy-functions");
	text = overview->findings[1].text;
	EXPECT_CONTAINS(text, "xxx…` 20.0 %, `xxx");
	EXPECT_TEXT(text + strlen(text) - strlen("x…` 20.0 %."), "x…` 20.0 %.");
	free(overview);
}

/* Of a process that we only looked at, samples tell when it ran, and not why not. */
TEST(overview_of_an_attached_process)
{
	struct overview_facts facts = {
		.duration_ns = 2 * SECOND, .sampled_ns = SECOND / 5, .samples = 100, .processes = 1
	};

	expect(&facts, "mostly-idle",
	       "it ran for 10.0 % of its 2 s and waited for the rest, or others had the CPU.");
	facts.knows_waits = true;
	expect(&facts, "mostly-idle", "it ran for 10.0 % of its 2 s and waited for the rest.");
	/* of one that sleeps there is not one sample, however long one looks */
	facts.samples = facts.sampled_ns = 0;
	facts.sampled = true;
	expect(&facts, "too-little", "too little data to say what limited it: 0 samples in 2 s");
	facts.clocked = true;
	expect(&facts, "mostly-idle", "it ran for 0.0 % of its 2 s and waited for the rest.");
	facts.samples = 100;
	facts.sampled_ns = SECOND / 5;
	facts.cpu_wait_ns = SECOND;
	expect(&facts, "cpu-bound", "it ran for 10 % of its 2 s and waited for a CPU for 50 %");
}

TEST(overview_tells_what_it_waited_for)
{
	struct overview_facts facts = busy();

	facts.user_ns = SECOND / 2;
	facts.waits[WAIT_PIPE] = 0.1;
	expect(&facts, "waiting", "It waited for 72 % of its 2 s, mostly for pipes, and ran");
	facts.user_ns = SECOND / 50;
	facts.waits[WAIT_LOCK] = 0.4;
	expect(&facts, "mostly-idle", "waited for the rest, mostly for locks (futex).");
	facts.knows_waits = true;
	facts.io_wait_ns = 18 * SECOND / 10;
	expect(&facts, "mostly-idle", "waited for the rest, mostly for the disk.");
	facts.voluntary_switches = 100000;
	expect(&facts, "switching",
	       "It was limited by waiting for locks (futex): it stopped for that 50,000 times a "
	       "second, which took 50 % of its CPU time.");
	facts = busy();
	facts.user_ns = SECOND / 5;
	facts.knows_waits = true;
	expect(&facts, "mostly-idle", "it ran for 12.5 % of its 2 s");
	facts.cpu_wait_ns = SECOND;
	expect(&facts, "cpu-bound", "it ran for 12 % of its 2 s and waited for a CPU for 50 %.");
	/* what it does is told, and that others kept it from doing it */
	facts.calls = 0.9;
	facts.has_kernel_stacks = true;
	expect(&facts, "system-calls",
	       "It was limited by system calls: 90 % of its CPU time went into the kernel's work; "
	       "it ran for 12 % of its 2 s and waited for a CPU for 50 %.");
}

/* What is not known by name is no reason to name what is. */
TEST(overview_counts_code_without_names)
{
	struct overview_facts facts = busy();
	struct overview *overview = mem_alloc(sizeof(*overview));

	facts.functions.data[0] = (struct overview_top){ (char *)"memcpy", "libc", 0.12, false };
	facts.functions.count = 1;
	facts.unknown = 0.6;
	facts.nameless = "/usr/bin/prog";
	facts.nameless_share = 0.4;
	strcpy(facts.nameless_why, "stripped");
	strcpy(facts.nameless_remedy, "install prog-dbgsym");
	expect(&facts, "cpu-bound", "; 60 % of its CPU time is in code without names.");
	overview_make(overview, &facts);
	EXPECT_TEXT(overview->findings[1].rule, "nameless");
	EXPECT_TEXT(overview->findings[1].text,
		    "60 % of the time is in code without names, most of it in `/usr/bin/prog` "
		    "(stripped).");
	EXPECT_TEXT(overview->findings[1].remedy, "install prog-dbgsym");
	free(overview);
}

TEST(overview_of_nothing)
{
	struct overview_facts facts = { .nothing = true, .reason = "x: is not there; get it" };
	struct overview *overview = mem_alloc(sizeof(*overview));

	overview_make(overview, &facts);
	EXPECT(!overview->sure);
	EXPECT_INT(overview->count, 1);
	EXPECT_TEXT(overview->findings[0].rule, "nothing-measured");
	EXPECT_TEXT(overview->findings[0].text, "Nothing was measured: x: is not there.");
	EXPECT_TEXT(overview->findings[0].remedy, "get it");
	free(overview);
}

TEST(overview_says_when_it_can_not_know)
{
	struct overview_facts facts = { .duration_ns = SECOND / 1000,
					.sampled = true,
					.samples = 3 };
	struct overview *overview = mem_alloc(sizeof(*overview));

	overview_make(overview, &facts);
	EXPECT(!overview->sure);
	EXPECT_TEXT(overview->findings[0].text,
		    "There is too little data to say what limited it: 3 samples in 1 ms.");
	EXPECT_TEXT(overview->findings[0].remedy,
		    "record longer or with -F 999: 3 samples say little");
	facts.form = true;
	overview_make(overview, &facts);
	EXPECT_TEXT(overview->findings[0].remedy,
		    "let it run longer or choose a Rate of 999: 3 samples say little");
	facts.samples = 0;
	overview_make(overview, &facts);
	EXPECT_TEXT(overview->findings[0].remedy,
		    "let it run longer or choose a Rate of 999: not one sample was taken");
	/* what did not do its work needs no longer look */
	facts.failed = true;
	strcpy(facts.ending, "exit status 2");
	overview_make(overview, &facts);
	EXPECT_TEXT(overview->findings[0].text,
		    "It ended with exit status 2 after 1 ms, too soon to say what limited it.");
	EXPECT_TEXT(overview->findings[0].remedy, "");
	EXPECT_INT(overview->count, 1);
	overview_make(overview, &(struct overview_facts){ 0 });
	EXPECT(!overview->sure);
	/* most of what a tenth of a second holds is the start of the program */
	facts = (struct overview_facts){ .duration_ns = SECOND / 10, .knows_cpu = true };
	overview_make(overview, &facts);
	EXPECT_TEXT(overview->findings[0].text,
		    "It took only 100 ms: too short to say what limited it.");
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
	facts.cut = 0.5;
	facts.threads = 8;
	facts.workers.data[0] = (struct overview_top){ (char *)"main", NULL, 0.9, false };
	facts.workers.count = 1;
	facts.programs.data[0] = facts.programs.data[1] = facts.workers.data[0];
	facts.programs.count = 2;
	overview_make(overview, &facts);
	for (size_t i = 0; i < overview->count; i++) {
		strcat(all, overview->findings[i].rule);
		strcat(all, " ");
	}
	EXPECT_TEXT(all, "cpu-bound failed programs one-thread kernel stalled switches disk-faults "
			 "cut-stacks "
			 "lost-samples ");
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
	EXPECT_INT(facts.workers.count, 1);
	EXPECT_NEAR(facts.workers.data[0].share, 1, 1e-9);
	EXPECT_INT(facts.programs.count, 1);
	EXPECT_INT(facts.sampled_ns, 80);
	overview_facts_free(&facts);
	profile_free(profile);
}

/* A sample without a period is 1 of something: no nanosecond; every event's stacks may be cut. */
TEST(overview_facts_of_samples_without_periods)
{
	struct profile *profile = made_profile();
	struct overview_facts facts = { 0 };

	made_sample(profile, 1, "main;work", 1);
	made_sample(profile, 2, "main;work", 1);
	profile->quality.cut_stacks = 1;
	overview_facts_add(&facts, profile, 0);
	EXPECT_INT(facts.samples, 2);
	EXPECT_INT(facts.sampled_ns, 0);
	EXPECT(!facts.other_event);
	EXPECT_NEAR(facts.cut, 0.5, 1e-9);
	overview_facts_free(&facts);
	profile_free(profile);
}

/* A recursive interpreter counts once, and no more where its program's functions have names. */
TEST(overview_knows_pythons_interpreter)
{
	const char *eval = "main;_PyEval_EvalFrameDefault;call;_PyEval_EvalFrameDefault;add";
	struct profile *profile = made_profile();
	struct overview *overview = mem_alloc(sizeof(*overview));
	struct overview_facts facts = { 0 };

	for (uint64_t i = 0; i < 30; i++)
		made_sample(profile, i, i % 3 ? eval : "main;read", 10);
	overview_facts_add(&facts, profile, 0);
	EXPECT_NEAR(facts.python, 2 / 3.0, 1e-9);
	overview_make(overview, &facts);
	EXPECT_TEXT(overview->findings[2].rule, "python");
	EXPECT_CONTAINS(overview->findings[2].text, "67 % of the time is in Python's interpreter");
	EXPECT_CONTAINS(overview->findings[2].remedy, "python3 -X perf");
	overview_facts_free(&facts);

	made_sample(profile, 31, "main;_PyEval_EvalFrameDefault;py::work:/x.py;add", 10);
	facts = (struct overview_facts){ 0 };
	overview_facts_add(&facts, profile, 0);
	EXPECT_NEAR(facts.python, 0, 1e-9);
	overview_facts_free(&facts);
	free(overview);
	profile_free(profile);
}
