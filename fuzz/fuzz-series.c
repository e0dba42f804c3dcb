// SPDX-License-Identifier: Apache-2.0
/* Files of counters: whatever is in them, they are refused or plotted. */
#include "base/buf.h"
#include "base/mem.h"
#include "base/outbuf.h"
#include "fuzz.h"
#include "render/series_csv.h"
#include "render/series_json.h"

#include <string.h>

static void ask(const struct series *series, uint8_t how)
{
	struct series_subject subject = { .run = 1, .series = series };
	struct series_question question = { .width = how & 15, .each_cpu = how & 16 };
	struct series_bars bars = { .cpu = -1, .bins = 1 + (how & 7), .log = how & 8 };
	struct buf text = { 0 };
	struct outbuf out;

	outbuf_init_memory(&out, &text);
	series_plot_json(&subject, &question, &out);
	series_raw_json(&subject, 0, 0, how, 10, &out);
	series_csv(series, how, 0, &out);
	if (series->head->events)
		series_histogram_json(&subject, &bars, &out);
	FUZZ_HOLDS(!outbuf_fini(&out));
	FUZZ_HOLDS(text.len > 2);
	buf_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct series_head *head;
	struct series series;
	struct err err = { 0 };
	char *bytes = mem_alloc(size ? size : 1);

	if (size)
		memcpy(bytes, data, size);
	head = (void *)bytes;
	if (size >= sizeof(*head)) {
		head->magic = SERIES_MAGIC;
		head->version = head->version & 1 ? SERIES_PLAIN : SERIES_VERSION;
	}
	if (!series_of(&series, bytes, size, &err)) {
		ask(&series, size ? data[size - 1] : 0);
		series_close(&series);
	} else {
		FUZZ_HOLDS(*err.text);
	}
	free(bytes);
	return 0;
}
