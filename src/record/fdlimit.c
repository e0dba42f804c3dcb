// SPDX-License-Identifier: Apache-2.0
#include "record/fdlimit.h"
#include "base/file.h"

#include <pthread.h>
#include <sys/resource.h>

#define SPARE 1024 /* descriptors that are open already or opened later */

/*
 * The limits belong to the process, and so does the memory of them: what we have set, and what was
 * there before.  { 0 } is no limit that anybody has.
 */
static struct rlimit ours, original;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

size_t fdlimit_now(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) ? 0 : (size_t)limit.rlim_cur;
}

static bool set_limit(rlim_t soft, rlim_t hard, const struct rlimit *before)
{
	struct rlimit limit = { .rlim_cur = soft, .rlim_max = hard };

	if (setrlimit(RLIMIT_NOFILE, &limit))
		return false;
	if (before->rlim_cur != ours.rlim_cur || before->rlim_max != ours.rlim_max)
		original = *before;
	ours = limit;
	return true;
}

static bool raise_limit(size_t more)
{
	struct rlimit limit;
	int64_t most = 1 << 20;
	rlim_t want;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return false;
	file_number(&most, "/proc/sys/fs/nr_open");
	want = more + SPARE < (size_t)most ? more + SPARE : (rlim_t)most;
	if (want > limit.rlim_max && set_limit(want, want, &limit))
		return true; /* we have CAP_SYS_RESOURCE */
	return limit.rlim_cur < limit.rlim_max && set_limit(limit.rlim_max, limit.rlim_max, &limit);
}

bool fdlimit_raise(size_t more)
{
	bool raised;

	pthread_mutex_lock(&lock);
	raised = raise_limit(more);
	pthread_mutex_unlock(&lock);
	return raised;
}

/* No lock: another thread may have held it at the fork. */
void fdlimit_restore(void)
{
	if (ours.rlim_cur)
		setrlimit(RLIMIT_NOFILE, &original);
}
