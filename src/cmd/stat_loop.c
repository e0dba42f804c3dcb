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

#define NEVER	      INT64_MAX
#define FAST_NS	      (10 * NS_PER_MSEC)  /* below this a late start of ours would cost ticks */
#define FREQ_AFTER_NS (100 * NS_PER_MSEC) /* until then the CPUs are still waking up */
#define SLOW_MOST     20
#define GRACE_NS      (2 * NS_PER_SEC) /* for a command that was told to end */

enum { FD_SIGNAL, FD_COMMAND, FD_TARGET, FD_TICK, FD_CONTROL, FD_COUNT };

struct loop {
	const struct loop_options *options;
	const struct loop_hooks *hooks;
	struct loop_state *state;
	struct ticker ticker;
	struct pollfd fds[FD_COUNT];
	int64_t enable_at_ns, timeout_at_ns, kill_at_ns, freq_at_ns;
	bool urgent;	   /* this thread runs before others */
	int slow_ticks;	   /* how many in a row took most of their interval */
	bool asked_to_end; /* a signal or timeout came; we wait for the command to follow */
	bool over;
};

int loop_catch_signals(sigset_t *before, struct err *err)
{
	static const int wanted[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action;
	sigset_t set;
	int fd;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		/* what was ignored stays so: nohup, jobs in the background of a script */
		if (!sigaction(wanted[i], NULL, &action) && action.sa_handler != SIG_IGN)
			sigaddset(&set, wanted[i]);
	}
	sigprocmask(SIG_BLOCK, &set, before);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? err_set(err, errno, "signalfd: %s", strerror(errno)) : fd;
}

/* The command is what is measured, not only the clock. */
static bool command_is_target(const struct loop *loop)
{
	return loop->options->target->kind == TARGET_COMMAND;
}

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

static void finish(struct loop *loop, enum loop_end end)
{
	if (!loop->over)
		loop->state->end = end;
	loop->over = true;
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
		.enable_on_exec = command_is_target(loop) && loop->options->delay_ns == 0,
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
		loop->timeout_at_ns = loop->state->started_ns + o->timeout_ns;
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
	else if (!command_is_target(loop))
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
	loop->enable_at_ns = loop->state->started_ns + o->delay_ns;
	return 0;
}

static int delay_is_over(struct loop *loop, struct err *err)
{
	int rc = set_counting(loop, true, err);

	loop->enable_at_ns = NEVER;
	loop->state->started_ns = clock_now_ns();
	if (rc)
		return rc;
	loop->hooks->said(loop->hooks->user, "Events enabled");
	return begin_counting(loop, err);
}

/* ---- what can happen ---- */

/*
 * Tells the command to end.  One that is measured is waited for, so that its end and its exit
 * status are its own; one that is only the clock has no say.
 */
static void end_command(struct loop *loop, int signo, enum loop_end why)
{
	if (!loop->state->has_workload || !command_is_target(loop)) {
		finish(loop, why);
		return;
	}
	if (signo)
		kill(loop->state->workload.pid, signo);
	loop->asked_to_end = true;
	loop->state->end = why;
	loop->kill_at_ns = clock_now_ns() + GRACE_NS;
}

/*
 * The terminal sends Ctrl-C to the command as well, kill(1) sends it only to us.  A command that
 * takes no notice of Ctrl-C goes on, as it would without us; the second one ends the run.
 */
static void take_signal(struct loop *loop)
{
	struct signalfd_siginfo info;
	bool again = loop->state->signal != 0;

	if (read(loop->options->signal_fd, &info, sizeof(info)) != sizeof(info))
		return;
	loop->state->signal = (int)info.ssi_signo;
	if (again) {
		finish(loop, LOOP_SIGNAL);
		return;
	}
	end_command(loop, info.ssi_code == SI_KERNEL ? 0 : (int)info.ssi_signo, LOOP_SIGNAL);
	if (info.ssi_signo == SIGINT && info.ssi_code == SI_KERNEL)
		loop->kill_at_ns = NEVER;
}

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
	const char *name = control_event(loop->options->control);
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

static int reset(struct loop *loop, struct err *err)
{
	int rc = loop->state->counters ? counters_reset(loop->state->counters, err) : 0;

	if (rc)
		return rc;
	loop->state->reset_ns = clock_now_ns();
	loop->hooks->reset(loop->hooks->user);
	return 0;
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
	case CONTROL_PING: break;
	case CONTROL_ENABLE: rc = switch_all(loop, true, err); break;
	case CONTROL_DISABLE: rc = switch_all(loop, false, err); break;
	case CONTROL_ENABLE_EVENT: rc = switch_named(loop, true, err); break;
	case CONTROL_DISABLE_EVENT: rc = switch_named(loop, false, err); break;
	case CONTROL_RESET: rc = reset(loop, err); break;
	case CONTROL_STOP: end_command(loop, SIGTERM, LOOP_STOPPED); break;
	case CONTROL_UNKNOWN:
		say(loop, "--control: '%s' is none of enable, disable, reset, ping and stop",
		    control_unknown(control));
		break;
	}
	if (rc)
		return rc;
	control_acknowledge(control);
	return ends_interval(word) && loop->ticker.fd >= 0 ? tick(loop, err) : 0;
}

