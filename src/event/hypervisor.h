/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which hypervisor this machine runs under, and the setting that makes it pass on the CPU's
 * hardware counters.
 *
 * It is found by looking: CPUID where there is one, then what the firmware tells of its maker (DMI,
 * ACPI, device tree), then /sys/hypervisor.  The most specific answer wins: a cloud before its
 * hypervisor, a VMM (QEMU, Firecracker) before the KVM below it.
 */
#ifndef EVENT_HYPERVISOR_H
#define EVENT_HYPERVISOR_H

#include <stdbool.h>
#include <stdint.h>

struct perf_sys;

/* Where to look and what to try; tests give a tree, a CPU and a kernel of their own. */
struct host_source {
	const char *root; /* stands before /proc and /sys; "" for this machine */
	/* False where there is no such leaf, or no CPUID at all. */
	bool (*cpuid)(uint32_t leaf, uint32_t subleaf, uint32_t regs[static 4]);
	const struct perf_sys *perf;
};

extern const struct host_source host_source_live;

struct hypervisor {
	const char *name;	/* "KVM (QEMU)"; NULL on bare metal */
	const char *pmu_remedy; /* how to get the hardware counters, as an imperative */
	char evidence[160];	/* what told: "CPUID: KVMKVMKVM; dmi/id/sys_vendor: QEMU" */
};

void hypervisor_find(struct hypervisor *hypervisor, const struct host_source *source);

/* Whether the first 4 KiB of a file below the root hold text; NULs and lines do not matter. */
bool host_file_holds(const struct host_source *source, const char *path, const char *text);

#endif
