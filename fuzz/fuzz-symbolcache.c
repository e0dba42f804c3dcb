// SPDX-License-Identifier: Apache-2.0
/*
 * Files of the symbol cache.  The checksum and the identity are made to fit, which no fuzzer
 * would find; what is behind them must still be checked.
 */
#include "base/mem.h"
#include "fuzz.h"
#include "symbol/cache.h"
#include "symbol/symbol.h"
#include "symbol/table.h"

#define CHECKSUM_OFF 16
#define IDENTITY_OFF 24

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cache_identity identity;
	struct symbol row, found;
	struct cache_note note;
	struct table *table;
	uint64_t checksum;
	uint8_t *copy;

	if (size < IDENTITY_OFF + sizeof(identity))
		return 0;
	copy = mem_alloc(size); /* aligned, as a mapping is */
	memcpy(copy, data, size);
	memcpy(&identity, copy + IDENTITY_OFF, sizeof(identity));
	checksum = cache_checksum(copy, size);
	memcpy(copy + CHECKSUM_OFF, &checksum, sizeof(checksum));
	table = cache_parse(copy, size, &identity, data[0] & 1, &note);
	if (table) {
		FUZZ_HOLDS(strlen(note.source) < size);
		for (size_t i = 0; i < table_count(table); i++) {
			table_row(table, i, &row);
			FUZZ_HOLDS(strlen(row.name) < size);
			table_find(table, row.start, &found);
			table_find(table, row.end, &found);
		}
		table_address(table, 0x1000);
		table_free(table);
	}
	free(copy);
	return 0;
}
