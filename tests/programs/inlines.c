// SPDX-License-Identifier: Apache-2.0
/*
 * Asks symbol/ for source lines, for the live tests:
 *
 *	inlines PATH
 *	inlines --kernel BASE PATH	an image whose _text was at BASE when recorded
 *	inlines --module BASE PATH	a module that was loaded there
 *
 * and, with INLINES_CACHE in the environment, what is kept there of earlier answers;
 * with addresses in hexadecimal on standard input: the file's own, or the recorded ones.  Answers
 *as `addr2line -a -i -f` does: "0xADDRESS", then for each function its mangled name and FILE:LINE;
 *at last, to standard error, "STATE MICROSECONDS".
 */
#include "base/clock.h"
#include "dwarf/dwarf.h"
#include "symbol/debugfile.h"
#include "symbol/symbol.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const states[] = { "unread", "none", "good", "damaged", "tired" };

/* The place in the file of an address: what recordings have. */
static uint64_t file_offset(const struct elf_file *elf, uint64_t address)
{
	const struct elf_segment *segment = elf_segment_of(elf, address);

	return segment ? address - segment->addr + segment->offset : address;
}

static void answer(struct dso *dso, const struct elf_file *elf, uint64_t address)
{
	struct dwarf_frame frames[DWARF_DEPTH];
	uint64_t place = dso_kind(dso) == DSO_FILE ? file_offset(elf, address) : address;
	size_t count = dso_frames(dso, place, frames, DWARF_DEPTH);

	printf("0x%016" PRIx64 "\n", address);
	for (size_t i = 0; i < count; i++) {
		printf("%s\n%s:%" PRIu32 "\n", frames[i].name ? frames[i].name : "??",
		       frames[i].file ? frames[i].file : "??", frames[i].line);
	}
	if (!count)
		printf("??\n??:0\n");
}

static struct dso_key key_of(int argc, char **argv)
{
	struct dso_key key = { .kind = DSO_FILE, .path = argv[argc - 1] };

	if (argc != 4)
		return key;
	key.base = strtoull(argv[2], NULL, 16);
	key.kind = DSO_MODULE;
	if (!strcmp(argv[1], "--kernel")) {
		key.kind = DSO_KERNEL;
		key.path = "[kernel.kallsyms]";
		key.anchor = "_text";
	}
	return key;
}

int main(int argc, char **argv)
{
	const char *path = argv[argc - 1];
	const char *cache = getenv("INLINES_CACHE");
	struct symbol_options options = { .cache_dir = cache ? cache : "" };
	struct symbol_store *store;
	struct elf_file elf = { 0 };
	struct image image;
	struct dso_key key;
	int64_t started;
	uint64_t address;
	struct dso *dso;

	if ((argc != 2 && argc != 4) || image_open(&image, path) || elf_file_open(&elf, image)) {
		fprintf(stderr, "inlines [--kernel BASE | --module BASE] PATH < addresses\n");
		return 2;
	}
	key = key_of(argc, argv);
	options.vmlinux = key.kind == DSO_KERNEL ? path : NULL;
	store = symbol_store_new(&options);
	dso = symbol_dso(store, &key);
	started = clock_now_ns();
	while (scanf("%" SCNx64, &address) == 1)
		answer(dso, &elf, address);
	fprintf(stderr, "%s %" PRId64 "\n", states[dso_lines_state(dso)],
		(clock_now_ns() - started) / 1000);
	elf_file_close(&elf);
	symbol_store_free(store);
	return 0;
}
