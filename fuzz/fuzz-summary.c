// SPDX-License-Identifier: Apache-2.0
/* A whole recording of tracepoints, given to every summary. */
#include "fuzz.h"
#include "perfdata/reader.h"
#include "summary/run.h"

static void run_one(const struct summary *summary, const uint8_t *data, size_t size)
{
	static const struct summary_choice everybody = { 0 };
	struct summary_result result = { 0 };
	struct err err = { 0 };
	struct perf_reader *reader = perf_reader_open_mem(data, size, &err);
	int rc;

	FUZZ_HOLDS(reader || err.code);
	if (!reader)
		return;
	rc = summary_run(summary, reader, "fuzzed", &everybody, &result, &err);
	FUZZ_HOLDS(!rc || err.code == -rc);
	vec_each (table, &result.tables)
		FUZZ_HOLDS(table->cells.len % table->width == 0);
	summary_result_free(&result);
	perf_reader_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (size_t i = 0; summaries[i]; i++)
		run_one(summaries[i], data, size);
	return 0;
}
