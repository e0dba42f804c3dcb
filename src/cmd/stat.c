// SPDX-License-Identifier: Apache-2.0
/*
 * `stat`: counts events over a program's run, or while processes, CPUs or cgroups are watched.
 *
 * From the options come the events and the target (set_up); a run is the loop of cmd/stat_loop.h,
 * which drives a counter session; its matrix becomes a table (cmd/stat_tally.h, for several runs
 * cmd/stat_mean.h), and the table is rendered in perf's layout (render/stat.h).
 */
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/text.h"
#include "cmd/command.h"
#include "cmd/stat_events.h"
#include "cmd/stat_loop.h"
#include "cmd/stat_mean.h"
#include "cmd/stat_notes.h"
#include "cmd/stat_options.h"
#include "cmd/stat_output.h"
#include "cmd/stat_tally.h"
#include "event/catalog.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct stat_command {
	const struct stat_options *options;
	char **words; /* the command and its arguments; none: words[0] is NULL */

	struct catalog *catalog;
	struct event_list events;
	struct target target;
	struct control control;
	struct output output;
	struct stat_style style;
	struct buf title; /* "'ls -l'", "process id '12'" */
	int signal_fd;
	sigset_t mask; /* of before, for the command */

	struct tally *tally;
	struct stat_mean *mean;
	VEC(double) elapsed_s; /* of each run that was kept */
	struct loop_state run; /* the one that goes on, or the last one */
	unsigned ticks_since_heading;
	struct buf notes;
};

/* ---- setting up ---- */

/* Every thread of the machine, as -t takes them: --per-thread without -p or -t. */
static char *all_threads(void)
{
	struct strlist processes = { 0 };
	struct buf list = { 0 };

	dir_names("/proc", &processes, NULL);
	vec_each (process, &processes) {
		struct strlist threads = { 0 };
		char path[300];

		if (!strspn(*process, "0123456789"))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/task", *process);
		dir_names(path, &threads, NULL); /* it may be gone: then there are none */
		vec_each (thread, &threads)
			buf_printf(&list, "%s%s", list.len ? "," : "", *thread);
		strlist_free(&threads);
	}
	strlist_free(&processes);
	return list.data;
}

static bool counts_whole_machine(const struct stat_command *stat)
{
	const struct stat_options *o = stat->options;

	return o->all_cpus || (!stat_options_has_target(o) && !stat->words[0]);
}

static int find_target(struct stat_command *stat, struct err *err)
{
	const struct stat_options *o = stat->options;
	struct target_flags flags = {
		.pids = o->pids,
		.tids = o->tids,
		.user = o->user,
		.cpus = o->cpus,
		.cgroups = o->each_cgroup ? o->each_cgroup : o->cgroups,
		.cgroup_patterns = o->each_cgroup,
		.all_cpus = counts_whole_machine(stat) ||
			    (!stat_options_has_target(o) && stat_events_need_cpus(&stat->events)),
		.has_command = stat->words[0],
	};
	bool machine = flags.all_cpus && o->by_thread && !o->pids && !o->tids && !o->user;
	char *threads = machine ? all_threads() : NULL;
	int rc;

	if (threads) {
		flags.all_cpus = false;
		flags.tids = threads;
	}
	rc = target_resolve(&stat->target, &flags, err);
	free(threads);
	if (!rc && stat->target.overrides && !o->quiet)
		fprintf(stderr, "perfolio: %s\n", stat->target.overrides);
	return rc;
}

/* Who was measured, as the title says it. */
static void make_title(struct stat_command *stat)
{
	const struct stat_options *o = stat->options;

	if (counts_whole_machine(stat) || stat->target.kind == TARGET_CGROUPS ||
	    (stat->target.kind == TARGET_CPUS && !o->cpus)) {
		buf_puts(&stat->title, "'system wide'");
	} else if (o->cpus) {
		buf_printf(&stat->title, "'CPU(s) %s'", o->cpus);
	} else if (o->pids) {
		buf_printf(&stat->title, "process id '%s'", o->pids);
	} else if (o->tids) {
		buf_printf(&stat->title, "thread id '%s'", o->tids);
	} else if (o->user) {
		buf_printf(&stat->title, "user '%s'", o->user);
	} else {
		for (char **word = stat->words; *word; word++)
			buf_printf(&stat->title, "%s%s", word == stat->words ? "'" : " ", *word);
		buf_putc(&stat->title, '\'');
	}
}

