// SPDX-License-Identifier: Apache-2.0
/* Whether control groups can be measured one by one. */
#include "doctor/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int try_cgroup(const struct checkup *c, const char *folder)
{
	struct event_attr attr = { .base = { .type = PERF_TYPE_SOFTWARE,
					     .config = PERF_COUNT_SW_CPU_CLOCK,
					     .disabled = 1 } };
	int dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd;

	if (dir < 0)
		return -errno;
	fd = c->perf->open(&attr, dir, c->first_cpu, -1,
			   PERF_FLAG_FD_CLOEXEC | PERF_FLAG_PID_CGROUP);
	close(dir);
	if (fd < 0)
		return fd;
	c->perf->close(fd);
	return 0;
}

bool probe_cgroups(struct checkup *c, struct finding *f)
{
	char v1[PATH_MAX], v2[PATH_MAX];
	bool has_v1 = probe_mount(c, "cgroup", "perf_event", v1, sizeof(v1));
	bool has_v2 = probe_mount(c, "cgroup2", NULL, v2, sizeof(v2));
	const char *folder = has_v1 ? v1 : v2;
	int code;

	if (!has_v1 && !has_v2) {
		f->state = DOCTOR_MISSING;
		f->what = "no group can be measured: none is mounted";
		f->remedy = "sudo mount -t cgroup2 none /sys/fs/cgroup";
		return true;
	}
	code = try_cgroup(c, folder);
	f->evidence = SAY(c, "version %s at %s: %s", has_v1 ? "1" : "2", folder,
			  probe_result(code));
	f->what = SAY(c, "version %s at %s", has_v1 ? "1" : "2", folder + strlen(c->root));
	if (!code) {
		f->meaning = "measurable";
		return true;
	}
	if (code == -EACCES || code == -EPERM) {
		f->state = DOCTOR_LIMITED;
		f->meaning = "needs the right to measure whole CPUs";
		f->grants = host_may_perf(&c->host) ? 0 : HOST_GRANT_PERFMON;
	} else if (code == -ENOENT) {
		f->state = DOCTOR_UNKNOWN;
		f->meaning = "not visible here";
	} else {
		f->state = DOCTOR_MISSING;
		f->meaning = "this kernel can't measure groups (CONFIG_CGROUP_PERF)";
	}
	return true;
}
