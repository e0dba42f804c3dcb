// SPDX-License-Identifier: Apache-2.0
#include "cmd/option_check.h"
#include "base/err.h"
#include "base/wordlist.h"
#include "cmd/command.h"

#include <errno.h>

/* By name and not through the table of all: that is in main.c, which no test has. */
extern const struct command cmd_record, cmd_stat;

static int parse(const struct command *command, void *options, struct strlist *argv,
		 struct err *err)
{
	struct options_result result;
	int rc = options_parse(command->options, options, (int)argv->len, argv->data, false,
			       &result, err);

	if (!rc && (result.help || result.next < (int)argv->len))
		rc = err_set(err, EINVAL, "only options are possible here");
	return rc ? err_prefix(err, "%s", command->name) : 0;
}

int option_check(const char *name, const struct wordlist *words, struct err *err)
{
	const struct command *command = !strcmp(name, "record") ? &cmd_record : &cmd_stat;
	struct strlist argv = { 0 };
	void *options;
	int rc;

	options = mem_alloc(command->options_size);
	if (command->defaults)
		memcpy(options, command->defaults, command->options_size);
	strlist_add(&argv, name);
	if (command == &cmd_record) /* as jobs/measure.c does */
		strlist_add(&argv, "--read-along");
	vec_each (word, words)
		strlist_add(&argv, *word);
	rc = parse(command, options, &argv, err);
	if (command->release)
		command->release(options);
	free(options);
	strlist_free(&argv);
	return rc;
}
