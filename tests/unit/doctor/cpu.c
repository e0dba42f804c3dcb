// SPDX-License-Identifier: Apache-2.0
#include "fake.h"
#include "patient.h"
#include "test.h"

TEST(doctor_names_the_cpu)
{
	patient_new();
	EXPECT_TEXT(patient_examine("cpu")->what, "Test CPU 9000, 4 CPUs");
	EXPECT_TEXT(patient_examine("machine")->what, "bare metal; Linux 6.1.0-test");
	patient_leave();
}

TEST(doctor_counts_the_counters)
{
	const struct finding *f;

	patient_new();
	patient.counters = 8;
	fake_file("/sys/bus/event_source/devices/cpu/type", "4\n");
	fake_cpuid_leaf(0, 0, 0x756e6547, 0, 0); /* "Genu" of GenuineIntel */
	fake_cpuid_leaf(0xa, 0x08300805, 0, 0, 0x00008603);
	f = patient_examine("hardware-counters");
	EXPECT_INT(f->state, DOCTOR_OK);
	EXPECT_CONTAINS(f->what, "8, and 3 fixed");
	EXPECT_CONTAINS(f->evidence, "CPUID says 8");
	EXPECT_CONTAINS(patient_doctor()->works_text, "hardware counters");
	EXPECT_CONTAINS(patient_examine("counter-sampling")->what, "to the very instruction: yes");

	fake_cpuid_leaf(0, 0, 0x68747541, 0, 0); /* "Auth" of AuthenticAMD */
	fake_cpuid_leaf(0x80000022, 1, 6, 0, 0);
	patient.counters = 6;
	patient.no_precise = true;
	f = patient_examine("hardware-counters");
	EXPECT_TEXT(f->what, "6");
	EXPECT_CONTAINS(f->evidence, "CPUID says 6");
	EXPECT_CONTAINS(patient_examine("counter-sampling")->what, "to the very instruction: no");

	patient.no_interrupt = true;
	f = patient_examine("counter-sampling");
	EXPECT_INT(f->state, DOCTOR_LIMITED);
	EXPECT_CONTAINS(f->what, "no interrupt");
	patient_leave();
}

TEST(doctor_explains_why_there_are_no_counters)
{
	const struct finding *f;

	patient_new();
	f = patient_examine("hardware-counters");
	EXPECT_INT(f->state, DOCTOR_MISSING);
	EXPECT_CONTAINS(f->what, "drives no PMU");
	EXPECT_CONTAINS(f->remedy, "dmesg");

	fake_hypervisor("VMwareVMware");
	f = patient_examine("hardware-counters");
	EXPECT_CONTAINS(f->what, "VMware hides the CPU's PMU");
	EXPECT_CONTAINS(f->remedy, "vpmc.enable");
	EXPECT_CONTAINS(patient_doctor()->missing_text, "hardware counters: hidden by VMware");
	EXPECT_CONTAINS(patient_examine("machine")->what, "virtual, under VMware");
	EXPECT_CONTAINS(patient_examine("machine")->evidence, "CPUID: VMwareVMware");

	patient.counters = 4;
	patient.counted = 0;
	f = patient_examine("hardware-counters");
	EXPECT_INT(f->state, DOCTOR_MISSING);
	EXPECT_CONTAINS(f->what, "stay at 0");

	patient.running_ns = 0;
	f = patient_examine("hardware-counters");
	EXPECT_INT(f->state, DOCTOR_LIMITED);
	EXPECT_CONTAINS(f->what, "all taken");
	patient_leave();
}

static void fake_arm(void)
{
	patient_new();
	fake_no_cpuid();
	fake_file("/proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd08\n");
}

