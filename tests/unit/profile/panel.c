// SPDX-License-Identifier: Apache-2.0
#include "made.h"
#include "profile/remedy.h"
#include "test.h"

#include <stdio.h>

/* Samples of one stack, whose frames are made by made_stack and may be changed by the caller. */
static void samples(struct profile *profile, uint32_t stack, int count, uint8_t flags)
{
	profile->stacks.flags[stack] |= flags;
	for (int i = 0; i < count; i++)
		profile_add(profile, &(struct profile_row){ .weight = 1, .stack = stack });
}

static const struct panel_row *row_of(const struct panel *panel, uint32_t object)
{
	vec_each (row, &panel->rows)
		if (row->object == object)
			return row;
	return NULL;
}

/* NULL: there is none. */
static void expect_remedy(const struct profile *profile, uint32_t object, enum panel_reason reason,
			  uint32_t copy_size, const char *want)
{
	char *remedy = remedy_for(reason, profile, &profile->objects.data[object],
				  &(struct remedy_facts){ .copy_size = copy_size });

	EXPECT_BOOL(remedy != NULL, want != NULL);
	EXPECT_CONTAINS(remedy ? remedy : "", want ? want : "");
	free(remedy);
}

TEST(panel_says_good_of_whole_stacks_with_names)
{
	struct profile *profile = made_profile();
	struct panel panel;

	samples(profile, made_stack(profile, "_start;main;work"), 10, 0);
	panel_make(&panel, profile, 0);
	EXPECT_INT(panel.whole.samples, 10);
	EXPECT_INT(panel.cut.samples, 0);
	EXPECT_INT(panel.rows.len, 1);
	EXPECT_INT(panel.rows.data[0].through.samples, 10); /* once a sample, not once a frame */
	EXPECT_INT(panel.rows.data[0].stacks, PANEL_GOOD);
	EXPECT_INT(panel.rows.data[0].names, PANEL_GOOD);
	panel_free(&panel);
	profile_free(profile);
}

TEST(panel_blames_the_object_where_the_way_was_lost)
{
	struct profile *profile = made_profile();
	uint32_t none = profile_object(profile, UNKNOWN_NAME, &(struct build_id){ 0 }, DSO_NONE);
	uint32_t lib = profile_object(profile, "/lib/x.so", &(struct build_id){ 0 }, DSO_FILE);
	uint32_t nowhere = profile_function(profile, UNKNOWN_NAME, none, FRAME_UNKNOWN);
	uint32_t in_lib = profile_function(profile, "f", lib, FRAME_LIBRARY);
	uint32_t at = profile_stack(profile, made_stack(profile, "main"), nowhere, false);
	struct panel panel;

	/* main, an address that leads nowhere, f: what stands outside of that is not to blame */
	samples(profile, profile_stack(profile, at, in_lib, false), 10, STACK_CUT);
	panel_make(&panel, profile, 0);
	EXPECT_INT(row_of(&panel, lib)->lost.samples, 10);
	EXPECT_INT(row_of(&panel, lib)->stacks, PANEL_NO_FRAME_POINTER);
	expect_remedy(profile, lib, PANEL_NO_FRAME_POINTER, 0, "--call-graph dwarf");
	EXPECT_INT(row_of(&panel, 1)->through.samples, 10);
	EXPECT_INT(row_of(&panel, 1)->lost.samples, 0);
	panel_free(&panel);
	profile_free(profile);
}

