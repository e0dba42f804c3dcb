// SPDX-License-Identifier: Apache-2.0
#include "jobs/caps.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What the headers of older kernels do not have yet. */
#define CAP_38_PERFMON		  38
#define CAP_39_BPF		  39
#define CAP_40_CHECKPOINT_RESTORE 40

#define BIT(cap) ((caps)1 << (cap))

/* Before Linux 5.8 one capability stood for these. */
static caps perf_and_bpf(void)
{
	if (prctl(PR_CAPBSET_READ, CAP_38_PERFMON, 0, 0, 0) < 0)
		return BIT(CAP_SYS_ADMIN);
	return BIT(CAP_38_PERFMON);
}

/* Of whoever they are; and their cgroups, in a folder that may be closed to its owner. */
caps caps_guard(void)
{
	return BIT(CAP_KILL) | BIT(CAP_DAC_OVERRIDE);
}

/* Events of all users and the kernel, with a turn of the CPU in time; names and mappings. */
caps caps_measuring(void)
{
	return perf_and_bpf() | BIT(CAP_40_CHECKPOINT_RESTORE) | BIT(CAP_SYS_PTRACE) |
	       BIT(CAP_DAC_READ_SEARCH) | BIT(CAP_SYSLOG) | BIT(CAP_IPC_LOCK) | BIT(CAP_SYS_NICE) |
	       BIT(CAP_SYS_RESOURCE);
}

caps caps_looking(void)
{
	return BIT(CAP_SYS_PTRACE) | BIT(CAP_DAC_READ_SEARCH);
}

caps caps_owner(void)
{
	return BIT(CAP_SETUID) | BIT(CAP_SETGID) | BIT(CAP_DAC_READ_SEARCH);
}

caps caps_doctor(void)
{
	return caps_measuring() | BIT(CAP_SYS_ADMIN) | BIT(CAP_39_BPF);
}

caps caps_analyser(void)
{
	return BIT(CAP_SETUID) | BIT(CAP_SETGID) | BIT(CAP_SETPCAP);
}

caps caps_sweeping(void)
{
	return BIT(CAP_DAC_OVERRIDE) | BIT(CAP_DAC_READ_SEARCH) | BIT(CAP_FOWNER);
}

/* Accounts, namespaces, the states of threads, and what it passes on. */
caps caps_supervisor(void)
{
	return caps_guard() | caps_doctor() | caps_analyser() | caps_sweeping() | BIT(CAP_CHOWN) |
	       BIT(CAP_NET_ADMIN);
}

/* Without CAP_SETPCAP nothing is dropped: who has it not has none to pass on by an exec either. */
void caps_bound(caps kept)
{
	for (unsigned long cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++)
		if (cap >= 64 || !(kept & BIT(cap)))
			prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
}

int caps_keep(caps kept)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[2];

	caps_bound(kept);
	if (syscall(SYS_capget, &head, sets))
		return -errno;
	for (int i = 0; i < 2; i++) {
		uint32_t part = (uint32_t)(kept >> (32 * i));

		sets[i].permitted &= part;
		sets[i].effective = sets[i].permitted;
		sets[i].inheritable = 0;
	}
	return syscall(SYS_capset, &head, sets) ? -errno : 0;
}
