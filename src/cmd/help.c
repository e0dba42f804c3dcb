// SPDX-License-Identifier: Apache-2.0
/* What is made from the command table: the overview, the help of a command, its synopsis. */
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/text.h"
#include "cmd/command.h"
#include "cmd/completion.h"
#include "cmd/manpage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HELP_COLUMN 30

void help_overview(FILE *out)
{
	const char *bold = text_color(out, COLOR_BOLD), *dim = text_color(out, COLOR_DIM);
	const char *off = text_color(out, COLOR_OFF);

	fprintf(out, "perfolio measures where programs spend their time.\n\n");
	for (size_t i = 0; commands[i]; i++)
		fprintf(out, "  %s%-14s%s %s\n  %14s %s%s%s\n", bold, commands[i]->name, off,
			commands[i]->summary, "", dim, commands[i]->example, off);
	fprintf(out,
		"\n`perfolio help COMMAND` explains one; `perfolio --version` names this build.\n");
}

/* An option as the synopsis shows it: its shortest spelling, in brackets that stay together. */
static void synopsis_option(const struct option_spec *spec, struct buf *into)
{
	struct option_spec shortest = *spec;
	size_t start = into->len;

	if (shortest.short_name)
		shortest.long_name = NULL;
	buf_putc(into, '[');
	option_spelling(&shortest, into);
	buf_putc(into, ']');
	for (size_t i = start; i < into->len; i++)
		if (into->data[i] == ' ')
			into->data[i] = TEXT_HARD_SPACE;
}

void help_synopsis(const struct command *command, FILE *out)
{
	struct buf text = { 0 };
	int indent = (int)strlen("perfolio ") + (int)strlen(command->name) + 1;

	for (const struct option_spec *spec = command->options; spec && spec->kind; spec++) {
		if (spec->kind == OPT_HEADING || spec->hidden)
			continue;
		synopsis_option(spec, &text);
		buf_putc(&text, ' ');
	}
	buf_puts(&text, command->args ? command->args : "");
	fprintf(out, "perfolio %s ", command->name);
	text_wrap(out, buf_text(&text), indent, 92);
	buf_free(&text);
}

static void help_option(const struct option_spec *spec, FILE *out)
{
	struct buf spelling = { 0 };

	if (spec->kind == OPT_HEADING) {
		fprintf(out, "\n%s%s%s\n", text_color(out, COLOR_BOLD), spec->help,
			text_color(out, COLOR_OFF));
		return;
	}
	if (!spec->short_name)
		buf_puts(&spelling, "    ");
	option_spelling(spec, &spelling);
	fprintf(out, "  %s", buf_text(&spelling));
	if (spelling.len + 2 >= HELP_COLUMN - 1)
		fprintf(out, "\n%*s", HELP_COLUMN, "");
	else
		fprintf(out, "%*s", HELP_COLUMN - 2 - (int)spelling.len, "");
	text_wrap(out, spec->help, HELP_COLUMN, text_width(out) < 100 ? text_width(out) : 100);
	buf_free(&spelling);
}

void help_command(const struct command *command, FILE *out)
{
	fprintf(out, "perfolio %s: %s\n\n", command->name, command->summary);
	help_synopsis(command, out);
	if (command->options && command->options->kind != OPT_HEADING)
		putc('\n', out);
	for (const struct option_spec *spec = command->options; spec && spec->kind; spec++)
		if (!spec->hidden)
			help_option(spec, out);
	fprintf(out, "\nExample: %s\nMore: perfolio help -m %s\n", command->example, command->name);
}

int help_unknown_command(const char *name, struct err *err)
{
	const struct command *nearest = NULL;
	int best = 0;

	for (size_t i = 0; commands[i]; i++) {
		int distance = text_typo_of(name, commands[i]->name);

		if (distance && (!best || distance < best)) {
			best = distance;
			nearest = commands[i];
		}
	}
	if (nearest)
		return err_set(err, EINVAL, "unknown command '%s'; did you mean '%s'?", name,
			       nearest->name);
	return err_set(err, EINVAL, "unknown command '%s'; see 'perfolio help'", name);
}

struct help_options {
	const char *completion, *prose;
	bool manual;
	bool options;
};

#define FIELD(name) offsetof(struct help_options, name)

static const struct option_spec help_spec[] = {
	{ OPT_FLAG, 'm', "manual", FIELD(manual), NULL, "the whole manual page of a command" },
	{ OPT_TEXT, 0, "completion", FIELD(completion), "SHELL",
	  "print the completion script for bash, zsh or fish" },
	{ OPT_TEXT, 0, "man", FIELD(prose), "FILE",
	  "print the manual page in roff, with the text of FILE (for building)", .hidden = true },
	{ OPT_FLAG, 0, "options", FIELD(options), NULL,
	  "every option of every command, for tools/perf-options.py", .hidden = true },
	{ 0 },
};

static int print_manpage(const struct command *command, const char *path, struct err *err)
{
	size_t size;
	char *prose = file_read(path, &size, err);

	if (!prose)
		return -err->code;
	manpage_write(stdout, command, prose);
	free(prose);
	return EXIT_DONE;
}

/* Hidden ones too: command, -c, --long and whether it takes a value. */
static void print_options(FILE *out)
{
	for (size_t i = 0; commands[i]; i++)
		for (const struct option_spec *spec = commands[i]->options; spec && spec->kind;
		     spec++) {
			const char *value = !spec->arg		? "none"
					    : *spec->arg == '[' ? "optional"
								: "value";

			if (spec->kind == OPT_HEADING)
				continue;
			fprintf(out, "%s\t%s%.1s\t%s%s\t%s\n", commands[i]->name,
				spec->short_name ? "-" : "", &spec->short_name,
				spec->long_name ? "--" : "", spec->long_name ? spec->long_name : "",
				value);
		}
}

/* The pages are in the program: nothing has to be installed to read them. */
extern const struct manual_text {
	const char *name, *text;
} manual_texts[];

static int show_manual(const struct command *command, struct err *err)
{
	const char *name = command ? command->name : "";

	for (size_t i = 0; manual_texts[i].name; i++) {
		if (strcmp(manual_texts[i].name, name))
			continue;
		if (command) {
			help_command(command, stdout);
			putchar('\n');
		}
		fputs(manual_texts[i].text, stdout);
		return EXIT_DONE;
	}
	return err_set(err, ENOENT, "there is no manual of '%s'", name);
}

static int help_run(void *options, int argc, char **argv, struct err *err)
{
	const struct help_options *o = options;
	const struct command *command = NULL;

	if (argc > 1)
		return err_set(err, EINVAL, "one command at a time");
	if (argc) {
		command = command_find(argv[0]);
		if (!command)
			return help_unknown_command(argv[0], err);
	}
	if (o->completion)
		return completion_write(stdout, o->completion, err);
	if (o->options) {
		print_options(stdout);
		return EXIT_DONE;
	}
	if (o->prose)
		return print_manpage(command, o->prose, err);
	if (o->manual)
		return show_manual(command, err);
	if (command)
		help_command(command, stdout);
	else
		help_overview(stdout);
	return EXIT_DONE;
}

const struct command cmd_help = {
	.name = "help",
	.args = "[COMMAND]",
	.summary = "explain a command",
	.example = "perfolio help stat",
	.flags = CMD_PAGER,
	.options = help_spec,
	.options_size = sizeof(struct help_options),
	.run = help_run,
};
