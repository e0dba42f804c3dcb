// SPDX-License-Identifier: Apache-2.0
#include "cmd/fenced.h"
#include "base/err.h"
#include "base/vec.h"
#include "cmd/command.h"
#include "jobs/sandbox.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* By name and not through the table of all: that is in main.c, which no test has. */
extern const struct command cmd_record, cmd_serve, cmd_stat;

static const struct command *find(const char *name)
{
	const struct command *const those[] = { &cmd_record, &cmd_serve, &cmd_stat };

	for (size_t i = 0; i < ARRAY_SIZE(those); i++)
		if (!strcmp(those[i]->name, name))
			return those[i];
	return NULL;
}

/* What libraries and checkers do at exit() they can't do inside the fence. */
static void leave(int status, void *unused)
{
	(void)unused;
	fflush(NULL);
	_exit(status);
}

const struct command *fenced_command(int argc, char **argv, struct strlist *words, struct err *err)
{
	const struct command *command;

	if (argc < 3 || strcmp(argv[1], "--role=fenced") != 0)
		return NULL;
	command = find(argv[2]);
	if (!command) {
		err_set(err, EINVAL, "--role fenced: not for '%s'", argv[2]);
		return NULL;
	}
	for (int i = 2; i < argc; i++)
		strlist_add(words, argv[i]);
	vec_push(words);
	on_exit(leave, NULL);
	return sandbox_measuring(err) ? NULL : command;
}
