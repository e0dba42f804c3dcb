// SPDX-License-Identifier: Apache-2.0
#include "event/cpuid.h"
#include "fake.h"
#include "test.h"

TEST(cpuid_of_cpuinfo)
{
	static const struct {
		const char *text, *id;
	} cases[] = {
		{ "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 79\n"
		  "model name\t: Intel(R) Xeon(R)\nstepping\t: 1\n",
		  "GenuineIntel-6-4F-1" },
		{ "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\nstepping\t: 1\n",
		  "AuthenticAMD-25-11-1" },
		{ "processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\n"
		  "CPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n",
		  "0x00000000410fd0c0" },
		{ "processor: 0\ncpu : POWER9\n", "" },
		{ "", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char id[64];

		test_case("%s", cases[i].id);
		EXPECT_TEXT(cpuid_from_cpuinfo(cases[i].text, id, sizeof(id)), cases[i].id);
	}
}

TEST(cpuid_of_arm_has_no_stepping)
{
	char id[64];

	fake_machine();
	fake_file("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1",
		  "0x00000000413fd0c1\n");
	EXPECT_TEXT(cpuid_this(fake_path("/sys"), id, sizeof(id)), "0x00000000410fd0c0");
	fake_remove();
}

TEST(cpuid_patterns)
{
	static const struct {
		const char *patterns, *id;
		bool matches;
	} cases[] = {
		{ "GenuineIntel-6-4F", "GenuineIntel-6-4F-1", true },
		{ "GenuineIntel-6-4F", "GenuineIntel-6-4F", true },
		{ "GenuineIntel-6-4F", "GenuineIntel-6-4", false },
		{ "GenuineIntel-6-4", "GenuineIntel-6-4F-1", false },
		{ "GenuineIntel-6-(3C|45|46)", "GenuineIntel-6-45-1", true },
		{ "GenuineIntel-6-55-[01234]", "GenuineIntel-6-55-4", true },
		{ "GenuineIntel-6-55-[01234]", "GenuineIntel-6-55-7", false },
		{ "GenuineIntel-6-3C GenuineIntel-6-45", "GenuineIntel-6-45-1", true },
		{ "AuthenticAMD-25-[[:xdigit:]]+", "AuthenticAMD-25-11-1", true },
		{ "0x00000000410fd0c0", "0x00000000410fd0c0", true },
		{ "^IBM.209[78].*$", "IBM,2097,x", true },
		{ "(", "GenuineIntel-6-45-1", false },
		{ "", "", false },
		{ "  ", "", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		test_case("%s against %s", cases[i].patterns, cases[i].id);
		EXPECT_BOOL(cpuid_matches(cases[i].patterns, cases[i].id), cases[i].matches);
	}
}
