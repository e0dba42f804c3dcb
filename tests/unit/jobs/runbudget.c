// SPDX-License-Identifier: Apache-2.0
/* The budget of a run by looks at /proc, where the kernel does not let us count its switches. */
#include "jobs/runbudget.h"
#include "base/clock.h"
#include "base/err.h"
#include "jobs/evloop.h"
#include "profile/budget.h"
#include "test.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LATE_NS (300 * NS_PER_MSEC)

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * NS_PER_SEC + (uint64_t)now.tv_nsec;
}

/* A child that runs for a moment as soon as it is told to. */
static pid_t start(int *go)
{
	int ends[2];
	char byte;
	pid_t pid;

	EXPECT(!pipe(ends));
	pid = fork();
	if (!pid) {
		close(ends[1]);
		if (!read(ends[0], &byte, 1))
			while (cpu_ns() < 50 * NS_PER_MSEC)
				;
		_exit(0);
	}
	close(ends[0]);
	*go = ends[1];
	return pid;
}

/* ThreadSanitizer gives the child a second thread, which ends with it. */
static const struct budget_thread *find_row(const struct budget *budget, pid_t tid)
{
	vec_each (thread, &budget->threads)
		if (thread->tid == (uint32_t)tid)
			return thread;
	return NULL;
}

/* Whoever looks late at what has ended must not take its own being late for the other's waiting. */
TEST(runbudget_late)
{
	const struct timespec late = { .tv_nsec = LATE_NS };
	struct evloop *loop = evloop_new();
	struct runbudget budget;
	struct budget result = { 0 };
	struct runbudget_target target = { 0 };
	const struct budget_thread *row;
	siginfo_t info;
	int go;

	target.workload = start(&go);
	runbudget_prepare(&budget, loop, NULL, "not here");
	runbudget_begin(&budget, &target, (uint64_t)clock_now_ns());
	close(go);
	EXPECT(!waitid(P_PID, (id_t)target.workload, &info, WEXITED | WNOWAIT));
	nanosleep(&late, NULL);
	runbudget_look(&budget);
	EXPECT(runbudget_result(&budget, (uint64_t)clock_now_ns(), &result));
	row = find_row(&result, target.workload);
	EXPECT(row);
	EXPECT(row->ns[BUDGET_RAN] >= 40 * NS_PER_MSEC);
	EXPECT(row->ns[BUDGET_OTHER] < LATE_NS / 2);
	EXPECT_INT(budget_sum(result.run_ns), row->life_ns);
	budget_free(&result);
	runbudget_free(&budget);
	evloop_free(loop);
	waitpid(target.workload, NULL, 0);
}
