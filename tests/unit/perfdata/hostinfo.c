// SPDX-License-Identifier: Apache-2.0
#include "perfdata/hostinfo.h"
#include "base/cursor.h"
#include "fake.h"
#include "perfdata/tracing_data.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

static char *root; /* stands for /sys, /proc and tracefs */

static void set_up(void)
{
	fake_machine();
	fake_file("/here", "");
	free(root);
	root = mem_strndup(fake_path("/here"), strlen(fake_path("/here")) - strlen("/here"));
}

static void clear_up(void)
{
	free(root);
	root = NULL;
	fake_remove();
}

static struct cursor payload(enum perf_feature feature, struct buf *into)
{
	struct hostinfo info = { .sysfs = root, .proc = root };

	buf_clear(into);
	EXPECT(hostinfo_payload(&info, feature, into));
	return cursor_of(into->data, into->len);
}

static const char *next_text(struct cursor *c)
{
	return cursor_bytes(c, cursor_u32(c));
}

TEST(hostinfo_reads_cpuinfo)
{
	struct buf buf = { 0 };
	struct cursor c;

	set_up();
	fake_file("/cpuinfo",
		  "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\n"
		  "model\t\t: 85\nmodel name\t: Intel(R)  Xeon(R)   Gold\nstepping\t: 4\n");
	fake_file("/meminfo", "MemTotal:       16384 kB\nMemFree: 1 kB\n");
	c = payload(FEATURE_CPUDESC, &buf);
	EXPECT_TEXT(next_text(&c), "Intel(R) Xeon(R) Gold");
#if defined(__x86_64__)
	c = payload(FEATURE_CPUID, &buf);
	EXPECT_TEXT(next_text(&c), "GenuineIntel,6,85,4");
#endif
	c = payload(FEATURE_TOTAL_MEM, &buf);
	EXPECT_INT(cursor_u64(&c), 16384);
	buf_free(&buf);
	clear_up();
}

static void fake_cpu(int cpu, const char *package, const char *core, int core_id)
{
	char path[200], number[20];

	snprintf(path, sizeof(path), "/devices/system/cpu/cpu%d/topology/package_cpus_list", cpu);
	fake_file(path, package);
	snprintf(path, sizeof(path), "/devices/system/cpu/cpu%d/topology/core_cpus_list", cpu);
	fake_file(path, core);
	snprintf(path, sizeof(path), "/devices/system/cpu/cpu%d/topology/core_id", cpu);
	snprintf(number, sizeof(number), "%d\n", core_id);
	fake_file(path, number);
	snprintf(path, sizeof(path), "/devices/system/cpu/cpu%d/topology/physical_package_id", cpu);
	fake_file(path, "0\n");
}

TEST(hostinfo_topology_of_two_cores_with_two_threads)
{
	struct buf buf = { 0 };
	struct cursor c;

	set_up();
	fake_file("/devices/system/cpu/possible", "0-3\n");
	for (int cpu = 0; cpu < 4; cpu++)
		fake_cpu(cpu, "0-3\n", cpu % 2 ? "1,3\n" : "0,2\n", cpu % 2);
	c = payload(FEATURE_CPU_TOPOLOGY, &buf);
	EXPECT_INT(cursor_u32(&c), 1);
	EXPECT_TEXT(next_text(&c), "0-3");
	EXPECT_INT(cursor_u32(&c), 2);
	EXPECT_TEXT(next_text(&c), "0,2");
	EXPECT_TEXT(next_text(&c), "1,3");
	for (int cpu = 0; cpu < 4; cpu++) {
		EXPECT_INT(cursor_u32(&c), cpu % 2);
		EXPECT_INT(cursor_u32(&c), 0);
	}
	EXPECT_INT(cursor_left(&c), 0); /* no dies are told of */
	buf_free(&buf);
	clear_up();
}

TEST(hostinfo_memory_blocks_are_bits)
{
	struct buf buf = { 0 };
	struct cursor c;

	set_up();
	fake_file("/devices/system/memory/block_size_bytes", "8000000\n");
	fake_file("/devices/system/node/node0/memory0/state", "");
	fake_file("/devices/system/node/node0/memory2/state", "");
	fake_file("/devices/system/node/node1/memory65/state", "");
	c = payload(FEATURE_MEM_TOPOLOGY, &buf);
	EXPECT_INT(cursor_u64(&c), 1);
	EXPECT_INT(cursor_u64(&c), 0x8000000);
	EXPECT_INT(cursor_u64(&c), 2);
	EXPECT_INT(cursor_u64(&c), 0);
	EXPECT_INT(cursor_u64(&c), 3);
	EXPECT_INT(cursor_u64(&c), 3);
	EXPECT_INT(cursor_u64(&c), 5);
	EXPECT_INT(cursor_u64(&c), 1);
	EXPECT_INT(cursor_u64(&c), 66);
	EXPECT_INT(cursor_u64(&c), 66);
	EXPECT_INT(cursor_u64(&c), 0);
	EXPECT_INT(cursor_u64(&c), 2);
	EXPECT_INT(cursor_left(&c), 0);
	buf_free(&buf);
	clear_up();
}