TEST(doctor_explains_a_missing_arm_pmu)
{
	static const struct {
		const char *label, *path, *text, *what, *remedy;
	} cases[] = {
		{ "not in the device tree", "/proc/device-tree/model", "Board 1",
		  "the device tree has no PMU", "add the PMU" },
		{ "in the device tree", "/proc/device-tree/pmu/compatible", "arm,cortex-a72-pmu",
		  "no driver is bound", "CONFIG_ARM_PMUV3" },
		{ "deeper in the device tree", "/proc/device-tree/soc/arm-pmu/compatible",
		  "arm,armv8-pmuv3", "no driver is bound", "dmesg" },
		{ "another kind of PMU (power)", "/proc/device-tree/pmu@1/compatible",
		  "samsung,s2mps", "the device tree has no PMU", "add the PMU" },
		{ "hidden by the hypervisor", "/proc/device-tree/compatible", "linux,dummy-virt",
		  "hides the CPU's PMU", "pmu=on" },
		{ "neither tree nor tables", "/etc/x", "", "can't be read", "as root" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct finding *f;

		test_case("%s", cases[i].label);
		fake_arm();
		fake_file(cases[i].path, cases[i].text);
		f = patient_examine("hardware-counters");
		EXPECT_INT(f->state, DOCTOR_MISSING);
		EXPECT_CONTAINS(f->what, cases[i].what);
		EXPECT_CONTAINS(f->remedy, cases[i].remedy);
		patient_leave();
	}
}

/* A MADT with two CPUs; the performance interrupt stands at byte 20 of each GICC structure. */
static void fake_madt(unsigned char interrupt)
{
	unsigned char table[44 + 2 * 80] = "APIC";

	for (size_t cpu = 0; cpu < 2; cpu++) {
		unsigned char *gicc = table + 44 + cpu * 80;

		gicc[0] = 11;
		gicc[1] = 80;
		gicc[20] = interrupt;
	}
	fake_bytes("/sys/firmware/acpi/tables/APIC", table, sizeof(table));
}

TEST(doctor_reads_the_pmu_from_acpi)
{
	fake_arm();
	fake_madt(0);
	EXPECT_CONTAINS(patient_examine("hardware-counters")->what, "MADT has no PMU");
	fake_madt(23);
	EXPECT_CONTAINS(patient_examine("hardware-counters")->what, "ACPI describes a PMU");
	fake_bytes("/sys/firmware/acpi/tables/APIC", "APIC", 4); /* cut */
	EXPECT_CONTAINS(patient_examine("hardware-counters")->what, "can't be read");
	patient_leave();
}

TEST(doctor_sees_a_pmu_that_arm_firmware_keeps_closed)
{
	const struct finding *f;

	fake_arm();
	fake_file("/proc/device-tree/model", "Board 1");
	fake_file("/sys/bus/event_source/devices/armv8_cortex_a72/cpus", "0-3\n");
	patient.counters = 7;
	EXPECT_TEXT(patient_examine("cpu")->what, "Cortex-A72 (Board 1), 4 CPUs");
	EXPECT_TEXT(patient_examine("hardware-counters")->what, "7");
	patient.counted = 0;
	f = patient_examine("hardware-counters");
	EXPECT_CONTAINS(f->meaning, "EL3");
	EXPECT_CONTAINS(f->remedy, "Trusted Firmware-A");
	patient_leave();
}

TEST(doctor_looks_at_what_disturbs_counting)
{
	const struct finding *f;

	patient_new();
	EXPECT_INT(patient_examine("cpu-frequency")->state, DOCTOR_UNKNOWN);
	fake_file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
	fake_file("/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
	f = patient_examine("cpu-frequency");
	EXPECT_INT(f->state, DOCTOR_LIMITED);
	EXPECT_TEXT(f->what, "governor powersave, boost on");
	EXPECT_CONTAINS(f->remedy, "cpupower");
	fake_file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
	EXPECT_CONTAINS(patient_examine("cpu-frequency")->remedy, "boost");
	fake_file("/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
	EXPECT_INT(patient_examine("cpu-frequency")->state, DOCTOR_OK);

	fake_file("/proc/sys/kernel/nmi_watchdog", "1\n");
	EXPECT_INT(patient_examine("nmi-watchdog")->state, DOCTOR_OK);
	patient.counters = 4;
	f = patient_examine("nmi-watchdog");
	EXPECT_INT(f->state, DOCTOR_LIMITED);
	EXPECT_CONTAINS(f->remedy, "nmi_watchdog=0");
	patient_leave();
}
