// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"
#include "base/interner.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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

/* Bytes of a control character: also of those above ASCII, which terminals obey, U+0080 to U+009F.
 */
static size_t control_length(const char *text)
{
	unsigned char byte = (unsigned char)text[0], next = (unsigned char)text[1];

	if (byte == 0xc2 && next >= 0x80 && next < 0xa0)
		return 2;
	return byte < 0x20 || byte == 0x7f ? 1 : 0;
}

/*
 * A note is one line, and never moves a terminal's cursor: what others sent may be part of it.
 * Such bytes are shown as \xNN.
 */
static void make_plain(char *into, size_t room, const char *text)
{
	size_t at = 0;

	while (*text && strcmp(text, "\n") != 0 && at + 9 < room) {
		size_t length = control_length(text);

		if (!length)
			into[at++] = *text++;
		for (; length; length--)
			at += (size_t)snprintf(into + at, room - at, "\\x%02x",
					       (unsigned char)*text++);
	}
	into[at] = '\0';
}

static void deliver(enum log_level level, const char *message)
{
	char text[1500];

	make_plain(text, sizeof(text), message);
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
