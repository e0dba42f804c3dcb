// SPDX-License-Identifier: Apache-2.0
#include "base/buf.h"
#include "base/mem.h"
#include "summary/summary.h"

#include <string.h>

extern const struct summary summary_failed_syscalls, summary_failed_syscalls_by_pid,
	summary_futex_contention, summary_rw_by_file, summary_rw_by_pid, summary_sched_migration,
	summary_syscall_counts, summary_syscall_counts_by_pid, summary_wakeup_latency;

const struct summary *const summaries[] = {
	&summary_failed_syscalls,  &summary_failed_syscalls_by_pid,
	&summary_futex_contention, &summary_rw_by_file,
	&summary_rw_by_pid,	   &summary_sched_migration,
	&summary_syscall_counts,   &summary_syscall_counts_by_pid,
	&summary_wakeup_latency,   NULL,
};

const struct summary *summary_find(const char *name)
{
	for (size_t i = 0; summaries[i]; i++)
		if (!strcmp(summaries[i]->name, name))
			return summaries[i];
	return NULL;
}

char *summary_events(const struct summary *summary)
{
	struct buf text = { 0 };
	char *events;

	for (size_t i = 0; i < summary->kind->need_count; i++)
		if (!summary->kind->needs[i].instead)
			buf_printf(&text, "%s%s", text.len ? "," : "",
				   summary->kind->needs[i].event);
	events = mem_strdup(buf_text(&text));
	buf_free(&text);
	return events;
}
