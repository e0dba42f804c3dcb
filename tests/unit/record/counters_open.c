// SPDX-License-Identifier: Apache-2.0
/* Opening events on kernels that this machine is not. */
#include "live.h"
#include "scene.h"

#include <errno.h>

TEST(opening_without_pmu)
{
	struct scene scene = { 0 };

	fake_boot(0);
	scene_hardware(&scene, 0);
	scene_software(&scene, 2);
	scene_open(&scene);
	EXPECT_INT(scene_status(&scene, 0)->state, COUNTER_UNSUPPORTED);
	EXPECT_INT(scene_status(&scene, 0)->error, ENOENT);
	EXPECT_INT(scene_status(&scene, 1)->state, COUNTER_OPEN);
	scene_count_ms(&scene, 5);
	EXPECT_BOOL(scene_value(&scene, 0)->present, false);
	EXPECT_INT(scene_value(&scene, 1)->count, 15 * MS);
	scene_end(&scene);
}

/* Not an error: `stat -e cycles` shows <not supported> and still runs the program. */
TEST(opening_nothing_at_all)
{
	struct scene scene = { 0 };

	fake_boot(0);
	scene_hardware(&scene, 0);
	scene_open(&scene);
	scene_count_ms(&scene, 1);
	EXPECT_BOOL(scene_value(&scene, 0)->present, false);
	scene_end(&scene);
}

TEST(opening_software_events_ride_together)
{
	struct scene scene = { 0 };

	fake_boot(4);
	scene_software(&scene, 0);
	scene_hardware(&scene, 1);
	scene_software(&scene, 2);
	live_event(&scene.list, "tp", PERF_TYPE_TRACEPOINT, 3);
	scene_on_cpus(&scene, "0-3");
	scene_open(&scene);
	EXPECT_INT(fake_open_fds(), 16);
	fake.reads = 0;
	EXPECT_INT(counters_read(scene.counters, NULL), 0);
	EXPECT_INT(fake.reads, 8); /* two a CPU: the riders and the counter */
	scene_count_ms(&scene, 1);
	for (size_t slot = 0; slot < 4; slot++)
		for (size_t i = 0; i < 4; i++)
			EXPECT_INT(counters_value(scene.counters, slot, i)->count, MS * (i + 1));
	scene_end(&scene);
}

TEST(opening_events_that_are_switched_alone)
{
	struct scene scene = { 0 };
	struct counters_options options = { .separate = true };

	fake_boot(4);
	scene_software(&scene, 0);
	scene_software(&scene, 1);
	scene_hardware(&scene, 2);
	scene_on_cpus(&scene, "0-1");
	EXPECT_BOOL(scene_try_open(&scene, options), true);
	EXPECT_INT(counters_switch_event(scene.counters, 1, true, NULL), 0);
	fake_run_ms(1);
	EXPECT_INT(counters_enable(scene.counters, NULL), 0);
	EXPECT_INT(counters_switch_event(scene.counters, 0, false, NULL), 0);
	fake_run_ms(2);
	EXPECT_INT(counters_read(scene.counters, NULL), 0);
	for (size_t slot = 0; slot < 2; slot++) {
		EXPECT_INT(counters_value(scene.counters, slot, 0)->count, 0);
		EXPECT_INT(counters_value(scene.counters, slot, 1)->count, 3 * MS * 2);
		EXPECT_INT(counters_value(scene.counters, slot, 2)->count, 2 * MS * 3);
	}
	scene_end(&scene);
}

TEST(opening_pinned_software_event_stays_alone)
{
	struct scene scene = { 0 };

	fake_boot(0);
	scene_software(&scene, 0);
	scene_software(&scene, 1)->attr.base.pinned = 1;
	scene_software(&scene, 2);
	scene_open(&scene);
	scene_count_ms(&scene, 1);
	EXPECT_INT(fake_at(1)->leader, FAKE_FD); /* the riders */
	EXPECT_INT(fake_at(2)->leader, FAKE_FD + 2);
	EXPECT_INT(scene_value(&scene, 1)->count, 2 * MS);
	EXPECT_INT(scene_value(&scene, 2)->count, 3 * MS);
	scene_end(&scene);
}

