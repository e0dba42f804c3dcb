/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `serve --role=fenced COMMAND ...`: a command of ours inside a fence.
 *
 * Recorders and counters of a run that the server starts as root read events and options that came
 * from a browser; so do the questions about them.  The fence is there before the first of them is
 * looked at.
 */
#ifndef CMD_FENCED_H
#define CMD_FENCED_H

struct command;
struct err;
struct strlist;

/* A struct command's stands_for. */
const struct command *fenced_command(int argc, char **argv, struct strlist *words, struct err *err);

#endif
