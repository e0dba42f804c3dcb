// SPDX-License-Identifier: Apache-2.0
#include "patient.h"
#include "event/open.h"
#include "fake.h"
#include "test.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>

struct patient patient;
static struct host_source source;
static struct doctor doctor;
static int group_members;

static bool is_root(void)
{
	return patient.paranoid == -2;
}

static int hardware_open(const struct perf_event_attr *attr, int group_fd)
{
	if (!patient.counters)
		return -ENOENT;
	if (attr->sample_period && patient.no_interrupt)
		return -EOPNOTSUPP;
	if (attr->precise_ip && patient.no_precise)
		return -EOPNOTSUPP;
	group_members = group_fd < 0 ? 0 : group_members;
	group_members += !attr->disabled; /* the kernel asks no counter for what is off */
	return group_members > patient.counters ? -EINVAL : 0;
}

static int patient_open(const struct event_attr *event, pid_t pid, int cpu, int group_fd,
			unsigned long flags)
{
	const struct perf_event_attr *attr = &event->base;
	int code = 0;

	(void)flags;
	if (pid == 1 && !is_root())
		return -EACCES;
	if (patient.refuse_all)
		return -patient.refuse_all;
	if (!is_root() && patient.debian && patient.paranoid > 2)
		return -EACCES;
	if (!is_root() &&
	    ((!attr->exclude_kernel && patient.paranoid > 1) || (cpu >= 0 && patient.paranoid > 0)))
		return -EACCES;
	if (attr->freq && attr->sample_freq > patient.most_freq)
		return -EINVAL;
	if (attr->type == PERF_TYPE_HARDWARE)
		code = hardware_open(attr, group_fd);
	if (code)
		return code;
	return 1000 + patient.open_fds++;
}

static ssize_t patient_read(int fd, void *into, size_t size)
{
	uint64_t values[3] = { patient.counted, patient.running_ns, patient.running_ns };

	(void)fd;
	memcpy(into, values, size < sizeof(values) ? size : sizeof(values));
	return sizeof(values);
}

static int patient_ioctl(int fd, unsigned long request, unsigned long argument)
{
	(void)fd, (void)request, (void)argument;
	return 0;
}

static int patient_close(int fd)
{
	(void)fd;
	patient.open_fds--;
	return 0;
}

static const struct perf_sys patient_perf = {
	.open = patient_open,
	.read = patient_read,
	.ioctl = patient_ioctl,
	.close = patient_close,
};

static int patient_sample(void)
{
	return patient.samples;
}

static int patient_map(size_t bytes)
{
	return bytes <= patient.most_ring ? 0 : -EPERM;
}

static int patient_bpf(uint32_t type, uint32_t attach_btf_id)
{
	if (type == BPF_PROG_TYPE_PERF_EVENT)
		return patient.bpf;
	patient.asked_btf_id = attach_btf_id;
	return patient.fentry;
}

static const struct doctor_kernel patient_kernel = {
	.sample_clock = patient_sample,
	.map_ring = patient_map,
	.load_bpf = patient_bpf,
};

void patient_new(void)
{
	source = *fake_machine();
	source.perf = &patient_perf;
	patient = (struct patient){
		.paranoid = 2,
		.counted = 100000,
		.running_ns = 1000000,
		.most_freq = 100000,
		.samples = 3,
		.most_ring = 64 << 20,
		.bpf = -EPERM,
	};
	fake_file("/proc/cpuinfo", "processor\t: 0\nmodel name\t: Test CPU 9000\n");
	fake_file("/sys/devices/system/cpu/online", "0-3\n");
	fake_file("/sys/bus/event_source/devices/software/type", "1\n");
	fake_file("/proc/sys/kernel/osrelease", "6.1.0-test\n");
	fake_file("/proc/sys/kernel/cap_last_cap", "40\n");
	fake_link("/proc/self/ns/pid", "pid:[4026531836]");
	fake_link("/proc/self/ns/user", "user:[4026531837]");
	fake_link("/proc/self/exe", "/usr/bin/perfolio");
}

static void write_files(void)
{
	char text[64];

	snprintf(text, sizeof(text), "%d\n", is_root() ? 2 : patient.paranoid);
	fake_file("/proc/sys/kernel/perf_event_paranoid", text);
	snprintf(text, sizeof(text), "%llu\n", (unsigned long long)patient.most_freq);
	fake_file("/proc/sys/kernel/perf_event_max_sample_rate", text);
	snprintf(text, sizeof(text), "Name:\tx\nCapEff:\t%s\nSeccomp:\t%d\n",
		 is_root() ? "000001ffffffffff" : "0000000000000000",
		 patient.refuse_all == EPERM ? 2 : 0);
	fake_file("/proc/self/status", text);
}

struct doctor *patient_doctor(void)
{
	struct doctor_options options = { .source = &source, .kernel = &patient_kernel };

	doctor_free(&doctor);
	write_files();
	doctor_examine(&doctor, &options);
	return &doctor;
}

const struct finding *patient_examine(const char *id)
{
	static const struct finding none = { .what = "(no such finding)" };
	const struct finding *found = doctor_find(patient_doctor(), id);

	return found ? found : &none;
}

void patient_leave(void)
{
	EXPECT_INT(patient.open_fds, 0);
	doctor_free(&doctor);
	doctor = (struct doctor){ 0 };
	fake_remove();
}
