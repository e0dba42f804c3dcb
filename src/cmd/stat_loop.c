// SPDX-License-Identifier: Apache-2.0
#include "cmd/stat_loop.h"
#include "base/clock.h"
#include "base/err.h"
#include "record/ticker.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define FAST_NS	      (10 * NS_PER_MSEC)  /* below this a late start of ours would cost ticks */
#define FREQ_AFTER_NS (100 * NS_PER_MSEC) /* until then the CPUs are still waking up */
#define SLOW_MOST     20

struct loop {
	const struct loop_options *options;
	const struct loop_hooks *hooks;
	struct loop_state *state;
	struct run_life life;
	struct ticker ticker;
	int64_t freq_at_ns;
	bool urgent;	/* this thread runs before others */
	int slow_ticks; /* how many in a row took most of their interval */
};

static int set_counting(struct loop *loop, bool on, struct err *err)
{
	struct counters *counters = loop->state->counters;
	int rc = 0;

	if (counters)
		rc = on ? counters_enable(counters, err) : counters_disable(counters, err);
	if (!rc && on)
		loop->state->ever_enabled = true;
	return rc;
}

static int tick(struct loop *loop, struct err *err)
{
	int rc = loop->state->counters ? counters_read(loop->state->counters, err) : 0;

	if (rc)
		return rc;
	loop->state->ticks++;
	return loop->hooks->tick(loop->hooks->user, loop->state, clock_now_ns(), err);
}

/*
 * On a busy machine an ordinary thread is often not run within a millisecond.  Real-time priority
 * is for ticks that take a small part of their interval; without the permission it stays as it is.
 */
static void set_urgent(struct loop *loop, bool urgent)
{
	struct sched_param param = { .sched_priority = urgent ? 1 : 0 };

	if (urgent != loop->urgent &&
	    !sched_setscheduler(0, urgent ? SCHED_FIFO | SCHED_RESET_ON_FORK : SCHED_OTHER, &param))
		loop->urgent = urgent;
}

/* ---- the begin ---- */

static int open_counters(struct loop *loop, struct err *err)
{
	struct loop_state *state = loop->state;
	struct counters_options options = {
		.no_inherit = loop->options->no_inherit,
		.each_cgroup = loop->options->each_cgroup,
		.separate = loop->options->control != NULL,
		.command = state->workload.pid,
		.enable_on_exec = run_life_is_command(&loop->life) && loop->options->delay_ns == 0,
	};

	if (!loop->options->events->events.len)
		return 0;
	state->counters = counters_open(loop->options->events, loop->options->target, &options,
					err);
	return state->counters ? 0 : -err->code;
}

static int begin_counting(struct loop *loop, struct err *err)
{
	const struct loop_options *o = loop->options;

	loop->freq_at_ns = loop->state->started_ns + FREQ_AFTER_NS;
	if (o->timeout_ns)
		loop->life.timeout_at = loop->state->started_ns + o->timeout_ns;
	if (!o->interval_ns)
		return 0;
	set_urgent(loop, o->interval_ns < FAST_NS);
	/* from the start, not from now: the command may have had the CPU for a while already */
	return ticker_open(&loop->ticker, loop->state->started_ns, o->interval_ns, err);
}

static int start(struct loop *loop, struct err *err)
{
	const struct loop_options *o = loop->options;
	int rc = 0;

	if (o->delay_ns)
		loop->hooks->said(loop->hooks->user, "Events disabled");
	else if (!run_life_is_command(&loop->life))
		rc = set_counting(loop, true, err);
	else
		loop->state->ever_enabled = true; /* by its exec */
	/* before, not after: by the time we come back, a short command may have ended */
	loop->state->started_ns = clock_now_ns();
	if (!rc && o->command)
		rc = workload_start(&loop->state->workload, err);
	if (rc)
		return rc;
	if (o->delay_ns <= 0)
		return begin_counting(loop, err);
	loop->life.enable_at = loop->state->started_ns + o->delay_ns;
	return 0;
}

static int delay_is_over(struct loop *loop, struct err *err)
{
	int rc = set_counting(loop, true, err);

	loop->life.enable_at = RUN_NEVER;
	loop->state->started_ns = clock_now_ns();
	if (rc)
		return rc;
	loop->hooks->said(loop->hooks->user, "Events enabled");
	return begin_counting(loop, err);
}

