// SPDX-License-Identifier: Apache-2.0
#include "made.h"
#include "profile/overview_inside.h"
#include "profile/trust.h"
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

/* Where its two seconds went, in percent; one thread unless more are added. */
static void spend(struct overview_facts *facts, uint64_t ran, uint64_t queue, uint64_t disk,
		  uint64_t pages, uint64_t other)
{
	uint64_t parts[] = { ran, queue, disk, pages, other };
	struct budget *budget = &facts->budget;
	struct budget_thread *thread;

	vec_free(&budget->threads);
	*budget = (struct budget){
		.source = BUDGET_STATES, .whole = true, .knows_disk = true, .knows_pages = true
	};
	thread = vec_push(&budget->threads);
	thread->count = 1;
	for (int i = 0; i < BUDGET_PARTS; i++)
		thread->ns[i] = budget->run_ns[i] = parts[i] * SECOND / 50;
	budget_settle(budget);
}

static void add_thread(struct budget *budget, uint64_t ran, uint64_t queue, uint64_t other)
{
	struct budget_thread *thread = vec_push(&budget->threads);

	thread->count = 1;
	thread->ns[BUDGET_RAN] = ran * SECOND / 50;
	thread->ns[BUDGET_QUEUE] = queue * SECOND / 50;
	thread->ns[BUDGET_OTHER] = other * SECOND / 50;
	budget_settle(budget);
}

static bool is_sure(const struct overview_facts *facts)
{
	struct overview *overview = mem_alloc(sizeof(*overview));
	bool sure;

	overview_make(overview, facts);
	sure = overview->sure;
	free(overview);
	return sure;
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
	       "It was limited by the CPU: it ran for 98 % of its 2 s, 100 % of that in user "
	       "space; "
	       "`spin` alone took 95 % of its CPU time.");
	facts.user_ns = 7 * SECOND;
	expect(&facts, "cpu-bound", "it used 3.5 CPUs on average over its 2 s");
	facts.user_ns = 284 * SECOND / 100;
	expect(&facts, "cpu-bound", "it used 1.4 CPUs on average over its 2 s, ");
	facts.user_ns = 21 * SECOND / 10;
	expect(&facts, "cpu-bound", "it ran for 100 % of its 2 s, ");

	facts = busy();
	facts.user_ns = SECOND / 50;
	expect(&facts, "off-cpu",
	       "It ran for 3.5 % of its 2 s; whether it waited for the rest or others");
	EXPECT(!is_sure(&facts));
	facts.user_ns = SECOND;
	expect(&facts, "off-cpu",
	       "It ran for 52 % of its 2 s; whether it waited for the rest or others");

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
	       "It started at least 150 processes, most of them short: 13 ms of CPU time each on "
	       "average; starting and ending them, and their first touch of memory, took 85 % of "
	       "it.");
	/* the heaviest of them is who started the others */
	facts.heaviest_process = 0.5;
	expect(&facts, "short-processes",
	       "It started at least 150 processes, most of them short: 6.5 ms of CPU time each");
	/* or it works for itself */
	facts.processing = facts.faults = 0.01;
	expect(&facts, "cpu-bound", "It was limited by the CPU");
	facts = busy();
	facts.samples = 0;
	facts.forks = 400;
	expect(&facts, "short-processes", "It started 400 processes, most of them short: 4.875 ms");
	/* a script that sleeps, and starts something now and then */
	facts.user_ns = facts.system_ns = SECOND / 100;
	facts.forks = 17;
	expect(&facts, "off-cpu", "It ran for 1.0 % of its 2 s");
	facts.forks = 400;
	expect(&facts, "short-processes", "It started 400 processes, most of them short: 50 us");
}

/* Without stacks of the kernel, its own account has to do. */
TEST(overview_without_stacks)
{
	struct overview_facts facts = busy();

	facts.samples = 0;
	facts.user_ns = SECOND / 2;
	facts.system_ns = 3 * SECOND / 2;
	expect(&facts, "system-calls",
	       "Mostly kernel time, probably system calls: the kernel took 75 % of the CPU time.");
	EXPECT(!is_sure(&facts));
	facts.minor_faults = 1500000;
	expect(&facts, "page-faults", "Mostly kernel time, probably page faults");
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
	expect(&facts, "busy-machine",
	       "The machine was busy: its CPUs had work for 90 % of the time; `cc1` took 80 % of "
	       "that.");
	/* what those that run do most does not limit a machine that has CPUs to spare */
	facts.idle = 0.4;
	facts.has_kernel_stacks = true;
	facts.calls = 0.7;
	expect(&facts, "busy-machine",
	       "The machine's CPUs had work for 60 % of the time; `cc1` took 80 % of that; 70 % of "
	       "the CPU time went into system calls.");
	facts.idle = 0.6;
	expect(&facts, "mostly-idle", "The machine was mostly idle: its CPUs had no work for 60 %");
	facts.calls = 0;
	facts.idle = 0.1;
	/* CPUs without work count no cycles: nobody knows how long they had none */
	facts.clocked = false;
	expect(&facts, "busy-machine",
	       "The whole machine was sampled where it had work; `cc1` took 80 % of that.");
	facts.idle = 0.9;
	expect(&facts, "busy-machine", "The whole machine was sampled where it had work; ");
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
	facts.other_event = "delay";
	facts.other_time = true;
	expect(&facts, "other-event",
	       "Its samples are of `delay`, a time that is not CPU time, and");
	facts.other_event = "time";
	expect(&facts, "other-event", "Its samples are of wall-clock time, waiting included, and");
	facts.other_event = "";
	expect(&facts, "other-event",
	       "The file does not say what was sampled, so what limited it can't be told; `grow` "
	       "alone has");
	/* the kernel's account of CPU time goes on telling */
	facts = busy();
	facts.other_event = "page-faults";
	facts.kernel = 0.9;
	expect(&facts, "cpu-bound", "it ran for 98 % of its 2 s, 97 % of that in user space.");
}

