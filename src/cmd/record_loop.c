// SPDX-License-Identifier: Apache-2.0
#include "cmd/record_loop.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/terminal.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PROGRESS_NS (NS_PER_SEC / 2)
#define SLOW_NS	    (NS_PER_SEC / 5)

struct run {
	struct record_loop *loop;
	struct run_life *life;
	int64_t started_ns;
	int64_t switch_at, progress_at;
	int64_t slow_at; /* when to look whether there are samples enough to slow down */
	bool progress_shown;
};

/* As perf tells of what --control and -D do. */
static void __attribute__((format(printf, 2, 3)))
say(const struct run *run, const char *format, ...)
{
	va_list args;

	if (run->loop->options->quiet)
		return;
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

static int switch_file(struct run *run, struct err *err)
{
	const char *path = NULL;
	int rc = recording_switch(run->loop->recording, &path, err);

	if (!rc && !run->loop->options->quiet)
		fprintf(stderr, "[ perfolio record: wrote %s ]\n", path);
	return rc;
}

static int switch_all(struct run *run, bool on, struct err *err)
{
	struct recording *recording = run->loop->recording;
	int rc = on ? recording_enable(recording, err) : recording_disable(recording, err);

	if (!rc)
		say(run, "Events %s", on ? "enabled" : "disabled");
	return rc;
}

/* "enable NAME": a name may stand for the events of several PMUs. */
static int switch_named(struct run *run, bool on, struct err *err)
{
	const char *name = control_argument(run->life->control);
	bool found = false;
	size_t count;
	const struct perf_writer_attr *attrs = recording_attrs(run->loop->recording, &count);

	for (size_t i = 0; i < count; i++) {
		int rc = 0;

		if (strcmp(attrs[i].name, name))
			continue;
		found = true;
		rc = recording_switch_event(run->loop->recording, i, on, err);
		if (rc)
			return rc;
	}
	if (found)
		say(run, "Event %s %s", name, on ? "enabled" : "disabled");
	else
		say(run, "--control: no event '%s' is recorded here", name);
	return 0;
}

static void list_events(struct run *run)
{
	size_t count;
	const struct perf_writer_attr *attrs = recording_attrs(run->loop->recording, &count);

	for (size_t i = 0; i < count; i++)
		run_list_event(attrs[i].name, &attrs[i].attr.base,
			       control_argument(run->life->control));
}

static int take_snapshot(struct run *run, struct err *err)
{
	if (run->loop->options->switching)
		return switch_file(run, err);
	say(run, "--control: 'snapshot' needs --switch-output");
	return 0;
}

/* One that perf does not know either is not acknowledged, as there. */
static int take_word(struct run *run, enum control_word word, struct err *err)
{
	struct control *control = run->life->control;
	int rc = 0;

	switch (word) {
	case CONTROL_ENABLE: rc = switch_all(run, true, err); break;
	case CONTROL_DISABLE: rc = switch_all(run, false, err); break;
	case CONTROL_ENABLE_EVENT: rc = switch_named(run, true, err); break;
	case CONTROL_DISABLE_EVENT: rc = switch_named(run, false, err); break;
	case CONTROL_EVLIST: list_events(run); break;
	case CONTROL_SNAPSHOT: rc = take_snapshot(run, err); break;
	case CONTROL_STOP: run_life_end_command(run->life, SIGTERM, RUN_STOPPED); break;
	case CONTROL_PING: break;
	default:
		fprintf(stderr,
			"perfolio record: --control: unknown word '%s'; there are enable, disable, "
			"evlist, "
			"snapshot, ping and stop\n",
			control_unknown(control));
		return 0;
	}
	if (!rc)
		control_acknowledge(control);
	return rc;
}

static int take_words(struct run *run, struct err *err)
{
	enum control_word word;
	int rc = 0;

	while (!rc && (word = control_next(run->life->control)) != CONTROL_NONE)
		rc = take_word(run, word, err);
	if (run->life->control->ended)
		run->life->fds[RUN_FD_CONTROL].fd = -1;
	return rc;
}

/* ---- progress ---- */

static bool wants_progress(const struct run *run)
{
	const struct record_loop *loop = run->loop;

	/* A command that is recorded and writes to the same terminal is not disturbed. */
	return !loop->options->quiet && isatty(STDERR_FILENO) &&
	       (!run->life->workload || !run_life_is_command(run->life) || !isatty(STDOUT_FILENO));
}

static void show_progress(struct run *run)
{
	struct drain_progress now = recording_progress(run->loop->recording);
	int64_t timeout_ns = run->loop->options->timeout_ns;
	char samples[TEXT_NUMBER], lost[TEXT_NUMBER], seconds[TEXT_NUMBER], size[TEXT_NUMBER];

	run->progress_at += PROGRESS_NS;
	fprintf(stderr, "%srecording: %s s", terminal_code(STDERR_FILENO, "\r"),
		text_decimal(seconds, (double)(clock_now_ns() - run->started_ns) / NS_PER_SEC, 1,
			     true));
	if (timeout_ns)
		fprintf(stderr, " of %s", text_duration(seconds, timeout_ns));
	fprintf(stderr, ", %s sample%s, %s MB, %s lost %s", text_grouped(samples, now.samples),
		text_plural(now.samples), text_decimal(size, (double)now.bytes / 1e6, 1, true),
		text_grouped(lost, now.lost), terminal_code(STDERR_FILENO, "\033[K"));
	run->progress_shown = true;
}

static void clear_progress(struct run *run)
{
	if (run->progress_shown)
		fprintf(stderr, "%s%s", terminal_code(STDERR_FILENO, "\r"),
			terminal_code(STDERR_FILENO, "\033[K"));
	run->progress_shown = false;
}

/* ---- time ---- */

static bool file_is_full(struct run *run)
{
	uint64_t most = run->loop->options->switch_bytes;

	return most && recording_progress(run->loop->recording).file_bytes >= most;
}

static int take_time(struct run *run, struct err *err)
{
	int64_t now = clock_now_ns();
	int rc = 0;

	run_life_take_time(run->life, now);
	if (now >= run->life->enable_at && !run->life->over) {
		run->life->enable_at = RUN_NEVER;
		rc = switch_all(run, true, err);
	}
	if (!rc && now >= run->switch_at) {
		bool due = run->loop->options->switch_ns || file_is_full(run);

		run->switch_at = now + (run->loop->options->switch_ns
						? run->loop->options->switch_ns
						: PROGRESS_NS);
		if (due)
			rc = switch_file(run, err);
	}
	if (!rc && now >= run->slow_at) {
		bool enough = recording_progress(run->loop->recording).samples >= RECORD_ENOUGH;

		run->slow_at = enough ? RUN_NEVER : now + SLOW_NS;
		if (enough)
			rc = recording_slow_down(run->loop->recording, err);
	}
	if (!rc && now >= run->progress_at)
		show_progress(run);
	return rc;
}

static int64_t next_time(const struct run *run)
{
	int64_t next = run_life_next(run->life);

	if (run->switch_at < next)
		next = run->switch_at;
	if (run->slow_at < next)
		next = run->slow_at;
	return run->progress_at < next ? run->progress_at : next;
}

/* ---- the run ---- */

static int begin(struct run *run, struct err *err)
{
	struct record_loop *loop = run->loop;
	const struct record_options *o = loop->options;
	int rc = 0;

	if (o->delay_ns)
		say(run, "Events disabled");
	else if (!run_life_is_command(run->life))
		rc = recording_enable(loop->recording, err);
	run->started_ns = clock_now_ns();
	if (!rc && run->life->workload) {
		rc = recording_begin(loop->recording, err);
		if (!rc)
			rc = workload_start(run->life->workload, err);
	}
	if (o->delay_ns > 0)
		run->life->enable_at = run->started_ns + o->delay_ns;
	if (o->timeout_ns)
		run->life->timeout_at = run->started_ns + o->timeout_ns;
	if (o->switch_ns || o->switch_bytes)
		run->switch_at = run->started_ns + (o->switch_ns ? o->switch_ns : PROGRESS_NS);
	if (wants_progress(run))
		run->progress_at = run->started_ns + NS_PER_SEC;
	if (o->later_frequency)
		run->slow_at = run->started_ns + SLOW_NS;
	return rc;
}

static int step(struct run *run, struct err *err)
{
	struct run_life *life = run->life;
	int rc = run_life_wait(life, next_time(run), err);

	if (!rc && life->fds[RUN_FD_CONTROL].revents)
		rc = take_words(run, err);
	if (!rc && life->fds[RUN_FD_WIRE].revents && tripwire_was_hit(run->loop->wire))
		rc = switch_file(run, err);
	if (!rc && run_life_take_signal(life) == SIGUSR2 && run->loop->options->switching)
		rc = switch_file(run, err);
	if (rc)
		return rc;
	run_life_take_ends(life);
	if (life->fds[RUN_FD_OWN].revents)
		run_life_finish(life, RUN_BROKE);
	return take_time(run, err);
}

int record_loop_run(struct record_loop *loop, struct err *err)
{
	struct run run = {
		.loop = loop,
		.life = &loop->life,
		.switch_at = RUN_NEVER,
		.slow_at = RUN_NEVER,
		.progress_at = RUN_NEVER,
	};
	int rc;

	run_life_begin(&loop->life, recording_fd(loop->recording));
	rc = begin(&run, err);
	while (!rc && !loop->life.over)
		rc = step(&run, err);
	clear_progress(&run);
	return rc;
}
