// SPDX-License-Identifier: Apache-2.0
#include "render/series_csv.h"
#include "base/outbuf.h"
#include "render/series_read.h"

#include <string.h>

bool csv_is_formula(const char *name)
{
	return *name && strchr("=+-@\t\r", *name);
}

/* Names of events hold commas: "cpu/event=0x3c,umask=1/". */
static void put_text(struct outbuf *out, const char *name)
{
	out_char(out, '"');
	if (csv_is_formula(name))
		out_char(out, '\'');
	for (; *name; name++) {
		if (*name == '"')
			out_char(out, '"');
		out_char(out, *name);
	}
	out_char(out, '"');
}

void series_csv(const struct series *series, uint64_t from_ns, uint64_t to_ns, struct outbuf *out)
{
	out_text(out, "time_ns,event,cpu,value,enabled_ns,running_ns,scaled,unit\n");
	for (size_t i = 0; i < series->count && !out->error; i++) {
		const struct series_row *row = &series->rows[i];

		if (!series_row_good(series, row) || row->time_ns < from_ns ||
		    (to_ns && row->time_ns >= to_ns))
			continue;
		out_u64(out, row->time_ns, 0);
		out_char(out, ',');
		put_text(out, series->names[row->event]);
		out_char(out, ',');
		if (row->cpu >= 0)
			out_int(out, row->cpu, 0);
		out_char(out, ',');
		out_u64(out, row->value, 0);
		out_char(out, ',');
		out_u64(out, row->enabled_ns, 0);
		out_char(out, ',');
		out_u64(out, row->running_ns, 0);
		out_printf(out, ",%.15g,", (double)row->value * series_scale(series, row->event));
		put_text(out, series_unit(series, row->event));
		out_char(out, '\n');
	}
}
