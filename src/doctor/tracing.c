// SPDX-License-Identifier: Apache-2.0
/* Tracepoints and probes: tracefs, and the kernel's own ways to make new events. */
#include "base/err.h"
#include "base/file.h"
#include "base/text.h"
#include "doctor/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Finds tracefs and whether it lets us in: 0, or a negative errno value. */
static int find_tracefs(struct checkup *c)
{
	char path[PATH_MAX], events[PATH_MAX + 16];
	int fd;

	if (!probe_mount(c, "tracefs", NULL, path, sizeof(path))) {
		if (!probe_mount(c, "debugfs", NULL, path, sizeof(path) - sizeof("/tracing")))
			return -ENOENT;
		strcat(path, "/tracing");
	}
	snprintf(events, sizeof(events), "%s/events", path);
	fd = open(events, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	close(fd);
	snprintf(c->tracefs, sizeof(c->tracefs), "%s", path);
	return 0;
}

static void say_no_tracefs(struct checkup *c, struct finding *f, int code)
{
	bool in_kernel = host_file_holds(c->source, "/proc/filesystems", "tracefs");

	f->state = DOCTOR_MISSING;
	if (code == -ENOENT && !in_kernel) {
		f->what = "none: this kernel has no tracefs";
		f->because = "not built into the kernel";
		f->remedy = "use a kernel with CONFIG_TRACING";
	} else if (code == -ENOENT) {
		f->what = "none: tracefs is not mounted";
		f->because = "tracefs is not mounted";
		f->remedy = c->host.container == HOST_NO_CONTAINER
				    ? "sudo mount -t tracefs tracefs /sys/kernel/tracing"
				    : "start the container with -v "
				      "/sys/kernel/tracing:/sys/kernel/tracing";
	} else {
		f->what = "closed: tracefs is open to root only";
		f->because = "tracefs is closed to you";
		f->remedy = "sudo mount -o remount,gid=$(id -g),mode=750 /sys/kernel/tracing opens "
			    "it to your group";
	}
	f->meaning = "switches, system calls, disk and more can't be traced";
}

/* Lines of available_events: one a tracepoint. */
static unsigned count_events(const struct checkup *c)
{
	char path[PATH_MAX + 32], *text;
	unsigned count = 0;
	size_t size;

	snprintf(path, sizeof(path), "%s/available_events", c->tracefs);
	text = file_read(path, &size, NULL);
	for (size_t i = 0; text && i < size; i++)
		count += text[i] == '\n';
	free(text);
	return count;
}

static int open_tracepoint(const struct checkup *c, bool with_data)
{
	struct event_attr attr = { .base = { .type = PERF_TYPE_TRACEPOINT } };
	int64_t id;
	int code;

	code = file_number(&id, "%s/events/sched/sched_switch/id", c->tracefs);
	if (code)
		return code;
	attr.base.config = (uint64_t)id;
	if (with_data) {
		attr.base.sample_type = PERF_SAMPLE_RAW;
		attr.base.sample_period = 1;
	}
	return probe_open(c, &attr, -1);
}

bool probe_tracepoints(struct checkup *c, struct finding *f)
{
	char digits[TEXT_NUMBER];
	int code = find_tracefs(c), count, data;
	unsigned events;

	if (code) {
		say_no_tracefs(c, f, code);
		return true;
	}
	events = count_events(c);
	count = open_tracepoint(c, false);
	data = open_tracepoint(c, true);
	f->evidence = SAY(c, "tracefs at %s; sched:sched_switch counted: %s, with data: %s",
			  c->tracefs, probe_result(count), probe_result(data));
	f->what = SAY(c, "%s", text_grouped(digits, events));
	f->meaning = "switches, system calls, disk and more";
	if (!count && !data)
		return true;
	f->state = count ? DOCTOR_MISSING : DOCTOR_LIMITED;
	f->because = "not permitted";
	f->meaning = count ? "they are there, but may not be opened"
			   : "they can be counted, but their data can't be read";
	f->grants = HOST_GRANT_PERFMON;
	return true;
}

/* Its address is given to a uprobe; it is never called. */
static void __attribute__((noinline, used)) probed_function(void)
{
	__asm__ volatile("nop");
}

/* The file that holds probed_function and its offset in there. */
static bool find_own_code(char *path, size_t room, uint64_t *offset)
{
	uint64_t address = (uintptr_t)probed_function, from, to, start;
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[PATH_MAX + 200];
	bool found = false;
	int at = 0;

	while (maps && !found && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n", &from, &to,
			   &start, &at) < 3)
			continue;
		line[strcspn(line, "\n")] = '\0';
		found = address >= from && address < to && line[at] == '/' &&
			snprintf(path, room, "%s", line + at) < (int)room;
	}
	if (maps)
		fclose(maps);
	if (found)
		*offset = address - from + start;
	return found;
}

