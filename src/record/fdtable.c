// SPDX-License-Identifier: Apache-2.0
#include "record/fdtable.h"
#include "base/err.h"
#include "base/mem.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct fdtable {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	void (*function)(void *argument); /* NULL when there is nothing to do */
	void *argument;
	bool ending;
};

static int leave_shared_table(void)
{
	if (unshare(CLONE_FILES))
		return -errno;
	/* Pipes that are closed elsewhere must not be held open here. */
	if (syscall(SYS_close_range, 3, ~0U, 0))
		for (long fd = sysconf(_SC_OPEN_MAX); fd >= 3; fd--) /* before Linux 5.9 */
			close((int)fd);
	return 0;
}

static void *serve(void *argument)
{
	struct fdtable *table = argument;

	pthread_mutex_lock(&table->lock);
	while (!table->ending || table->function) {
		if (!table->function) {
			pthread_cond_wait(&table->changed, &table->lock);
			continue;
		}
		table->function(table->argument);
		table->function = NULL;
		pthread_cond_broadcast(&table->changed);
	}
	pthread_mutex_unlock(&table->lock);
	return NULL;
}

void fdtable_run(struct fdtable *table, void (*function)(void *argument), void *argument)
{
	if (!table) {
		function(argument);
		return;
	}
	pthread_mutex_lock(&table->lock);
	table->function = function;
	table->argument = argument;
	pthread_cond_broadcast(&table->changed);
	while (table->function)
		pthread_cond_wait(&table->changed, &table->lock);
	pthread_mutex_unlock(&table->lock);
}

static void start_table(void *result)
{
	*(int *)result = leave_shared_table();
}

struct fdtable *fdtable_new(struct err *err)
{
	struct fdtable *table = mem_alloc(sizeof(*table));
	sigset_t all, before;
	int rc;

	pthread_mutex_init(&table->lock, NULL);
	pthread_cond_init(&table->changed, NULL);
	sigfillset(&all); /* signals are for the program's own threads */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&table->thread, NULL, serve, table);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc) {
		free(table);
		err_set(err, rc, "a thread with descriptors of its own: %s", strerror(rc));
		return NULL;
	}
	fdtable_run(table, start_table, &rc);
	if (rc) {
		err_set(err, -rc, "a thread with descriptors of its own: %s", strerror(-rc));
		fdtable_free(table);
		return NULL;
	}
	return table;
}

void fdtable_free(struct fdtable *table)
{
	if (!table)
		return;
	pthread_mutex_lock(&table->lock);
	table->ending = true;
	pthread_cond_broadcast(&table->changed);
	pthread_mutex_unlock(&table->lock);
	pthread_join(table->thread, NULL);
	pthread_mutex_destroy(&table->lock);
	pthread_cond_destroy(&table->changed);
	free(table);
}