static int take_words(struct loop *loop, struct err *err)
{
	enum control_word word;
	int rc = 0;

	while (!rc && (word = control_next(loop->options->control)) != CONTROL_NONE)
		rc = take_word(loop, word, err);
	if (loop->options->control->ended)
		loop->fds[FD_CONTROL].fd = -1;
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
	loop->state->end = LOOP_TICKS_DONE;
	if (!loop->state->has_workload || !command_is_target(loop))
		finish(loop, LOOP_TICKS_DONE);
	return 0;
}

static void take_end_of_command(struct loop *loop)
{
	if (!workload_reap(&loop->state->workload, false))
		return;
	finish(loop, loop->asked_to_end || loop->state->end == LOOP_TICKS_DONE
			     ? loop->state->end
			     : LOOP_COMMAND_ENDED);
}

/* Once a second, as long as there is anything to see. */
static void look_at_freq(struct loop *loop, int64_t now)
{
	struct freq *freq = &loop->state->freq;

	if (!freq->root)
		freq_start(freq, "");
	else
		freq_tick(freq, now);
	loop->freq_at_ns = freq->samples ? freq->next_ns : NEVER;
}

static int take_time(struct loop *loop, struct err *err)
{
	int64_t now = clock_now_ns();

	if (now >= loop->freq_at_ns)
		look_at_freq(loop, now);

	if (now >= loop->kill_at_ns) {
		kill(loop->state->workload.pid, SIGKILL);
		loop->kill_at_ns = NEVER;
	}
	if (now >= loop->timeout_at_ns) {
		loop->timeout_at_ns = NEVER;
		end_command(loop, SIGTERM, LOOP_TIMEOUT);
	}
	return now >= loop->enable_at_ns && !loop->over ? delay_is_over(loop, err) : 0;
}

/* ---- waiting ---- */

static void watch(struct loop *loop, int which, int fd)
{
	loop->fds[which] = (struct pollfd){ .fd = fd, .events = POLLIN };
}

static void watch_all(struct loop *loop)
{
	const struct loop_options *o = loop->options;
	bool tasks = o->target->kind == TARGET_TASKS;

	watch(loop, FD_SIGNAL, o->signal_fd);
	watch(loop, FD_COMMAND, loop->state->has_workload ? loop->state->workload.pidfd : -1);
	/* with a command, that is the clock */
	watch(loop, FD_TARGET, tasks && !o->command ? o->target->watch.fd : -1);
	watch(loop, FD_TICK, -1);
	watch(loop, FD_CONTROL, o->control ? o->control->fd : -1);
}

static int64_t next_deadline(const struct loop *loop)
{
	int64_t next = loop->enable_at_ns;

	if (loop->timeout_at_ns < next)
		next = loop->timeout_at_ns;
	if (loop->kill_at_ns < next)
		next = loop->kill_at_ns;
	if (loop->freq_at_ns < next)
		next = loop->freq_at_ns;
	return next;
}

static int wait_for_something(struct loop *loop)
{
	int64_t deadline = next_deadline(loop), left;
	struct timespec timeout;

	loop->fds[FD_TICK].fd = loop->ticker.fd;
	loop->fds[FD_TICK].events = POLLIN;
	left = deadline == NEVER ? 0 : deadline - clock_now_ns();
	if (left < 0)
		left = 0;
	timeout = (struct timespec){ .tv_sec = left / NS_PER_SEC, .tv_nsec = left % NS_PER_SEC };
	if (ppoll(loop->fds, FD_COUNT, deadline == NEVER ? NULL : &timeout, NULL) < 0) {
		for (int i = 0; i < FD_COUNT; i++)
			loop->fds[i].revents = 0;
		return errno == EINTR ? 0 : -errno;
	}
	return 0;
}

static int step(struct loop *loop, struct err *err)
{
	int rc = wait_for_something(loop);

	if (rc)
		return err_set(err, -rc, "waiting: %s", strerror(-rc));
	if (loop->fds[FD_TICK].revents)
		rc = take_tick(loop, err);
	if (!rc && loop->fds[FD_CONTROL].revents)
		rc = take_words(loop, err);
	if (rc)
		return rc;
	if (loop->fds[FD_SIGNAL].revents)
		take_signal(loop);
	if (loop->fds[FD_COMMAND].revents)
		take_end_of_command(loop);
	if (loop->fds[FD_TARGET].revents && !target_alive(loop->options->target))
		finish(loop, LOOP_TARGET_GONE);
	return take_time(loop, err);
}

/* Reads the result; in interval mode what is left since the last tick is an interval too. */
static int end(struct loop *loop, struct err *err)
{
	struct loop_state *state = loop->state;
	int rc = 0;

	state->ended_ns = clock_now_ns();
	if (state->freq.root)
		freq_end(&state->freq);
	if (state->counters && !command_is_target(loop))
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
	if (!rc)
		rc = start(loop, err);
	watch_all(loop);
	while (!rc && !loop->over)
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
		.ticker = { .fd = -1 },
		.enable_at_ns = NEVER,
		.timeout_at_ns = NEVER,
		.kill_at_ns = NEVER,
		.freq_at_ns = NEVER,
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
