// SPDX-License-Identifier: Apache-2.0
#include "event/hypervisor.h"
#include "fake.h"
#include "test.h"

/* Up to two files of a machine; the signature is NULL on bare metal and "" where CPUID is absent.
 */
static const struct machine {
	const char *label, *signature;
	const char *path[2], *text[2];
	const char *name, *remedy;
} machines[] = {
	{ "bare metal", NULL, { 0 }, { 0 }, NULL, NULL },
	{ "bare metal of a maker that also has VMs",
	  NULL,
	  { "/sys/class/dmi/id/sys_vendor" },
	  { "Amazon EC2\n" },
	  NULL,
	  NULL },
	{ "QEMU with KVM",
	  "KVMKVMKVM",
	  { "/sys/class/dmi/id/sys_vendor" },
	  { "QEMU\n" },
	  "KVM (QEMU)",
	  "-cpu host,pmu=on" },
	{ "libvirt with a foreign DMI",
	  "KVMKVMKVM",
	  { "/sys/class/dmi/id/sys_vendor", "/sys/class/dmi/id/bios_vendor" },
	  { "OpenStack Foundation\n", "SeaBIOS\n" },
	  "KVM (QEMU)",
	  "<pmu state='on'/>" },
	{ "KVM that says no more",
	  "KVMKVMKVM",
	  { "/sys/class/dmi/id/sys_vendor" },
	  { "Somebody\n" },
	  "KVM",
	  "host-passthrough" },
	{ "QEMU without KVM",
	  "TCGTCGTCGTCG",
	  { "/sys/class/dmi/id/sys_vendor" },
	  { "QEMU\n" },
	  "QEMU without KVM",
	  "-accel kvm" },
	{ "Firecracker, as root",
	  "KVMKVMKVM",
	  { "/sys/firmware/acpi/tables/FACP" },
	  { "FACP....FIRECKFCVMFADT" },
	  "KVM (micro-VM)",
	  "no setting" },
	{ "Firecracker, as a user who can't read ACPI",
	  "KVMKVMKVM",
	  { 0 },
	  { 0 },
	  "KVM (micro-VM)",
	  "no setting" },
	{ "VMware",
	  "VMwareVMware",
	  { "/sys/class/dmi/id/sys_vendor" },
	  { "VMware, Inc.\n" },
	  "VMware",
	  "vpmc.enable" },
	{ "Hyper-V",
	  "Microsoft Hv",
	  { "/sys/class/dmi/id/product_name" },
	  { "Virtual Machine\n" },
	  "Hyper-V",
	  "Set-VMProcessor" },
	{ "Azure",
	  "Microsoft Hv",
	  { "/sys/class/dmi/id/product_name", "/sys/class/dmi/id/chassis_asset_tag" },
	  { "Virtual Machine\n", "7783-7084-3265-9085-8269-3286-77\n" },
	  "Microsoft Azure",
	  "no setting" },
	{ "WSL 2",
	  "Microsoft Hv",
	  { "/proc/version" },
	  { "Linux version 5.15.167.4-microsoft-standard-WSL2 (root@x)" },
	  "Hyper-V (WSL 2)",
	  "hardwarePerformanceCounters=true" },
	{ "VirtualBox that shows KVM's interface",
	  "KVMKVMKVM",
	  { "/sys/class/dmi/id/product_name" },
	  { "VirtualBox\n" },
	  "VirtualBox",
	  "no setting" },
	{ "Xen with full virtualization",
	  "XenVMMXenVMM",
	  { "/sys/hypervisor/type" },
	  { "xen\n" },
	  "Xen",
	  "vpmu=on" },
	{ "Xen without, where CPUID says bare metal",
	  NULL,
	  { "/sys/hypervisor/type" },
	  { "xen\n" },
	  "Xen",
	  "vpmu=on" },
	{ "EC2 on Nitro",
	  "KVMKVMKVM",
	  { "/sys/class/dmi/id/sys_vendor", "/sys/class/dmi/id/product_name" },
	  { "Amazon EC2\n", "m5.large\n" },
	  "Amazon EC2",
	  "whole socket" },
	{ "Compute Engine",
	  "KVMKVMKVM",
	  { "/sys/class/dmi/id/product_name" },
	  { "Google Compute Engine\n" },
	  "Google Compute Engine",
	  "performanceMonitoringUnit" },
	{ "one we never heard of", "EvilCorpHV  ", { 0 }, { 0 }, "a hypervisor", "virtual PMU" },
	{ "Arm on bare metal",
	  "",
	  { "/proc/device-tree/compatible" },
	  { "raspberrypi,4-model-b" },
	  NULL,
	  NULL },
	{ "Arm in QEMU",
	  "",
	  { "/proc/device-tree/compatible", "/proc/device-tree/fw-cfg@9020000/compatible" },
	  { "linux,dummy-virt", "qemu,fw-cfg-mmio" },
	  "QEMU",
	  "pmu=on" },
	{ "Arm in a micro-VM",
	  "",
	  { "/proc/device-tree/compatible" },
	  { "linux,dummy-virt" },
	  "KVM (micro-VM)",
	  "no setting" },
	{ "Arm in EC2",
	  "",
	  { "/sys/class/dmi/id/sys_vendor", "/sys/class/dmi/id/product_name" },
	  { "Amazon EC2\n", "c7g.large\n" },
	  "Amazon EC2",
	  "whole socket" },
	{ "Arm as a whole machine of EC2",
	  "",
	  { "/sys/class/dmi/id/sys_vendor", "/sys/class/dmi/id/product_name" },
	  { "Amazon EC2\n", "c7g.metal\n" },
	  NULL,
	  NULL },
};

static void build(const struct machine *machine)
{
	if (machine->signature && machine->signature[0])
		fake_hypervisor(machine->signature);
	else if (machine->signature)
		fake_no_cpuid();
	for (size_t i = 0; i < 2; i++)
		if (machine->path[i])
			fake_file(machine->path[i], machine->text[i]);
}

TEST(hypervisor_is_told_apart)
{
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		const struct host_source *source = fake_machine();
		struct hypervisor found;

		test_case("%s", machines[i].label);
		build(&machines[i]);
		hypervisor_find(&found, source);
		EXPECT_TEXT(found.name, machines[i].name);
		if (machines[i].remedy)
			EXPECT_CONTAINS(found.pmu_remedy, machines[i].remedy);
	}
	fake_remove();
}

TEST(hypervisor_evidence_names_its_source)
{
	const struct host_source *source = fake_machine();
	struct hypervisor found;

	fake_hypervisor("KVMKVMKVM");
	fake_file("/sys/class/dmi/id/sys_vendor", "QEMU\n");
	hypervisor_find(&found, source);
	EXPECT_CONTAINS(found.evidence, "CPUID: KVMKVMKVM");
	EXPECT_CONTAINS(found.evidence, "sys_vendor: QEMU");
	fake_remove();
}