static int make_style(struct stat_command *stat, struct err *err)
{
	const struct stat_options *o = stat->options;
	struct stat_style *style = &stat->style;
	int rc = stat_options_format(o, &style->format, err);

	style->by = stat_options_by(o);
	style->separator = !o->separator ? "," : strcmp(o->separator, "\\t") ? o->separator : "\t";
	style->grouped = o->big_num != 0;
	style->metric_only = o->metric_only;
	style->color = output_is_stderr(&stat->output) && *text_color(stderr, COLOR_BAD);
	style->repeated = o->repeat > 1;
	style->hide_zero = counts_whole_machine(stat);
	style->csv_summary = o->summary && !o->no_csv_summary;
	style->unit_width = 4;
	if (!rc && o->interval_clear && !isatty(stat->output.fd))
		return err_set(err, EINVAL, "--interval-clear needs a terminal to clear");
	return rc;
}

static int set_up(struct stat_command *stat, struct err *err)
{
	const struct stat_options *o = stat->options;
	bool by_cpu = counts_whole_machine(stat) || o->cpus || o->cgroups || o->each_cgroup;
	struct tally_options tally = {
		.by = stat_options_by(o),
		.each_cgroup = o->each_cgroup,
		.no_merge = o->no_merge,
		.no_scale = o->no_scale,
	};
	int rc;

	stat->catalog = catalog_new(NULL);
	rc = stat_events(&stat->events, stat->catalog, o, by_cpu, err);
	if (!rc)
		rc = find_target(stat, err);
	if (!rc && o->control)
		rc = control_open(&stat->control, o->control, err);
	if (!rc)
		rc = output_open(&stat->output, o, err);
	if (!rc)
		rc = make_style(stat, err);
	if (rc)
		return rc;
	make_title(stat);
	stat->tally = tally_new(&stat->events, &stat->target, &tally);
	stat->mean = stat_mean_new();
	stat->signal_fd = loop_catch_signals(&stat->mask, err);
	return stat->signal_fd < 0 ? stat->signal_fd : 0;
}

static void tear_down(struct stat_command *stat)
{
	loop_close(&stat->run);
	if (stat->signal_fd >= 0)
		close(stat->signal_fd);
	tally_free(stat->tally);
	stat_mean_free(stat->mean);
	vec_free(&stat->elapsed_s);
	buf_free(&stat->title);
	buf_free(&stat->notes);
	output_close(&stat->output, NULL);
	control_close(&stat->control);
	target_fini(&stat->target);
	event_list_free(&stat->events);
	catalog_free(stat->catalog);
}

/* ---- showing ---- */

static int64_t usec(struct timeval time)
{
	return time.tv_sec * 1000000LL + time.tv_usec;
}

