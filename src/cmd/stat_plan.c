// SPDX-License-Identifier: Apache-2.0
#include "cmd/stat_plan.h"
#include "base/buf.h"
#include "event/host.h"

static const char *plural(int count)
{
	return count == 1 ? "" : "s";
}

static void put_machine(struct buf *out, const struct plan *plan, const struct host *host)
{
	char reason[300];

	if (plan->general + plan->fixed == 0) {
		buf_printf(out, "%s\n", host_no_pmu_reason(host, reason, sizeof(reason)));
		return;
	}
	buf_printf(out, "this CPU has %d counter%s for any event", plan->general,
		   plural(plan->general));
	if (plan->fixed)
		buf_printf(out, " and %d for a fixed one each", plan->fixed);
	buf_puts(out, "\n");
}

static void put_event(struct buf *out, const struct plan *plan, size_t index,
		      const struct event *event, const struct host *host)
{
	const struct plan_event *planned = &plan->events.data[index];
	char why[600];

	buf_printf(out, "  %-32s ", event->name);
	switch (planned->need) {
	case PLAN_NO_COUNTER: buf_puts(out, "no counter: the kernel counts it"); break;
	case PLAN_COUNTER:
		buf_puts(out, planned->shares ? "takes turns with others" : "a counter of its own");
		if (plan->passes > 1)
			buf_printf(out, "; pass %u", planned->pass + 1);
		break;
	case PLAN_TOO_LARGE:
		buf_puts(out, "never counted: its group needs more counters than there are");
		break;
	case PLAN_UNAVAILABLE:
		buf_printf(out, "not here: %s",
			   host_why_not(host, event, planned->error, why, sizeof(why)));
		break;
	}
	buf_putc(out, '\n');
}

static void put_verdict(struct buf *out, const struct plan *plan)
{
	int sharing = 0;

	vec_each (event, &plan->events)
		sharing += event->shares;
	buf_printf(out, "%d event%s need%s a counter; ", plan->needed, plural(plan->needed),
		   plan->needed == 1 ? "s" : "");
	if (!sharing)
		buf_puts(out, "all are counted all of the time\n");
	else
		buf_printf(out,
			   "%d would take turns (multiplexing), their counts be estimates.\n"
			   "--passes counts all of them exactly, in %u runs of the command\n",
			   sharing, plan->passes);
}

void stat_plan_show(struct buf *out, const struct plan *plan, const struct event_list *events)
{
	struct host host;

	host_look(&host, &host_source_live);
	put_machine(out, plan, &host);
	for (size_t i = 0; i < events->events.len; i++)
		put_event(out, plan, i, &events->events.data[i], &host);
	put_verdict(out, plan);
}
