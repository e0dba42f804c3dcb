/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of `stat` share: setting up (stat_setup.c), running (stat.c), showing
 * (stat_show.c). */
#ifndef CMD_STAT_COMMAND_H
#define CMD_STAT_COMMAND_H

#include "base/buf.h"
#include "cmd/stat_loop.h"
#include "cmd/stat_mean.h"
#include "cmd/stat_notes.h"
#include "cmd/stat_options.h"
#include "cmd/stat_output.h"
#include "cmd/stat_passes.h"
#include "render/series_write.h"

struct catalog;

struct stat_command {
	const struct stat_options *options;
	char **words; /* the command and its arguments; none: words[0] is NULL */

	struct catalog *catalog;
	struct event_list events;
	struct target target;
	bool has_target; /* it was found */
	struct control control;
	struct output output;
	struct stat_style style;
	struct tally_options tally_options;
	struct buf title; /* "'ls -l'", "process id '12'" */
	int signal_fd;
	bool freezes;  /* freeze_on_smi was set for --smi-cost */
	sigset_t mask; /* of before, for the command */

	struct passes passes;
	struct pass *pass;     /* the one that goes on */
	struct loop_state run; /* the one that goes on, or the last one */
	struct stat_mean *mean;
	VEC(double) elapsed_s; /* of each run that was kept */
	struct findings findings;
	unsigned ticks_since_heading;
	struct buf notes;
	struct series_writer series;
};

int stat_set_up(struct stat_command *stat, struct err *err);
void stat_tear_down(struct stat_command *stat);

/* The clocks at a time of the run that goes on. */
struct tally_clocks stat_clocks(const struct stat_command *stat, int64_t now_ns);

/* -v: the raw counts, as they were read. */
void stat_show_raw(struct stat_command *stat, const struct stat_table *table);
/* What was counted since the last time. */
int stat_show_tick(struct stat_command *stat, int64_t now_ns, struct err *err);
int stat_show_summary(struct stat_command *stat, const struct stat_table *table, struct err *err);
/* --series: the head when all is open, then the rows of each interval, and marks of
 * render/series.h.
 */
int stat_series_begin(struct stat_command *stat, struct err *err);
int stat_series_tick(struct stat_command *stat, int64_t now_ns, struct err *err);
int stat_series_mark(struct stat_command *stat, uint32_t mark, int64_t now_ns, struct err *err);
/* Shows the notes that were collected, and forgets them. */
int stat_show_notes(struct stat_command *stat, struct err *err);

#endif
