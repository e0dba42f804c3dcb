// SPDX-License-Identifier: Apache-2.0
/* The tries that need more than opening an event: a ring, a BPF program. */
#include "base/clock.h"
#include "doctor/doctor.h"
#include "event/open.h"

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SAMPLE_NS     (1 * NS_PER_MSEC)
#define WAIT_LIMIT_NS (50 * NS_PER_MSEC)

static int open_clock(void)
{
	struct event_attr attr = { .base = { .type = PERF_TYPE_SOFTWARE,
					     .config = PERF_COUNT_SW_CPU_CLOCK,
					     .sample_period = SAMPLE_NS,
					     .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME,
					     .disabled = 1,
					     .exclude_kernel = 1,
					     .exclude_hv = 1 } };

	return perf_sys_kernel.open(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* How many samples lie between the start of the ring and head. */
static int count_samples(const char *data, size_t size, uint64_t head)
{
	struct perf_event_header header;
	int samples = 0;

	for (uint64_t at = 0; at + sizeof(header) <= head && at < size; at += header.size) {
		memcpy(&header, data + at, sizeof(header));
		samples += header.type == PERF_RECORD_SAMPLE;
		if (header.size < sizeof(header))
			break;
	}
	return samples;
}

static int live_sample_clock(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 2 * page;
	int64_t deadline;
	uint64_t head = 0;
	char *ring;
	int fd = open_clock();
	int samples;

	if (fd < 0)
		return fd;
	ring = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED) {
		samples = -errno;
		goto out;
	}
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	deadline = clock_now_ns() + WAIT_LIMIT_NS;
	while (!head && clock_now_ns() < deadline)
		head = __atomic_load_n(&((struct perf_event_mmap_page *)ring)->data_head,
				       __ATOMIC_ACQUIRE);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	samples = count_samples(ring + page, size, head);
	munmap(ring, page + size);
out:
	close(fd);
	return samples;
}

static int live_map_ring(size_t bytes)
{
	size_t all = bytes + (size_t)sysconf(_SC_PAGESIZE);
	int fd = open_clock();
	void *ring;
	int rc = 0;

	if (fd < 0)
		return fd;
	ring = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED)
		rc = -errno;
	else
		munmap(ring, all);
	close(fd);
	return rc;
}

/* "return 0" */
static const struct bpf_insn nothing[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
	{ .code = BPF_JMP | BPF_EXIT },
};

/*
 * Attaches the program for an instant.  On some architectures the kernel loads programs for the
 * entry of functions long before it can put them there (arm64 before 6.4), and answers with
 * ENOTSUPP, an error number that user space has no name for.
 */
static int attach_tracing(int program)
{
	enum { KERNEL_ENOTSUPP = 524 };
	union bpf_attr attr = { .raw_tracepoint.prog_fd = (uint32_t)program };
	long link = syscall(SYS_bpf, BPF_RAW_TRACEPOINT_OPEN, &attr, sizeof(attr));

	if (link < 0)
		return errno == KERNEL_ENOTSUPP ? -EOPNOTSUPP : -errno;
	close((int)link);
	return 0;
}

static int live_load_bpf(uint32_t type, uint32_t attach_btf_id)
{
	union bpf_attr attr = {
		.prog_type = type,
		.insns = (uintptr_t)nothing,
		.insn_cnt = sizeof(nothing) / sizeof(nothing[0]),
		.license = (uintptr_t) "Dual BSD/GPL",
		.prog_name = "perfolio_try",
		.expected_attach_type = attach_btf_id ? BPF_TRACE_FENTRY : 0,
		.attach_btf_id = attach_btf_id,
	};
	long fd = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
	int rc = 0;

	if (fd < 0)
		return -errno;
	if (attach_btf_id)
		rc = attach_tracing((int)fd);
	close((int)fd);
	return rc;
}

const struct doctor_kernel doctor_kernel_live = {
	.sample_clock = live_sample_clock,
	.map_ring = live_map_ring,
	.load_bpf = live_load_bpf,
};
