// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"
#include "doctor/elf.h"
#include "fake.h"
#include "patient.h"
#include "test.h"

#include <stdlib.h>

TEST(elf_look_reads_this_program)
{
	struct elf_facts facts;
	size_t size;
	char *bytes = file_read("/proc/self/exe", &size, NULL);

	EXPECT(bytes);
	EXPECT(elf_look(&facts, image_of(bytes, size)));
	EXPECT(facts.symtab);
	EXPECT(!facts.mini_debug);
	EXPECT_INT(strlen(facts.build_id), 40);
	free(bytes);
}

/* Every cut, and every byte of the heads changed, must end well. */
TEST(elf_look_survives_damage)
{
	struct elf_facts facts;
	size_t size;
	char *bytes = file_read("/proc/self/exe", &size, NULL);

	EXPECT(!elf_look(&facts, image_of("", 0)));
	for (size_t cut = 1; cut < size; cut += 1 + cut / 7) {
		char *part = mem_alloc(cut); /* on its own, so that a sanitizer sees its end */

		memcpy(part, bytes, cut);
		test_case("cut at %zu", cut);
		EXPECT(!elf_look(&facts, image_of(part, cut)));
		free(part);
	}
	for (size_t at = 0; at < 64; at++) {
		char *copy = mem_alloc(size);

		memcpy(copy, bytes, size);
		copy[at] = (char)~copy[at];
		elf_look(&facts, image_of(copy, size));
		free(copy);
	}
	free(bytes);
}

TEST(doctor_looks_whether_kallsyms_shows_addresses)
{
	const struct finding *f;

	patient_new();
	EXPECT_CONTAINS(patient_examine("kernel-symbols")->what, "no /proc/kallsyms");

	fake_file("/proc/kallsyms", "0000000000000000 A fixed_percpu_data\n"
				    "ffffffff81000000 T _stext\n");
	EXPECT_INT(patient_examine("kernel-symbols")->state, DOCTOR_OK);

	fake_file("/proc/kallsyms", "0000000000000000 A x\n0000000000000000 T _stext\n");
	f = patient_examine("kernel-symbols");
	EXPECT_INT(f->state, DOCTOR_MISSING);
	EXPECT_CONTAINS(f->remedy, "perf_event_paranoid=1");
	fake_file("/proc/sys/kernel/kptr_restrict", "1\n");
	EXPECT_TEXT(patient_examine("kernel-symbols")->needs, "CAP_SYSLOG");
	fake_file("/proc/sys/kernel/kptr_restrict", "2\n");
	EXPECT_CONTAINS(patient_examine("kernel-symbols")->remedy, "kptr_restrict=1");
	patient_leave();
}

TEST(doctor_looks_for_debug_info)
{
	const struct finding *f;

	patient_new();
	unsetenv("DEBUGINFOD_URLS");
	f = patient_examine("debug-info");
	EXPECT_INT(f->state, DOCTOR_LIMITED);
	fake_file("/usr/lib/debug/boot/vmlinux-6.1.0-test", "");
	EXPECT_CONTAINS(patient_examine("debug-info")->what, "and for the kernel");
	setenv("DEBUGINFOD_URLS", "https://debuginfod.example", 1);
	EXPECT_INT(patient_examine("debug-info")->state, DOCTOR_OK);
	unsetenv("DEBUGINFOD_URLS");
	fake_file("/usr/lib/debug/.build-id/00/x.debug", "");
	EXPECT_CONTAINS(patient_examine("debug-info")->what, "/usr/lib/debug");
	patient_leave();
}
