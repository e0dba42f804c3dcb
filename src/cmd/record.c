// SPDX-License-Identifier: Apache-2.0
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "bpf/states.h"
#include "cmd/command.h"
#include "cmd/load.h"
#include "cmd/probe_note.h"
#include "cmd/record_events.h"
#include "cmd/record_loop.h"
#include "cmd/record_notes.h"
#include "cmd/record_plan.h"
#include "event/catalog.h"
#include "event/parse.h"
#include "event/tracepoint.h"
#include "jobs/runbudget.h"
#include "perfdata/buildid.h"
#include "profile/budget.h"
#include "record/kcore.h"
#include "record/keepfolder.h"
#include "record/treegroup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct record {
	struct record_options *options;
	char **command;	     /* NULL: none */
	struct strlist argv; /* our own command line, NULL at the end */
	struct catalog *catalog;
	struct event_list events;
	struct target target;
	bool has_target, has_workload;
	struct workload workload;
	struct treegroup group; /* around it */
	struct control control;
	struct recording *recording;
	struct record_loop loop;
	struct event_list wire_events;
	struct tripwire wire;
	sigset_t mask;
	int signal_fd;
	char *data_path;       /* with --kcore: in its folder */
	int pipe_fd;	       /* what was standard output, with -o - */
	struct states *states; /* --budget */
	struct runbudget budget;
	uint64_t budget_words[BUDGET_WORDS]; /* lasts until the recording is stopped */
	struct buf notes;
};