TEST(opening_multiplexed)
{
	struct scene scene = { 0 };

	fake_boot(2);
	for (uint64_t i = 0; i < 4; i++)
		scene_hardware(&scene, i);
	scene_open(&scene);
	scene_count_ms(&scene, 100);
	for (size_t i = 0; i < 4; i++) {
		double share;

		test_case("event %zu", i);
		EXPECT_NEAR((double)scene_scaled(&scene, i, &share), (double)(100 * MS * (i + 1)),
			    1);
		EXPECT_NEAR(share, 0.5, 0.01);
	}
	scene_end(&scene);
}

TEST(opening_group_is_counted_as_a_whole)
{
	struct scene scene = { 0 };

	fake_boot(2);
	scene_hardware(&scene, 0);
	scene_hardware(&scene, 1);
	scene_group(&scene, 2);
	scene_hardware(&scene, 2);
	scene_hardware(&scene, 3);
	scene_group(&scene, 2);
	scene_open(&scene);
	scene_count_ms(&scene, 100);
	EXPECT_INT(scene_value(&scene, 0)->running_ns, scene_value(&scene, 1)->running_ns);
	EXPECT_INT(scene_value(&scene, 1)->count, 2 * scene_value(&scene, 0)->count);
	EXPECT_INT(scene_value(&scene, 3)->count * 3, scene_value(&scene, 2)->count * 4);
	EXPECT_INT(scene_value(&scene, 0)->running_ns + scene_value(&scene, 2)->running_ns,
		   100 * MS);
	scene_end(&scene);
}

TEST(opening_group_that_does_not_fit)
{
	struct scene scene = { 0 };

	fake_boot(2);
	for (uint64_t i = 0; i < 3; i++)
		scene_hardware(&scene, i);
	scene_group(&scene, 3);
	scene_open(&scene);
	EXPECT_INT(scene_status(&scene, 2)->state, COUNTER_UNSUPPORTED);
	EXPECT_BOOL(scene_status(&scene, 2)->group_full, true);
	EXPECT_BOOL(scene_status(&scene, 1)->group_full, false);
	scene_count_ms(&scene, 10);
	EXPECT_INT(scene_value(&scene, 1)->count, 20 * MS);
	EXPECT_BOOL(scene_value(&scene, 2)->present, false);
	scene_end(&scene);
}

TEST(opening_weak_group_falls_apart)
{
	struct scene scene = { 0 };

	fake_boot(2);
	for (uint64_t i = 0; i < 3; i++)
		scene_hardware(&scene, i)->weak = true;
	scene_group(&scene, 3);
	scene_on_cpus(&scene, "0-1");
	scene_open(&scene);
	for (size_t i = 0; i < 3; i++) {
		EXPECT_INT(scene_status(&scene, i)->state, COUNTER_OPEN);
		EXPECT_BOOL(scene_status(&scene, i)->ungrouped, true);
	}
	EXPECT_INT(fake_open_fds(), 6);
	scene_count_ms(&scene, 90);
	for (size_t i = 0; i < 3; i++)
		EXPECT(scene_value(&scene, i)->running_ns > 0);
	scene_end(&scene);
}

/* perf ends here with an error; the other members can be counted all the same. */
TEST(opening_group_without_its_leader)
{
	struct scene scene = { 0 };

	fake_boot(0);
	scene_hardware(&scene, 0);
	scene_software(&scene, 1);
	scene_software(&scene, 2);
	scene_group(&scene, 3);
	scene_open(&scene);
	EXPECT_INT(scene_status(&scene, 0)->error, ENOENT);
	scene_count_ms(&scene, 1);
	EXPECT_INT(scene_value(&scene, 1)->count, 2 * MS);
	EXPECT_INT(scene_value(&scene, 2)->count, 3 * MS);
	scene_end(&scene);
}

TEST(opening_falls_back_to_user_only)
{
	struct scene scene = { 0 };

	fake_boot(4);
	fake.paranoid = 2;
	scene_software(&scene, 0);
	scene_hardware(&scene, 1)->explicit_modes = true;
	scene_hardware(&scene, 2);
	scene_open(&scene);
	EXPECT_BOOL(scene_status(&scene, 0)->user_only, false); /* a clock: it counts both */
	EXPECT_INT(scene_status(&scene, 1)->state, COUNTER_REFUSED);
	EXPECT_INT(scene_status(&scene, 1)->error, EACCES);
	EXPECT_BOOL(scene_status(&scene, 1)->user_only, false);
	EXPECT_BOOL(scene_status(&scene, 2)->user_only, true);
	EXPECT_BOOL(fake_at(0)->attr.base.exclude_hv, true);
	scene_count_ms(&scene, 1);
	EXPECT_INT(scene_value(&scene, 0)->count, MS);
	scene_end(&scene);
}