/* Tiles and sentences ask the same: what the samples don't tell, nobody says of them. */
TEST(overview_kernel_share)
{
	struct overview_facts facts = busy();
	struct overview_share share;

	facts.kernel = 0.9;
	EXPECT(overview_kernel(&facts, &share));
	EXPECT_NEAR(share.share, 0.9, 1e-9);
	/* events of other kinds are where they are: the kernel's account of time tells */
	facts.user_ns = facts.system_ns = SECOND;
	facts.kernel = 0;
	facts.other_event = "syscalls:sys_enter_write";
	EXPECT(overview_kernel(&facts, &share));
	EXPECT_NEAR(share.share, 0.5, 1e-9);
	/* only user space was sampled, or the import may have left the kernel out */
	facts.other_event = NULL;
	facts.one_sided = true;
	EXPECT(overview_kernel(&facts, &share));
	EXPECT_NEAR(share.share, 0.5, 1e-9);
	facts.knows_cpu = false;
	EXPECT(!overview_kernel(&facts, &share));
	/* one sample is no share */
	facts.one_sided = false;
	facts.kernel = 1;
	EXPECT(overview_kernel(&facts, &share));
	facts.samples = 1;
	EXPECT(!overview_kernel(&facts, &share));
}

/* Parts of one split come from one source, and say no more than it knows. */
TEST(overview_kernel_by_its_error)
{
	static const struct {
		double share;
		uint64_t of;
		const char *text;
	} cases[] = {
		{ 0, 59, "under 7 %" },	    { 1, 59, "over 93 %" },  { 0.37, 59, "37 %" },
		{ 0.374, 50000, "37.4 %" }, { 1, 50000, "100.0 %" }, { 0, 50000, "0.0 %" },
	};
	struct overview *overview = mem_alloc(sizeof(*overview));
	struct overview_facts facts = busy();
	struct overview_share share;
	char text[64];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		share = (struct overview_share){ cases[i].share, cases[i].of };
		EXPECT_TEXT(overview_share_text(text, sizeof(text), &share), cases[i].text);
	}
	/* few samples, all of them in calls: ticks have it otherwise */
	facts.samples = 59;
	facts.kernel = facts.calls = 1;
	facts.has_kernel_stacks = true;
	facts.user_ns = SECOND / 20;
	facts.system_ns = 19 * SECOND / 10;
	spend(&facts, 10, 0, 90, 0, 0);
	EXPECT(overview_kernel(&facts, &share));
	EXPECT(share.share == 1 && share.of == 59);
	overview_make(overview, &facts);
	EXPECT_TEXT(overview->findings[1].rule, "kernel");
	EXPECT_TEXT(overview->findings[1].text,
		    "Nearly all of the CPU time was spent in the kernel, over 93 %.");
	EXPECT_TEXT(overview->findings[1].evidence[0].text, "over 93 %");
	EXPECT_TEXT(overview->findings[1].evidence[1].text, "over 93 %");
	facts.samples = 2000;
	overview_make(overview, &facts);
	EXPECT_TEXT(overview->findings[1].text, "All of the CPU time was spent in the kernel.");
	budget_free(&facts.budget);
	free(overview);
}

/* What it started may outlive it: shares and the time that they are of have one base. */
TEST(overview_of_a_child_that_outlives_it)
{
	struct overview_facts facts = busy();
	double used;

	facts.duration_ns = SECOND / 2;
	spend(&facts, 10, 88, 0, 0, 2);
	expect(&facts, "cpu-queue", "for 88 % of its 2 s it was ready");
	EXPECT_INT(overview_span_ns(&facts), 2 * SECOND);
	EXPECT(overview_cpus_used(&facts, &used));
	EXPECT_NEAR(used, 0.975, 1e-9);
	budget_free(&facts.budget);
}

TEST(overview_tells_of_limits_pauses_and_what_was_left)
{
	struct overview *overview = mem_alloc(sizeof(*overview));
	struct overview_facts facts = busy();
	double used;

	facts.ended_why = "it used more memory than its limit of 64 MB";
	facts.ended_memory = facts.form = true;
	facts.paused_ns = SECOND;
	facts.left_over = 2;
	spend(&facts, 10, 88, 0, 0, 2);
	overview_make(overview, &facts);
	EXPECT_CONTAINS(overview->findings[0].text,
			"It was ended after 2 s: it used more memory than its limit of 64 MB. It ");
	EXPECT_TEXT(overview->findings[0].remedy, "give it more memory, or let it use less");
	EXPECT_TEXT(overview->findings[1].rule, "paused");
	EXPECT_CONTAINS(overview->findings[1].text, "paused for 1 s of its 2 s:");
	EXPECT_TEXT(overview->findings[2].text,
		    "2 processes that it had started were still running when it ended, and were "
		    "ended with it.");
	facts.ended_why = NULL;
	facts.ended_memory = false;
	facts.limit_tasks = 10;
	facts.tasks_refused = 1;
	overview_make(overview, &facts);
	EXPECT_CONTAINS(overview->findings[0].text,
			"It reached its limit of 10 tasks: 1 more was refused. It ");
	/* samples don't tell of the time of a pause, the kernel's account does */
	budget_free(&facts.budget);
	facts.budget = (struct budget){ 0 };
	EXPECT(overview_cpus_used(&facts, &used));
	EXPECT_NEAR(used, 0.975, 1e-9);
	facts.knows_cpu = false;
	facts.sampled_ns = SECOND;
	EXPECT(overview_cpus_used(&facts, &used));
	EXPECT_NEAR(used, 1, 1e-9);
	free(overview);
}