/* The whole of it, for the file's header; the parser has cut argv already. */
static void read_command_line(struct strlist *into)
{
	char program[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	size_t size = 0;
	char *text = file_read("/proc/self/cmdline", &size, NULL);

	for (size_t at = 0; text && at < size; at += strlen(text + at) + 1)
		strlist_add(into, text + at);
	if (into->len && length > 0) {
		program[length] = '\0';
		free(into->data[0]);
		into->data[0] = mem_strdup(program);
	}
	vec_push(into);
	free(text);
}

static int resolve_target(struct record *r, struct err *err)
{
	const struct record_options *o = r->options;
	struct target_flags flags = {
		.pids = o->pids,
		.tids = o->tids,
		.user = o->user,
		.owner = o->owner,
		.cpus = o->cpus,
		.cgroups = o->cgroups,
		.all_cpus = o->all_cpus,
		.tree = o->tree,
		.has_command = r->command != NULL,
	};
	int rc = target_resolve(&r->target, &flags, err);

	r->has_target = !rc;
	return rc;
}

/*
 * With -o - standard output is the recording's.  What the command prints there would spoil it, so
 * from here on standard output is standard error, for us and for the command.
 */
static int take_stdout(struct record *r, struct err *err)
{
	if (strcmp(r->options->output, "-"))
		return 0;
	if (isatty(STDOUT_FILENO))
		return err_set(err, EINVAL,
			       "standard output is a terminal; `-o - | perfolio script -i -` reads "
			       "it in a pipe");
	fflush(stdout);
	r->pipe_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (r->pipe_fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return err_set(err, errno, "standard output: %s", strerror(errno));
	return 0;
}

static int open_recording(struct record *r, struct err *err)
{
	const struct record_options *o = r->options;
	struct recording_options options = {
		.sampling = {
			.choice = o->choice,
			.command = r->workload.pid,
			.group = r->group.path ? r->group.path : o->tree_group,
			.by_task = true,
			.start_disabled = o->delay_ns != 0,
			.later_frequency = (uint64_t)o->later_frequency,
			.ring_bytes = o->ring_bytes,
		},
		.output = r->pipe_fd >= 0 ? NULL : r->data_path ? r->data_path : o->output,
		.output_fd = r->pipe_fd,
		.argv = r->argv.data,
		.compress = o->compress,
		.compress_level = o->compress_level,
		.priority = o->priority,
		.most_bytes = o->most_bytes,
		.numbered = o->switching || o->timestamp_filename,
		.no_sample_times = o->no_boundary,
		.no_tasks = o->no_tasks,
		.no_maps = o->no_maps,
		.no_cgroups = o->no_cgroups,
		.describe_last = o->describe_last,
		.describe_threads = (size_t)o->describe_threads,
		.map_limit_ns = o->map_limit_ns,
		.flush_bytes = o->flush_bytes,
		.affinity = (enum drain_affinity)o->affinity,
		.exclude_self = o->exclude_self,
		.keep_files = o->switch_files,
		.keep_vanishing = !o->no_cache && !o->choice.no_build_ids,
	};

	options.tracefs = tracefs_path(r->catalog, NULL);
	r->recording = recording_open(&r->events, &r->target, &options, err);
	if (!r->recording)
		return -err->code;
	if (o->priority && recording_priority(r->recording) != DRAIN_REALTIME)
		return err_set(err, EPERM,
			       "-r %d: no permission for real-time priority (CAP_SYS_NICE or "
			       "`ulimit -r`)",
			       o->priority);
	return 0;
}

static void say(const struct record *r, struct buf *text)
{
	if (!r->options->quiet && text->len)
		fputs(text->data, stderr);
	buf_clear(text);
}

/* --vmlinux: only what is really the kernel that was recorded. */
static int keep_vmlinux(const char *path, struct err *err)
{
	struct build_id kernel = { 0 }, id = { 0 };
	struct keepfolder folder;
	char real[PATH_MAX];
	int fd = realpath(path, real) ? open(real, O_RDONLY | O_CLOEXEC) : -1, rc;

	if (fd < 0)
		return err_set(err, errno, "--vmlinux: %s: %s", path, strerror(errno));
	if (build_id_of_fd(&id, fd) || build_id_of_kernel(&kernel) ||
	    !build_id_same(&id, &kernel)) {
		close(fd);
		return err_set(err, EINVAL,
			       "--vmlinux: %s is not the running kernel (build-id mismatch)", path);
	}
	keepfolder_init(&folder, NULL);
	rc = keepfolder_add(&folder, fd, real);
	keepfolder_fini(&folder);
	close(fd);
	return rc ? err_set(err, -rc, "--vmlinux: %s can't be kept: %s", path, strerror(-rc)) : 0;
}

static int prepare(struct record *r, struct err *err)
{
	const struct record_options *o = r->options;
	int rc = take_stdout(r, err);

	if (!rc)
		rc = record_events(&r->events, r->catalog, r->options, &r->notes, err);
	if (!rc)
		record_plan_warn(o, &r->events, &r->notes);
	if (!rc)
		rc = resolve_target(r, err);
	if (!rc && o->vmlinux)
		rc = keep_vmlinux(o->vmlinux, err);
	if (rc || o->dry_run)
		return rc;
	if (o->control)
		rc = control_open(&r->control, o->control, err);
	if (!rc) {
		r->signal_fd = run_catch_signals(SIGUSR2, &r->mask, err);
		rc = r->signal_fd < 0 ? r->signal_fd : 0;
	}
	if (!rc && o->kcore) {
		rc = kcore_begin("/proc", o->output, err);
		if (!rc)
			r->data_path = mem_printf("%s/data", o->output);
	}
	if (!rc && r->command) {
		rc = workload_prepare(&r->workload, r->command, &r->mask, err);
		r->has_workload = !rc;
	}
	if (!rc && r->target.kind == TARGET_COMMAND && sampling_wants_group(&r->events, &o->choice))
		treegroup_open(&r->group, r->workload.pid);
	if (!rc && o->switch_event)
		rc = event_list_parse(&r->wire_events, r->catalog, o->switch_event, err);
	if (!rc && o->switch_event)
		rc = tripwire_open(&r->wire, &r->wire_events, &r->target, r->workload.pid, err);
	if (!rc)
		rc = open_recording(r, err);
	if (!rc) {
		record_notes_opened(r->recording, o, &r->target, &r->notes);
		if (r->target.kind <= TARGET_TASKS && !o->choice.no_inherit)
			note_probes(&r->notes, r->catalog, &r->events);
		if (o->announcement)
			buf_puts(&r->notes, o->announcement);
		say(r, &r->notes);
	}
	return rc;
}

/* Where its time goes is counted from just before its start: with its end the file has it. */
static void begin_budget(struct record *r)
{
	struct runbudget_target target = { .workload = r->workload.pid };
	struct err why = { 0 };

	if (!r->options->budget)
		return;
	if (states_open(&r->states, &why)) {
		buf_printf(&r->notes, "note: --budget: where its time goes is not counted: %s\n",
			   why.text);
		say(r, &r->notes);
		return;
	}
	runbudget_prepare(&r->budget, NULL, r->states, "");
	if (r->budget.states)
		runbudget_begin(&r->budget, &target, (uint64_t)clock_now_ns());
}

static void end_budget(struct record *r)
{
	struct budget result = { 0 };

	if (r->budget.states && runbudget_result(&r->budget, (uint64_t)clock_now_ns(), &result)) {
		budget_pack(&result, r->budget_words);
		recording_budget(r->recording, r->budget_words, BUDGET_WORDS);
	}
	budget_free(&result);
	runbudget_free(&r->budget);
	states_close(r->states);
	r->states = NULL;
}

/*
 * How it ended, unless we were the cause, and its CPU time; with --delay or --control a part of
 * that was not to be recorded.
 */
static void tell_end(struct record *r)
{
	const struct timeval *user = &r->workload.usage.ru_utime;
	const struct timeval *system = &r->workload.usage.ru_stime;

	if (r->has_workload && r->workload.ended && !r->loop.life.asked_to_end &&
	    r->target.kind == TARGET_COMMAND)
		recording_ended(r->recording, r->workload.wait_status);
	if (r->command && r->workload.ended && !r->options->delay_ns && !r->options->control)
		recording_used(r->recording,
			       (uint64_t)(user->tv_sec + system->tv_sec) * NS_PER_SEC +
				       (uint64_t)(user->tv_usec + system->tv_usec) * 1000);
}

static int stop(struct record *r, struct err *err)
{
	struct recording_result result;
	int rc;

	end_budget(r);
	tell_end(r);
	rc = recording_stop(r->recording, &result, err);

	record_closing_lines(&result, r->options, &r->notes);
	record_notes_asleep(&result, &r->target, &r->notes);
	say(r, &r->notes);
	if (result.full && rc)
		return err_prefix(err, "%s: the recording had to stop", r->options->output);
	return rc;
}

/* --debuginfod: whatever names the recording needs is fetched now, while it is at hand. */
static int fetch_names(const struct record_options *o, struct err *err)
{
	struct load_options options = { .names = { .debuginfod = true } };
	struct loaded in;
	int rc;

	if (*o->debuginfod)
		setenv("DEBUGINFOD_URLS", o->debuginfod, 1);
	rc = load_profile(&in, o->output, &options, err);
	if (!rc)
		loaded_close(&in);
	return rc;
}

static int exit_status(const struct record *r)
{
	enum run_end end = r->loop.life.end;
	bool own = r->has_workload && r->workload.ended && r->target.kind == TARGET_COMMAND;

	/* We ended it, as we were told to: --duration, --control, --max-size. */
	if (end == RUN_TIMEOUT || end == RUN_STOPPED || end == RUN_BROKE)
		return EXIT_DONE;
	if (own || (r->has_workload && r->workload.ended && end == RUN_COMMAND_ENDED))
		return workload_exit_status(&r->workload);
	return end == RUN_SIGNAL ? 128 + r->loop.life.signal : EXIT_DONE;
}

/* How the program ended, where that was neither by itself nor by us. */
static void say_signal(const struct record *r)
{
	const struct workload *workload = &r->workload;

	if (r->has_workload && workload->ended && WIFSIGNALED(workload->wait_status) &&
	    !r->loop.life.asked_to_end && !r->options->quiet)
		fprintf(stderr, "%s: %s\n", r->command[0],
			strsignal(WTERMSIG(workload->wait_status)));
}

static int run_it(struct record *r, struct err *err)
{
	struct err stopping = { 0 };
	int rc = prepare(r, err), stopped;

	if (rc && r->data_path)
		kcore_withdraw(r->options->output);
	if (rc || r->options->dry_run)
		return rc;
	r->loop = (struct record_loop){
		.options = r->options,
		.recording = r->recording,
		.wire = &r->wire,
		.life = { .target = &r->target,
			  .workload = r->has_workload ? &r->workload : NULL,
			  .control = r->options->control ? &r->control : NULL,
			  .signal_fd = r->signal_fd,
			  .wire_fd = r->wire.fd },
	};
	begin_budget(r);
	rc = record_loop_run(&r->loop, err);
	if (rc && r->workload.exec_error) {
		recording_withdraw(r->recording);
		if (r->data_path)
			kcore_withdraw(r->options->output);
		fprintf(stderr, "perfolio: %s\n", err->text);
		return workload_exit_status(&r->workload);
	}
	say_signal(r);
	stopped = stop(r, &stopping);
	if (!rc && stopped)
		rc = err_set(err, -stopped, "%s", stopping.text);
	if (r->has_workload)
		workload_close(&r->workload);
	if (!rc && r->options->debuginfod)
		rc = fetch_names(r->options, err);
	return rc ? rc : exit_status(r);
}

static int run(void *options, int argc, char **argv, struct err *err)
{
	struct record r = {
		.options = options,
		.command = argc ? argv : NULL,
		.control = { .fd = -1, .ack_fd = -1 },
		.workload = { .pid = -1, .pidfd = -1, .go_fd = -1, .failure_fd = -1 },
		.group = { .lock_fd = -1 },
		.signal_fd = -1,
		.pipe_fd = -1,
		.wire = { .fd = -1 },
	};
	int rc = record_options_check(options, argc, err);

	if (rc)
		return rc;
	read_command_line(&r.argv);
	r.catalog = catalog_new(NULL);
	rc = r.options->plan ? record_plan(r.options, r.catalog, err) : run_it(&r, err);
	runbudget_free(&r.budget);
	states_close(r.states);
	tripwire_close(&r.wire);
	event_list_free(&r.wire_events);
	recording_free(r.recording);
	if (r.has_workload)
		workload_close(&r.workload);
	treegroup_close(&r.group);
	if (r.options->control)
		control_close(&r.control);
	if (r.signal_fd >= 0)
		close(r.signal_fd);
	if (r.pipe_fd >= 0)
		close(r.pipe_fd);
	if (r.has_target)
		target_fini(&r.target);
	buf_free(&r.notes);
	free(r.data_path);
	strlist_free(&r.argv);
	event_list_free(&r.events);
	catalog_free(r.catalog);
	return rc;
}

const struct command cmd_record = {
	.name = "record",
	.args = "[COMMAND [ARGUMENTS]]",
	.summary = "sample where programs spend their time, into a file",
	.example = "perfolio record -g -- ./prog",
	.flags = CMD_RUNS_PROGRAM,
	.options = record_option_specs,
	.options_size = sizeof(struct record_options),
	.defaults = &record_option_defaults,
	.run = run,
	.release = record_options_release,
};
