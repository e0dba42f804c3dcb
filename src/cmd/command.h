/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command is one constant in its own file; src/main.c lists them.  Parsing, `--help`, shell
 * completion and the man page's synopsis all come from it.  To add one: docs/howto-add-command.md.
 */
#ifndef CMD_COMMAND_H
#define CMD_COMMAND_H

#include "base/options.h"
#include <stddef.h>
#include <stdio.h>

struct err;
struct strlist;

enum command_flags {
	CMD_RUNS_PROGRAM = 1 << 0, /* words after the options are a command line to start */
	CMD_PAGER = 1 << 1,	   /* its output is long: on a terminal, a pager shows it */
};

/* Exit statuses; commands that run a program give the program's own (see process.h). */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

struct command {
	const char *name;
	const char *args;    /* what follows the options in the synopsis: "[TEXT...]" */
	const char *summary; /* half a line, without a full stop */
	const char *example; /* one whole command line that a newcomer can type */
	unsigned flags;
	const struct option_spec *options;
	size_t options_size;
	const void *defaults; /* a struct of options_size, or NULL for all zero */

	/*
	 * argv[0..argc-1] are the words after the options.  Returns the exit status; a negative
	 * errno value means that *err holds what to print: -EINVAL leads to exit status 2.
	 */
	int (*run)(void *options, int argc, char **argv, struct err *err);
	/*
	 * For words that stand for another command line (`script record NAME ...`): the command to
	 * run instead, with its name, its words and a NULL in *words.  NULL: none, or *err is set.
	 * May be NULL.
	 */
	const struct command *(*stands_for)(int argc, char **argv, struct strlist *words,
					    struct err *err);
	/* Frees what the option parser put into options (lists); may be NULL. */
	void (*release)(void *options);
};

/* All commands, sorted by name, NULL at the end. */
extern const struct command *const commands[];

const struct command *command_find(const char *name);

/* The pieces made from the table (cmd/help.c). */
void help_overview(FILE *out);
void help_command(const struct command *command, FILE *out);
void help_synopsis(const struct command *command, FILE *out);
/* Says that no command has this name, and which one is near; -EINVAL. */
int help_unknown_command(const char *name, struct err *err);

#endif