/* Of a file that was cut, more of the same would be of no use. */
TEST(overview_of_a_damaged_file)
{
	struct overview *overview = mem_alloc(sizeof(*overview));
	struct overview_facts facts = { .sampled = true,
					.imported = true,
					.damage = "truncated: 200 of 900 bytes" };

	overview_make(overview, &facts);
	EXPECT_TEXT(overview->findings[0].text,
		    "The file is not whole (truncated: 200 of 900 bytes): 0 samples of it can be "
		    "read, too little to say what limited it.");
	EXPECT_TEXT(overview->findings[0].remedy, "record again, or copy the file again");
	free(overview);
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

	expect(&facts, "off-cpu",
	       "It ran for 10 % of its 2 s; whether it waited for the rest or others had the CPU "
	       "is not recorded.");
	/* of one that sleeps there is not one sample, however long one looks */
	facts.samples = facts.sampled_ns = 0;
	facts.sampled = true;
	expect(&facts, "too-little", "too little data to say what limited it: 0 samples in 2 s");
	facts.clocked = true;
	expect(&facts, "off-cpu", "It ran for 0.0 % of its 2 s");
	spend(&facts, 1, 0, 0, 0, 99);
	expect(&facts, "waiting", "neither for a CPU nor for the disk: for 99 % of its 2 s");
	EXPECT(is_sure(&facts));
	budget_free(&facts.budget);
}

/* What the other waiting of the last thread was, in percent of its two seconds. */
static void wait_for(struct budget *budget, enum budget_wait wait, uint64_t percent)
{
	struct budget_thread *thread = &budget->threads.data[budget->threads.len - 1];

	thread->why.waits[wait] = budget->run_waits[wait] = percent * SECOND / 50;
	budget_settle(budget);
}

/* Who had the CPU while each of them waited for it. */
static void queue_behind(struct budget *budget, uint64_t own, uint64_t others)
{
	vec_each (thread, &budget->threads) {
		thread->why.own = own * SECOND / 50;
		thread->why.others = others * SECOND / 50;
	}
	budget_settle(budget);
}

/* The largest part of the time is what limited it. */
TEST(overview_follows_the_budget)
{
	struct overview_facts facts = busy();

	spend(&facts, 98, 2, 0, 0, 0);
	expect(&facts, "cpu-bound", "It was limited by the CPU: it ran for 98 % of its 2 s");
	EXPECT(is_sure(&facts));
	spend(&facts, 9, 0, 0, 0, 91);
	expect(&facts, "waiting",
	       "It mostly waited, neither for a CPU nor for the disk: for 91 % of its 2 s; the "
	       "reason is not recorded; it ran for 9 %.");
	facts.budget.knows_disk = false;
	expect(&facts, "waiting", "It mostly waited, not for a CPU: for 91 %");
	spend(&facts, 20, 8, 72, 0, 0);
	expect(&facts, "disk",
	       "It was limited by the disk: it waited for it for 72 % of its 2 s; it ran for 20 % "
	       "and waited for a CPU for 8 %.");
	spend(&facts, 10, 5, 5, 80, 0);
	expect(&facts, "memory",
	       "for 80 % of its 2 s it waited for pages to be swapped in or freed");
	spend(&facts, 21, 70, 9, 0, 0);
	expect(&facts, "cpu-queue",
	       "It mostly waited for a CPU: for 70 % of its 2 s it was ready; who had the CPUs is "
	       "not known; it ran for 21 % and waited for the disk for 9 %.");
	queue_behind(&facts.budget, 0, 70);
	expect(&facts, "cpu-queue",
	       "for 70 % of its 2 s it was ready while other programs had the CPUs; it ran for 21 "
	       "%");
	/* a row that is missing may have had any of it */
	EXPECT(is_sure(&facts));
	facts.budget.whole = false;
	EXPECT(!is_sure(&facts));
	budget_free(&facts.budget);
}

/* What is no more than the half is not most of it. */
TEST(overview_says_mostly_of_more_than_half)
{
	struct overview_facts facts = busy();

	spend(&facts, 26, 27, 47, 0, 0);
	expect(&facts, "disk",
	       "It waited for the disk for 47 % of its 2 s, the largest part; it ran for 26 "
	       "% and waited for a CPU for 27 %.");
	EXPECT(is_sure(&facts));
	spend(&facts, 26, 47, 27, 0, 0);
	queue_behind(&facts.budget, 0, 47);
	expect(&facts, "cpu-queue",
	       "It waited for a CPU for 47 % of its 2 s, the largest part: other programs had "
	       "the CPUs; it ran for 26 %");
	spend(&facts, 26, 10, 17, 0, 47);
	expect(&facts, "waiting",
	       "It waited, neither for a CPU nor for the disk, for 47 % of its 2 s, the largest "
	       "part; the reason is not recorded; it ran for 26 %");
	spend(&facts, 45, 20, 20, 0, 15);
	expect(&facts, "cpu-bound",
	       "It was limited by the CPU more than by anything else: it ran for 45 % of its 2 s");
	budget_free(&facts.budget);
}

/* Parts that differ by less than the next run may: both are named, in one order. */
TEST(overview_names_both_of_a_tie)
{
	struct overview_facts facts = busy();
	struct overview_facts other = busy();

	facts.functions.data[0] = (struct overview_top){ (char *)"step", "prog", 0.9, false };
	facts.functions.count = 1;
	spend(&facts, 52, 1, 0, 0, 47);
	wait_for(&facts.budget, WAITED_SLEEP, 47);
	expect(&facts, "mixed",
	       "No single thing limited it: of its 2 s it ran for 52 %, waited for a CPU for 1 % "
	       "and waited for time to pass (sleep) for 47 %; `step` alone took 90 % of its CPU "
	       "time.");
	EXPECT(!is_sure(&facts));
	spend(&facts, 47, 0, 53, 0, 0);
	expect(&facts, "mixed", "of its 2 s it ran for 47 % and waited for the disk for 53 %; ");
	spend(&other, 38, 25, 37, 0, 0);
	expect(&other, "mixed",
	       "No single thing limited it: of its 2 s it ran for 38 %, waited for a CPU for 25 % "
	       "and waited for the disk for 37 %; who had the CPUs while it waited for one is not "
	       "known.");
	/* what it did when it ran is told, too */
	spend(&other, 48, 52, 0, 0, 0);
	queue_behind(&other.budget, 0, 52);
	other.has_kernel_stacks = true;
	other.calls = 0.9;
	expect(&other, "mixed",
	       "of its 2 s it ran for 48 % and waited for a CPU for 52 %; other programs had the "
	       "CPUs while it waited for one; 90 % of its CPU time went into system calls.");
	spend(&facts, 56, 0, 44, 0, 0);
	expect(&facts, "cpu-bound", "It was limited by the CPU: it ran for 56 %");
	budget_free(&facts.budget);
	budget_free(&other.budget);
}

