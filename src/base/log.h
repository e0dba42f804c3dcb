/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the program says about itself, on stderr or wherever the sink puts it.
 *
 * Notes are said once each, however often they are met: a missing PMU is one fact, not one a
 * counter.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

enum log_level { LOG_ERROR, LOG_WARN, LOG_NOTE, LOG_INFO, LOG_DEBUG };

typedef void log_sink(enum log_level level, const char *text, void *user);

void log_set_level(enum log_level most);       /* LOG_NOTE at the start */
void log_set_sink(log_sink *sink, void *user); /* NULL: stderr, as "perfolio: TEXT" */
void log_line(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says it the first time only; two texts that differ are two notes. */
void log_once(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
