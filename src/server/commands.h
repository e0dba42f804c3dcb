/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command lines that a form stands for, to be typed into a shell.
 *
 * They measure the same things with the same options.  What else the server does for a program is
 * in them by what a shell has for it: `cd`, assignments, `taskset`, and `timeout` or `sleep` for
 * the time limit.  Two tools are two lines.
 */
#ifndef SERVER_COMMANDS_H
#define SERVER_COMMANDS_H

struct arena;
struct form;
struct json;

/* "commands": {"perfolio": [...], "perf": [...]}; perf has no line for what it can't do. */
void commands_write(struct json *json, const struct form *form, struct arena *arena);

#endif