/* --all-kernel: the other part instead would be a 0 that nobody counted. */
TEST(opening_keeps_to_the_kernel_s_part)
{
	struct scene scene = { 0 };

	fake_boot(4);
	fake.paranoid = 2;
	scene_software(&scene, 0);
	scene_hardware(&scene, 1)->attr.base.exclude_user = 1;
	scene_open(&scene);
	EXPECT_INT(scene_status(&scene, 1)->state, COUNTER_REFUSED);
	EXPECT_INT(scene_status(&scene, 1)->error, EACCES);
	scene_end(&scene);
}

/* The kernel looks at permissions first; the reason to give is the one that remains. */
TEST(opening_without_permission_and_without_pmu)
{
	struct scene scene = { 0 };

	fake_boot(0);
	fake.paranoid = 2;
	scene_hardware(&scene, 0);
	scene_software(&scene, 1);
	scene_open(&scene);
	EXPECT_INT(scene_status(&scene, 0)->state, COUNTER_UNSUPPORTED);
	EXPECT_INT(scene_status(&scene, 0)->error, ENOENT);
	EXPECT_BOOL(scene_status(&scene, 0)->user_only, true); /* shown as cycles:u, as perf does */
	EXPECT_INT(scene_status(&scene, 1)->state, COUNTER_OPEN);
	scene_end(&scene);
}

/* One thing to give up after the other. */
TEST(opening_without_permission_and_extras)
{
	struct scene scene = { 0 };

	fake_boot(2);
	fake.paranoid = 2;
	fake.precise_most = 0;
	scene_hardware(&scene, 0)->precise_max = true;
	scene_open(&scene);
	EXPECT_INT(scene_status(&scene, 0)->state, COUNTER_OPEN);
	EXPECT_BOOL(scene_status(&scene, 0)->user_only, true);
	EXPECT_INT(fake_at(0)->attr.base.precise_ip, 0);
	scene_end(&scene);
}

TEST(opening_refused_altogether)
{
	static const struct {
		int paranoid;
		bool cpus;
	} cases[] = { { 3, false }, { 1, true }, { 2, true } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct scene scene = { 0 };

		test_case("paranoid %d", cases[i].paranoid);
		fake_boot(0);
		fake.paranoid = cases[i].paranoid;
		scene_hardware(&scene, 0); /* ENOENT where it is looked at at all */
		scene_software(&scene, 1);
		if (cases[i].cpus)
			scene_on_cpus(&scene, "0-1");
		EXPECT_BOOL(scene_try_open(&scene, (struct counters_options){ 0 }), false);
		EXPECT_INT(scene.err.code, EACCES);
		EXPECT(scene.err.text[0] != '\0');
		scene_end(&scene);
	}
}

TEST(opening_as_precise_as_it_gets)
{
	struct scene scene = { 0 };

	fake_boot(4);
	fake.precise_most = 1;
	scene_hardware(&scene, 0)->precise_max = true;
	scene_hardware(&scene, 1)->attr.base.precise_ip = 2; /* :pp by name is not lowered */
	scene_open(&scene);
	EXPECT_INT(fake_at(0)->attr.base.precise_ip, 1);
	EXPECT_INT(scene_status(&scene, 1)->error, EOPNOTSUPP);
	scene_end(&scene);
}

TEST(opening_without_bits_that_the_kernel_lacks)
{
	struct scene scene = { 0 };

	fake_boot(4);
	fake.no_guest_bit = true;
	scene_hardware(&scene, 0)->attr.base.exclude_guest = 1;
	scene_hardware(&scene, 1)->attr.base.exclude_guest = 1;
	scene.list.events.data[1].explicit_modes = true;
	scene_open(&scene);
	EXPECT_INT(scene_status(&scene, 0)->state, COUNTER_OPEN);
	EXPECT_INT(scene_status(&scene, 1)->error, EINVAL);
	scene_end(&scene);
}

/* Kernels before 4.13 refuse inherited groups that are read as one; later ones give ECHILD at
 * times. */
