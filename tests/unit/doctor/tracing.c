// SPDX-License-Identifier: Apache-2.0
#include "fake.h"
#include "patient.h"
#include "test.h"

#include <errno.h>
#include <linux/btf.h>
#include <sys/stat.h>
#include <unistd.h>

static void fake_tracefs(const char *tracers)
{
	fake_file("/proc/filesystems", "nodev\ttracefs\n");
	fake_file("/proc/self/mounts", "t /sys/kernel/tracing tracefs rw 0 0\n");
	fake_file("/sys/kernel/tracing/available_events", "sched:sched_switch\nsched:x\n");
	fake_file("/sys/kernel/tracing/events/sched/sched_switch/id", "314\n");
	fake_file("/sys/kernel/tracing/available_tracers", tracers);
}

TEST(doctor_looks_for_tracefs)
{
	const struct finding *f;

	patient_new();
	f = patient_examine("tracepoints");
	EXPECT_CONTAINS(f->what, "this kernel has no tracefs");
	fake_file("/proc/filesystems", "nodev\tsysfs\nnodev\ttracefs\n");
	f = patient_examine("tracepoints");
	EXPECT_INT(f->state, DOCTOR_MISSING);
	EXPECT_CONTAINS(f->what, "not mounted");
	EXPECT_CONTAINS(f->remedy, "mount -t tracefs");
	EXPECT_CONTAINS(patient_examine("function-tracing")->what, "without tracefs");

	fake_tracefs("nop\n");
	patient.paranoid = -2;
	f = patient_examine("tracepoints");
	EXPECT_INT(f->state, DOCTOR_OK);
	EXPECT_TEXT(f->what, "2");
	patient.paranoid = 2;
	f = patient_examine("tracepoints");
	EXPECT_INT(f->state, DOCTOR_MISSING);
	EXPECT_TEXT(f->needs, "CAP_PERFMON");
	patient_leave();
}

TEST(doctor_tells_probes_that_are_absent_from_closed_ones)
{
	const struct finding *f;

	patient_new();
	patient.paranoid = -2;
	fake_tracefs("nop\n");
	EXPECT_CONTAINS(patient_examine("kprobes")->what, "not built into this kernel");
	EXPECT_CONTAINS(patient_examine("uprobes")->what, "not built into this kernel");
	fake_file("/sys/bus/event_source/devices/kprobe/type", "8\n");
	fake_file("/sys/bus/event_source/devices/uprobe/type", "9\n");
	EXPECT_INT(patient_examine("kprobes")->state, DOCTOR_OK);
	EXPECT_INT(patient_examine("uprobes")->state, DOCTOR_OK);
	patient.paranoid = 2;
	f = patient_examine("uprobes");
	EXPECT_INT(f->state, DOCTOR_MISSING);
	EXPECT_CONTAINS(f->what, "closed to ordinary users");
	EXPECT_TEXT(f->remedy, "run as root");
	f = patient_examine("kprobes");
	EXPECT_CONTAINS(f->what, "closed to ordinary users");
	EXPECT_TEXT(f->needs, "CAP_PERFMON");
	patient_leave();
}

TEST(doctor_tells_a_tracer_that_is_absent_from_a_refused_one)
{
	const struct finding *f;

	patient_new();
	patient.paranoid = -2;
	fake_tracefs("blk nop\n");
	EXPECT_CONTAINS(patient_examine("function-tracing")->what, "not built into this kernel");
	/* No kernel fills a new instance here, so that its files are missing: refused. */
	fake_tracefs("function_graph function nop\n");
	fake_file("/sys/kernel/tracing/instances/other/x", "");
	f = patient_examine("function-tracing");
	EXPECT_CONTAINS(f->what, "refused to root too (ENOENT)");
	EXPECT_CONTAINS(f->evidence, "set_ftrace_filter");
	EXPECT(rmdir(fake_path("/sys/kernel/tracing/instances")) && errno == ENOTEMPTY);
	unlink(fake_path("/sys/kernel/tracing/instances/other/x"));
	rmdir(fake_path("/sys/kernel/tracing/instances/other"));
	EXPECT_INT(rmdir(fake_path("/sys/kernel/tracing/instances")), 0); /* ours is gone */
	patient_leave();
}

