// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"
#include "base/interner.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static enum log_level most_shown = LOG_NOTE;
static log_sink *current_sink;
static void *sink_user;

static struct interner said;
static pthread_mutex_t said_lock = PTHREAD_MUTEX_INITIALIZER;

void log_set_level(enum log_level most)
{
	most_shown = most;
}

void log_set_sink(log_sink *sink, void *user)
{
	current_sink = sink;
	sink_user = user;
}

static void deliver(enum log_level level, const char *text)
{
	if (current_sink)
		current_sink(level, text, sink_user);
	else
		fprintf(stderr, "perfolio: %s\n", text);
}

void log_line(enum log_level level, const char *format, ...)
{
	char text[1000];
	va_list args;

	if (level > most_shown)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	deliver(level, text);
}

void log_once(enum log_level level, const char *format, ...)
{
	char text[1000];
	va_list args;
	size_t before;
	bool fresh;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);

	pthread_mutex_lock(&said_lock);
	before = said.strings.len;
	interner_add(&said, text);
	fresh = said.strings.len > before;
	pthread_mutex_unlock(&said_lock);
	if (fresh && level <= most_shown)
		deliver(level, text);
}