/* ---- what can happen ---- */

static void __attribute__((format(printf, 2, 3)))
say(const struct loop *loop, const char *format, ...)
{
	char text[400];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	loop->hooks->said(loop->hooks->user, text);
}

static int switch_all(struct loop *loop, bool on, struct err *err)
{
	int rc = set_counting(loop, on, err);

	if (!rc)
		say(loop, "Events %s", on ? "enabled" : "disabled");
	return rc;
}

/* "enable NAME": a name may stand for the events of several PMUs. */
static int switch_named(struct loop *loop, bool on, struct err *err)
{
	const char *name = control_argument(loop->options->control);
	const struct event_list *list = loop->options->events;
	bool found = false;
	int rc = 0;

	for (size_t i = 0; i < list->events.len && !rc; i++) {
		if (strcmp(list->events.data[i].name, name) != 0)
			continue;
		found = true;
		rc = counters_switch_event(loop->state->counters, i, on, err);
	}
	if (rc)
		return rc;
	loop->state->ever_enabled |= found && on;
	if (found)
		say(loop, "Event %s %s", name, on ? "enabled" : "disabled");
	else
		say(loop, "--control: no event '%s' is counted here", name);
	return 0;
}

/* What was counted until now is an interval of its own, so that nothing is missing between two. */
static int reset(struct loop *loop, struct err *err)
{
	int rc = loop->ticker.fd >= 0 ? tick(loop, err) : 0;

	if (!rc && loop->state->counters)
		rc = counters_reset(loop->state->counters, err);
	if (rc)
		return rc;
	loop->state->reset_ns = clock_now_ns();
	return loop->hooks->reset(loop->hooks->user, err);
}

static bool ends_interval(enum control_word word)
{
	return word == CONTROL_ENABLE || word == CONTROL_DISABLE || word == CONTROL_ENABLE_EVENT ||
	       word == CONTROL_DISABLE_EVENT;
}

static int take_word(struct loop *loop, enum control_word word, struct err *err)
{
	struct control *control = loop->options->control;
	int rc = 0;

	switch (word) {
	case CONTROL_NONE:
	case CONTROL_SNAPSHOT:
	case CONTROL_PING: break;
	case CONTROL_EVLIST:
		vec_each (event, &loop->options->events->events)
			run_list_event(event->name, &event->attr.base, control_argument(control));
		break;
	case CONTROL_ENABLE: rc = switch_all(loop, true, err); break;
	case CONTROL_DISABLE: rc = switch_all(loop, false, err); break;
	case CONTROL_ENABLE_EVENT: rc = switch_named(loop, true, err); break;
	case CONTROL_DISABLE_EVENT: rc = switch_named(loop, false, err); break;
	case CONTROL_RESET: rc = reset(loop, err); break;
	case CONTROL_STOP: run_life_end_command(&loop->life, SIGTERM, RUN_STOPPED); break;
	case CONTROL_UNKNOWN:
		say(loop,
		    "--control: unknown word '%s'; there are enable, disable, evlist, reset, ping "
		    "and "
		    "stop",
		    control_unknown(control));
		break;
	}
	if (rc)
		return rc;
	control_acknowledge(control);
	if (ends_interval(word) && loop->ticker.fd >= 0)
		rc = tick(loop, err);
	if (!rc && (word == CONTROL_ENABLE || word == CONTROL_DISABLE))
		rc = loop->hooks->switched(loop->hooks->user, word == CONTROL_ENABLE,
					   clock_now_ns(), err);
	return rc;
}

static int take_words(struct loop *loop, struct err *err)
{
	enum control_word word;
	int rc = 0;

	while (!rc && (word = control_next(loop->options->control)) != CONTROL_NONE)
		rc = take_word(loop, word, err);
	if (loop->options->control->ended)
		loop->life.fds[RUN_FD_CONTROL].fd = -1;
	return rc;
}