/* By the system call that it was in, and never by samples where that is counted. */
TEST(overview_tells_what_it_waited_for)
{
	struct overview_facts facts = busy();
	struct overview *overview = mem_alloc(sizeof(*overview));

	spend(&facts, 9, 0, 0, 0, 91);
	wait_for(&facts.budget, WAITED_INPUT, 91);
	expect(&facts, "waiting", "for 91 % of its 2 s, for input (read or receive); it ran for");
	wait_for(&facts.budget, WAITED_INPUT, 60);
	wait_for(&facts.budget, WAITED_EVENTS, 31);
	expect(&facts, "waiting", "of its 2 s, mostly for input (read or receive); it ran");
	wait_for(&facts.budget, WAITED_INPUT, 45);
	wait_for(&facts.budget, WAITED_EVENTS, 46);
	expect(&facts, "waiting",
	       "of its 2 s, for events (poll, select or epoll) and for input (read or receive)");
	/* samples met it mostly on its way into a lock: that is what it does often, not long */
	facts.voluntary_switches = 90000;
	facts.waits[WAIT_LOCK] = 0.5;
	wait_for(&facts.budget, WAITED_INPUT, 91);
	wait_for(&facts.budget, WAITED_EVENTS, 0);
	overview_make(overview, &facts);
	EXPECT_TEXT(overview->findings[1].rule, "switches");
	EXPECT_TEXT(overview->findings[1].text,
		    "It stopped to wait very often; most of that time was for input (read or "
		    "receive).");
	wait_for(&facts.budget, WAITED_INPUT, 0);
	wait_for(&facts.budget, WAITED_UNKNOWN, 91);
	overview_make(overview, &facts);
	EXPECT_CONTAINS(overview->findings[0].text, "the reason is not recorded");
	EXPECT_TEXT(overview->findings[1].text, "It stopped to wait very often.");
	budget_free(&facts.budget);
	free(overview);
}

TEST(overview_of_several_threads)
{
	struct overview_facts facts = busy();

	/* one that works while others idle */
	spend(&facts, 100, 0, 0, 0, 0);
	for (int i = 0; i < 7; i++)
		add_thread(&facts.budget, 0, 0, 100);
	expect(&facts, "cpu-bound", "It was limited by the CPU: it ran for 100 %");
	EXPECT_INT(facts.budget.workers, 1);
	/* four that wait for each other: something always runs, and it is not the CPU */
	spend(&facts, 100, 0, 0, 0, 0);
	facts.budget.threads.data[0].ns[BUDGET_RAN] = 25 * SECOND / 50;
	facts.budget.threads.data[0].ns[BUDGET_OTHER] = 75 * SECOND / 50;
	wait_for(&facts.budget, WAITED_FUTEX, 75);
	for (int i = 0; i < 3; i++) {
		add_thread(&facts.budget, 25, 0, 75);
		wait_for(&facts.budget, WAITED_FUTEX, 75);
	}
	expect(&facts, "taking-turns",
	       "Its threads mostly waited, neither for a CPU nor for the disk: its 4 busiest "
	       "threads ran for 25 % of their time and waited for 75 %, for locks or other threads "
	       "(futex); at least one thread ran for 100 % of the run's 2 s.");
	/* the same with others on the CPUs: who is woken up waits for one then */
	spend(&facts, 92, 8, 0, 0, 0);
	facts.budget.threads.data[0].ns[BUDGET_RAN] = 25 * SECOND / 50;
	facts.budget.threads.data[0].ns[BUDGET_QUEUE] = 44 * SECOND / 50;
	facts.budget.threads.data[0].ns[BUDGET_OTHER] = 31 * SECOND / 50;
	wait_for(&facts.budget, WAITED_FUTEX, 31);
	for (int i = 0; i < 3; i++) {
		add_thread(&facts.budget, 25, 44, 31);
		wait_for(&facts.budget, WAITED_FUTEX, 31);
	}
	queue_behind(&facts.budget, 34, 10);
	expect(&facts, "taking-turns",
	       "Its threads waited more than they ran, neither for a CPU nor for the disk: its 4 "
	       "busiest threads ran for 25 % of their time and waited for 31 %, for locks or other "
	       "threads (futex); they waited for a CPU for 44 %: for 34 % other threads of its own "
	       "had the CPUs, for 10 % other programs; at least one thread ran for 92 %");
	/* one that waits for its children, which do the work */
	spend(&facts, 100, 0, 0, 0, 0);
	facts.budget.threads.data[0].ns[BUDGET_RAN] = 5 * SECOND / 50;
	facts.budget.threads.data[0].ns[BUDGET_OTHER] = 95 * SECOND / 50;
	wait_for(&facts.budget, WAITED_CHILDREN, 95);
	for (int i = 0; i < 20; i++)
		add_thread(&facts.budget, 5, 0, 0);
	expect(&facts, "cpu-bound", "It was limited by the CPU: it ran for 100 % of its 2 s");
	/* two that hand over to each other on one CPU: they are mostly ready, and never both run */
	spend(&facts, 100, 0, 0, 0, 0);
	facts.budget.threads.data[0].ns[BUDGET_RAN] = 50 * SECOND / 50;
	facts.budget.threads.data[0].ns[BUDGET_QUEUE] = 22 * SECOND / 50;
	facts.budget.threads.data[0].ns[BUDGET_OTHER] = 28 * SECOND / 50;
	facts.budget.threads.data[0].switches = 100000;
	add_thread(&facts.budget, 50, 22, 28);
	expect(&facts, "taking-turns",
	       "Its threads stopped to wait 50,000 times a second: its 2 busiest threads ran for "
	       "50 % of their time and waited for 28 %; the reason is not recorded");
	budget_free(&facts.budget);
}