TEST(doctor_removes_instances_of_killed_runs)
{
	patient_new();
	patient.paranoid = -2;
	fake_tracefs("function nop\n");
	fake_file("/sys/kernel/tracing/instances/x", "");
	/* Process numbers end below 2^22. */
	mkdir(fake_path("/sys/kernel/tracing/instances/perfolio-doctor-4194999"), 0700);
	mkdir(fake_path("/sys/kernel/tracing/instances/perfolio-doctor-1"), 0700);
	patient_doctor();
	EXPECT(access(fake_path("/sys/kernel/tracing/instances/perfolio-doctor-4194999"), F_OK));
	EXPECT(!access(fake_path("/sys/kernel/tracing/instances/perfolio-doctor-1"), F_OK));
	patient_leave();
}

TEST(doctor_reads_the_lockdown)
{
	patient_new();
	EXPECT_INT(patient_examine("lockdown")->state, DOCTOR_UNKNOWN);
	fake_file("/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	EXPECT_TEXT(patient_examine("lockdown")->what, "off");
	fake_file("/sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	EXPECT_INT(patient_examine("lockdown")->state, DOCTOR_LIMITED);
	EXPECT_CONTAINS(patient_examine("lockdown")->remedy, "lockdown=integrity");
	patient_leave();
}

/* BTF with three types: an int, a function prototype and the function vfs_read, whose id is 3. */
static void fake_btf(void)
{
	static const char strings[] = "\0int\0vfs_read";
	struct {
		struct btf_header head;
		struct btf_type number;
		uint32_t number_tail;
		struct btf_type prototype;
		struct btf_param parameter;
		struct btf_type function;
		char strings[sizeof(strings)];
	} btf = {
		.head = { .magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(struct btf_header) },
		.number = { .name_off = 1, .info = BTF_KIND_INT << 24, .size = 4 },
		.prototype = { .info = BTF_KIND_FUNC_PROTO << 24 | 1, .type = 1 },
		.function = { .name_off = 5, .info = BTF_KIND_FUNC << 24, .type = 2 },
	};

	btf.head.type_len = offsetof(__typeof__(btf), strings) - sizeof(btf.head);
	btf.head.str_off = btf.head.type_len;
	btf.head.str_len = sizeof(strings);
	memcpy(btf.strings, strings, sizeof(strings));
	fake_bytes("/sys/kernel/btf/vmlinux", &btf, sizeof(btf));
}

TEST(doctor_tries_bpf)
{
	const struct finding *f;

	patient_new();
	f = patient_examine("bpf");
	EXPECT_INT(f->state, DOCTOR_MISSING);
	EXPECT_TEXT(f->needs, "CAP_PERFMON and CAP_BPF");
	EXPECT_INT(patient_examine("btf")->state, DOCTOR_MISSING);

	patient.bpf = 0;
	patient.fentry = -EPERM;
	EXPECT_CONTAINS(patient_examine("bpf")->what, "not on entry and exit");
	EXPECT_CONTAINS(patient_examine("bpf")->evidence, "fentry program: ENOENT");
	fake_btf();
	EXPECT_CONTAINS(patient_examine("bpf")->evidence, "fentry program: EPERM");
	EXPECT_INT(patient.asked_btf_id, 3);
	patient.fentry = 0;
	EXPECT_CONTAINS(patient_examine("bpf")->what, "also on entry and exit");
	EXPECT_INT(patient_examine("btf")->state, DOCTOR_OK);

	patient.bpf = -ENOSYS;
	EXPECT_CONTAINS(patient_examine("bpf")->what, "not in this kernel");
	patient_leave();
}