TEST(hostinfo_leaves_out_what_is_not_told)
{
	static const enum perf_feature features[] = { FEATURE_CPUDESC,	    FEATURE_TOTAL_MEM,
						      FEATURE_CPU_TOPOLOGY, FEATURE_NUMA_TOPOLOGY,
						      FEATURE_CACHE,	    FEATURE_MEM_TOPOLOGY,
						      FEATURE_PMU_MAPPINGS, FEATURE_CMDLINE };
	struct hostinfo info;

	set_up();
	info = (struct hostinfo){ .sysfs = root, .proc = root };
	for (size_t i = 0; i < ARRAY_SIZE(features); i++) {
		struct buf buf = { 0 };

		test_case("feature %d", features[i]);
		EXPECT(!hostinfo_payload(&info, features[i], &buf));
		buf_free(&buf);
	}
	clear_up();
}

TEST(tracing_data_by_system_each_once)
{
	static const char *const names[] = { "sched:sched_switch",
					     "irq:softirq_entry:u",
					     "sched:sched_switch",
					     "cpu-clock",
					     "no:such",
					     "sched:sched_waking" };
	struct buf buf = { 0 };
	struct err err = { 0 };
	struct cursor c;

	set_up();
	fake_file("/events/header_page", "page");
	fake_file("/events/header_event", "event");
	fake_file("/events/sched/sched_switch/format", "SWITCH");
	fake_file("/events/sched/sched_waking/format", "WAKING");
	fake_file("/events/irq/softirq_entry/format", "SOFTIRQ");
	EXPECT_INT(tracing_data_make(root, names, ARRAY_SIZE(names), &buf, &err), 0);
	c = cursor_of(buf.data, buf.len);
	EXPECT_INT(memcmp(cursor_bytes(&c, 10), "\x17\x08\x44tracing", 10), 0);
	EXPECT_TEXT(cursor_bytes(&c, 4), "0.6");
	cursor_bytes(&c, 6); /* byte order, long, page */
	EXPECT_TEXT(cursor_bytes(&c, sizeof("header_page")), "header_page");
	EXPECT_INT(cursor_u64(&c), 4);
	cursor_bytes(&c, 4);
	EXPECT_TEXT(cursor_bytes(&c, sizeof("header_event")), "header_event");
	EXPECT_INT(cursor_u64(&c), 5);
	cursor_bytes(&c, 5);
	EXPECT_INT(cursor_u32(&c), 0); /* ftrace's own */
	EXPECT_INT(cursor_u32(&c), 2);
	EXPECT_TEXT(cursor_bytes(&c, 4), "irq");
	EXPECT_INT(cursor_u32(&c), 1);
	EXPECT_INT(cursor_u64(&c), 7);
	EXPECT_INT(memcmp(cursor_bytes(&c, 7), "SOFTIRQ", 7), 0);
	EXPECT_TEXT(cursor_bytes(&c, 6), "sched");
	EXPECT_INT(cursor_u32(&c), 2);
	EXPECT_INT(cursor_u64(&c), 6);
	EXPECT_INT(memcmp(cursor_bytes(&c, 6), "SWITCH", 6), 0);
	EXPECT_INT(cursor_u64(&c), 6);
	EXPECT_INT(memcmp(cursor_bytes(&c, 6), "WAKING", 6), 0);
	EXPECT_INT(cursor_u32(&c), 0); /* kallsyms */
	EXPECT_INT(cursor_u32(&c), 0); /* printk */
	EXPECT_INT(cursor_u64(&c), 0); /* command names */
	EXPECT(!c.broken && !cursor_left(&c));
	buf_free(&buf);
	clear_up();
}

TEST(tracing_data_without_tracepoints_is_empty)
{
	static const char *const names[] = { "cpu-clock", "../../etc:passwd" };
	struct buf buf = { 0 };
	struct err err = { 0 };

	set_up();
	EXPECT_INT(tracing_data_make(root, names, ARRAY_SIZE(names), &buf, &err), 0);
	EXPECT_INT(buf.len, 0);
	buf_free(&buf);
	clear_up();
}