/* Its own threads, or others: who had the CPU while it was ready is counted. */
TEST(overview_tells_who_had_the_cpu)
{
	struct overview_facts facts = busy();

	/* four on two CPUs: more to do than there are CPUs */
	facts.user_ns = 4 * SECOND;
	spend(&facts, 100, 0, 0, 0, 0);
	facts.budget.threads.data[0].ns[BUDGET_RAN] =
		facts.budget.threads.data[0].ns[BUDGET_QUEUE] = SECOND;
	for (int i = 0; i < 3; i++)
		add_thread(&facts.budget, 50, 50, 0);
	queue_behind(&facts.budget, 50, 0);
	expect(&facts, "cpu-bound",
	       "it used 2.0 CPUs on average over its 2 s, 100 % of that in user space; its 4 "
	       "busiest threads waited for a CPU for 50 % of their time, while other threads of "
	       "its own had the CPUs");
	/* pinned to one, beside others: both, with their shares */
	facts.user_ns = 3 * SECOND / 5;
	for (int i = 0; i < 4; i++) {
		facts.budget.threads.data[i].ns[BUDGET_RAN] = 15 * SECOND / 50;
		facts.budget.threads.data[i].ns[BUDGET_QUEUE] = 85 * SECOND / 50;
	}
	facts.budget.run_ns[BUDGET_RAN] = 60 * SECOND / 50;
	facts.budget.run_ns[BUDGET_QUEUE] = 40 * SECOND / 50;
	queue_behind(&facts.budget, 45, 40);
	expect(&facts, "cpu-bound",
	       "waited for a CPU for 85 % of their time: for 45 % other threads of its own had the "
	       "CPUs, for 40 % other programs");
	queue_behind(&facts.budget, 20, 65);
	expect(&facts, "cpu-queue",
	       "Its threads mostly waited for a CPU: its 4 busiest threads were ready for 85 % of "
	       "their time and ran for 15 %: for 20 % other threads of its own had the CPUs, for "
	       "65 % other programs; at least one thread ran for 60 % of the run's 2 s.");
	queue_behind(&facts.budget, 0, 0);
	expect(&facts, "cpu-queue", "ran for 15 %; who had the CPUs is not known; ");
	budget_free(&facts.budget);
}

/* How it ended comes first, and what limited it until then. */
TEST(overview_begins_with_a_bad_end)
{
	struct overview_facts facts = busy();

	spend(&facts, 98, 2, 0, 0, 0);
	facts.failed = true;
	strcpy(facts.ending, "signal 11 (Segmentation fault)");
	expect(&facts, "failed",
	       "It ended with signal 11 (Segmentation fault) after 2 s. It was limited by the CPU");
	facts.printed = true;
	expect(&facts, "failed",
	       "It ended with signal 11 (Segmentation fault) after 2 s; its output may say why. It "
	       "was limited by the CPU");
	facts.failed = false;
	facts.limited = true;
	expect(&facts, "cpu-bound", "It was ended after 2 s, at its time limit. It was limited by");
	strcpy(facts.time_limit, "500 ms"); /* it did not mind SIGTERM */
	expect(&facts, "cpu-bound",
	       "It was ended at its time limit of 500 ms, after 2 s. It was limited by");
	facts.limited = false;
	facts.stopped = true;
	expect(&facts, "cpu-bound", "It was stopped after 2 s. It was limited by");
	budget_free(&facts.budget);
}

/* 40 equal functions: one of them always has the most samples. */
TEST(overview_names_what_stands_out)
{
	struct overview_facts facts = busy();

	spend(&facts, 98, 2, 0, 0, 0);
	facts.samples = 500;
	facts.functions.count = 3;
	for (size_t i = 0; i < 3; i++)
		facts.functions.data[i] = (struct overview_top){ (char *)"spread", "prog", 0,
								 false };
	facts.functions.data[0].share = 0.05;
	facts.functions.data[1].share = 0.042;
	facts.functions.data[2].share = 0.04;
	facts.functions.next = 0.038;
	expect(&facts, "cpu-bound", "; no function stands out.");
	facts.functions.data[0].share = 0.12;
	expect(&facts, "cpu-bound", "`spread` alone took 12 % of its CPU time.");
	facts.functions.data[0].share = facts.functions.data[1].share = 0.4;
	expect(&facts, "cpu-bound", "`spread` and `spread` together took 80 % of its CPU time.");
	/* the clock is let in there: it is nobody's work */
	facts.clocked = true;
	facts.functions.data[0] = (struct overview_top){ (char *)"_raw_spin_unlock_irqrestore",
							 "[kernel]", 0.6, true };
	expect(&facts, "cpu-bound", "of that in user space.");
	budget_free(&facts.budget);
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
		    "record longer or at a higher rate (-F): 3 samples say little");
	facts.form = true;
	overview_make(overview, &facts);
	EXPECT_TEXT(overview->findings[0].remedy,
		    "let it run longer or choose a higher Rate: 3 samples say little");
	facts.samples = 0;
	overview_make(overview, &facts);
	EXPECT_TEXT(overview->findings[0].remedy,
		    "let it run longer or choose a higher Rate: not one sample was taken");
	/* what did not do its work needs no longer look */
	facts.failed = true;
	strcpy(facts.ending, "exit status 2");
	overview_make(overview, &facts);
	EXPECT_TEXT(overview->findings[0].text, "It ended with exit status 2 after 1 ms. It ended "
						"too soon to say what limited it.");
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
	EXPECT_TEXT(all, "failed programs one-thread kernel stalled switches disk-faults "
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
	EXPECT(!facts.idle_counted);
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

	/* what the kernel counted of whole CPUs is taken before what samples met */
	facts = (struct overview_facts){ 0 };
	profile->coverage = (struct profile_coverage){
		.known = true, .idle_known = true, .cpu_ns = 400, .idle_ns = 204
	};
	overview_facts_add(&facts, profile, 0);
	EXPECT(facts.idle_counted);
	EXPECT_NEAR(facts.idle, 0.51, 1e-9);
	EXPECT_INT(facts.sampled_ns, 196);
	EXPECT_NEAR(facts.kernel, 0.5, 1e-9);
	overview_facts_free(&facts);
	profile_free(profile);
}

