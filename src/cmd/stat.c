// SPDX-License-Identifier: Apache-2.0
/*
 * `stat`: counts events over a program's run, or while processes, CPUs or cgroups are watched.
 *
 * From the options come the events and the target (stat_setup.c); a run is the loop of stat_loop.h,
 * which drives a counter session; its matrix becomes a table (stat_tally.h; stat_passes.h and
 * stat_mean.h join several), and the table is rendered in perf's layout (stat_show.c,
 * render/stat.h).
 */
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "cmd/command.h"
#include "cmd/probe_note.h"
#include "cmd/stat_command.h"
#include "cmd/stat_plan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What perf says on standard error beside the counts, but never between lines of JSON. */
static bool may_talk(const struct stat_command *stat)
{
	return !stat->options->quiet &&
	       !(stat->style.format == STAT_JSON && output_is_stderr(&stat->output));
}

static void say(void *user, const char *what)
{
	const struct stat_command *stat = user;

	if (may_talk(stat))
		fprintf(stderr, "%s\n", what);
}

static void widen_units(struct stat_command *stat, const struct stat_table *table)
{
	for (size_t i = 0; i < table->columns; i++) {
		int width = (int)strlen(table->column[i].event->unit);

		if (table->column[i].supported && width > stat->style.unit_width)
			stat->style.unit_width = width;
	}
}

static int opened(void *user, const struct loop_state *state, struct err *err)
{
	struct stat_command *stat = user;
	struct pass *pass = stat->pass;
	int rc;

	tally_begin(pass->tally, state->counters);
	tally_total(pass->tally, &(struct tally_clocks){ 0 });
	widen_units(stat, tally_table(pass->tally));
	findings_opened(&stat->findings, pass, state->counters);
	if (!stat->elapsed_s.len)
		notes_before(&stat->notes, &stat->findings, pass);
	rc = stat_series_begin(stat, err);
	return rc ? rc : stat_show_notes(stat, err);
}

static int ticked(void *user, const struct loop_state *state, int64_t now_ns, struct err *err)
{
	int rc = stat_show_tick(user, now_ns, err);

	(void)state;
	return rc ? rc : stat_series_tick(user, now_ns, err);
}

static int was_reset(void *user, struct err *err)
{
	struct stat_command *stat = user;
	struct tally_clocks clocks = stat_clocks(stat, stat->run.reset_ns);

	tally_reset(stat->pass->tally, &clocks);
	return stat_series_mark(stat, SERIES_RESET, stat->run.reset_ns, err);
}

static int was_switched(void *user, bool on, int64_t now_ns, struct err *err)
{
	return stat_series_mark(user, on ? SERIES_RESUME : SERIES_PAUSE, now_ns, err);
}

