// SPDX-License-Identifier: Apache-2.0
/*
 * Asks symbol/ for source lines, for the live tests: inlines PATH, with the file's own addresses in
 * hexadecimal on standard input.  Answers as `addr2line -a -i -f` does: "0xADDRESS", then for each
 * function its mangled name and FILE:LINE; at last, to standard error, "STATE MICROSECONDS".
 */
#include "base/clock.h"
#include "dwarf/dwarf.h"
#include "symbol/debugfile.h"
#include "symbol/symbol.h"

#include <inttypes.h>
#include <stdio.h>

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
	size_t count = dso_frames(dso, file_offset(elf, address), frames, DWARF_DEPTH);

	printf("0x%016" PRIx64 "\n", address);
	for (size_t i = 0; i < count; i++) {
		printf("%s\n%s:%" PRIu32 "\n", frames[i].name ? frames[i].name : "??",
		       frames[i].file ? frames[i].file : "??", frames[i].line);
	}
	if (!count)
		printf("??\n??:0\n");
}

int main(int argc, char **argv)
{
	struct symbol_options options = { .cache_dir = "" };
	struct symbol_store *store = symbol_store_new(&options);
	struct elf_file elf = { 0 };
	struct image image;
	int64_t started;
	uint64_t address;
	struct dso *dso;

	if (argc != 2 || image_open(&image, argv[1]) || elf_file_open(&elf, image)) {
		fprintf(stderr, "inlines PATH < addresses\n");
		return 2;
	}
	dso = symbol_dso(store, &(struct dso_key){ .kind = DSO_FILE, .path = argv[1] });
	started = clock_now_ns();
	while (scanf("%" SCNx64, &address) == 1)
		answer(dso, &elf, address);
	fprintf(stderr, "%s %" PRId64 "\n", states[dso_lines_state(dso)],
		(clock_now_ns() - started) / 1000);
	elf_file_close(&elf);
	symbol_store_free(store);
	return 0;
}
