// SPDX-License-Identifier: Apache-2.0
#include "profile/trust.h"
#include "made.h"
#include "profile/remedy.h"
#include "test.h"

#include <string.h>

/* So many samples without a name in an object. */
static void add_unknown(struct profile *p, const char *path, enum dso_kind kind,
			enum dso_state state, int count)
{
	uint32_t object = profile_object(p, path, &(struct build_id){ 0 }, kind);
	uint32_t function = profile_function(p, UNKNOWN_NAME, object, FRAME_UNKNOWN);
	uint32_t stack = profile_stack(p, STACK_ROOT, function, false);

	p->objects.data[object].state = (uint8_t)state;
	for (int i = 0; i < count; i++)
		profile_add(p, &(struct profile_row){ .time = 1, .weight = 1, .stack = stack });
	p->quality.unknown_leaves += (uint64_t)count;
}

TEST(trust_remedy_of_an_object)
{
	static const struct {
		const char *name, *path;
		enum dso_kind kind;
		enum dso_state state;
		const char *want; /* a part of it; "" for none at all */
	} cases[] = {
		{ "a library", "/usr/lib/libz.so.1", DSO_FILE, DSO_PARTIAL, "install the debug" },
		{ "of one's own", "/home/me/prog", DSO_FILE, DSO_STRIPPED, "without stripping" },
		{ "installed by hand", "/usr/local/bin/x", DSO_FILE, DSO_PARTIAL, "without strip" },
		{ "gone", "/home/me/prog", DSO_FILE, DSO_MISSING, "bring back /home/me/prog" },
		{ "rebuilt", "/home/me/prog", DSO_FILE, DSO_MISMATCH, "record again" },
		{ "not for us", "/root/prog", DSO_FILE, DSO_UNREADABLE, "may read /root/prog" },
		{ "JIT", "/tmp/perf-7.map", DSO_JIT, DSO_MISSING, "write /tmp/perf-7.map" },
		{ "JIT with a list", "/tmp/perf-7.map", DSO_JIT, DSO_FULL, "" },
		{ "hidden kernel", "[kernel.kallsyms]", DSO_KERNEL, DSO_HIDDEN, "kptr_restrict" },
		{ "hidden module", "[ext4]", DSO_MODULE, DSO_HIDDEN, "kptr_restrict" },
		{ "another kernel", "[kernel.kallsyms]", DSO_KERNEL, DSO_MISMATCH, "--vmlinux" },
		{ "no kernel", "[kernel.kallsyms]", DSO_KERNEL, DSO_MISSING, "--kallsyms" },
		{ "module", "[ext4]", DSO_MODULE, DSO_MISSING, "/lib/modules" },
		{ "vdso", "[vdso]", DSO_VDSO, DSO_MISMATCH, "--buildid-dir" },
		{ "nowhere", "[unknown]", DSO_NONE, DSO_UNREAD, "" },
		{ "heap", "[heap]", DSO_NONE, DSO_STRIPPED, "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct profile *p = made_profile();
		struct trust trust;

		test_case("%s", cases[i].name);
		add_unknown(p, cases[i].path, cases[i].kind, cases[i].state, 10);
		trust_of(&trust, p, 0, &(struct remedy_facts){ .copy_size = 8192 });
		EXPECT(strstr(trust.remedy, cases[i].want));
		EXPECT_BOOL(trust.remedy[0], cases[i].want[0]);
		EXPECT_TEXT(profile_text(p, p->objects.data[trust.worst_object].path),
			    cases[i].path);
		profile_free(p);
	}
}

/* For an import only some files of this machine are looked into: that is said as it is. */
TEST(trust_remedy_of_an_import)
{
	static const enum dso_state states[] = { DSO_MISSING, DSO_UNREADABLE, DSO_MISMATCH };

	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		struct profile *p = made_profile();
		struct trust trust;

		add_unknown(p, "/usr/bin/prog", DSO_FILE, states[i], 10);
		trust_of(&trust, p, 0, &(struct remedy_facts){ .imported = true });
		EXPECT_CONTAINS(trust.remedy, "run `perf script` on the machine that recorded it");
		EXPECT_CONTAINS(trust.remedy, "only if it was recorded here and the user of your");
		profile_free(p);
	}
}

