/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What goes to a terminal: names out of recordings must not move its cursor, rename its window or
 * answer for the user.  All output passes one place (fd_write_all, and the streams that
 * terminal_guard puts in front of it), where control characters become \xNN: those of ASCII but
 * newlines and tabs, U+0080 to U+009F, bytes that are no UTF-8, and what turns the direction of
 * text around.  Our own colours and progress lines are let through, since they carry a number that
 * nobody else knows (terminal_code).
 *
 * Pipes and files get every byte as it is, as perf writes them.
 */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* At the start: from now on standard output and standard error are guarded, if they are terminals.
 */
void terminal_guard(void);
/* Standard output, and standard error if it was a terminal, are a pager's now. */
void terminal_paged(void);

/* Whether what is written to this descriptor comes to a terminal and has to be looked through. */
bool terminal_is_guarded(int fd);

/* A code of ours ("\033[31m", "\r"; see terminal.c) for what is then written to that descriptor. */
const char *terminal_code(int fd, const char *code);

/* As fd_write_all, for a descriptor that is guarded. */
int terminal_write(int fd, const void *bytes, size_t size);

#endif
