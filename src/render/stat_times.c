// SPDX-License-Identifier: Apache-2.0
/* What stands above and below the counts in text: the title and the times. */
#include "base/buf.h"
#include "render/stat.h"

#include <math.h>
#include <stdio.h>

void stat_title(struct buf *out, const struct stat_style *style, const char *what, int runs)
{
	if (style->format != STAT_TEXT)
		return;
	buf_printf(out, "\n Performance counter stats for %s", what);
	if (runs > 1)
		buf_printf(out, " (%d runs)", runs);
	buf_puts(out, ":\n\n");
}

/* Enough decimals to show two digits of the error. */
static int precision(double error_s)
{
	if (error_s > 1)
		return 2;
	return error_s > 0 ? (int)lround(ceil(-log10(error_s))) + 2 : 9;
}

/* Every run on a line, with a bar that grows by one for each 5 % that it is off the mean. */
static void put_table(struct buf *out, const struct stat_times *times, int decimals)
{
	char mean[64];
	int length = snprintf(mean, sizeof(mean), "%.*f", decimals, times->elapsed_s);
	int indent = length < 17 ? 18 - length : 1;

	buf_printf(out, "%*s# Table of individual measurements:\n", indent, "");
	for (int i = 0; i < times->runs; i++) {
		double run = times->each_s[i], off = run - times->elapsed_s;
		int bar = 1 + (run > 0 ? abs((int)(100 * off / run)) / 5 : 0);

		buf_printf(out, " %17.*f (%+.*f) ", decimals, run, decimals, off);
		while (bar-- > 0)
			buf_putc(out, '#');
		buf_putc(out, '\n');
	}
	buf_printf(out, "\n%*s# Final result:\n", indent, "");
}

static void put_repeated(struct buf *out, const struct stat_times *times)
{
	int decimals = precision(times->elapsed_error_s);

	if (times->each_s)
		put_table(out, times, decimals);
	buf_printf(out, " %17.*f +- %.*f seconds time elapsed", decimals, times->elapsed_s,
		   decimals, times->elapsed_error_s);
	if (times->elapsed_error_s > 0 && times->elapsed_s > 0)
		buf_printf(out, "  ( +-%6.2f%% )", 100 * times->elapsed_error_s / times->elapsed_s);
}

void stat_footer(struct buf *out, const struct stat_style *style, const struct stat_times *times)
{
	if (style->format != STAT_TEXT)
		return;
	if (!times->no_events)
		buf_putc(out, '\n');
	if (times->runs == 1)
		buf_printf(out, " %17.9f seconds time elapsed", times->elapsed_s);
	else
		put_repeated(out, times);
	if (times->has_usage)
		buf_printf(out, "\n\n %17.9f seconds user\n %17.9f seconds sys\n", times->user_s,
			   times->system_s);
	buf_puts(out, "\n\n");
}