static int run_shell(const char *command, const char *option, struct err *err)
{
	int status = command ? system(command) : 0;

	if (!status)
		return 0;
	if (status < 0)
		return err_set(err, errno, "%s: %s", option, strerror(errno));
	return err_set(err, ECANCELED, "%s '%s' failed with status %d", option, command,
		       WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

static void say_signal(const struct stat_command *stat)
{
	const struct workload *workload = &stat->run.workload;

	if (workload->ended && WIFSIGNALED(workload->wait_status) && may_talk(stat))
		fprintf(stderr, "%s: %s\n", stat->words[0],
			strsignal(WTERMSIG(workload->wait_status)));
}

static int run_pass(struct stat_command *stat, struct pass *pass, struct err *err)
{
	const struct stat_options *o = stat->options;
	struct loop_options loop = {
		.events = pass->events,
		.target = &stat->target,
		.command = stat->words[0] ? stat->words : NULL,
		.no_inherit = o->no_inherit,
		.each_cgroup = o->each_cgroup,
		.delay_ns = o->delay_ns,
		.timeout_ns = o->timeout_ns,
		.interval_ns = o->interval_ns,
		.interval_count = o->interval_count,
		.control = o->control ? &stat->control : NULL,
		.signal_fd = stat->signal_fd,
		.mask = &stat->mask,
	};
	struct loop_hooks hooks = { .user = stat,
				    .opened = opened,
				    .tick = ticked,
				    .reset = was_reset,
				    .switched = was_switched,
				    .said = say };
	struct tally_clocks clocks;
	int rc = run_shell(o->pre, "--pre", err);

	if (rc)
		return rc;
	if (o->sync)
		sync();
	loop_close(&stat->run);
	stat->pass = pass;
	rc = loop_run(&stat->run, &loop, &hooks, err);
	if (rc)
		return rc;
	say_signal(stat);
	findings_ended(&stat->findings, &stat->run);
	clocks = stat_clocks(stat, stat->run.ended_ns);
	if (stat->run.reset_ns) /* the counts are of the time from there */
		clocks.elapsed_ns = stat->run.ended_ns - stat->run.reset_ns;
	tally_total(pass->tally, &clocks);
	passes_take(&stat->passes, pass);
	return run_shell(o->post, "--post", err);
}

/* One measurement: a run of the command, or several with --passes. */
static int run_once(struct stat_command *stat, struct err *err)
{
	const struct stat_table *table;
	int rc = 0;

	passes_begin(&stat->passes);
	for (size_t i = 0; i < stat->passes.list.len && !rc && !stat->run.signal; i++)
		rc = run_pass(stat, &stat->passes.list.data[i], err);
	if (rc)
		return rc;
	/* what a signal cut short says nothing about the others */
	if (stat->run.end == RUN_SIGNAL && stat->elapsed_s.len)
		return 0;
	table = passes_table(&stat->passes);
	stat_mean_add(stat->mean, table);
	*vec_push(&stat->elapsed_s) = table->elapsed_ns / NS_PER_SEC;
	return 0;
}

/* -r 0: every run is shown by itself, until a signal comes. */
static int run_forever(struct stat_command *stat, struct err *err)
{
	int rc;

	do {
		stat->elapsed_s.len = 0;
		rc = run_once(stat, err);
		if (!rc && !stat->options->interval_ns && !stat->options->quiet)
			rc = stat_show_summary(stat, passes_table(&stat->passes), err);
	} while (!rc && !stat->run.signal);
	return rc;
}

static int run_verbosely(struct stat_command *stat, int number, struct err *err)
{
	const struct stat_options *o = stat->options;
	bool talk = o->verbose && !o->quiet;
	int rc;

	if (talk && o->repeat > 1)
		buf_printf(&stat->output.buf, "[ perfolio stat: executing run #%d ... ]\n", number);
	rc = output_flush(&stat->output, err);
	if (!rc)
		rc = run_once(stat, err);
	if (!rc && talk && !o->interval_ns)
		stat_show_raw(stat, passes_table(&stat->passes));
	return rc ? rc : output_flush(&stat->output, err);
}

static int run_repeatedly(struct stat_command *stat, struct err *err)
{
	const struct stat_options *o = stat->options;
	const struct stat_table *table;
	int rc = 0;

	for (int i = 0; i < o->repeat && !rc && !stat->run.signal; i++)
		rc = run_verbosely(stat, i + 1, err);
	if (rc)
		return rc;
	table = stat_mean_table(stat->mean);
	if ((!o->interval_ns || o->summary) && !o->quiet)
		rc = stat_show_summary(stat, table, err);
	notes_after(&stat->notes, &stat->findings, table, stat->passes.list.len);
	if (stat->target.kind <= TARGET_TASKS && !stat->options->no_inherit)
		note_probes(&stat->notes, stat->catalog, &stat->events);
	return rc ? rc : stat_show_notes(stat, err);
}

static int show_plan(const struct stat_command *stat)
{
	struct buf text = { 0 };
	struct plan plan;

	plan_make(&plan, &stat->events, NULL);
	stat_plan_show(&text, &plan, &stat->events);
	fputs(buf_text(&text), stdout);
	buf_free(&text);
	plan_fini(&plan);
	return EXIT_DONE;
}

/* The command's own status; what we ended because we were asked to has ended well. */
static int exit_status(const struct stat_command *stat)
{
	const struct loop_state *run = &stat->run;

	if (run->end == RUN_TIMEOUT || run->end == RUN_STOPPED)
		return EXIT_DONE;
	if (run->has_workload && run->workload.ended)
		return workload_exit_status(&run->workload);
	return run->end == RUN_SIGNAL ? 128 + run->signal : EXIT_DONE;
}

#define FREEZE_ON_SMI "/sys/bus/event_source/devices/cpu/freeze_on_smi"

static int write_freeze(const char *text, struct err *err)
{
	int fd = open(FREEZE_ON_SMI, O_WRONLY | O_CLOEXEC);
	bool written = fd >= 0 && write(fd, text, 1) == 1;
	int code = errno;

	if (fd >= 0)
		close(fd);
	return written ? 0
		       : err_set(err, code, "--smi-cost: %s: %s", FREEZE_ON_SMI, strerror(code));
}

/* --smi-cost: cycles must not go on in system management mode; as before afterwards. */
static int freeze_cycles(struct stat_command *stat, struct err *err)
{
	int64_t frozen = 0;

	file_number(&frozen, FREEZE_ON_SMI);
	if (frozen)
		return 0;
	stat->freezes = true;
	return write_freeze("1", err);
}

static int stat_run(void *options, int argc, char **argv, struct err *err)
{
	struct stat_command stat = {
		.options = options,
		.words = argv,
		.signal_fd = -1,
		.control = { .fd = -1, .ack_fd = -1 },
		.output = { .fd = STDERR_FILENO },
		.series = { .fd = -1 },
	};
	int rc = stat_options_check(options, argc, err);

	if (rc)
		return rc;
	stat.run.workload.pidfd = stat.run.workload.pid = -1;
	rc = stat_set_up(&stat, err);
	if (!rc && stat.options->smi_cost && !stat.options->plan)
		rc = freeze_cycles(&stat, err);
	if (!rc && stat.options->plan)
		rc = show_plan(&stat);
	else if (!rc)
		rc = stat.options->repeat ? run_repeatedly(&stat, err) : run_forever(&stat, err);
	if (!rc && !stat.options->plan)
		rc = exit_status(&stat);
	if (rc < 0 && stat.run.workload.exec_error) {
		fprintf(stderr, "perfolio: %s\n", err->text);
		rc = workload_exit_status(&stat.run.workload);
	}
	if (stat.freezes)
		write_freeze("0", NULL);
	stat_tear_down(&stat);
	return rc;
}

const struct command cmd_stat = {
	.name = "stat",
	.args = "[COMMAND [ARGUMENT...]]",
	.summary = "count events while a program runs",
	.example = "perfolio stat -- ls -lR /usr",
	.flags = CMD_RUNS_PROGRAM,
	.options = stat_option_specs,
	.options_size = sizeof(struct stat_options),
	.defaults = &stat_option_defaults,
	.run = stat_run,
	.release = stat_options_release,
};
