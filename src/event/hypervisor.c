// SPDX-License-Identifier: Apache-2.0
#include "event/hypervisor.h"
#include "base/file.h"
#include "base/mem.h"
#include "event/open.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

/* The compiler's __get_cpuid_count knows the highest leaf of each range but the hypervisor's. */
static bool live_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t regs[static 4])
{
	if ((leaf & 0xf0000000) != 0x40000000)
		return __get_cpuid_count(leaf, subleaf, &regs[0], &regs[1], &regs[2], &regs[3]);
	__cpuid_count(leaf, subleaf, regs[0], regs[1], regs[2], regs[3]);
	return true;
}
#else
static bool live_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t regs[static 4])
{
	(void)leaf, (void)subleaf, (void)regs;
	return false;
}
#endif

const struct host_source host_source_live = {
	.root = "",
	.cpuid = live_cpuid,
	.perf = &perf_sys_kernel,
};

struct kind {
	const char *name;
	const char *pmu_remedy;
};

#define QEMU_SETTING                                                           \
	"start QEMU with -cpu host,pmu=on; libvirt: <pmu state='on'/> inside " \
	"<features>, with <cpu mode='host-passthrough'/>"

static const struct kind kvm = { "KVM", QEMU_SETTING };
static const struct kind qemu = { "QEMU", QEMU_SETTING };
static const struct kind qemu_kvm = { "KVM (QEMU)", QEMU_SETTING };
static const struct kind tcg = {
	"QEMU without KVM",
	"let QEMU use KVM: -accel kvm -cpu host,pmu=on (it emulates no PMU for this CPU)",
};
static const struct kind firecracker = {
	"KVM (micro-VM)",
	"Firecracker has no setting for it: measure on its host, or in a VM of QEMU "
	"with -cpu host,pmu=on",
};
static const struct kind micro_vm = {
	"KVM (micro-VM)",
	"if it is Firecracker there is no setting for it; QEMU has -cpu host,pmu=on",
};
static const struct kind cloud_hypervisor = {
	"KVM (Cloud Hypervisor)",
	"measure on the host, or in a VM of QEMU with -cpu host,pmu=on",
};
static const struct kind vmware = {
	"VMware",
	"switch the VM off and tick \"Virtualize CPU performance counters\" in its CPU settings, "
	"or add vpmc.enable = \"TRUE\" to its .vmx file",
};
static const struct kind hyperv = {
	"Hyper-V",
	"switch the VM off and run on the host: Set-VMProcessor VMNAME -Perfmon @(\"pmu\")",
};
static const struct kind wsl = {
	"Hyper-V (WSL 2)",
	"put hardwarePerformanceCounters=true below [wsl2] in %UserProfile%\\.wslconfig and run "
	"wsl --shutdown",
};
static const struct kind virtualbox = {
	"VirtualBox",
	"VirtualBox has no setting for it: measure on the host, or in a VM of KVM, VMware "
	"or Hyper-V",
};
static const struct kind xen = { "Xen", "boot the Xen host with vpmu=on on Xen's command line" };
static const struct kind parallels = {
	"Parallels",
	"look for PMU virtualization in the VM's CPU settings",
};
static const struct kind apple = {
	"Apple's Virtualization framework",
	"Apple's framework has no setting for it: measure on a Linux that runs on the hardware",
};
static const struct kind bhyve = {
	"bhyve",
	"bhyve has no setting for it: measure on its host or in a VM of KVM, VMware or Hyper-V",
};
static const struct kind ec2 = {
	"Amazon EC2",
	"choose an instance of generation 7 or later, a Graviton one, or a size that has a whole "
	"socket (24xlarge, metal)",
};
static const struct kind gce = {
	"Google Compute Engine",
	"set advancedMachineFeatures.performanceMonitoringUnit of the instance to STANDARD "
	"(C4 and C4A series or later)",
};
static const struct kind azure = {
	"Microsoft Azure",
	"Azure has no setting for it and only some sizes pass the counters on: try another "
	"series, or bare metal",
};
static const struct kind other = {
	"a hypervisor",
	"look in the hypervisor's settings for a virtual PMU (performance monitoring unit)",
};

/* Files that tell a hypervisor by what they hold, the most specific first. */
static const struct file_rule {
	const char *path, *text;
	const struct kind *kind;
} file_rules[] = {
	{ "/proc/version", "microsoft-standard-WSL2", &wsl },
	{ "/sys/class/dmi/id/chassis_asset_tag", "7783-7084-3265-9085-8269-3286-77", &azure },
	{ "/sys/class/dmi/id/sys_vendor", "Amazon EC2", &ec2 },
	{ "/sys/class/dmi/id/bios_version", "amazon", &ec2 },
	{ "/sys/class/dmi/id/product_name", "Google Compute Engine", &gce },
	{ "/sys/class/dmi/id/sys_vendor", "VMware", &vmware },
	{ "/sys/class/dmi/id/product_name", "VirtualBox", &virtualbox },
	{ "/sys/class/dmi/id/product_name", "Virtual Machine", &hyperv },
	{ "/sys/class/dmi/id/sys_vendor", "Cloud Hypervisor", &cloud_hypervisor },
	{ "/sys/class/dmi/id/sys_vendor", "Parallels", &parallels },
	{ "/sys/class/dmi/id/sys_vendor", "BHYVE", &bhyve },
	{ "/sys/class/dmi/id/product_name", "Apple Virtualization", &apple },
	{ "/sys/class/dmi/id/sys_vendor", "QEMU", &qemu },
	{ "/sys/class/dmi/id/bios_vendor", "SeaBIOS", &qemu },
	{ "/sys/class/dmi/id/sys_vendor", "Xen", &xen },
	{ "/sys/hypervisor/type", "xen", &xen },
	{ "/sys/firmware/acpi/tables/FACP", "FIRECK", &firecracker },
	{ "/proc/device-tree/hypervisor/compatible", "xen,xen", &xen },
	{ "/proc/device-tree/hypervisor/compatible", "vmware", &vmware },
	{ "/proc/device-tree/hypervisor/compatible", "linux,kvm", &kvm },
	{ "/proc/device-tree/compatible", "linux,dummy-virt", &kvm },
};