TEST(panel_tells_why_a_copied_stack_was_lost)
{
	static const struct {
		uint8_t flags;
		uint32_t size;
		enum panel_reason want;
		const char *remedy;
	} cases[] = {
		{ STACK_CUT | STACK_SHORT_COPY, 8192, PANEL_COPY_TOO_SMALL, "dwarf,32768" },
		{ STACK_CUT | STACK_SHORT_COPY, 40000, PANEL_COPY_TOO_SMALL, "dwarf,65528" },
		{ STACK_CUT | STACK_SHORT_COPY, 65528, PANEL_COPY_TOO_SMALL, "deeper than" },
		{ STACK_CUT | STACK_NO_TABLE, 8192, PANEL_NO_UNWIND_TABLE, "-fasynchronous" },
		{ STACK_CUT | STACK_TOO_DEEP, 8192, PANEL_TOO_DEEP, NULL },
		{ STACK_CUT, 8192, PANEL_STACK_LOST, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct profile *profile = made_profile();
		struct panel panel;

		samples(profile, made_stack(profile, "main;work"), 3, cases[i].flags);
		profile->quality.stack_copies = 3;
		panel_make(&panel, profile, 0);
		EXPECT_INT(panel.rows.data[0].stacks, cases[i].want);
		expect_remedy(profile, 1, cases[i].want, cases[i].size, cases[i].remedy);
		panel_free(&panel);
		profile_free(profile);
	}
}

TEST(panel_tells_why_names_are_missing)
{
	static const struct {
		enum dso_kind kind;
		enum dso_state state;
		enum panel_reason want;
		const char *remedy; /* NULL: there is none */
		struct build_id id;
	} cases[] = {
		{ DSO_FILE, DSO_STRIPPED, PANEL_STRIPPED, "without stripping" },
		{ DSO_FILE, DSO_PARTIAL, PANEL_EXPORTS_ONLY, "debug symbols" },
		{ DSO_FILE, DSO_MISMATCH, PANEL_OTHER_BUILD, "rebuilt", { .size = 20 } },
		{ DSO_FILE, DSO_MISMATCH, PANEL_OTHER_LAYOUT, "rebuilt" },
		{ DSO_FILE, DSO_MISSING, PANEL_NO_FILE, "--symfs" },
		{ DSO_FILE, DSO_UNREADABLE, PANEL_UNREADABLE, "may read" },
		{ DSO_FILE, DSO_FULL, PANEL_NOT_IN_TABLE, NULL },
		{ DSO_VDSO, DSO_MISSING, PANEL_NO_FILE, "--buildid-dir" },
		{ DSO_MODULE, DSO_MISMATCH, PANEL_OTHER_BUILD, "/lib/modules" },
		{ DSO_KERNEL, DSO_MISSING, PANEL_KERNEL_MISSING, "--vmlinux" },
		{ DSO_KERNEL, DSO_MISMATCH, PANEL_KERNEL_OTHER, "--kallsyms" },
		{ DSO_JIT, DSO_FULL, PANEL_NOT_IN_MAP, NULL },
		{ DSO_KERNEL, DSO_HIDDEN, PANEL_KERNEL_HIDDEN, "kptr_restrict" },
		{ DSO_JIT, DSO_MISSING, PANEL_JIT_WITHOUT_MAP, "--perf-basic-prof" },
		{ DSO_NONE, DSO_UNREAD, PANEL_UNMAPPED, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct profile *profile = made_profile();
		uint32_t object = profile_object(profile, "/x", &cases[i].id, cases[i].kind);
		uint32_t unknown = profile_function(profile, UNKNOWN_NAME, object, FRAME_UNKNOWN);
		const struct panel_row *row;
		struct panel panel;

		profile->objects.data[object].state = (uint8_t)cases[i].state;
		samples(profile, profile_stack(profile, STACK_ROOT, unknown, false), 5, 0);
		panel_make(&panel, profile, 0);
		row = row_of(&panel, object);
		test_case("%s", panel_reason(cases[i].want)->id);
		EXPECT_INT(row->unnamed.samples, 5);
		EXPECT_INT(row->names, cases[i].want);
		expect_remedy(profile, object, cases[i].want, 0, cases[i].remedy);
		panel_free(&panel);
		profile_free(profile);
	}
}

/* Three of a thousand without a name are not worth a remedy. */
TEST(panel_is_silent_about_what_is_rare)
{
	struct profile *profile = made_profile();
	uint32_t unknown = profile_function(profile, UNKNOWN_NAME, 1, FRAME_UNKNOWN);
	struct panel panel;

	samples(profile, made_stack(profile, "main"), 997, 0);
	samples(profile, profile_stack(profile, STACK_ROOT, unknown, false), 3, 0);
	panel_make(&panel, profile, 0);
	EXPECT_INT(panel.rows.data[0].unnamed.samples, 3);
	EXPECT_INT(panel.rows.data[0].names, PANEL_GOOD);
	panel_free(&panel);
	profile_free(profile);
}

/* A tenth of a per cent in each of many objects is more than a per cent of all. */
TEST(panel_adds_up_what_is_rare_in_each)
{
	struct profile *profile = made_profile();
	struct panel panel;

	samples(profile, made_stack(profile, "main"), 970, 0);
	for (int i = 0; i < 15; i++) {
		char path[16];
		uint32_t object, function;

		snprintf(path, sizeof(path), "/lib/%d.so", i);
		object = profile_object(profile, path, &(struct build_id){ 0 }, DSO_FILE);
		function = profile_function(profile, "f", object, FRAME_LIBRARY);
		samples(profile, profile_stack(profile, STACK_ROOT, function, false), i ? 2 : 3,
			STACK_CUT);
	}
	panel_make(&panel, profile, 0);
	EXPECT_INT(row_of(&panel, 2)->stacks, PANEL_NO_FRAME_POINTER);
	EXPECT(!row_of(&panel, 2)->light_stacks);
	EXPECT_INT(row_of(&panel, 3)->stacks, PANEL_NO_FRAME_POINTER);
	EXPECT(row_of(&panel, 3)->light_stacks); /* the first of them is named for all */
	panel_free(&panel);
	profile_free(profile);
}

TEST(panel_counts_callers_that_frame_pointers_skip)
{
	struct profile *profile = made_profile();
	uint32_t leaf = made_stack(profile, "main;leaf");
	struct panel panel;

	samples(profile, leaf, 30, STACK_SKIPS);
	samples(profile, made_stack(profile, "main;caller;leaf"), 70, 0);
	/* One sample marks the stack of all: those that were met are what counts. */
	*vec_push(&profile->skips) = (struct profile_skips){ 1, 0, { 1, 1 } };
	panel_make(&panel, profile, 0);
	EXPECT_INT(panel.skipped.samples, 1);
	EXPECT_INT(panel.rows.data[0].stacks, PANEL_GOOD);
	panel_free(&panel);
	profile->skips.data[0].sum = (struct weight_pair){ 30, 30 };
	panel_make(&panel, profile, 0);
	EXPECT_INT(panel.whole.samples, 100);
	EXPECT_INT(panel.skipped.samples, 30);
	EXPECT_INT(panel.rows.data[0].stacks, PANEL_CALLER_SKIPPED);
	expect_remedy(profile, 1, PANEL_CALLER_SKIPPED, 0, "--call-graph dwarf");
	panel_free(&panel);
	profile_free(profile);
}

/* The file that is there has unwind tables, but is not the one that ran. */
TEST(panel_blames_another_build_for_lost_stacks)
{
	static const struct {
		enum dso_state state;
		enum panel_reason want;
	} cases[] = { { DSO_MISMATCH, PANEL_OTHER_LAYOUT },
		      { DSO_NEWER, PANEL_NEWER },
		      { DSO_MISSING, PANEL_NO_FILE },
		      { DSO_FULL, PANEL_NO_UNWIND_TABLE } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct profile *profile = made_profile();
		struct panel panel;

		samples(profile, made_stack(profile, "main;work"), 3, STACK_CUT | STACK_NO_TABLE);
		profile->quality.stack_copies = 3;
		profile->objects.data[1].state = (uint8_t)cases[i].state;
		panel_make(&panel, profile, 0);
		EXPECT_INT(panel.rows.data[0].stacks, cases[i].want);
		panel_free(&panel);
		profile_free(profile);
	}
}

/* Frame pointers need no file, but whether a stack has come to its beginning is told by a name. */
TEST(panel_blames_frame_pointers_where_no_file_is_needed)
{
	static const struct {
		const char *stack;
		uint8_t flags;
		enum dso_state state;
		enum panel_reason want;
	} cases[] = {
		{ "work", 0, DSO_FULL, PANEL_NO_FRAME_POINTER },
		{ "work", 0, DSO_MISSING, PANEL_NO_FRAME_POINTER },
		{ "work", 0, DSO_MISMATCH, PANEL_NO_FRAME_POINTER },
		{ "begin;main;work", 0, DSO_MISSING, PANEL_NO_FILE },
		{ "begin;main;work", 0, DSO_MISMATCH, PANEL_OTHER_LAYOUT },
		{ "work", STACK_NO_TABLE, DSO_FULL, PANEL_NO_FRAME_NO_TABLE },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct profile *profile = made_profile();
		struct panel panel;

		test_case("%s %d", cases[i].stack, (int)cases[i].state);
		samples(profile, made_stack(profile, cases[i].stack), 10,
			STACK_CUT | cases[i].flags);
		profile->objects.data[1].state = (uint8_t)cases[i].state;
		panel_make(&panel, profile, 0);
		EXPECT_INT(panel.rows.data[0].stacks, cases[i].want);
		panel_free(&panel);
		profile_free(profile);
	}
}

TEST(panel_knows_where_callers_may_be_missing)
{
	struct profile *profile = made_profile();
	struct panel panel;

	samples(profile, made_stack(profile, "main;leaf"), 100, 0);
	*vec_push(&profile->skips) = (struct profile_skips){ .object = 1, .unclear = { 90, 90 } };
	profile->objects.data[1].state = DSO_MISSING;
	panel_make(&panel, profile, 0);
	EXPECT_INT(panel.unclear.samples, 90);
	EXPECT_INT(panel.rows.data[0].stacks, PANEL_CALLER_UNCLEAR);
	expect_remedy(profile, 1, PANEL_CALLER_UNCLEAR, 0, "bring back");
	panel_free(&panel);
	profile->objects.data[1].state = DSO_FULL;
	expect_remedy(profile, 1, PANEL_CALLER_UNCLEAR, 0, "-fasynchronous-unwind-tables");
	/* What is known counts for more, and tables that are not there can't be followed. */
	profile->skips.data[0] =
		(struct profile_skips){ .object = 1, .sum = { 90, 90 }, .tableless = { 90, 90 } };
	panel_make(&panel, profile, 0);
	EXPECT_INT(panel.rows.data[0].stacks, PANEL_CALLER_NO_TABLE);
	expect_remedy(profile, 1, PANEL_CALLER_NO_TABLE, 0, "build it with");
	panel_free(&panel);
	profile_free(profile);
}

/* An object with a fault that others are named for has it, too, however few its samples are. */
TEST(panel_names_the_same_fault_in_every_object)
{
	struct profile *profile = made_profile();
	uint32_t lib = profile_object(profile, "/lib/x.so", &(struct build_id){ 0 }, DSO_FILE);
	uint32_t fine = profile_object(profile, "/lib/y.so", &(struct build_id){ 0 }, DSO_FILE);
	uint32_t nameless = profile_function(profile, UNKNOWN_NAME, lib, FRAME_UNKNOWN);
	uint32_t in_fine = profile_function(profile, "f", fine, FRAME_LIBRARY);
	struct panel panel;

	profile->objects.data[lib].state = DSO_STRIPPED;
	samples(profile, made_stack(profile, "work"), 96, STACK_CUT);
	samples(profile, profile_stack(profile, STACK_ROOT, nameless, false), 2, STACK_CUT);
	samples(profile, profile_stack(profile, STACK_ROOT, in_fine, false), 2, 0);
	panel_make(&panel, profile, 0);
	EXPECT_INT(row_of(&panel, 1)->stacks, PANEL_NO_FRAME_POINTER);
	EXPECT(!row_of(&panel, 1)->light_stacks);
	EXPECT_INT(row_of(&panel, lib)->stacks, PANEL_NO_FRAME_POINTER);
	EXPECT(row_of(&panel, lib)->light_stacks);
	EXPECT_INT(row_of(&panel, lib)->names, PANEL_GOOD); /* nobody else has that one */
	EXPECT_INT(row_of(&panel, fine)->stacks, PANEL_GOOD);
	panel_free(&panel);
	profile_free(profile);
}
