// SPDX-License-Identifier: Apache-2.0
#include "event/host.h"
#include "event/open.h"
#include "fake.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>

#define ROOT_CAPS "000001ffffffffff"
#define NO_CAPS	  "0000000000000000"

static void fake_process(const char *caps, int seccomp)
{
	char text[200];

	snprintf(text, sizeof(text), "Name:\tx\nCapEff:\t%s\nSeccomp:\t%d\n", caps, seccomp);
	fake_file("/proc/self/status", text);
	fake_file("/proc/sys/kernel/cap_last_cap", "40\n");
	fake_link("/proc/self/exe", "/usr/bin/perfolio");
}

static void fake_namespaces(bool pid, bool user)
{
	fake_link("/proc/self/ns/pid", pid ? "pid:[4026532999]" : "pid:[4026531836]");
	fake_link("/proc/self/ns/cgroup", "cgroup:[4026531835]");
	fake_link("/proc/self/ns/user", user ? "user:[4026532998]" : "user:[4026531837]");
}

TEST(host_finds_the_container)
{
	static const struct {
		const char *label, *path, *text;
		bool pid, user;
		enum host_container want;
	} cases[] = {
		{ "none", "/etc/x", "", false, false, HOST_NO_CONTAINER },
		{ "an image's leftover on a machine", "/.dockerenv", "", false, false,
		  HOST_NO_CONTAINER },
		{ "Docker", "/.dockerenv", "", true, false, HOST_DOCKER },
		{ "Podman", "/run/.containerenv", "", true, false, HOST_PODMAN },
		{ "Podman without root", "/run/.containerenv", "", true, true, HOST_PODMAN },
		{ "Kubernetes", "/proc/self/environ", "A=1\nKUBERNETES_SERVICE_HOST=10.0.0.1", true,
		  false, HOST_KUBERNETES },
		{ "a sandbox", "/etc/x", "", true, false, HOST_OTHER_CONTAINER },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct host_source *source = fake_machine();
		struct host host;

		test_case("%s", cases[i].label);
		fake_file(cases[i].path, cases[i].text);
		fake_namespaces(cases[i].pid, cases[i].user);
		fake_process(ROOT_CAPS, 0);
		host_look(&host, source);
		EXPECT_INT(host.container, cases[i].want);
		EXPECT_BOOL(host.user_namespace, cases[i].user);
		EXPECT_BOOL(host_may_perf(&host), !cases[i].user);
	}
	fake_remove();
}

TEST(host_finds_the_core_pmu)
{
	static const struct {
		const char *path, *want;
	} cases[] = {
		{ "/sys/bus/event_source/devices/software/type", "" },
		{ "/sys/bus/event_source/devices/cpu/type", "cpu" },
		{ "/sys/bus/event_source/devices/cpu_core/cpus", "cpu_core" },
		{ "/sys/bus/event_source/devices/armv8_pmuv3_0/cpus", "armv8_pmuv3_0" },
		{ "/sys/bus/event_source/devices/uncore_imc_0/cpumask", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct host_source *source = fake_machine();
		struct host host;

		test_case("%s", cases[i].path);
		fake_file(cases[i].path, "0\n");
		host_look(&host, source);
		EXPECT_TEXT(host.core_pmu, cases[i].want);
	}
	fake_remove();
}

TEST(host_reads_the_process_and_the_kernel)
{
	const struct host_source *source = fake_machine();
	struct host host;

	host_look(&host, source);
	EXPECT_INT(host.paranoid, HOST_NO_PARANOID);
	EXPECT_TEXT(host.lockdown, "");

	fake_process("0000004000000000", 2); /* CAP_PERFMON alone */
	fake_file("/proc/sys/kernel/perf_event_paranoid", "-1\n");
	fake_file("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	host_look(&host, source);
	EXPECT_INT(host.paranoid, -1);
	EXPECT(host.seccomp);
	EXPECT(host_has(&host, HOST_CAP_PERFMON));
	EXPECT(!host_has(&host, HOST_CAP_SYS_ADMIN));
	EXPECT(host_may_perf(&host));
	EXPECT_TEXT(host.lockdown, "integrity");
	EXPECT_TEXT(host.program, "/usr/bin/perfolio");
	fake_remove();
}

static int debian_open(const struct event_attr *attr, pid_t pid, int cpu, int group_fd,
		       unsigned long flags)
{
	(void)attr, (void)pid, (void)cpu, (void)group_fd, (void)flags;
	return -EACCES;
}

TEST(host_tries_what_level_3_means)
{
	static const struct perf_sys debian = { .open = debian_open };
	struct host_source source = *fake_machine();
	struct host host;

	fake_process(NO_CAPS, 0);
	fake_file("/proc/sys/kernel/perf_event_paranoid", "3\n");
	host_look(&host, &source);
	EXPECT(!host.all_closed);
	EXPECT_CONTAINS(host_paranoid_meaning(&host), "without the kernel's part");

	source.perf = &debian;
	host_look(&host, &source);
	EXPECT(host.all_closed);
	EXPECT_CONTAINS(host_paranoid_meaning(&host), "nothing");
	fake_remove();
}

TEST(host_grants_fit_the_place)
{
	struct host host = { .last_capability = 40, .program = "/usr/bin/perfolio" };
	unsigned both = HOST_GRANT_PERFMON | HOST_GRANT_BPF;
	char text[300];

	EXPECT_TEXT(host_grant(&host, HOST_GRANT_PERFMON, text, sizeof(text)),
		    "sudo setcap cap_perfmon+ep /usr/bin/perfolio");
	EXPECT_TEXT(host_grant(&host, both, text, sizeof(text)),
		    "sudo setcap cap_perfmon,cap_bpf+ep /usr/bin/perfolio");
	host.last_capability = 37; /* Linux before 5.8 */
	EXPECT_TEXT(host_grant(&host, both | HOST_GRANT_SYSLOG, text, sizeof(text)),
		    "sudo setcap cap_sys_admin,cap_syslog+ep /usr/bin/perfolio");
	host.last_capability = 40;
	host.container = HOST_DOCKER;
	EXPECT_TEXT(host_grant(&host, both, text, sizeof(text)),
		    "start the container with --cap-add PERFMON --cap-add BPF");
	host.container = HOST_KUBERNETES;
	EXPECT_CONTAINS(host_grant(&host, both, text, sizeof(text)),
			"PERFMON, BPF to the container's securityContext.capabilities.add");
	host.user_namespace = true;
	EXPECT_CONTAINS(host_grant(&host, both, text, sizeof(text)), "outside the user namespace");
}