static int take_tick(struct loop *loop, struct err *err)
{
	int count = loop->options->interval_count;
	int64_t begin = clock_now_ns();
	int rc;

	if (!ticker_take(&loop->ticker))
		return 0;
	loop->state->missed = loop->ticker.missed;
	rc = tick(loop, err);
	loop->slow_ticks = clock_now_ns() - begin > loop->options->interval_ns / 2
				   ? loop->slow_ticks + 1
				   : 0;
	if (loop->slow_ticks > SLOW_MOST)
		set_urgent(loop, false); /* too much work: nobody else would get this CPU */
	if (rc || !count || loop->ticker.seen < (uint64_t)count)
		return rc;
	/* perf lets the command come to its end, without further lines */
	ticker_close(&loop->ticker);
	run_life_end_command(&loop->life, 0, RUN_TICKS_DONE);
	loop->life.kill_at = RUN_NEVER;
	return 0;
}

/* Once a second, as long as there is anything to see. */
static void look_at_freq(struct loop *loop, int64_t now)
{
	struct freq *freq = &loop->state->freq;

	if (!freq->root)
		freq_start(freq, "");
	else
		freq_tick(freq, now);
	loop->freq_at_ns = freq->samples ? freq->next_ns : RUN_NEVER;
}

static int take_time(struct loop *loop, struct err *err)
{
	int64_t now = clock_now_ns();

	if (now >= loop->freq_at_ns)
		look_at_freq(loop, now);
	run_life_take_time(&loop->life, now);
	return now >= loop->life.enable_at && !loop->life.over ? delay_is_over(loop, err) : 0;
}

/* ---- waiting ---- */

static int step(struct loop *loop, struct err *err)
{
	struct run_life *life = &loop->life;
	int64_t next = run_life_next(life);
	int rc;

	life->fds[RUN_FD_OWN].fd = loop->ticker.fd;
	rc = run_life_wait(life, loop->freq_at_ns < next ? loop->freq_at_ns : next, err);
	if (!rc && life->fds[RUN_FD_OWN].revents)
		rc = take_tick(loop, err);
	if (!rc && life->fds[RUN_FD_CONTROL].revents)
		rc = take_words(loop, err);
	if (rc)
		return rc;
	run_life_take_signal(life);
	run_life_take_ends(life);
	return take_time(loop, err);
}

/* Reads the result; in interval mode what is left since the last tick is an interval too. */
static int end(struct loop *loop, struct err *err)
{
	struct loop_state *state = loop->state;
	int rc = 0;

	state->ended_ns = clock_now_ns();
	state->end = loop->life.end;
	state->signal = loop->life.signal;
	if (state->freq.root)
		freq_end(&state->freq);
	if (state->counters && !run_life_is_command(&loop->life))
		rc = counters_disable(state->counters, err);
	if (!rc && loop->ticker.fd >= 0)
		rc = tick(loop, err);
	else if (!rc && state->counters)
		rc = counters_read(state->counters, err);
	return rc;
}

static int run(struct loop *loop, struct err *err)
{
	struct loop_state *state = loop->state;
	int rc = 0;

	if (loop->options->command) {
		rc = workload_prepare(&state->workload, loop->options->command, loop->options->mask,
				      err);
		state->has_workload = !rc;
	}
	if (!rc)
		rc = open_counters(loop, err);
	if (!rc)
		rc = loop->hooks->opened(loop->hooks->user, state, err);
	loop->life.workload = state->has_workload ? &state->workload : NULL;
	run_life_begin(&loop->life, -1);
	if (!rc)
		rc = start(loop, err);
	while (!rc && !loop->life.over)
		rc = step(loop, err);
	return rc ? rc : end(loop, err);
}

int loop_run(struct loop_state *state, const struct loop_options *options,
	     const struct loop_hooks *hooks, struct err *err)
{
	struct loop loop = {
		.options = options,
		.hooks = hooks,
		.state = state,
		.life = { .target = options->target,
			  .control = options->control,
			  .signal_fd = options->signal_fd },
		.ticker = { .fd = -1 },
		.freq_at_ns = RUN_NEVER,
	};
	int rc;

	*state = (struct loop_state){
		.workload = { .pid = -1, .pidfd = -1, .go_fd = -1, .failure_fd = -1 }
	};
	rc = run(&loop, err);
	set_urgent(&loop, false);
	ticker_close(&loop.ticker);
	return rc;
}

void loop_close(struct loop_state *state)
{
	counters_close(state->counters);
	state->counters = NULL;
	cpuset_free(&state->freq.cpus);
	if (state->has_workload)
		workload_close(&state->workload);
	state->has_workload = false;
}