/* The worst object is named, but the remedy is for the worst that can be helped. */
TEST(trust_remedy_that_helps)
{
	struct profile *p = made_profile();
	struct trust trust;

	add_unknown(p, "[unknown]", DSO_NONE, DSO_UNREAD, 50);
	add_unknown(p, "/usr/lib/libz.so.1", DSO_FILE, DSO_PARTIAL, 20);
	made_sample(p, 1, "main;work", 1);
	trust_of(&trust, p, 0, &(struct remedy_facts){ .copy_size = 8192 });
	EXPECT_TEXT(profile_text(p, p->objects.data[trust.worst_object].path), "[unknown]");
	EXPECT(strstr(trust.remedy, "libz.so.1"));
	profile_free(p);
}

/* Shares of a handful say little, unless the handful is all that happened. */
TEST(trust_few_samples)
{
	static const struct {
		const char *name;
		int samples;
		uint64_t weight;
		const char *want;
	} cases[] = {
		{ "one", 1, 1000, "1 sample says little" },
		{ "four", 4, 1000, "record longer or at a higher rate (-F): 4 samples say little" },
		{ "just few", 99, 1000, "99 samples say little" },
		{ "enough", 100, 1000, "" },
		{ "each one recorded", 4, 1, "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct profile *p = made_profile();
		struct trust trust;

		test_case("%s", cases[i].name);
		for (int n = 0; n < cases[i].samples; n++)
			made_sample(p, 1, "main;work", cases[i].weight);
		trust_of(&trust, p, 0, &(struct remedy_facts){ .copy_size = 8192 });
		EXPECT(strstr(trust.remedy, cases[i].want));
		EXPECT_BOOL(trust.remedy[0], cases[i].want[0]);
		EXPECT_BOOL(trust.few, cases[i].want[0]);
		profile_free(p);
	}
}

TEST(trust_faults_are_weighed)
{
	static const struct {
		const char *name;
		uint64_t lost;
		int cut;
		uint64_t copies, throttled;
		int unknown;
		const char *want;
	} cases[] = {
		{ "nothing", 0, 0, 0, 0, 0, "" },
		{ "lost", 30, 0, 0, 0, 0, "larger buffers" },
		{ "more lost than unknown", 60, 0, 0, 0, 10, "larger buffers" },
		{ "more unknown than lost", 2, 0, 0, 0, 60, "bring back" },
		{ "cut", 0, 90, 0, 0, 0, "--call-graph dwarf" },
		{ "more cut than unknown", 0, 24, 0, 0, 16, "--call-graph dwarf" },
		{ "more unknown than cut", 0, 16, 0, 0, 24, "bring back" },
		{ "cut in spite of copies", 0, 90, 90, 0, 0, "dwarf,32768" },
		{ "throttled", 0, 0, 0, 3, 0, "max_sample_rate" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct profile *p = made_profile();
		struct trust trust;
		uint32_t stack;

		test_case("%s", cases[i].name);
		add_unknown(p, "/bin/gone", DSO_FILE, DSO_MISSING, cases[i].unknown);
		for (int n = cases[i].unknown; n < 100; n++)
			made_sample(p, 1, n < cases[i].unknown + cases[i].cut ? "main;cut" : "main",
				    1);
		stack = made_stack(p, "main;cut");
		p->stacks.flags[stack] |= STACK_CUT | (cases[i].copies ? STACK_SHORT_COPY : 0);
		p->quality.lost = cases[i].lost;
		p->quality.cut_stacks = (uint64_t)cases[i].cut;
		p->quality.stack_copies = cases[i].copies;
		p->quality.throttled = cases[i].throttled;
		trust_of(&trust, p, 0, &(struct remedy_facts){ .copy_size = 8192 });
		EXPECT_CONTAINS(trust.remedy, cases[i].want);
		EXPECT_BOOL(trust.remedy[0], cases[i].want[0]);
		EXPECT_BOOL(trust_is_good(&trust), !cases[i].want[0]);
		profile_free(p);
	}
}

/* Good is said only where every check passed. */
TEST(trust_names_every_fault)
{
	static const struct {
		const char *name;
		struct profile_quality quality;
		uint64_t scope;
		enum panel_reason want;
		const char *text;
	} cases[] = {
		{ "all well", { 0 }, 0, PANEL_GOOD, "" },
		{ "user only", { 0 }, SCOPE_NO_KERNEL, PANEL_USER_ONLY, "only user space" },
		{ "kernel only", { 0 }, SCOPE_NO_USER, PANEL_KERNEL_ONLY, "only the kernel" },
		{ "lost", { .lost = 50 }, 0, PANEL_LOST, "50 samples (33.33 %) were lost" },
		{ "one CPU",
		  { .cpus_sampled = 1, .cpus_online = 4 },
		  0,
		  PANEL_SOME_CPUS,
		  "1 of 4" },
		{ "filter", { .is_filtered = 1 }, 0, PANEL_FILTERED, "--filter" },
		{ "not understood", { .unknown_records = 2 }, 0, PANEL_BAD_RECORDS, "2 records" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct profile *p = made_profile();
		struct trust trust;

		test_case("%s", cases[i].name);
		for (int n = 0; n < 100; n++)
			made_sample(p, 1, "main;work", 1);
		p->quality = cases[i].quality;
		p->events.data[0].scope = cases[i].scope;
		trust_of(&trust, p, 0, NULL);
		EXPECT_INT(trust.fault_count, cases[i].want != PANEL_GOOD);
		if (trust.fault_count) {
			EXPECT_INT(trust.faults[0].reason, cases[i].want);
			EXPECT_CONTAINS(trust.faults[0].text, cases[i].text);
		}
		profile_free(p);
	}
}

TEST(trust_says_that_all_were_lost)
{
	struct profile *p = made_profile();
	struct trust trust;

	p->quality.lost = 281;
	trust_of(&trust, p, 0, NULL);
	EXPECT_INT(trust.fault_count, 1);
	EXPECT_TEXT(trust.faults[0].text, "all 281 samples were lost");
	EXPECT_CONTAINS(trust.remedy, "larger buffers");
	profile_free(p);
}

TEST(trust_intervals)
{
	static const struct {
		uint64_t part, samples;
		double low, high;
	} cases[] = {
		{ 0, 0, 0, 1 },		{ 50, 100, 0.404, 0.596 }, { 0, 100, 0, 0.037 },
		{ 100, 100, 0.963, 1 }, { 5, 38, 0.058, 0.273 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		double low, high;

		trust_interval(cases[i].part, cases[i].samples, &low, &high);
		EXPECT_INT((int)(1000 * low + 0.5), (int)(1000 * cases[i].low + 0.5));
		EXPECT_INT((int)(1000 * high + 0.5), (int)(1000 * cases[i].high + 0.5));
	}
}

/* Samples times period, beside the CPU time that there was. */
TEST(trust_covers_the_time)
{
	static const struct {
		const char *name;
		struct profile_coverage coverage;
		uint64_t samples, period, counted, forks;
		enum panel_reason want;
		const char *text;
	} cases[] = {
		{ "all of it", { .known = true }, 1000, 1000000, 1000000000, 0, PANEL_GOOD, "" },
		{ "nearly all of it",
		  { .known = true },
		  1000,
		  1000000,
		  1049000000,
		  0,
		  PANEL_GOOD,
		  "" },
		{ "eight per cent less",
		  { .known = true },
		  1000,
		  1000000,
		  1087000000,
		  0,
		  PANEL_NOT_COVERED,
		  "92.0 % of the 1.087 s" },
		{ "more than there was",
		  { .known = true },
		  10000,
		  100000,
		  940000000,
		  0,
		  PANEL_NOT_COVERED,
		  "106.4 % of the 0.940 s" },
		{ "perhaps by chance",
		  { .known = true },
		  100,
		  10000000,
		  1200000000,
		  0,
		  PANEL_COVERAGE_UNCLEAR,
		  "with 100 samples that may be chance (up to 20 points)" },
		{ "short processes",
		  { .known = true, .inherited = true },
		  240,
		  1000000,
		  2000000000,
		  300,
		  PANEL_SHORT_PROCESSES,
		  "12.0 % of the 2.000 s" },
		{ "too fast",
		  { .known = true },
		  6900,
		  10000,
		  100000000,
		  0,
		  PANEL_RATE_TOO_HIGH,
		  "69.0 % of the 0.100 s" },
		{ "nobody knows why",
		  { .known = true },
		  1000,
		  1000000,
		  2000000000,
		  0,
		  PANEL_NOT_COVERED,
		  "why is not recorded" },
		{ "idle",
		  { .known = true, .idle_known = true, .idle_ns = 500000000 },
		  1000,
		  1000000,
		  1000000000,
		  0,
		  PANEL_IDLE_SAMPLES,
		  "idle for 50.0 % of the time" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct profile *p = made_profile();
		struct trust trust;

		test_case("%s", cases[i].name);
		made_thread(p, 7, 7, "busy");
		for (uint64_t n = 0; n < cases[i].samples; n++)
			made_sample(p, n, "main;work", cases[i].period);
		p->coverage = cases[i].coverage;
		p->coverage.cpu_ns = p->events.data[0].counted = cases[i].counted;
		p->quality.forks = cases[i].forks;
		p->quality.spawns = cases[i].forks;
		trust_of(&trust, p, 0, NULL);
		EXPECT_INT(trust.fault_count, cases[i].want != PANEL_GOOD);
		if (trust.fault_count) {
			EXPECT_INT(trust.faults[0].reason, cases[i].want);
			EXPECT_CONTAINS(trust.faults[0].text, cases[i].text);
		}
		profile_free(p);
	}
}

/* A clock counts nothing while tasks are switched; the program is charged with that time. */
TEST(trust_counts_the_switches_as_cpu_time)
{
	struct profile *p = made_profile();
	struct trust trust;

	p->events.data[0].name = interner_add(&p->strings, "cpu-clock");
	made_thread(p, 7, 7, "busy");
	for (uint64_t n = 0; n < 1000; n++)
		made_sample(p, n, "main;work", 1000000);
	p->coverage = (struct profile_coverage){ .known = true, .cpu_ns = 1000000000 };
	p->events.data[0].counted = 1000000000;
	trust_of(&trust, p, 0, NULL);
	EXPECT_INT(trust.fault_count, 0);
	p->coverage.cpu_ns = 1250000000;
	trust_of(&trust, p, 0, NULL);
	EXPECT_INT((int)(1000 * trust.covered_share + 0.5), 800);
	EXPECT_INT(trust.fault_count, 1);
	EXPECT_INT(trust.faults[0].reason, PANEL_NOT_COVERED);
	EXPECT_CONTAINS(trust.faults[0].text,
			"80.0 % of the 1.250 s of CPU time: the kernel samples nothing while it "
			"switches");
	p->coverage.idle_known = true;
	trust_of(&trust, p, 0, NULL);
	EXPECT_INT(trust.fault_count, 1);
	EXPECT_CONTAINS(trust.faults[0].text, "80.0 % of the 1.250 s of all CPUs: the kernel ");
	profile_free(p);
}

/* Where chance may explain all that is wrong, nothing is claimed: neither good nor bad. */
TEST(trust_cannot_tell_from_a_few_samples)
{
	static const struct {
		const char *name;
		uint64_t samples, period, counted, lost;
		const char *want;
	} cases[] = {
		{ "two of them", 2, 10000000, 35000000, 0, TRUST_UNCLEAR },
		{ "two, all of the time", 2, 10000000, 20000000, 0, TRUST_UNCLEAR },
		{ "a hundred", 100, 10000000, 1087000000, 0, TRUST_UNCLEAR_TIME },
		{ "and some lost", 100, 10000000, 1087000000, 3, TRUST_CARE },
		{ "a thousand", 1000, 1000000, 1087000000, 0, TRUST_CARE },
		{ "all well", 1000, 1000000, 1000000000, 0, TRUST_GOOD },
		{ "not recorded", 1000, 1000000, 0, 0, TRUST_NEARLY },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct profile *p = made_profile();
		struct trust trust;

		test_case("%s", cases[i].name);
		for (uint64_t n = 0; n < cases[i].samples; n++)
			made_sample(p, n, "main;work", cases[i].period);
		p->coverage.known = cases[i].counted > 0;
		p->coverage.cpu_ns = p->events.data[0].counted = cases[i].counted;
		p->quality.lost = cases[i].lost;
		trust_of(&trust, p, 0, NULL);
		EXPECT_TEXT(trust_verdict(&trust), cases[i].want);
		EXPECT_BOOL(trust_is_good(&trust), i >= 5);
		profile_free(p);
	}
}

/* Counts are as of the last round that is there: of a file that lost records they say nothing. */
TEST(trust_of_a_cut_file)
{
	struct profile *p = made_profile();
	struct trust trust;
	uint32_t stack;

	for (uint64_t n = 0; n < 100; n++)
		made_sample(p, n, "main;cut", 10000000);
	stack = made_stack(p, "main;cut");
	p->stacks.flags[stack] |= STACK_CUT;
	p->quality.cut_stacks = 100;
	p->coverage = (struct profile_coverage){ .known = true, .cpu_ns = 250000000 };
	p->events.data[0].counted = 250000000;
	p->quality.damage = interner_add(&p->strings, "truncated: 1 of 2 bytes");
	p->quality.records_cut = 1;
	trust_of(&trust, p, 0, NULL);
	EXPECT(trust.covered_share < 0);
	EXPECT_INT(trust.fault_count, 2);
	EXPECT_CONTAINS(trust.faults[1].text, "truncated: 1 of 2 bytes");
	EXPECT_CONTAINS(trust.faults[1].text, "can't tell how much CPU time");
	EXPECT_TEXT(trust.remedy, "record again, or copy the file again");
	profile_free(p);
}

/* Nobody knows what an import lacks: it is never good, and has no mappings to blame. */
TEST(trust_of_an_import)
{
	struct profile *p = made_profile();
	struct trust trust;

	made_sample(p, 1, NO_STACK_NAME, 1);
	p->quality.origin = ORIGIN_SAMPLES;
	trust_of(&trust, p, 0, NULL);
	EXPECT_TEXT(trust_verdict(&trust), TRUST_IMPORT);
	EXPECT_BOOL(trust_is_good(&trust), false);
	add_unknown(p, "", DSO_NONE, DSO_UNREAD, 10);
	p->quality.without_stack = 1;
	trust_of(&trust, p, 0, NULL);
	EXPECT_INT(trust.fault_count, 2);
	EXPECT_TEXT(trust.faults[0].text, "90.91 % have no name: the file has no name for it");
	EXPECT_CONTAINS(trust.faults[0].remedy, "on the machine that recorded it (perf script");
	EXPECT_CONTAINS(trust.faults[1].text, "9.09 % have no stack in the file");
	profile_free(p);
}

/* A recording may change its period on the way: tables weigh by it, and so does what is said of
 * them. */
TEST(trust_weighs_by_period)
{
	struct profile *p = made_profile();
	uint32_t object = profile_object(p, "/bin/gone", &(struct build_id){ 0 }, DSO_FILE);
	uint32_t nameless = profile_stack(
		p, STACK_ROOT, profile_function(p, UNKNOWN_NAME, object, FRAME_UNKNOWN), false);
	uint32_t cut = made_stack(p, "main;cut"), leaf = made_stack(p, "main;leaf");
	struct trust trust;

	p->stacks.flags[cut] |= STACK_CUT;
	p->stacks.flags[leaf] |= STACK_SKIPS;
	for (uint64_t n = 0; n < 100; n++) {
		made_sample(p, n, "main", 1000);
		profile_add(p,
			    &(struct profile_row){ .time = n, .weight = 5000, .stack = nameless });
		profile_add(p, &(struct profile_row){ .time = n, .weight = 3000, .stack = cut });
		profile_add(p, &(struct profile_row){ .time = n, .weight = 1000, .stack = leaf });
	}
	*vec_push(&p->skips) = (struct profile_skips){ 1, 0, { 100, 100000 } };
	p->events.data[0].reused = (struct weight_pair){ 100, 200000 };
	trust_of(&trust, p, 0, NULL);
	EXPECT_INT(trust.samples, 400);
	EXPECT_INT(1000 * trust.unknown_share, 500);
	EXPECT_INT(1000 * trust.worst_share, 500);
	EXPECT_INT(1000 * trust.cut_share, 300);
	EXPECT_INT(1000 * trust.skipped_share, 100);
	EXPECT_CONTAINS(trust.faults[0].text, "50.00 % have no name in /bin/gone");
	EXPECT_CONTAINS(trust.faults[1].text, "30.00 % of the stacks are cut short");
	EXPECT_CONTAINS(trust.faults[2].text, "20.00 % are at addresses that a JIT used");
	profile_free(p);
}

/* What is wrong with one event says nothing of another. */
TEST(trust_judges_each_event_by_itself)
{
	struct profile *p = made_profile();
	struct trust trust;

	*vec_push(&p->events) = (struct profile_event){
		.name = interner_add(&p->strings, "page-faults"),
		.scope = SCOPE_NO_KERNEL,
	};
	for (uint64_t n = 0; n < 200; n++)
		made_sample(p, 1, "main;work", 1000);
	add_unknown(p, "/bin/gone", DSO_FILE, DSO_MISSING, 7);
	for (size_t i = 200; i < p->samples.len; i++)
		p->samples.event[i] = 1;
	p->events.data[0].samples = 200;
	p->events.data[0].weight = 200000;
	p->events.data[1].samples = p->events.data[1].weight = 7;
	trust_of(&trust, p, 0, NULL);
	EXPECT_INT(trust.samples, 200);
	EXPECT_INT(1000 * trust.unknown_share, 0);
	EXPECT_INT(trust.fault_count, 0);
	trust_of(&trust, p, 1, NULL);
	EXPECT_INT(trust.samples, 7);
	EXPECT_INT(1000 * trust.unknown_share, 1000);
	EXPECT_INT(trust.fault_count, 2);
	profile_free(p);
}

/* A share is said with its interval, whatever the number; and nothing is good that has none. */
TEST(trust_says_how_far_a_few_can_be_off)
{
	static const struct {
		uint64_t samples;
		const char *text;
	} cases[] = {
		{ 1, "1 sample: a share of 50 % may be 5 to 95 %" },
		{ 5, "5 samples: a share of 50 % may be 17 to 83 %" },
		{ 20, "20 samples: a share of 50 % may be 30 to 70 %" },
		{ 25, "25 samples: a share of 50 % may be 32 to 68 %" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct profile *p = made_profile();
		struct trust trust;

		test_case("%d", (int)cases[i].samples);
		for (uint64_t n = 0; n < cases[i].samples; n++)
			made_sample(p, n, "main;work", 1000);
		trust_of(&trust, p, 0, NULL);
		EXPECT_INT(trust.fault_count, 1);
		EXPECT_TEXT(trust.faults[0].text, cases[i].text);
		EXPECT_TEXT(trust_verdict(&trust), TRUST_UNCLEAR);
		profile_free(p);
	}
}

TEST(trust_of_no_samples)
{
	static const struct {
		const char *name;
		struct profile_coverage coverage;
		const char *text;
		uint64_t scope;
	} cases[] = {
		{ "slept", { .known = true }, "it never ran, but slept", 0 },
		{ "short", { .known = true, .cpu_ns = 420000 }, "it ran for 0.420 ms only", 0 },
		{ "untold", { 0 }, "which the file does not tell", 0 },
		{ "seldom",
		  { .known = true, .cpu_ns = 420000 },
		  "cpu-clock happened 420,000 times, too seldom for a sample",
		  SCOPE_SELDOM },
		{ "first", { 0 }, "cpu-clock did not happen", SCOPE_SELDOM | SCOPE_FIRST },
		{ "seldom, slept", { .known = true }, "it never ran, but slept", SCOPE_SELDOM },
		{ "seldom, untold",
		  { 0 },
		  "did not happen, or too seldom for a sample",
		  SCOPE_SELDOM },
		{ "void",
		  { .known = true, .cpu_ns = 420000 },
		  "it happens in the kernel only, and the kernel was left out",
		  SCOPE_NO_KERNEL | SCOPE_VOID },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct profile *p = made_profile();
		struct trust trust;

		test_case("%s", cases[i].name);
		p->coverage = cases[i].coverage;
		p->events.data[0].counted = cases[i].coverage.cpu_ns;
		p->events.data[0].scope |= cases[i].scope;
		trust_of(&trust, p, 0, NULL);
		EXPECT_INT(trust.fault_count, 1);
		EXPECT_CONTAINS(trust.faults[0].text, cases[i].text);
		EXPECT_TEXT(trust_verdict(&trust), TRUST_NONE);
		profile_free(p);
	}
}
