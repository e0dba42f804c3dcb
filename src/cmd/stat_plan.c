// SPDX-License-Identifier: Apache-2.0
#include "cmd/stat_plan.h"
#include "base/buf.h"
#include "cmd/stat_reasons.h"
#include "event/host.h"

static const char *plural(int count)
{
	return count == 1 ? "" : "s";
}

static void put_event(struct buf *out, const struct plan *plan, size_t index,
		      const struct event *event)
{
	const struct plan_event *planned = &plan->events.data[index];

	buf_printf(out, "  %-32s ", event->name);
	switch (planned->need) {
	case PLAN_NO_COUNTER: buf_puts(out, "the kernel counts it, without a counter"); break;
	case PLAN_COUNTER:
		buf_puts(out, planned->shares ? "takes turns with others" : "a counter of its own");
		if (plan->passes > 1)
			buf_printf(out, "; pass %u of %u", planned->pass + 1, plan->passes);
		break;
	case PLAN_TOO_LARGE:
		buf_puts(out, "in a group that needs more counters than there are");
		break;
	case PLAN_UNAVAILABLE: buf_puts(out, "not available here"); break;
	}
	buf_putc(out, '\n');
}

static void put_verdict(struct buf *out, const struct plan *plan)
{
	int sharing = 0, too_large = 0;

	vec_each (event, &plan->events) {
		sharing += event->shares;
		too_large += event->need == PLAN_TOO_LARGE;
	}
	buf_printf(out, "\n%d event%s need%s a counter", plan->needed, plural(plan->needed),
		   plan->needed == 1 ? "s" : "");
	if (plan->general)
		buf_printf(out, "; this CPU has %d for any event", plan->general);
	if (plan->fixed)
		buf_printf(out, " and %d for a fixed one each", plan->fixed);
	buf_puts(out, ".\n");
	if (too_large)
		buf_puts(out,
			 "Not all of a group that is too large is counted: make it smaller, or "
			 "write :W behind\nit, which lets it be taken apart.\n");
	if (sharing)
		buf_printf(out,
			   "%d would take turns (multiplexing) and their counts be estimates.  "
			   "--passes counts\nthem all of the time, in %u runs of the command.\n",
			   sharing, plan->passes);
	else if (plan->needed && !too_large)
		buf_puts(out, "All of them are counted all of the time, in one run.\n");
}

void stat_plan_show(struct buf *out, const struct plan *plan, const struct event_list *events)
{
	struct reasons reasons = { 0 };
	struct host host;

	host_look(&host, &host_source_live);
	for (size_t i = 0; i < events->events.len; i++) {
		const struct event *event = &events->events.data[i];
		char why[REASON_ROOM];

		put_event(out, plan, i, event);
		if (plan->events.data[i].need == PLAN_UNAVAILABLE)
			reasons_add(&reasons,
				    host_why_not(&host, event, plan->events.data[i].error, why,
						 sizeof(why)),
				    event->name);
	}
	put_verdict(out, plan);
	reasons_say(&reasons, out);
}