TEST(opening_inherited_events_are_read_singly)
{
	struct scene scene = { 0 };

	fake_boot(2);
	fake.old_reads = true;
	scene_hardware(&scene, 0);
	scene_hardware(&scene, 1);
	scene_group(&scene, 2);
	scene_software(&scene, 2);
	scene_software(&scene, 3);
	scene_open(&scene);
	scene_count_ms(&scene, 3);
	EXPECT_INT(fake.reads, 4);
	for (size_t i = 0; i < 4; i++)
		EXPECT_INT(scene_value(&scene, i)->count, 3 * MS * (i + 1));
	scene_end(&scene);
}

TEST(opening_pinned_event_without_a_counter)
{
	struct scene scene = { 0 };
	uint64_t count;
	double share;

	fake_boot(1);
	scene_hardware(&scene, 0);
	scene_hardware(&scene, 1)->attr.base.pinned = 1;
	scene_open(&scene);
	scene_count_ms(&scene, 10);
	EXPECT_INT(scene_value(&scene, 0)->count, 10 * MS);
	EXPECT_BOOL(scene_value(&scene, 1)->present, true);
	EXPECT_INT(counter_value_scaled(scene_value(&scene, 1), &count, &share), -ENODATA);
	scene_end(&scene);
}

TEST(opening_short_read)
{
	struct scene scene = { 0 };

	fake_boot(1);
	scene_software(&scene, 0);
	scene_software(&scene, 1);
	scene_on_cpus(&scene, "0");
	scene_open(&scene);
	fake.short_by = 8;
	EXPECT_INT(counters_read(scene.counters, &scene.err), -EIO);
	fake.short_by = 50; /* less than the head of a group */
	EXPECT_INT(counters_read(scene.counters, &scene.err), -EIO);
	scene_end(&scene);
}

TEST(opening_interrupted_calls)
{
	struct scene scene = { 0 };

	fake_boot(0);
	fake.interrupts = 2;
	scene_software(&scene, 0);
	scene_open(&scene);
	EXPECT_INT(scene_status(&scene, 0)->state, COUNTER_OPEN);
	fake.interrupts = 2;
	EXPECT_INT(counters_read(scene.counters, NULL), 0);
	scene_end(&scene);
}

/* Values belong to events by their ids, whatever their order. */
TEST(opening_group_values_in_any_order)
{
	struct scene scene = { 0 };

	fake_boot(0);
	fake.reversed = true;
	for (uint64_t i = 0; i < 3; i++)
		scene_software(&scene, i);
	scene_on_cpus(&scene, "0");
	scene_open(&scene);
	scene_count_ms(&scene, 1);
	for (size_t i = 0; i < 3; i++)
		EXPECT_INT(scene_value(&scene, i)->count, MS * (i + 1));
	scene_end(&scene);
}

TEST(opening_filters)
{
	struct scene scene = { 0 };

	fake_boot(0);
	live_event(&scene.list, "tp", PERF_TYPE_TRACEPOINT, 0)->filter = "prev_pid == 0";
	scene_open(&scene);
	EXPECT_TEXT(fake_at(0)->filter, "prev_pid == 0");
	scene_end(&scene);

	scene = (struct scene){ 0 };
	fake_boot(0);
	fake.bad_filters = true;
	live_event(&scene.list, "tp", PERF_TYPE_TRACEPOINT, 0)->filter = "nonsense";
	EXPECT_BOOL(scene_try_open(&scene, (struct counters_options){ 0 }), false);
	EXPECT_CONTAINS(scene.err.text, "nonsense");
	scene_end(&scene);
}

TEST(opening_reset)
{
	struct scene scene = { 0 };

	fake_boot(2);
	scene_hardware(&scene, 0);
	scene_open(&scene);
	EXPECT_INT(counters_enable(scene.counters, NULL), 0);
	fake_run_ms(5);
	EXPECT_INT(counters_reset(scene.counters, NULL), 0);
	fake_run_ms(2);
	EXPECT_INT(counters_read(scene.counters, NULL), 0);
	EXPECT_INT(scene_value(&scene, 0)->count, 2 * MS);
	EXPECT_INT(scene_value(&scene, 0)->running_ns, 2 * MS);
	EXPECT_INT(counters_reset(scene.counters, NULL), 0);
	EXPECT_INT(scene_value(&scene, 0)->count, 0);
	fake_run_ms(1);
	EXPECT_INT(counters_read(scene.counters, NULL), 0);
	EXPECT_INT(scene_value(&scene, 0)->count, MS);
	scene_end(&scene);
}
