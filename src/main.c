// SPDX-License-Identifier: Apache-2.0
/* The command table, global options and exit statuses; nothing else. */
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/terminal.h"
#include "base/vec.h"
#include "cmd/command.h"
#include "cmd/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct command cmd_archive, cmd_buildid_cache, cmd_buildid_list, cmd_doctor,
	cmd_evlist, cmd_export, cmd_flame, cmd_fold, cmd_help, cmd_list, cmd_query, cmd_record,
	cmd_report, cmd_script, cmd_serve, cmd_stat, cmd_user;

const struct command *const commands[] = {
	&cmd_archive, &cmd_buildid_cache, &cmd_buildid_list, &cmd_doctor, &cmd_evlist, &cmd_export,
	&cmd_flame,   &cmd_fold,	  &cmd_help,	     &cmd_list,	  &cmd_query,  &cmd_record,
	&cmd_report,  &cmd_script,	  &cmd_serve,	     &cmd_stat,	  &cmd_user,   NULL,
};

const struct command *command_find(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static int usage_error(const struct command *command, const struct err *err)
{
	fprintf(stderr, "perfolio %s: %s\n", command->name, err->text);
	fprintf(stderr, "See 'perfolio help %s'.\n", command->name);
	return EXIT_USAGE;
}

static bool no_pager; /* --no-pager stood in front of the command */

/* It may stand among the command's options too. */
static bool take_no_pager(int *argc, char **argv)
{
	for (int i = 1; i < *argc && strcmp(argv[i], "--") != 0; i++) {
		if (strcmp(argv[i], "--no-pager") != 0)
			continue;
		memmove(argv + i, argv + i + 1, (size_t)(*argc - i) * sizeof(*argv));
		(*argc)--;
		return true;
	}
	return no_pager;
}

static int run_options(const struct command *command, int argc, char **argv)
{
	static const struct option_spec none[] = { { 0 } };
	void *options = mem_alloc(command->options_size);
	struct options_result parsed;
	struct err err = { 0 };
	bool paged = command->flags & CMD_PAGER && !take_no_pager(&argc, argv);
	int status;

	if (command->defaults)
		memcpy(options, command->defaults, command->options_size);
	status = options_parse(command->options ? command->options : none, options, argc, argv,
			       command->flags & CMD_RUNS_PROGRAM, &parsed, &err);
	if (!status && paged)
		pager_start();
	if (!status && parsed.help)
		help_command(command, stdout);
	else if (!status)
		status = command->run(options, argc - parsed.next, argv + parsed.next, &err);

	if (status == -EINVAL) {
		status = usage_error(command, &err);
	} else if (status < 0) {
		fprintf(stderr, "perfolio: %s\n", err.text);
		status = EXIT_FAILED;
	}
	if (command->release)
		command->release(options);
	free(options);
	return status;
}

static int run_command(const struct command *command, int argc, char **argv)
{
	const struct command *other = NULL;
	struct strlist words = { 0 };
	struct err err = { 0 };
	int status;

	if (command->stands_for)
		other = command->stands_for(argc, argv, &words, &err);
	if (err.code)
		status = usage_error(command, &err);
	else if (other)
		status = run_options(other, (int)words.len - 1, words.data);
	else
		status = run_options(command, argc, argv);
	strlist_free(&words);
	return status;
}

/* Output that could not be written is a failure, not a short success (full disk, closed pipe). */
static int flush_output(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	if (errno == EPIPE && pager_is_used())
		return status; /* the user has seen enough */
	if (errno != EPIPE)
		fprintf(stderr, "perfolio: standard output: %s\n", strerror(errno));
	return status == EXIT_DONE ? EXIT_FAILED : status;
}

/*
 * Fills standard descriptors that the caller closed, so that no event or file of ours gets their
 * number and is printed into.  Read-only: writing to a closed stdout stays an error.
 */
static void hold_standard_descriptors(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDONLY);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	const struct command *command;
	struct err err = { 0 };
	int status;

	hold_standard_descriptors();
	setlocale(LC_CTYPE, "");
	terminal_guard();
	if (getenv("PERFOLIO_DEBUG"))
		log_set_level(LOG_DEBUG);
	signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error from write, handled there */
	signal(SIGXFSZ, SIG_IGN); /* and so is a file as large as it may be (ulimit -f) */
	if (argc > 1 && !strcmp(argv[1], "--no-pager")) {
		no_pager = true;
		argv++;
		argc--;
	}
	if (argc < 2) {
		help_overview(stdout);
		return flush_output(EXIT_DONE);
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "version")) {
		printf("perfolio %s\n", PERFOLIO_VERSION);
		return flush_output(EXIT_DONE);
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		command = command_find("help");
	else
		command = command_find(argv[1]);

	if (!command) {
		help_unknown_command(argv[1], &err);
		fprintf(stderr, "perfolio: %s\n", err.text);
		return EXIT_USAGE;
	}
	status = flush_output(run_command(command, argc - 1, argv + 1));
	return pager_end() || status != EXIT_DONE ? status : EXIT_FAILED;
}
