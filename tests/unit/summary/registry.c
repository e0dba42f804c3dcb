// SPDX-License-Identifier: Apache-2.0
#include "summary/summary.h"
#include "test.h"

#include <stdlib.h>

TEST(registry_is_sorted_and_whole)
{
	for (size_t i = 0; summaries[i]; i++) {
		const struct summary *summary = summaries[i];

		test_case("%s", summary->name);
		EXPECT(summary_find(summary->name) == summary);
		EXPECT(!i || strcmp(summaries[i - 1]->name, summary->name) < 0);
		EXPECT(summary->about && summary->kind->need_count);
		EXPECT(summary->kind->start && summary->kind->take && summary->kind->finish &&
		       summary->kind->free);
		EXPECT(!summary->kind->needs[0].instead); /* it would stand for nothing */
	}
	EXPECT(!summary_find("nonsense"));
}

TEST(registry_tells_what_to_record)
{
	char *events = summary_events(summary_find("syscall-counts"));

	EXPECT_TEXT(events, "raw_syscalls:sys_enter,raw_syscalls:sys_exit");
	free(events);
}