static struct tally_clocks clocks_at(const struct stat_command *stat, int64_t now_ns)
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
static void show_raw(struct stat_command *stat, const struct stat_table *table)
{
	struct buf *out = &stat->output.buf;

	for (size_t slot = 0; stat->options->verbose > 1 && stat->run.counters &&
			      slot < counters_slots(stat->run.counters);
	     slot++) {
		vec_each (event, &stat->events.events) {
			const struct counter_value *value = counters_value(
			    stat->run.counters, slot, (size_t)(event - stat->events.events.data));

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

static int show_tick(void *user, const struct loop_state *state, int64_t now_ns, struct err *err)
{
	struct stat_command *stat = user;
	struct tally_clocks clocks = clocks_at(stat, now_ns);
	struct buf *out = &stat->output.buf;

	(void)state;
	tally_interval(stat->tally, &clocks);
	if (stat->options->quiet)
		return 0;
	if (stat->options->interval_clear) {
		buf_puts(out, "\033[H\033[2J\n");
		stat->ticks_since_heading = 0;
	}
	if (stat->ticks_since_heading == 0)
		stat_heading(out, &stat->style, tally_table(stat->tally));
	stat->ticks_since_heading = (stat->ticks_since_heading + 1) % STAT_HEADING_EVERY;
	if (stat->options->verbose)
		show_raw(stat, tally_table(stat->tally));
	stat_rows(out, &stat->style, tally_table(stat->tally), clocks.elapsed_ns);
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

static int show_summary(struct stat_command *stat, const struct stat_table *table, struct err *err)
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
static int show_notes(struct stat_command *stat, struct err *err)
{
	if (stat->options->quiet || !stat->notes.len)
		return 0;
	if (stat->style.format == STAT_TEXT) {
		buf_add(&stat->output.buf, stat->notes.data, stat->notes.len);
		buf_clear(&stat->notes);
		return output_flush(&stat->output, err);
	}
	if (!output_is_stderr(&stat->output))
		fputs(stat->notes.data, stderr);
	buf_clear(&stat->notes);
	return 0;
}

static void say(void *user, const char *what)
{
	struct stat_command *stat = user;

	if (!stat->options->quiet)
		fprintf(stderr, "%s\n", what);
}

/* ---- running ---- */

static int opened(void *user, const struct loop_state *state, struct err *err)
{
	struct stat_command *stat = user;
	const struct stat_table *table;

	tally_begin(stat->tally, state->counters);
	tally_total(stat->tally, &(struct tally_clocks){ 0 });
	table = tally_table(stat->tally);
	for (size_t i = 0; i < table->columns; i++) {
		int width = (int)strlen(table->column[i].event->unit);

		if (table->column[i].supported && width > stat->style.unit_width)
			stat->style.unit_width = width;
	}
	if (!stat->elapsed_s.len)
		notes_before(&stat->notes, &stat->events, state->counters);
	return show_notes(stat, err);
}

static void was_reset(void *user)
{
	struct stat_command *stat = user;

	tally_reset(stat->tally);
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

/* A run that a signal cut short says nothing about the others. */
static void keep_run(struct stat_command *stat)
{
	double elapsed_s = (double)(stat->run.ended_ns - stat->run.started_ns) / NS_PER_SEC;
	struct tally_clocks clocks = clocks_at(stat, stat->run.ended_ns);

	tally_total(stat->tally, &clocks);
	if (stat->run.end == LOOP_SIGNAL && stat->elapsed_s.len)
		return;
	stat_mean_add(stat->mean, tally_table(stat->tally));
	*vec_push(&stat->elapsed_s) = elapsed_s;
}

static void say_signal(const struct stat_command *stat)
{
	const struct workload *workload = &stat->run.workload;

	if (workload->ended && WIFSIGNALED(workload->wait_status) && !stat->options->quiet)
		fprintf(stderr, "%s: %s\n", stat->words[0],
			strsignal(WTERMSIG(workload->wait_status)));
}

static int run_once(struct stat_command *stat, struct err *err)
{
	const struct stat_options *o = stat->options;
	struct loop_options loop = {
		.events = &stat->events,
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
	struct loop_hooks hooks = {
		.user = stat, .opened = opened, .tick = show_tick, .reset = was_reset, .said = say
	};
	int rc = run_shell(o->pre, "--pre", err);

	if (rc)
		return rc;
	if (o->sync)
		sync();
	loop_close(&stat->run);
	rc = loop_run(&stat->run, &loop, &hooks, err);
	if (rc)
		return rc;
	say_signal(stat);
	keep_run(stat);
	return run_shell(o->post, "--post", err);
}

/* -r 0: every run is shown by itself, until a signal comes. */
static int run_forever(struct stat_command *stat, struct err *err)
{
	int rc;

	do {
		stat->elapsed_s.len = 0;
		rc = run_once(stat, err);
		if (!rc && !stat->options->interval_ns && !stat->options->quiet)
			rc = show_summary(stat, tally_table(stat->tally), err);
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
		show_raw(stat, tally_table(stat->tally));
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
		rc = show_summary(stat, table, err);
	notes_after(&stat->notes, &stat->events, stat->tally, table, &stat->run);
	return rc ? rc : show_notes(stat, err);
}

/* The command's own status; what we ended because we were asked to has ended well. */
static int exit_status(const struct stat_command *stat)
{
	const struct loop_state *run = &stat->run;

	if (run->end == LOOP_TIMEOUT || run->end == LOOP_STOPPED)
		return EXIT_DONE;
	if (run->has_workload && run->workload.ended)
		return workload_exit_status(&run->workload);
	return run->end == LOOP_SIGNAL ? 128 + run->signal : EXIT_DONE;
}

static int stat_run(void *options, int argc, char **argv, struct err *err)
{
	struct stat_command stat = {
		.options = options,
		.words = argv,
		.signal_fd = -1,
		.control = { .fd = -1, .ack_fd = -1 },
		.output = { .fd = STDERR_FILENO },
	};
	int rc = stat_options_check(options, argc, err);

	if (rc)
		return rc;
	stat.run.workload.pidfd = stat.run.workload.pid = -1;
	rc = set_up(&stat, err);
	if (!rc)
		rc = stat.options->repeat ? run_repeatedly(&stat, err) : run_forever(&stat, err);
	if (!rc)
		rc = exit_status(&stat);
	if (rc < 0 && stat.run.workload.exec_error) {
		fprintf(stderr, "perfolio: %s\n", err->text);
		rc = workload_exit_status(&stat.run.workload);
	}
	tear_down(&stat);
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
