// SPDX-License-Identifier: Apache-2.0
/* Putting tables, times and notes into the output of `stat`. */
#include "base/terminal.h"
#include "cmd/stat_command.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static int64_t usec(struct timeval time)
{
	return time.tv_sec * 1000000LL + time.tv_usec;
}

struct tally_clocks stat_clocks(const struct stat_command *stat, int64_t now_ns)
{
	const struct workload *workload = &stat->run.workload;

	return (struct tally_clocks){
		.elapsed_ns = now_ns - stat->run.started_ns,
		.has_usage = workload->ended && stat->target.kind == TARGET_COMMAND,
		.user_ns = usec(workload->usage.ru_utime) * 1000,
		.system_ns = usec(workload->usage.ru_stime) * 1000,
	};
}

/* -v: what was read, before perf's or our arithmetic. */
void stat_show_raw(struct stat_command *stat, const struct stat_table *table)
{
	struct buf *out = &stat->output.buf;

	for (size_t slot = 0; stat->options->verbose > 1 && stat->run.counters &&
			      slot < counters_slots(stat->run.counters);
	     slot++) {
		vec_each (event, &stat->pass->events->events) {
			const struct counter_value *value =
				counters_value(stat->run.counters, slot,
					       (size_t)(event - stat->pass->events->events.data));

			if (value->present)
				buf_printf(out, "%s: %d: %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
					   event->name,
					   counters_slot(stat->run.counters, slot)->cpu,
					   value->count, value->enabled_ns, value->running_ns);
		}
	}
	for (size_t i = 0; stat->style.by == STAT_BY_ALL && i < table->columns; i++)
		if (table->column[i].supported)
			buf_printf(out, "%s: %.0f %" PRIu64 " %" PRIu64 "\n", table->column[i].name,
				   table->cells[i].count, table->cells[i].enabled,
				   table->cells[i].running);
}

int stat_show_tick(struct stat_command *stat, int64_t now_ns, struct err *err)
{
	struct tally *tally = stat->pass->tally;
	struct tally_clocks clocks = stat_clocks(stat, now_ns);
	struct buf *out = &stat->output.buf;

	tally_interval(tally, &clocks);
	if (stat->options->quiet || stat->options->series_fd)
		return 0;
	if (stat->options->interval_clear) {
		buf_printf(out, "%s\n", terminal_code(stat->output.fd, "\033[H\033[2J"));
		stat->ticks_since_heading = 0;
	}
	if (stat->ticks_since_heading == 0)
		stat_heading(out, &stat->style, tally_table(tally));
	stat->ticks_since_heading = (stat->ticks_since_heading + 1) % STAT_HEADING_EVERY;
	if (stat->options->verbose)
		stat_show_raw(stat, tally_table(tally));
	stat_rows(out, &stat->style, tally_table(tally), clocks.elapsed_ns);
	return output_flush(&stat->output, err);
}

/* Mean and standard error of the runs' times. */
static void add_elapsed(const struct stat_command *stat, struct stat_times *times)
{
	double sum = 0, squares = 0, n = (double)stat->elapsed_s.len;

	vec_each (elapsed, &stat->elapsed_s)
		sum += *elapsed;
	times->elapsed_s = n ? sum / n : 0;
	vec_each (elapsed, &stat->elapsed_s)
		squares += (*elapsed - times->elapsed_s) * (*elapsed - times->elapsed_s);
	times->elapsed_error_s = n > 1 ? sqrt(squares / (n - 1) / n) : 0;
}

int stat_show_summary(struct stat_command *stat, const struct stat_table *table, struct err *err)
{
	const struct workload *workload = &stat->run.workload;
	struct buf *out = &stat->output.buf;
	struct stat_times times = {
		.runs = (int)stat->elapsed_s.len,
		.has_usage = stat->options->repeat == 1 && workload->ended &&
			     stat->target.kind == TARGET_COMMAND,
		.user_s = (double)usec(workload->usage.ru_utime) / 1e6,
		.system_s = (double)usec(workload->usage.ru_stime) / 1e6,
		.each_s = stat->options->table ? stat->elapsed_s.data : NULL,
		.no_events = stat->options->null_run,
	};

	add_elapsed(stat, &times);
	stat_title(out, &stat->style, buf_text(&stat->title), times.runs);
	stat_rows(out, &stat->style, table, -1);
	stat_footer(out, &stat->style, &times);
	return output_flush(&stat->output, err);
}

/* Notes stand below the table, but never among the lines that a program reads. */
int stat_show_notes(struct stat_command *stat, struct err *err)
{
	if (stat->options->quiet || !stat->notes.len)
		return 0;
	if (stat->style.format == STAT_TEXT) {
		output_sentence(&stat->output, stat->notes.data);
		buf_clear(&stat->notes);
		return output_flush(&stat->output, err);
	}
	if (!output_is_stderr(&stat->output))
		fputs(stat->notes.data, stderr);
	buf_clear(&stat->notes);
	return 0;
}
