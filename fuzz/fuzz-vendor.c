// SPDX-License-Identifier: Apache-2.0
/* Vendors' JSON, and the compact form: what was read is written and read again the same. */
#include "base/mem.h"
#include "event/vendor.h"
#include "fuzz.h"

static void write_and_read(const struct vendor_table *table)
{
	char *text = vendor_table_text(table), *again;
	struct vendor_table back;

	vendor_table_init(&back, "");
	FUZZ_HOLDS(!vendor_table_parse(&back, text, strlen(text), false, NULL));
	again = vendor_table_text(&back);
	FUZZ_HOLDS(!strcmp(text, again));
	free(again);
	free(text);
	vendor_table_fini(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct vendor_table table;
	struct err err = { 0 };

	vendor_table_init(&table, "input");
	if (vendor_json_read(&table, text, size, "input", &err) < 0)
		FUZZ_HOLDS(err.code && *err.text);
	else
		write_and_read(&table);
	vendor_table_fini(&table);

	vendor_table_init(&table, "input");
	vendor_table_parse(&table, text, size, false, &err);
	vendor_table_fini(&table);
	free(text);
	return 0;
}
