// SPDX-License-Identifier: Apache-2.0
#include "cmd/manpage.h"
#include "cmd/command.h"
#include "cmd/roff.h"

#include <ctype.h>
#include <string.h>

#define SUMMARY "measure where programs spend their time"

static void put_title(FILE *out, const char *name)
{
	fputs(".TH PERFOLIO", out);
	if (name)
		fputs("\\-", out);
	for (; name && *name; name++)
		putc(toupper((unsigned char)*name), out);
	fprintf(out, " 1 \"\" \"perfolio %s\" \"perfolio\"\n", PERFOLIO_VERSION);
}

/* "-e EVENT" with the option in bold and its value in italics; `space` goes between them. */
static void put_spelling(FILE *out, const struct option_spec *spec, bool both, const char *space)
{
	bool optional = spec->arg && spec->arg[0] == '[';

	if (spec->short_name)
		fprintf(out, "\\fB\\-%c\\fR", spec->short_name);
	if (spec->long_name && (both || !spec->short_name)) {
		fprintf(out, "%s\\fB\\-\\-", spec->short_name ? ", " : "");
		roff_literal(out, spec->long_name);
		fputs("\\fR", out);
	}
	if (optional) /* "[WHAT]" is shown as "[=WHAT]" */
		fprintf(out, "[=\\fI%.*s\\fR]", (int)strlen(spec->arg) - 2, spec->arg + 1);
	else if (spec->arg)
		fprintf(out, "%s\\fI%s\\fR", space, spec->arg);
}

static void put_synopsis(FILE *out, const struct command *command)
{
	fprintf(out, ".SH SYNOPSIS\n.nh\n.ad l\n.HP 4\n\\fBperfolio %s\\fR", command->name);
	for (const struct option_spec *spec = command->options; spec && spec->kind; spec++) {
		if (spec->kind == OPT_HEADING || spec->hidden)
			continue;
		fputs("\n[", out);
		put_spelling(out, spec, false, "\\ ");
		putc(']', out);
	}
	if (command->args) {
		fputs("\n\\fI", out);
		roff_literal(out, command->args);
		fputs("\\fR", out);
	}
	fputs("\n.ad b\n.hy\n", out);
}

static void put_options(FILE *out, const void *user)
{
	const struct command *command = user;
	const struct option_spec *spec = command->options;

	fputs(".SH OPTIONS\n", out);
	for (; spec && spec->kind; spec++) {
		if (spec->hidden)
			continue;
		if (spec->kind == OPT_HEADING) {
			fputs(".SS ", out);
			roff_text(out, spec->help);
			continue;
		}
		fputs(".TP\n", out);
		put_spelling(out, spec, true, " ");
		putc('\n', out);
		roff_text(out, spec->help);
	}
	fputs(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nshow a shorter form of this page\n", out);
}

static void put_commands(FILE *out, const void *unused)
{
	(void)unused;
	fputs(".SH COMMANDS\n", out);
	for (size_t i = 0; commands[i]; i++) {
		fprintf(out, ".TP\n\\fBperfolio\\-%s\\fR(1)\n", commands[i]->name);
		roff_text(out, commands[i]->summary);
	}
}

void manpage_write(FILE *out, const struct command *command, const char *prose)
{
	put_title(out, command ? command->name : NULL);
	fputs(".SH NAME\nperfolio", out);
	if (command)
		fprintf(out, "\\-%s", command->name);
	fputs(" \\- ", out);
	roff_text(out, command ? command->summary : SUMMARY);
	if (command)
		put_synopsis(out, command);
	else
		fputs(".SH SYNOPSIS\n\\fBperfolio\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...]\n.br\n"
		      "\\fBperfolio help\\fR [\\fICOMMAND\\fR]\n.br\n"
		      "\\fBperfolio \\-\\-version\\fR\n",
		      out);
	roff_markdown(out, prose, command ? put_options : put_commands, command);
}
