// SPDX-License-Identifier: Apache-2.0
#include "record/quota.h"
#include "test.h"

#include <stdlib.h>

static void expect_folders(const char *groups, const char *mounts, const char *want)
{
	struct strlist folders = { 0 };
	char *text = mem_strdup("");

	quota_folders(groups, mounts, &folders);
	vec_each (folder, &folders) {
		char *more = mem_printf("%s%s ", text, *folder);

		free(text);
		text = more;
	}
	EXPECT_TEXT(text, want);
	free(text);
	strlist_free(&folders);
}

TEST(quota_finds_the_groups_of_a_process)
{
	static const char one[] = "tmpfs /sys/fs/cgroup tmpfs rw 0 0\n"
				  "cgroup /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0\n"
				  "cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,cpu,cpuacct 0 0\n";
	static const char two[] = "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n";

	expect_folders("3:cpuset:/x\n2:cpu,cpuacct:/a/b\n0::/c\n", one,
		       "/sys/fs/cgroup/cpu,cpuacct/a/b /sys/fs/cgroup/cpu,cpuacct/a ");
	expect_folders("0::/user.slice/run.scope\n", two,
		       "/sys/fs/cgroup/user.slice/run.scope /sys/fs/cgroup/user.slice ");
	expect_folders("0::/\n1:cpu:/\n", one, "");
	expect_folders("1:cpuacct:/a\n", one, "");
	expect_folders("", two, "");
	expect_folders("0::/a\n", "", "");
	expect_folders("nonsense\n\n:::\n", two, "");
}

TEST(quota_reads_both_versions)
{
	uint64_t ns = 7;

	EXPECT(quota_stat("nr_periods 20\nnr_throttled 3\nthrottled_time 5000\n", &ns));
	EXPECT_INT(ns, 5000);
	EXPECT(quota_stat("usage_usec 1\nnr_throttled 3\nthrottled_usec 8\nnr_bursts 0\n", &ns));
	EXPECT_INT(ns, 8000);
	EXPECT(!quota_stat("usage_usec 1\nuser_usec 1\n", &ns));
}
