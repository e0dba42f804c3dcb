// SPDX-License-Identifier: Apache-2.0
/* Names out of files that anybody may have made: readable, no longer than asked for, and soon. */
#include "fuzz.h"
#include "symbol/symbol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = fuzz_text(data, size), *text;

	text = symbol_demangle(name, DEMANGLE_NAME, 1000);
	FUZZ_HOLDS(!text || strlen(text) <= 1000);
	free(text);
	text = symbol_demangle(name, DEMANGLE_PARAMS, 50);
	FUZZ_HOLDS(!text || strlen(text) <= 50);
	free(text);
	free(name);
	return 0;
}
