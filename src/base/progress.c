// SPDX-License-Identifier: Apache-2.0
#include "base/progress.h"
#include "base/clock.h"
#include "base/terminal.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define BAR 24

struct progress progress_start(const char *what, uint64_t total)
{
	return (struct progress){
		.what = what,
		.total = total,
		.started_ns = clock_now_ns(),
		.terminal = isatty(STDERR_FILENO),
	};
}

static void draw(const struct progress *progress, uint64_t done, double seconds)
{
	char count[TEXT_NUMBER], total[TEXT_NUMBER], left[TEXT_NUMBER];
	double share, seconds_left;

	fprintf(stderr, "%s%s ", terminal_code(STDERR_FILENO, "\r"), progress->what);
	if (!progress->total) {
		fprintf(stderr, "%s  %s/s%s", text_grouped(count, done),
			text_decimal(total, (double)done / seconds, 0, true),
			terminal_code(STDERR_FILENO, "\033[K"));
		return;
	}
	share = (double)done / (double)progress->total;
	if (share > 1)
		share = 1;
	fprintf(stderr, "[%.*s%*s] %s of %s", (int)(share * BAR), "########################",
		BAR - (int)(share * BAR), "", text_grouped(count, done),
		text_grouped(total, progress->total));
	seconds_left = done ? seconds / share * (1 - share) : 0;
	if (seconds_left > 0 && seconds_left < 1e6) /* more is no estimate, only alarming */
		fprintf(stderr, ", %s left",
			text_duration(left, (int64_t)ceil(seconds_left) * NS_PER_SEC));
	fputs(terminal_code(STDERR_FILENO, "\033[K"), stderr);
}

void progress_at(struct progress *progress, uint64_t done)
{
	int64_t now;

	if (!progress->terminal)
		return;
	now = clock_now_ns();
	if (now - progress->started_ns < NS_PER_SEC || now - progress->shown_ns < 100 * NS_PER_MSEC)
		return;
	progress->shown_ns = now;
	progress->visible = true;
	draw(progress, done, (double)(now - progress->started_ns) / 1e9);
}

void progress_end(struct progress *progress)
{
	if (progress->visible)
		fprintf(stderr, "%s%s", terminal_code(STDERR_FILENO, "\r"),
			terminal_code(STDERR_FILENO, "\033[K"));
	progress->visible = false;
}
