// SPDX-License-Identifier: Apache-2.0
#include "record/fdlimit.h"
#include "base/file.h"

#include <sys/resource.h>

#define SPARE 1024 /* descriptors that are open already or opened later */

size_t fdlimit_now(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) ? 0 : (size_t)limit.rlim_cur;
}

bool fdlimit_raise(size_t more)
{
	struct rlimit limit, beyond;
	int64_t most = 1 << 20;
	rlim_t want;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return false;
	file_number(&most, "/proc/sys/fs/nr_open");
	want = more + SPARE < (size_t)most ? more + SPARE : (rlim_t)most;
	beyond = (struct rlimit){ .rlim_cur = want, .rlim_max = want };
	if (want > limit.rlim_max && setrlimit(RLIMIT_NOFILE, &beyond) == 0)
		return true; /* we have CAP_SYS_RESOURCE */
	if (limit.rlim_cur == limit.rlim_max)
		return false;
	limit.rlim_cur = limit.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}
