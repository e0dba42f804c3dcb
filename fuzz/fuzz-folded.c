// SPDX-License-Identifier: Apache-2.0
/* Folded stacks: every sample adds up, and folded again they are the same. */
#include "fuzz_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* The first byte says how; the format is ours to tell by content. */
	if (size)
		fuzz_import(data + 1, size - 1, data[0]);
	return 0;
}
