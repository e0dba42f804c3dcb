// SPDX-License-Identifier: Apache-2.0
#include "fake.h"
#include "patient.h"
#include "test.h"

#include <errno.h>
#include <unistd.h>

TEST(doctor_tells_the_levels_apart)
{
	static const struct {
		int level;
		bool debian;
		enum doctor_state state;
		const char *what, *meaning, *remedy;
	} cases[] = {
		{ -2, false, DOCTOR_OK, "every program", "you are root", NULL },
		{ -1, false, DOCTOR_OK, "your own programs, the kernel",
		  "perf_event_paranoid is -1", NULL },
		{ 0, false, DOCTOR_OK, "your own programs, the kernel", "perf_event_paranoid is 0",
		  NULL },
		{ 1, false, DOCTOR_LIMITED, "with the kernel's part, no whole CPUs",
		  "perf_event_paranoid is 1", "perf_event_paranoid=0" },
		{ 2, false, DOCTOR_LIMITED, "without the kernel's part", "perf_event_paranoid is 2",
		  "perf_event_paranoid=1 (0: whole CPUs too)" },
		{ 3, false, DOCTOR_LIMITED, "without the kernel's part",
		  "is 3, which this kernel takes for 2", "perf_event_paranoid=1" },
		{ 3, true, DOCTOR_MISSING, "ordinary users may measure nothing", NULL,
		  "perf_event_paranoid=2" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct finding *f;

		test_case("level %d%s", cases[i].level, cases[i].debian ? " on Debian" : "");
		patient_new();
		patient.paranoid = cases[i].level;
		patient.debian = cases[i].debian;
		patient.samples = cases[i].debian ? -EACCES : 1;
		f = patient_examine("permission");
		EXPECT_INT(f->state, cases[i].state);
		EXPECT_CONTAINS(f->what, cases[i].what);
		if (cases[i].meaning)
			EXPECT_CONTAINS(f->meaning, cases[i].meaning);
		if (cases[i].remedy)
			EXPECT_CONTAINS(f->remedy, cases[i].remedy);
		EXPECT_BOOL(f->remedy, cases[i].remedy);
		EXPECT_BOOL(patient_doctor()->works, !cases[i].debian);
		patient_leave();
	}
}

TEST(doctor_joins_all_grants_into_one_command)
{
	patient_new();
	fake_file("/proc/kallsyms", "0000000000000000 A fixed_percpu_data\n"
				    "0000000000000000 T _stext\n");
	EXPECT_TEXT(patient_doctor()->grant_text,
		    "sudo setcap cap_perfmon,cap_bpf,cap_syslog+ep /usr/bin/perfolio");
	patient.paranoid = -2;
	patient.bpf = 0;
	fake_file("/proc/kallsyms", "ffffffff81000000 T _stext\n");
	EXPECT(!patient_doctor()->grant_text);
	patient_leave();
}

static void fake_container(const char *file)
{
	patient_new();
	unlink(fake_path("/proc/self/ns/pid"));
	fake_link("/proc/self/ns/pid", "pid:[4026532001]");
	fake_file(file, "");
}

TEST(doctor_explains_containers)
{
	const struct finding *f;

	patient_new();
	EXPECT_TEXT(patient_examine("container")->what, "none");
	patient_leave();

	fake_container("/.dockerenv");
	patient.refuse_all = EPERM;
	patient.samples = -EPERM;
	f = patient_examine("container");
	EXPECT_INT(f->state, DOCTOR_LIMITED);
	EXPECT_CONTAINS(f->what, "Docker, with a seccomp filter");
	EXPECT_CONTAINS(f->remedy, "--cap-add PERFMON");
	EXPECT_CONTAINS(f->remedy, "seccomp=unconfined");
	EXPECT_CONTAINS(patient_examine("permission")->what, "seccomp filter");
	EXPECT(!patient_doctor()->works);
	patient_leave();

	fake_container("/var/run/secrets/kubernetes.io/x");
	patient.refuse_all = EPERM;
	EXPECT_CONTAINS(patient_examine("container")->remedy, "securityContext");
	patient_leave();

	fake_container("/run/.containerenv");
	unlink(fake_path("/proc/self/ns/user"));
	fake_link("/proc/self/ns/user", "user:[4026532002]");
	f = patient_examine("container");
	EXPECT_CONTAINS(f->what, "Podman, without root on the machine");
	EXPECT_CONTAINS(f->remedy, "perf_event_paranoid");
	patient_leave();
}

TEST(doctor_knows_a_kernel_without_perf_events)
{
	patient_new();
	patient.refuse_all = ENOSYS;
	patient.samples = -ENOSYS;
	EXPECT_CONTAINS(patient_examine("permission")->what, "no perf events");
	EXPECT_CONTAINS(patient_examine("clock-sampling")->what, "refused");
	EXPECT(!patient_doctor()->works);
	EXPECT_CONTAINS(patient_doctor()->missing_text, "clock sampling");
	patient_leave();
}

TEST(doctor_tries_rings_and_rates)
{
	const struct finding *f;

	patient_new();
	EXPECT_CONTAINS(patient_examine("ring-buffer")->what, "16 MB or more");
	patient.most_ring = 600 << 10;
	f = patient_examine("ring-buffer");
	EXPECT_INT(f->state, DOCTOR_LIMITED);
	EXPECT_TEXT(f->what, "up to 512 kB");
	EXPECT_CONTAINS(f->remedy, "perf_event_mlock_kb");

	f = patient_examine("sample-rate");
	EXPECT_CONTAINS(f->what, "100,000");
	EXPECT_CONTAINS(f->evidence, "at 100001: EINVAL");
	patient.most_freq = 1000;
	f = patient_examine("sample-rate");
	EXPECT_INT(f->state, DOCTOR_LIMITED);
	EXPECT_CONTAINS(f->remedy, "perf_event_max_sample_rate");

	patient.samples = 0;
	EXPECT_CONTAINS(patient_examine("clock-sampling")->what, "no sample arrived");
	patient_leave();
}

TEST(doctor_finds_the_cgroups)
{
	patient_new();
	EXPECT_INT(patient_examine("cgroups")->state, DOCTOR_MISSING);
	fake_file("/sys/fs/cgroup/unified/x", "");
	fake_file("/sys/fs/cgroup/perf_event/x", "");
	fake_file("/proc/self/mounts", "none /sys/fs/cgroup/unified cgroup2 rw 0 0\n");
	EXPECT_INT(patient_examine("cgroups")->state, DOCTOR_LIMITED);
	patient.paranoid = -2;
	EXPECT_TEXT(patient_examine("cgroups")->what, "version 2 at /sys/fs/cgroup/unified");
	EXPECT_INT(patient_examine("cgroups")->state, DOCTOR_OK);
	fake_file("/proc/self/mounts", "none /sys/fs/cgroup/unified cgroup2 rw 0 0\n"
				       "x /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n"
				       "x /sys/fs/cgroup/perf_event cgroup rw,perf_event 0 0\n");
	EXPECT_TEXT(patient_examine("cgroups")->what, "version 1 at /sys/fs/cgroup/perf_event");
	patient_leave();
}