/* The twelve letters of CPUID leaf 0x40000000. */
static const struct signature_rule {
	const char *text;
	const struct kind *kind;
} signature_rules[] = {
	{ "KVMKVMKVM", &kvm },		{ "TCGTCGTCGTCG", &tcg },
	{ "VMwareVMware", &vmware },	{ "Microsoft Hv", &hyperv },
	{ "XenVMMXenVMM", &xen },	{ "VBoxVBoxVBox", &virtualbox },
	{ "prl hyperv  ", &parallels }, { " lrpepyh  vr", &parallels },
	{ "bhyve bhyve ", &bhyve },	{ "Linux KVM Hv", &kvm },
};

bool host_file_holds(const struct host_source *source, const char *path, const char *text)
{
	char full[PATH_MAX], bytes[4096];
	ssize_t got;
	int fd;

	if (snprintf(full, sizeof(full), "%s%s", source->root, path) >= (int)sizeof(full))
		return false;
	fd = open(full, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = read(fd, bytes, sizeof(bytes));
	close(fd);
	return got > 0 && memmem(bytes, (size_t)got, text, strlen(text));
}

static void add_evidence(struct hypervisor *hypervisor, const char *where, const char *text)
{
	size_t used = strlen(hypervisor->evidence);

	snprintf(hypervisor->evidence + used, sizeof(hypervisor->evidence) - used, "%s%s: %s",
		 used ? "; " : "", where, text);
}

/* What the CPU says: false if it certainly runs on bare metal.  *kind is set if it names one. */
static bool ask_cpu(struct hypervisor *hypervisor, const struct host_source *source,
		    const struct kind **kind)
{
	uint32_t regs[4];
	char text[13];

	if (!source->cpuid || !source->cpuid(1, 0, regs))
		return true;
	if (!(regs[2] & 1u << 31))
		return file_exists("%s/sys/hypervisor/type", source->root);
	*kind = &other;
	if (!source->cpuid(0x40000000, 0, regs))
		return true;
	memcpy(text, &regs[1], 12);
	text[12] = '\0';
	add_evidence(hypervisor, "CPUID", text);
	for (size_t i = 0; i < ARRAY_SIZE(signature_rules); i++)
		if (!strcmp(text, signature_rules[i].text))
			*kind = signature_rules[i].kind;
	return true;
}

static const struct kind *ask_files(struct hypervisor *hypervisor, const struct host_source *source)
{
	for (size_t i = 0; i < ARRAY_SIZE(file_rules); i++) {
		const struct file_rule *rule = &file_rules[i];

		if (host_file_holds(source, rule->path, rule->text)) {
			add_evidence(hypervisor, rule->path, rule->text);
			return rule->kind;
		}
	}
	return NULL;
}

/* An Arm machine has no CPUID to tell a rented whole machine from a rented part of one. */
static bool is_rented_metal(const struct host_source *source)
{
	return host_file_holds(source, "/sys/class/dmi/id/product_name", ".metal");
}

/* Device trees and bare KVM signatures do not tell which program runs the VM; its devices do. */
static const struct kind *refine_kvm(struct hypervisor *hypervisor,
				     const struct host_source *source)
{
	if (file_exists("%s/proc/device-tree/fw-cfg@9020000", source->root) ||
	    file_exists("%s/sys/firmware/qemu_fw_cfg", source->root)) {
		add_evidence(hypervisor, "device", "QEMU's fw_cfg");
		return &qemu;
	}
	if (!file_exists("%s/sys/class/dmi/id", source->root)) {
		add_evidence(hypervisor, "firmware", "no DMI tables");
		return &micro_vm;
	}
	return &kvm;
}

void hypervisor_find(struct hypervisor *hypervisor, const struct host_source *source)
{
	const struct kind *said_by_cpu = NULL, *kind;

	*hypervisor = (struct hypervisor){ 0 };
	if (!ask_cpu(hypervisor, source, &said_by_cpu) || is_rented_metal(source))
		return;
	kind = said_by_cpu == &tcg ? &tcg : ask_files(hypervisor, source);
	if (!kind)
		kind = said_by_cpu;
	if (kind == &kvm)
		kind = refine_kvm(hypervisor, source);
	if (kind == &qemu && said_by_cpu == &kvm)
		kind = &qemu_kvm;
	if (kind) {
		hypervisor->name = kind->name;
		hypervisor->pmu_remedy = kind->pmu_remedy;
	}
}
