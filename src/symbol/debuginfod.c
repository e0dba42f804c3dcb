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

/* One file that is waited for. */
struct waiting {
	struct debuginfod_asking *asking;
	const char *object;
	int64_t silent_until_ns, until_ns;
};

/* Called several times a second while the library waits; a value but 0 ends that. */
static int stop_when_late(client *c, long done, long total)
{
	const struct waiting *w = lib.get_user_data(c);
	int64_t now = clock_now_ns();

	if (w->asking->fetching)
		w->asking->fetching(w->asking->context, w->object, done > 0 ? (uint64_t)done : 0,
				    total > 0 ? (uint64_t)total : 0);
	return now > w->until_ns || (done <= 0 && now > w->silent_until_ns);
}

static char *ask(client *c, struct debuginfod_asking *asking, const struct build_id *id,
		 enum debuginfod_kind kind, const char *object)
{
	int64_t started = clock_now_ns();
	struct waiting waiting = { .asking = asking,
				   .object = object,
				   .silent_until_ns = started + DEBUGINFOD_SILENCE_S * NS_PER_SEC,
				   .until_ns = started + asking->left_ns };
	char *path = NULL, *copy;
	int fd;

	lib.set_user_data(c, &waiting);
	lib.set_progress(c, stop_when_late);
	fd = lib.find[kind](c, id->bytes, id->size, &path);
	asking->left_ns -= clock_now_ns() - started;
	if (fd < 0) {
		asking->failures += fd != -ENOENT;
		return NULL;
	}
	close(fd);
	copy = path ? mem_strdup(path) : NULL;
	free(path);
	return copy;
}

static char *ask_in_time(struct debuginfod_asking *asking, const struct build_id *id,
			 enum debuginfod_kind kind, const char *object)
{
	char *path = NULL;
	client *c;

	if (asking->left_ns <= 0) {
		log_once(LOG_NOTE, "no time left for debuginfod; going on without what is missing "
				   "still (--fetch-limit allows more)");
		return NULL;
	}
	if (asking->failures >= DEBUGINFOD_PATIENCE) {
		log_once(LOG_NOTE, "debuginfod does not answer; going on without it");
		return NULL;
	}
	c = lib.begin();
	if (!c)
		return NULL;
	path = ask(c, asking, id, kind, object);
	if (asking->fetching)
		asking->fetching(asking->context, NULL, 0, 0);
	lib.end(c);
	return path;
}

char *debuginfod_find(struct debuginfod_asking *asking, const struct build_id *id,
		      enum debuginfod_kind kind, const char *object)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	char *path;

	if (!urls || !urls[0]) {
		log_once(LOG_NOTE, "no names from debuginfod: DEBUGINFOD_URLS is not set");
		return NULL;
	}
	pthread_once(&load_once, load);
	if (!loaded)
		return NULL;
	pthread_mutex_lock(&one_at_a_time);
	path = ask_in_time(asking, id, kind, object);
	pthread_mutex_unlock(&one_at_a_time);
	return path;
}
