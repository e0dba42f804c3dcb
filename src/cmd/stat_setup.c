// SPDX-License-Identifier: Apache-2.0
/* From the options to events, target, output and style. */
#include "base/err.h"
#include "base/file.h"
#include "base/text.h"
#include "cmd/stat_command.h"
#include "cmd/stat_events.h"
#include "event/catalog.h"

#include <errno.h>
#include <unistd.h>

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
		.owner = o->owner,
		.cpus = o->cpus,
		.cgroups = o->each_cgroup ? o->each_cgroup : o->cgroups,
		.cgroup_patterns = o->each_cgroup,
		.tree = o->tree,
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
	stat->has_target = !rc;
	free(threads);
	if (!rc && stat->target.overrides && !o->quiet)
		fprintf(stderr, "perfolio: %s\n", stat->target.overrides);
	if (!rc && stat->target.left_out && !o->quiet)
		fprintf(stderr, "perfolio: %zu process%s of a perfolio server left out\n",
			stat->target.left_out, stat->target.left_out == 1 ? "" : "es");
	if (!rc && stat->target.others && !o->quiet)
		fprintf(stderr,
			"perfolio: %zu process%s left out: another user's, or closed to its own\n",
			stat->target.others, stat->target.others == 1 ? "" : "es");
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

#define FULL_WIDTH 92 /* of perf's lines; narrower terminals would break each of them */

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
	style->name_width = output_width(&stat->output) < FULL_WIDTH ? 25 : 32;
	if (!rc && o->interval_clear && !stat->output.terminal)
		return err_set(err, EINVAL, "--interval-clear needs a terminal to clear");
	return rc;
}

/* One run for all events, or with --passes as many as it takes to share no counter. */
static int make_passes(struct stat_command *stat, struct err *err)
{
	const struct stat_options *o = stat->options;
	struct plan plan;

	stat->tally_options = (struct tally_options){
		.by = stat_options_by(o),
		.each_cgroup = o->each_cgroup,
		.no_merge = o->no_merge,
		.no_scale = o->no_scale,
	};
	if (o->passes && stat->target.kind != TARGET_COMMAND)
		return err_set(err, EINVAL, "--passes needs a command that it can run again");
	if (o->passes)
		plan_make(&plan, &stat->events, NULL);
	passes_init(&stat->passes, &stat->events, &stat->target, &stat->tally_options,
		    o->passes ? &plan : NULL);
	if (o->passes)
		plan_fini(&plan);
	return 0;
}

int stat_set_up(struct stat_command *stat, struct err *err)
{
	const struct stat_options *o = stat->options;
	bool by_cpu = counts_whole_machine(stat) || o->cpus || o->cgroups || o->each_cgroup;
	int rc;

	stat->catalog = catalog_new(NULL);
	rc = stat_events(&stat->events, stat->catalog, o, by_cpu, err);
	if (rc || o->plan)
		return rc;
	rc = find_target(stat, err);
	if (!rc && o->control)
		rc = control_open(&stat->control, o->control, err);
	if (!rc)
		rc = output_open(&stat->output, o, err);
	if (!rc)
		rc = make_style(stat, err);
	if (!rc)
		rc = make_passes(stat, err);
	if (rc)
		return rc;
	make_title(stat);
	findings_init(&stat->findings, &stat->events);
	stat->mean = stat_mean_new();
	stat->signal_fd = run_catch_signals(0, &stat->mask, err);
	return stat->signal_fd < 0 ? stat->signal_fd : 0;
}

void stat_tear_down(struct stat_command *stat)
{
	series_end(&stat->series);
	loop_close(&stat->run);
	if (stat->signal_fd >= 0)
		close(stat->signal_fd);
	passes_fini(&stat->passes);
	stat_mean_free(stat->mean);
	findings_fini(&stat->findings);
	vec_free(&stat->elapsed_s);
	buf_free(&stat->title);
	buf_free(&stat->notes);
	output_close(&stat->output, NULL);
	control_close(&stat->control);
	if (stat->has_target)
		target_fini(&stat->target);
	event_list_free(&stat->events);
	catalog_free(stat->catalog);
}
