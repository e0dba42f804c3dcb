// SPDX-License-Identifier: Apache-2.0
/* What is kept of debug information: whatever the bytes are, answers point to what is there. */
#include "base/mem.h"
#include "dwarf/digest.h"
#include "fuzz.h"

static void ask(const struct digest *digest, uint64_t address, size_t size)
{
	struct dwarf_frame frames[DWARF_DEPTH];
	size_t count;

	if (!digest_find(digest, address, frames, DWARF_DEPTH, &count))
		return;
	FUZZ_HOLDS(count <= DWARF_DEPTH);
	for (size_t i = 0; i < count; i++) {
		FUZZ_HOLDS(frames[i].inlined == (i + 1 < count));
		FUZZ_HOLDS(!frames[i].name || strlen(frames[i].name) < size);
		FUZZ_HOLDS(!frames[i].file || strlen(frames[i].file) < size);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = mem_alloc(size + 1); /* aligned, as a mapping is */
	struct digest digest;

	memcpy(copy, data, size);
	if (digest_of(&digest, copy, size)) {
		ask(&digest, 0, size);
		for (size_t i = 0; i < digest.row_count; i++)
			ask(&digest, digest.rows[i].start, size);
		ask(&digest, UINT64_MAX, size);
	}
	free(copy);
	return 0;
}