/*
 * Opens a probe by way of its PMU in sysfs.  Kernels before 4.17 have none; there it must do that
 * tracefs's file may be written.  -ENODEV if there is neither.
 */
static int open_probe(const struct checkup *c, const char *pmu, const char *where, uint64_t offset)
{
	struct event_attr attr = { 0 };
	char path[PATH_MAX + 32];
	int64_t type;

	if (file_number(&type, "%s/sys/bus/event_source/devices/%s/type", c->root, pmu)) {
		snprintf(path, sizeof(path), "%s/%s_events", c->tracefs, pmu);
		if (!c->tracefs[0] || access(path, F_OK))
			return -ENODEV;
		return access(path, W_OK) ? -errno : 0;
	}
	attr.base.type = (uint32_t)type;
	attr.base.config1 = (uintptr_t)where;
	attr.base.config2 = offset;
	return probe_open(c, &attr, -1);
}

/* `grants` would open them, 0 if only root may. */
static void say_probe_refused(struct checkup *c, struct finding *f, int code, unsigned grants)
{
	f->state = DOCTOR_MISSING;
	if (host_has(&c->host, HOST_CAP_SYS_ADMIN) || (grants && host_may_perf(&c->host))) {
		f->what = SAY(c, "refused to root too (%s)", probe_result(code));
		f->because = "refused by the kernel";
		f->meaning = c->host.seccomp ? "a seccomp filter may be the reason" : NULL;
		return;
	}
	f->what = "closed to ordinary users";
	f->because = "not permitted";
	f->grants = grants;
}

bool probe_uprobes(struct checkup *c, struct finding *f)
{
	char path[PATH_MAX];
	uint64_t offset = 0;
	int code;

	if (!find_own_code(path, sizeof(path), &offset)) {
		f->state = DOCTOR_UNKNOWN;
		f->what = "can't be tried: this program does not find its own file";
		return true;
	}
	code = open_probe(c, "uprobe", path, offset);
	f->evidence = SAY(c, "a uprobe in this program: %s", probe_result(code));
	if (!code) {
		f->what = "work on any function of a program or library";
	} else if (code == -ENODEV) {
		f->state = DOCTOR_MISSING;
		f->what = "uprobes are not built into this kernel";
		f->because = "not built into the kernel";
		f->remedy = "use a kernel with CONFIG_UPROBE_EVENTS";
	} else {
		/* CAP_PERFMON was enough from 5.8 on; 6.16 and stable kernels took it back. */
		say_probe_refused(c, f, code, 0);
		f->remedy = host_has(&c->host, HOST_CAP_SYS_ADMIN) ? NULL : "run as root";
	}
	return true;
}

bool probe_kprobes(struct checkup *c, struct finding *f)
{
	static const char *const functions[] = { "vfs_read", "ksys_read", "do_exit" };
	int code = -ENODEV;

	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		code = open_probe(c, "kprobe", functions[i], 0);
		if (code != -ENOENT && code != -EINVAL)
			break;
	}
	f->evidence = SAY(c, "a kprobe: %s", probe_result(code));
	if (!code) {
		f->what = "work on most functions of the kernel";
	} else if (code == -ENODEV) {
		f->state = DOCTOR_MISSING;
		f->what = "kprobes are not built into this kernel";
		f->because = "not built into the kernel";
		f->remedy = "use tracepoints, or a kernel with CONFIG_KPROBE_EVENTS";
	} else {
		say_probe_refused(c, f, code, HOST_GRANT_PERFMON);
	}
	return true;
}

bool probe_lockdown(struct checkup *c, struct finding *f)
{
	const char *level = c->host.lockdown;

	if (!strcmp(level, "none")) {
		f->what = "off";
	} else if (!level[0]) {
		f->state = DOCTOR_UNKNOWN;
		f->what = "not visible";
		f->meaning = c->tracefs[0] ? "not 'confidentiality', for tracefs is open" : NULL;
		f->evidence = "securityfs is not mounted, or has no lockdown";
	} else if (!strcmp(level, "integrity")) {
		f->what = "integrity";
		f->meaning = "it does not hinder measuring";
	} else {
		f->state = DOCTOR_LIMITED;
		f->what = SAY(c, "%s", level);
		f->meaning =
			"it closes perf events, tracing and BPF reads of the kernel, to root too";
		f->remedy = "boot with lockdown=integrity, or switch Secure Boot off";
	}
	return true;
}
