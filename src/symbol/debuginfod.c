// SPDX-License-Identifier: Apache-2.0
/*
 * The library is loaded when it is first asked for: it brings curl and half a dozen others along,
 * which no other run should pay for.
 */
#include "symbol/debuginfod.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct debuginfod_client client;
typedef int find_function(client *c, const unsigned char *id, int size, char **path);
typedef int progress_function(client *c, long done, long total);

static struct {
	client *(*begin)(void);
	void (*end)(client *c);
	find_function *find[2];
	void (*set_progress)(client *c, progress_function *function);
	void (*set_user_data)(client *c, void *data);
	void *(*get_user_data)(client *c);
} lib;

static bool loaded;
static pthread_once_t load_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static void *symbol_of(void *library, const char *name)
{
	return library ? dlsym(library, name) : NULL;
}

static void load(void)
{
	void *library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);

	*(void **)&lib.begin = symbol_of(library, "debuginfod_begin");
	*(void **)&lib.end = symbol_of(library, "debuginfod_end");
	*(void **)&lib.find[DEBUGINFOD_EXECUTABLE] = symbol_of(library,
							       "debuginfod_find_executable");
	*(void **)&lib.find[DEBUGINFOD_DEBUGINFO] = symbol_of(library, "debuginfod_find_debuginfo");
	*(void **)&lib.set_progress = symbol_of(library, "debuginfod_set_progressfn");
	*(void **)&lib.set_user_data = symbol_of(library, "debuginfod_set_user_data");
	*(void **)&lib.get_user_data = symbol_of(library, "debuginfod_get_user_data");
	loaded = lib.begin && lib.end && lib.find[0] && lib.find[1] && lib.set_progress &&
		 lib.set_user_data && lib.get_user_data;
	if (!loaded)
		log_once(LOG_NOTE, "no names from debuginfod: libdebuginfod.so.1 is not installed");
}

/* Called several times a second while the library waits; a value but 0 ends that. */
static int stop_when_late(client *c, long done, long total)
{
	const int64_t *until = lib.get_user_data(c);

	(void)done;
	(void)total;
	return clock_now_ns() > *until;
}

static char *ask(client *c, const struct build_id *id, enum debuginfod_kind kind,
		 atomic_int *failures)
{
	int64_t until = clock_now_ns() + DEBUGINFOD_LIMIT_S * NS_PER_SEC;
	char *path = NULL, *copy;
	int fd;

	lib.set_user_data(c, &until);
	lib.set_progress(c, stop_when_late);
	fd = lib.find[kind](c, id->bytes, id->size, &path);
	if (fd < 0) {
		if (fd != -ENOENT)
			++*failures;
		return NULL;
	}
	close(fd);
	copy = path ? mem_strdup(path) : NULL;
	free(path);
	return copy;
}

char *debuginfod_find(const struct build_id *id, enum debuginfod_kind kind, atomic_int *failures)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	char *path = NULL;
	client *c;

	if (!urls || !urls[0]) {
		log_once(LOG_NOTE, "no names from debuginfod: DEBUGINFOD_URLS is not set");
		return NULL;
	}
	pthread_once(&load_once, load);
	if (!loaded)
		return NULL;
	if (*failures >= DEBUGINFOD_PATIENCE) {
		log_once(LOG_NOTE, "debuginfod does not answer; going on without it");
		return NULL;
	}
	pthread_mutex_lock(&one_at_a_time);
	c = lib.begin();
	if (c) {
		path = ask(c, id, kind, failures);
		lib.end(c);
	}
	pthread_mutex_unlock(&one_at_a_time);
	return path;
}
