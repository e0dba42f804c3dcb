// SPDX-License-Identifier: Apache-2.0
/* Counter sessions on the real kernel; the kernels that this machine is not are in counters_open.c.
 */
#include "record/counters.h"
#include "base/clock.h"
#include "live.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static struct counters *open_command(const struct event_list *list, const struct target *target,
				     struct workload *workload, const char *command)
{
	struct err err = { 0 };
	struct counters *counters;

	live_prepare(workload, command);
	counters = counters_open(
		list, target,
		&(struct counters_options){ .command = workload->pid, .enable_on_exec = true },
		&err);
	EXPECT_TEXT(err.text, "");
	EXPECT(counters != NULL);
	EXPECT_INT(workload_start(workload, &err), 0);
	return counters;
}

TEST(counters_command_and_its_children)
{
	struct event_list list = { 0 };
	struct target target = { .kind = TARGET_COMMAND };
	struct workload workload;
	struct counters *counters;
	struct counter_value clock, faults;

	live_software(&list);
	counters = open_command(&list, &target, &workload, "/bin/true; /bin/true; exit 3");
	EXPECT(workload_reap(&workload, true));
	EXPECT_INT(workload_exit_status(&workload), 3);
	EXPECT_INT(counters_read(counters, NULL), 0);
	EXPECT_INT(counters_slots(counters), 1);
	clock = live_sum(counters, 0);
	faults = live_sum(counters, 1);
	EXPECT(clock.count > 100000 && clock.present);
	EXPECT_INT(clock.enabled_ns, clock.running_ns);
	/* A shell with two children has far more than one process would. */
	EXPECT(faults.count > 100);
	/* rusage also has what the child did before its exec. */
	EXPECT((long)faults.count <= workload.usage.ru_minflt + workload.usage.ru_majflt);
	counters_close(counters);
	workload_close(&workload);
	event_list_free(&list);
}

TEST(counters_this_process)
{
	struct event_list list = { 0 };
	struct target target;
	char pid[16];
	struct err err = { 0 };
	struct counters *counters;
	const size_t size = 64 << 12;
	char *pages;

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	EXPECT_INT(target_resolve(&target, &(struct target_flags){ .pids = pid }, &err), 0);
	live_software(&list);
	counters = counters_open(&list, &target, &(struct counters_options){ 0 }, &err);
	EXPECT_TEXT(err.text, "");
	EXPECT_INT(counters_read(counters, &err), 0);
	EXPECT_INT(live_sum(counters, 0).enabled_ns, 0);

	EXPECT_INT(counters_enable(counters, &err), 0);
	pages = aligned_alloc(1 << 12, size);
	for (size_t i = 0; i < size; i += 1 << 12)
		((volatile char *)pages)[i] = 1;
	EXPECT_INT(counters_disable(counters, &err), 0);
	EXPECT_INT(counters_read(counters, &err), 0);
	EXPECT(live_sum(counters, 1).count >= 64);
	EXPECT(counters_slot(counters, 0)->comm[0] != '\0');

	EXPECT_INT(counters_reset(counters, &err), 0);
	EXPECT_INT(live_sum(counters, 1).count, 0);
	EXPECT_INT(counters_read(counters, &err), 0);
	EXPECT_INT(live_sum(counters, 1).count, 0);
	EXPECT_INT(live_sum(counters, 0).enabled_ns, 0);
	free(pages);
	EXPECT(target_alive(&target));
	counters_close(counters);
	target_fini(&target);
	event_list_free(&list);
}

TEST(counters_all_cpus)
{
	struct event_list list = { 0 };
	struct target target;
	struct err err = { 0 };
	struct counters *counters;
	int64_t begin, enabled, least, most;

	if (geteuid() != 0)
		return; /* needs perf_event_paranoid 0 or a capability */
	EXPECT_INT(target_resolve(&target, &(struct target_flags){ .all_cpus = true }, &err), 0);
	live_event(&list, "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	counters = counters_open(&list, &target, &(struct counters_options){ 0 }, &err);
	EXPECT_TEXT(err.text, "");
	begin = clock_now_ns();
	EXPECT_INT(counters_enable(counters, &err), 0);
	enabled = clock_now_ns();
	usleep(50000);
	least = clock_now_ns() - enabled;
	EXPECT_INT(counters_read(counters, &err), 0);
	most = clock_now_ns() - begin;
	EXPECT_INT(counters_slots(counters), target.cpus.len);
	for (size_t slot = 0; slot < counters_slots(counters); slot++) {
		double count = (double)counters_value(counters, slot, 0)->count;

		/* A held-back CPU may leave the scheduler clock a tick away from ours. */
		EXPECT(count >= 0.9 * (double)least);
		EXPECT(count <= 1.1 * (double)most);
	}
	counters_close(counters);
	target_fini(&target);
	event_list_free(&list);
}

TEST(counter_values)
{
	static const struct {
		struct counter_value value;
		int rc;
		uint64_t scaled;
		double share;
	} cases[] = {
		{ { 100, 1000, 1000, true }, 0, 100, 1 }, { { 100, 1000, 500, true }, 0, 200, 0.5 },
		{ { 0, 1000, 250, true }, 0, 0, 0.25 },	  { { 0, 1000, 0, true }, -ENODATA, 0, 0 },
		{ { 0, 0, 0, true }, -ENODATA, 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t scaled;
		double share;

		test_case("row %zu", i);
		EXPECT_INT(counter_value_scaled(&cases[i].value, &scaled, &share), cases[i].rc);
		EXPECT_INT(scaled, cases[i].scaled);
		EXPECT_NEAR(share, cases[i].share, 1e-9);
	}
}
