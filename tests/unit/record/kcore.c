// SPDX-License-Identifier: Apache-2.0
#include "record/kcore.h"
#include "base/err.h"
#include "base/file.h"
#include "fake.h"
#include "test.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT	0xffffffff81000000u
#define MODULES 0xffffffffc0000000u
#define PAGE	4096u

/* A kernel of 16 pages, the code on the second to the fourth, and modules; all bytes tell their
 * page. */
struct image {
	Elf64_Ehdr head;
	Elf64_Phdr pieces[4];
	char gap[PAGE - sizeof(Elf64_Ehdr) - 4 * sizeof(Elf64_Phdr)];
	char bytes[32][PAGE];
};

static char *proc, *out;

static void set_up(void)
{
	struct image *image = mem_alloc(sizeof(*image));

	memset(image, 0, sizeof(*image));
	image->head = (Elf64_Ehdr){ .e_type = ET_CORE,
				    .e_machine = EM_X86_64,
				    .e_phoff = sizeof(Elf64_Ehdr),
				    .e_phnum = 4,
				    .e_phentsize = sizeof(Elf64_Phdr) };
	memcpy(image->head.e_ident, ELFMAG, SELFMAG);
	image->head.e_ident[EI_CLASS] = ELFCLASS64;
	image->pieces[0] = (Elf64_Phdr){ .p_type = PT_NOTE };
	image->pieces[1] = (Elf64_Phdr){
		.p_type = PT_LOAD, .p_vaddr = TEXT, .p_offset = PAGE, .p_filesz = 16 * PAGE
	};
	image->pieces[2] = (Elf64_Phdr){
		.p_type = PT_LOAD, .p_vaddr = MODULES, .p_offset = 17 * PAGE, .p_filesz = 16 * PAGE
	};
	image->pieces[3] = image->pieces[1]; /* once more, as on arm64 */
	for (int i = 0; i < 32; i++)
		memset(image->bytes[i], 'A' + i, PAGE);
	fake_machine();
	fake_bytes("/proc/kcore", image, sizeof(*image));
	fake_file("/proc/kallsyms", "ffffffff81000000 T _text\nffffffff81001010 T _stext\n"
				    "ffffffff81001010 T start_kernel\nffffffff81003800 T _etext\n"
				    "ffffffff81009000 D data\n"
				    "ffffffffc0002000 t inside\t[module]\n"
				    "ffffffffc0003010 t last\t[module]\n");
	fake_file("/proc/modules", "module 16384 0 - Live 0xffffffffc0002000\n");
	proc = mem_strdup(fake_path("/proc"));
	out = mem_strdup(fake_path("/perf.data"));
	free(image);
}

static void clear_up(void)
{
	free(proc);
	free(out);
	fake_remove();
}

static char *in_out(const char *name, size_t *size)
{
	char *path = mem_printf("%s/%s", out, name);
	char *bytes = file_read(path, size, NULL);

	free(path);
	return bytes;
}

TEST(kcore_holds_code_and_modules)
{
	struct err err = { 0 };
	const Elf64_Ehdr *head;
	const Elf64_Phdr *pieces;
	size_t size;
	char *bytes, *text;

	set_up();
	EXPECT_INT(kcore_begin(proc, out, &err), 0);
	bytes = in_out("kcore_dir/kcore", &size);
	head = (const Elf64_Ehdr *)bytes;
	pieces = (const Elf64_Phdr *)(bytes + head->e_phoff);
	EXPECT_INT(head->e_type, ET_CORE);
	EXPECT_INT(head->e_phnum, 2);
	EXPECT(pieces[0].p_vaddr == TEXT + PAGE);
	EXPECT_INT(pieces[0].p_filesz, 3 * PAGE);
	EXPECT(pieces[1].p_vaddr == MODULES + 2 * PAGE);
	EXPECT_INT(pieces[1].p_filesz, 3 * PAGE);
	EXPECT(pieces[1].p_offset + pieces[1].p_filesz == size);
	EXPECT_INT(bytes[pieces[0].p_offset], 'B');
	EXPECT_INT(bytes[pieces[0].p_offset + 3 * PAGE - 1], 'D');
	EXPECT_INT(bytes[pieces[1].p_offset], 'A' + 18);
	free(bytes);
	text = in_out("kcore_dir/kallsyms", &size);
	EXPECT_CONTAINS(text, "_etext\nffffffff81009000 D data");
	free(text);
	text = in_out("kcore_dir/modules", &size);
	EXPECT_TEXT(text, "module 16384 0 - Live 0xffffffffc0002000\n");
	free(text);
	clear_up();
}

/* What stood there is kept as .old, files and folders alike, and comes back when it is withdrawn.
 */
TEST(kcore_keeps_the_older_recording)
{
	struct err err = { 0 };
	struct stat st;
	char *old, *data, *text;
	size_t size;

	set_up();
	old = mem_printf("%s.old", out);
	data = mem_printf("%s/data", out);
	fake_file("/perf.data", "first");
	EXPECT_INT(kcore_begin(proc, out, &err), 0);
	text = file_read(old, &size, NULL);
	EXPECT_TEXT(text, "first");
	free(text);
	fake_file("/perf.data/data", "second");
	EXPECT_INT(kcore_begin(proc, out, &err), 0);
	text = in_out("../perf.data.old/data", &size);
	EXPECT_TEXT(text, "second");
	free(text);
	EXPECT(stat(data, &st) != 0);
	kcore_withdraw(out);
	text = in_out("data", &size);
	EXPECT_TEXT(text, "second");
	free(text);
	free(old);
	free(data);
	clear_up();
}

TEST(kcore_refuses_with_the_reason)
{
	static const struct {
		const char *file, *text, *words;
	} cases[] = {
		{ "/proc/kcore", NULL, "kcore: the kernel was built without CONFIG_PROC_KCORE" },
		{ "/proc/kcore", "nonsense", "not a 64-bit ELF file" },
		{ "/proc/kallsyms", "0000000000000000 T _text\n",
		  "the kernel hides its addresses" },
		{ "/proc/kallsyms", "00000000000f0000 T _stext\n", "no code of the kernel" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = { 0 };
		struct stat st;

		set_up();
		test_case("%s", cases[i].words);
		fake_file("/perf.data", "older");
		if (cases[i].text)
			fake_file(cases[i].file, cases[i].text);
		else
			unlink(fake_path(cases[i].file));
		EXPECT(kcore_begin(proc, out, &err) < 0);
		EXPECT_CONTAINS(err.text, cases[i].words);
		EXPECT(!stat(out, &st) && S_ISREG(st.st_mode)); /* as before */
		clear_up();
	}
}
