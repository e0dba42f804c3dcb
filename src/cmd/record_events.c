// SPDX-License-Identifier: Apache-2.0
#include "cmd/record_events.h"
#include "base/err.h"
#include "base/file.h"
#include "base/text.h"
#include "event/catalog.h"
#include "event/host.h"
#include "event/open.h"
#include "event/parse.h"

#include <errno.h>
#include <inttypes.h>

#define CLOCK_PERIOD_LEAST 10000 /* ns: the kernel's timers are not set shorter */

/* As a user without permission for the kernel would open it; permission comes before existence. */
static int probe(const struct event *event)
{
	struct event user_only = *event;
	int rc = event_probe(&perf_sys_kernel, event);

	if (rc != -EACCES && rc != -EPERM)
		return rc;
	user_only.attr.base.exclude_kernel = user_only.attr.base.exclude_hv = 1;
	return event_probe(&perf_sys_kernel, &user_only);
}

static int parse_default(struct event_list *list, struct catalog *catalog,
			 const struct record_options *o, struct buf *notes, struct err *err)
{
	char rate[TEXT_NUMBER];
	int rc = event_list_parse(list, catalog, "cycles:P", err);

	if (rc)
		return rc;
	rc = probe(&list->events.data[0]);
	if (rc == -ENOENT || rc == -EOPNOTSUPP || rc == -EINVAL || rc == -ENODEV) {
		event_list_truncate(list, 0);
		buf_puts(notes, "note: no hardware counters here, sampling cpu-clock");
		rc = event_list_parse(list, catalog, "cpu-clock", err);
	} else {
		buf_printf(notes, "note: sampling cycles");
		rc = 0; /* whatever else is wrong shows when it is opened */
	}
	if (o->choice.chosen)
		buf_puts(notes, "\n");
	else
		buf_printf(notes, ", %s times a second on each CPU (-F sets the rate)\n",
			   text_grouped(rate, o->choice.frequency));
	return rc;
}

static int parse_all(struct event_list *list, struct catalog *catalog,
		     const struct record_options *o, struct buf *notes, struct err *err)
{
	int rc = event_steps_parse(&o->steps, list, catalog, err);

	if (rc)
		return rc;
	if (!list->events.len)
		return parse_default(list, catalog, o, notes, err);
	vec_each (event, &list->events) {
		if (event->kind == EVENT_TOOL)
			return err_set(err, EINVAL, "%s can be counted but not sampled",
				       event->name);
		if (o->group)
			event->leader = 0;
	}
	return 0;
}

/* Samples that come in step with what happens 100 times a second see always the same of it. */
static void note_lock_step(const struct record_options *o, uint64_t asked, struct buf *notes)
{
	uint64_t rate = o->choice.frequency;

	if (!o->frequency_given || o->frequency_max || rate != asked || rate % 100)
		return;
	buf_printf(notes,
		   "note: a round rate may run in step with timers of the system; %" PRIu64
		   " does not\n",
		   rate % 1000 ? rate - 1 : rate - 3);
}

static int limit_rate(struct record_options *o, struct buf *notes, struct err *err)
{
	char asked[TEXT_NUMBER], allowed[TEXT_NUMBER];
	int64_t most;

	if (file_number(&most, "/proc/sys/kernel/perf_event_max_sample_rate") || most <= 0)
		return 0;
	if (o->frequency_max)
		o->choice.frequency = (uint64_t)most;
	if (o->choice.frequency <= (uint64_t)most)
		return 0;
	text_grouped(asked, o->choice.frequency);
	text_grouped(allowed, (uint64_t)most);
	if (o->strict_freq)
		return err_set(err, EPERM,
			       "the kernel allows %s samples a second, not %s; raise the sysctl "
			       "kernel.perf_event_max_sample_rate",
			       allowed, asked);
	buf_printf(notes,
		   "warning: the kernel allows %s samples a second, not %s, and takes %s; raise "
		   "the sysctl kernel.perf_event_max_sample_rate for more\n",
		   allowed, asked, allowed);
	o->choice.frequency = (uint64_t)most;
	return 0;
}

/* What the kernel counts itself, one by one. */
static bool is_counted_singly(const struct event *event)
{
	uint32_t type = event->attr.base.type;

	return (type == PERF_TYPE_SOFTWARE && !event_is_clock(event)) ||
	       type == PERF_TYPE_TRACEPOINT || type == PERF_TYPE_BREAKPOINT;
}

/* Periods that the kernel does not keep. */
static void note_periods(const struct event_list *list, const struct record_options *o,
			 struct buf *notes)
{
	vec_each (event, &list->events) {
		uint64_t period = event->own_period && !event->attr.base.freq
					  ? event->attr.base.sample_period
					  : o->choice.period;

		if (!period)
			continue;
		if (event_is_clock(event) && period < CLOCK_PERIOD_LEAST)
			buf_printf(notes,
				   "note: %s counts nanoseconds and the kernel samples it every "
				   "%d at the most, not every %" PRIu64 "\n",
				   event->name, CLOCK_PERIOD_LEAST, period);
		else if (o->choice.period_field && period > 1 && is_counted_singly(event))
			buf_printf(notes,
				   "note: with -P the kernel samples every single %s, not one in "
				   "%" PRIu64 "\n",
				   event->name, period);
	}
}

/* The kernel can't keep the counts of several threads apart in one read. */
static void note_leader_sampling(const struct event_list *list, const struct record_options *o,
				 struct buf *notes)
{
	if (o->all_cpus || o->cpus || o->cgroups || o->choice.no_inherit)
		return;
	vec_each (event, &list->events)
		if (event->sample_read) {
			buf_printf(
				notes,
				"note: a :S group follows only the threads that are there at the "
				"start, no new ones and no children; -a has them all\n");
			return;
		}
}

static void note_void(const struct event_list *list, const struct record_options *o,
		      struct buf *notes)
{
	vec_each (event, &list->events)
		if (event_is_void(event) || (o->choice.all_user && event_is_kernels(event)))
			buf_printf(notes, "warning: no samples of %s: %s\n", event->name,
				   event_void_reason);
}

int record_events(struct event_list *list, struct catalog *catalog, struct record_options *options,
		  struct buf *notes, struct err *err)
{
	uint64_t asked = options->choice.frequency;
	int rc = limit_rate(options, notes, err);

	if (!rc)
		rc = parse_all(list, catalog, options, notes, err);
	if (rc)
		return rc;
	note_lock_step(options, asked, notes);
	note_periods(list, options, notes);
	note_leader_sampling(list, options, notes);
	note_void(list, options, notes);
	return 0;
}