/* A sample without a period is 1 of something: no nanosecond; every event's stacks may be cut. */
TEST(overview_facts_of_samples_without_periods)
{
	struct profile *profile = made_profile();
	struct overview_facts facts = { 0 };

	made_sample(profile, 1, "main;work", 1);
	made_sample(profile, 2, "main;other", 1);
	profile->stacks.flags[made_stack(profile, "main;other")] |= STACK_CUT;
	overview_facts_add(&facts, profile, 0);
	EXPECT_INT(facts.samples, 2);
	EXPECT_INT(facts.sampled_ns, 0);
	EXPECT(!facts.other_event);
	EXPECT_NEAR(facts.cut, 0.5, 1e-9);
	overview_facts_free(&facts);
	profile_free(profile);
}

static const struct finding *finding_of(const struct overview *overview, const char *rule)
{
	for (size_t i = 0; i < overview->count; i++)
		if (!strcmp(overview->findings[i].rule, rule))
			return &overview->findings[i];
	return NULL;
}

/* Of stacks that are cut short it says what report and doctor say, whatever the reason is. */
TEST(overview_has_trusts_reason_for_cut_stacks)
{
	static const struct {
		enum dso_state state;
		bool copied, records_cut;
		const char *why, *remedy;
	} cases[] = {
		{ DSO_UNREADABLE, true, false, "(its file cannot be read)", "as read /bin/prog" },
		{ DSO_MISSING, true, false, "(its file is not there)", "bring back /bin/prog" },
		{ DSO_MISSING, false, false, "(its file is not there)", "bring back /bin/prog" },
		{ DSO_FULL, true, false, "(no unwind table)", "-fasynchronous-unwind-tables" },
		{ DSO_FULL, false, false, "(no frame pointers)", "choose DWARF" },
		{ DSO_FULL, false, true, "(no frame pointers)", "choose DWARF" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct profile *profile = made_profile();
		struct overview *overview = mem_alloc(sizeof(*overview));
		struct overview_facts facts = { .form = true };
		struct remedy_facts about = { .form = true };
		const struct finding *finding;
		struct trust trust;

		profile->objects.data[1].path = interner_add(&profile->strings, "/bin/prog");
		profile->objects.data[1].state = cases[i].state;
		profile->quality.stack_copies = cases[i].copied ? 30 : 0;
		profile->quality.records_cut = cases[i].records_cut;
		if (cases[i].records_cut)
			profile->quality.damage = interner_add(&profile->strings, "it is cut");
		for (uint64_t k = 0; k < 30; k++)
			made_sample(profile, k, "main;work", 10);
		profile->stacks.flags[made_stack(profile, "main;work")] |=
			STACK_CUT | (cases[i].copied ? STACK_NO_TABLE : 0);
		overview_facts_add(&facts, profile, 0);
		overview_make(overview, &facts);
		trust_of(&trust, profile, 0, &about);
		finding = finding_of(overview, "cut-stacks");
		EXPECT(finding);
		EXPECT_CONTAINS(finding->text, cases[i].why);
		EXPECT_CONTAINS(finding->remedy, cases[i].remedy);
		for (size_t k = 0; k < trust.fault_count; k++)
			if (trust.faults[k].object == 1) { /* whatever it is, stacks have it */
				EXPECT_INT(trust.faults[k].part, TRUST_STACKS);
				EXPECT_TEXT(finding->remedy, trust.faults[k].remedy);
			}
		overview_facts_free(&facts);
		free(overview);
		profile_free(profile);
	}
}

/* Of several events that were sampled, each has lost its own. */
TEST(overview_counts_what_the_event_lost)
{
	struct profile *profile = made_profile();
	struct overview_facts facts = { 0 };
	struct profile_event event;

	made_sample(profile, 1, "main;work", 10);
	event = profile->events.data[0];
	*vec_push(&profile->events) = event;
	profile->events.data[0].lost = 3;
	profile->events.data[1].lost = 40;
	profile->quality.lost = 43;
	overview_facts_add(&facts, profile, 0);
	EXPECT_INT(facts.lost, 3);
	overview_facts_free(&facts);
	profile_free(profile);
}

/* One sample more or less is no function that stands out. */
TEST(overview_names_no_noise)
{
	struct overview_facts facts = { .samples = 27, .clocked = true };
	struct overview_tops *tops = &facts.functions;

	*tops = (struct overview_tops){ { { (char *)"work", "", 25 / 27.0, false },
					  { (char *)"_int_realloc", "", 1 / 27.0, false },
					  { (char *)"free", "", 1 / 27.0, false } },
					3,
					0 };
	EXPECT_INT(worth_naming(&facts), 1);
	facts.samples = 1028;
	tops->data[0].share = 0.6;
	tops->data[1].share = 0.3;
	tops->data[2].share = 0.001;
	EXPECT_INT(worth_naming(&facts), 2);
	tops->data[2].share = tops->data[1].share = 0.1;
	tops->next = 0.1;
	EXPECT_INT(worth_naming(&facts), 1);
	tops->next = 0;
	EXPECT_INT(worth_naming(&facts), 3);
}

/* Shares of samples are of no more than the side that was sampled, and say so. */
TEST(overview_says_of_which_side)
{
	static const struct {
		enum profile_scope scope;
		const char *side;
	} cases[] = { { SCOPE_NO_KERNEL, " in user space" }, { SCOPE_NO_USER, " in the kernel" } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct profile *profile = made_profile();
		struct overview *overview = mem_alloc(sizeof(*overview));
		struct overview_facts facts = busy();

		test_case("%s", cases[i].side);
		profile->events.data[0].scope = cases[i].scope;
		made_thread(profile, 2, 2, "other");
		for (uint64_t n = 0; n < 200; n++)
			profile_add(profile,
				    &(struct profile_row){
					    .time = n,
					    .weight = 10,
					    .stack = made_stack(profile,
								n % 10 ? "main;work" : "main;rest"),
					    .thread = n % 5 == 0,
				    });
		overview_facts_add(&facts, profile, 0);
		overview_make(overview, &facts);
		EXPECT_TEXT(overview->findings[0].rule, "cpu-bound");
		EXPECT_CONTAINS(overview->findings[0].text, "took 90 % of its CPU time");
		EXPECT_CONTAINS(overview->findings[0].text, cases[i].side);
		EXPECT_CONTAINS(finding_of(overview, "heavy-functions")->text, cases[i].side);
		EXPECT_CONTAINS(finding_of(overview, "programs")->text, cases[i].side);
		overview_facts_free(&facts);
		profile_free(profile);
		free(overview);
	}
}

/* Samples of a part of the run (-D, -i, an attached process's children) are of that part. */
TEST(overview_says_what_was_sampled)
{
	struct profile *profile = made_profile();
	struct overview *overview = mem_alloc(sizeof(*overview));
	struct overview_facts facts = busy();

	for (uint64_t n = 0; n < 200; n++)
		profile_add(profile, &(struct profile_row){
					     .time = n,
					     .weight = 10,
					     .stack = made_stack(profile, "main;work"),
				     });
	overview_facts_add(&facts, profile, 0);
	facts.sampled_ns = overview_cpu_ns(&facts) / 2;
	overview_make(overview, &facts);
	EXPECT_CONTAINS(overview->findings[0].text, "took 100 % of its CPU time that was sampled");
	facts.sampled_ns = overview_cpu_ns(&facts);
	overview_make(overview, &facts);
	EXPECT_CONTAINS(overview->findings[0].text, "took 100 % of its CPU time.");
	overview_facts_free(&facts);
	profile_free(profile);
	free(overview);
}

/* The kernel's stacks alone don't tell how much of the CPU time they are. */
TEST(overview_of_the_kernel_alone_blames_nothing)
{
	struct overview_facts facts = busy();

	facts.has_kernel_stacks = true;
	facts.calls = 0.98;
	expect(&facts, "system-calls", "98 % of its CPU time");
	facts.side = " in the kernel";
	facts.one_sided = true;
	expect(&facts, "cpu-bound", "97 % of that in user space");
}

/* What a file has no stack for is no function. */
TEST(overview_names_no_missing_stack)
{
	struct profile *profile = made_profile();
	struct overview_facts facts = { 0 };

	for (uint64_t i = 0; i < 30; i++)
		made_sample(profile, i, i % 3 ? NO_STACK_NAME : "main;work", 10);
	profile->quality.without_stack = 20;
	overview_facts_add(&facts, profile, 0);
	EXPECT_INT(facts.functions.count, 1);
	EXPECT_TEXT(facts.functions.data[0].name, "work");
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

/* A wait in io_uring_enter() or io_getevents() may be the disk's: the call does not tell. */
TEST(overview_never_says_that_started_io_is_not_the_disks)
{
	struct overview_facts facts = busy();

	spend(&facts, 9, 0, 0, 0, 91);
	wait_for(&facts.budget, WAITED_URING, 91);
	expect(&facts, "waiting",
	       "It mostly waited, not for a CPU: for 91 % of its 2 s, for I/O that it had started "
	       "(io_uring); whether that was the disk's is not recorded; it ran for 9 %.");
	EXPECT(is_sure(&facts));
	spend(&facts, 9, 0, 0, 0, 91);
	wait_for(&facts.budget, WAITED_AIO, 40);
	wait_for(&facts.budget, WAITED_FUTEX, 51);
	expect(&facts, "waiting",
	       "not for a CPU: for 91 % of its 2 s, mostly for locks or other threads (futex); it");
	spend(&facts, 9, 0, 0, 0, 91);
	wait_for(&facts.budget, WAITED_AIO, 45);
	wait_for(&facts.budget, WAITED_FUTEX, 46);
	expect(&facts, "waiting",
	       "not for a CPU: for 91 % of its 2 s, for locks or other threads (futex) and for I/O "
	       "that it had started (libaio); whether that was the disk's is not recorded; it");
	spend(&facts, 60, 0, 0, 0, 40);
	wait_for(&facts.budget, WAITED_AIO, 20);
	wait_for(&facts.budget, WAITED_SLEEP, 20);
	expect(&facts, "cpu-bound", "it waited for I/O that it had started and for something else");
	budget_free(&facts.budget);
}

/* One thread at a time, each short, and one that starts them and waits for their ends. */
TEST(overview_of_short_threads_is_the_cpu)
{
	struct overview_facts facts = busy();

	spend(&facts, 97, 0, 0, 0, 3);
	facts.budget.threads.len = 0;
	for (int i = 0; i < 90; i++)
		add_thread(&facts.budget, 1, 0, 0);
	EXPECT_INT(facts.budget.workers, 90);
	facts.budget.threads.len = 0;
	for (int i = 0; i < 90; i++) {
		struct budget_thread *thread = vec_push(&facts.budget.threads);

		*thread = (struct budget_thread){ .count = 1, .tid = (uint32_t)i + 2 };
		thread->ns[BUDGET_RAN] = SECOND / 50;
	}
	add_thread(&facts.budget, 7, 0, 93);
	facts.budget.switches = 10;
	expect(&facts, "cpu-bound", "It was limited by the CPU");
	budget_free(&facts.budget);
}

/* A cgroup's quota holds it back, whoever has the CPUs meanwhile. */
TEST(overview_names_the_quota)
{
	struct overview_facts facts = busy();

	spend(&facts, 20, 79, 0, 0, 1);
	expect(&facts, "cpu-queue", "it was ready; who had the CPUs is not known; it ran for 20 %");
	facts.budget.held_ns = 77 * SECOND / 50;
	expect(&facts, "cpu-queue",
	       "It mostly waited for a CPU: for 79 % of its 2 s it was ready; its CPU quota "
	       "(cgroup) held it back for 77 % of the run's time; it ran for 20 %");
	queue_behind(&facts.budget, 0, 70);
	expect(&facts, "cpu-queue", "its CPU quota (cgroup) held it back for 77 %");
	facts.budget.held_ns = 10 * SECOND / 50;
	expect(&facts, "cpu-queue", "while other programs had the CPUs");
	spend(&facts, 70, 30, 0, 0, 0);
	facts.budget.held_ns = 30 * SECOND / 50;
	expect(&facts, "cpu-bound",
	       "it waited for a CPU for 30 % of that time; its CPU quota (cgroup) held it back for "
	       "30 % of the run's time");
	spend(&facts, 51, 49, 0, 0, 0);
	facts.budget.held_ns = 49 * SECOND / 50;
	expect(&facts, "mixed", "waited for a CPU for 49 %; its CPU quota (cgroup) held it back");
	budget_free(&facts.budget);
}

/* Its start is all that was seen of it. */
TEST(overview_says_nothing_more_of_a_short_run)
{
	struct overview_facts facts = busy();
	struct overview *overview = mem_alloc(sizeof(*overview));

	spend(&facts, 90, 10, 0, 0, 0);
	facts.duration_ns = 3000000;
	facts.involuntary_switches = 50;
	overview_make(overview, &facts);
	EXPECT_INT(overview->count, 1);
	facts.lost = facts.samples;
	overview_make(overview, &facts);
	EXPECT_INT(overview->count, 2);
	free(overview);
	budget_free(&facts.budget);
}

/* How a program ended, as its recording has it. */
TEST(overview_of_a_recording_begins_with_its_end)
{
	struct profile *profile = made_profile();
	struct overview_facts facts = busy();

	spend(&facts, 97, 0, 0, 0, 3);
	overview_facts_ending(&facts, profile);
	EXPECT(!facts.failed && !facts.full);
	profile->coverage = (struct profile_coverage){ .ended = true };
	overview_facts_ending(&facts, profile);
	expect(&facts, "cpu-bound", "It was limited by the CPU");
	profile->coverage.wait_status = 3 << 8;
	overview_facts_ending(&facts, profile);
	expect(&facts, "failed",
	       "It ended with exit status 3 after 2 s. It was limited by the CPU");
	profile->coverage.wait_status = 9;
	overview_facts_ending(&facts, profile);
	expect(&facts, "failed", "It ended with signal 9 (Killed) after 2 s. ");
	profile->coverage = (struct profile_coverage){ .full = true };
	overview_facts_ending(&facts, profile);
	expect(&facts, "cpu-bound",
	       "The recording ended after 2 s, when its file had reached its size. It was limited");
	budget_free(&facts.budget);
	profile_free(profile);
}

/* A recording carries the sums, and the same sentence comes of them. */
TEST(overview_of_a_packed_budget)
{
	struct overview_facts facts = busy();
	uint64_t words[BUDGET_WORDS] = { 0 };
	struct budget packed;

	EXPECT(!budget_unpack(&packed, words, BUDGET_WORDS));
	EXPECT_INT(packed.source, BUDGET_NONE);
	spend(&facts, 9, 20, 0, 0, 71);
	wait_for(&facts.budget, WAITED_FUTEX, 71);
	queue_behind(&facts.budget, 2, 18);
	budget_pack(&facts.budget, words);
	EXPECT(!budget_unpack(&packed, words, BUDGET_WORDS - 1));
	EXPECT(budget_unpack(&packed, words, BUDGET_WORDS));
	EXPECT_INT(packed.work_why.others, facts.budget.work_why.others);
	EXPECT_INT(packed.work_why.waits[WAITED_FUTEX], facts.budget.work_why.waits[WAITED_FUTEX]);
	EXPECT_INT(packed.run_waits[WAITED_FUTEX], facts.budget.run_waits[WAITED_FUTEX]);
	EXPECT_INT(packed.run_ns[BUDGET_OTHER], facts.budget.run_ns[BUDGET_OTHER]);
	EXPECT_INT(packed.count, 1);
	budget_free(&facts.budget);
	facts.budget = packed;
	expect(&facts, "waiting", "for 71 % of its 2 s, for locks or other threads (futex)");
	EXPECT(is_sure(&facts));
	words[0]++;
	EXPECT(!budget_unpack(&packed, words, BUDGET_WORDS));
}

/* Imported files say anything of their times. */
TEST(overview_of_endless_time)
{
	struct overview_facts facts = { .sampled = true, .samples = 1, .duration_ns = INT64_MAX };

	expect(&facts, "too-little", "1 sample in ");
}
