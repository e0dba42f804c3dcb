// SPDX-License-Identifier: Apache-2.0
/* Command lines: what is split and shown again is the same words. */
#include "base/arena.h"
#include "base/buf.h"
#include "fuzz.h"
#include "server/quote.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wordlist words = { 0 }, back = { 0 }, assigned = { 0 };
	char *text = fuzz_text(data, size);
	struct arena arena = { 0 };
	struct buf shown = { 0 };
	struct err err = { 0 };

	if (!quote_split(text, &arena, &words, &err)) {
		quote_join(&words, &shown);
		FUZZ_HOLDS(shown.len > QUOTE_BYTES_MOST ||
			   !quote_split(buf_text(&shown), &arena, &back, &err));
		FUZZ_HOLDS(shown.len > QUOTE_BYTES_MOST || back.len == words.len);
		for (size_t i = 0; i < back.len; i++)
			FUZZ_HOLDS(!strcmp(back.data[i], words.data[i]));
	} else {
		FUZZ_HOLDS(err.code && *err.text);
	}
	if (!quote_assignments(text, &arena, &assigned, &err))
		for (size_t i = 0; i < assigned.len; i++)
			FUZZ_HOLDS(strchr(assigned.data[i], '=') > assigned.data[i]);
	vec_free(&words);
	vec_free(&back);
	vec_free(&assigned);
	buf_free(&shown);
	arena_free(&arena);
	free(text);
	return 0;
}
