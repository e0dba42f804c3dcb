// SPDX-License-Identifier: Apache-2.0
#include "cmd/completion.h"
#include "base/err.h"
#include "base/mem.h"
#include "cmd/command.h"
#include "summary/summary.h"

#include <errno.h>
#include <string.h>

/*
 * How the value of an option is completed, by what the table calls it.  The names of events are
 * asked for once a shell session, when they are first wanted.
 */
static const struct value_kind {
	const char *arg;
	const char *bash; /* words to choose from, evaluated when needed; NULL: file names */
	const char *zsh;  /* an action of _arguments */
	const char *fish; /* words, evaluated when needed; NULL: file names */
} value_kinds[] = {
	{ "FILE", NULL, "_files", NULL },
	{ "DIR", NULL, "_files -/", "(__fish_complete_directories)" },
	{ "FILE|DIR", NULL, "_files", NULL },
	{ "EVENT", "$_perfolio_event_names", "_perfolio_events", "(__perfolio_events)" },
	{ "USER", "$(compgen -u)", "_users", "(__fish_complete_users)" },
	{ "PIDS", "$(cd /proc && echo [0-9]*)", "_pids", "(__fish_complete_pids)" },
	{ "SHELL", "bash zsh fish", "(bash zsh fish)", "bash zsh fish" },
};

static const struct value_kind *value_kind(const struct option_spec *spec)
{
	for (size_t i = 0; i < ARRAY_SIZE(value_kinds); i++)
		if (spec->arg && !strcmp(spec->arg, value_kinds[i].arg))
			return &value_kinds[i];
	return NULL;
}

static bool is_shown(const struct option_spec *spec)
{
	return spec->kind != OPT_HEADING && !spec->hidden;
}

static const char bash_head[] =
	"# bash completion for perfolio, made by `perfolio help --completion bash`\n"
	"# shellcheck shell=bash disable=SC2016 # what is in single quotes is expanded by compgen\n"
	"\n"
	"_perfolio_event_names=\n"
	"\n"
	"# Sets `values` to what may follow option $2 of command $1: words, or - for file names.\n"
	"_perfolio_values()\n"
	"{\n"
	"\tvalues=\n"
	"\tcase \"$1 $2\" in\n";

static const char bash_body[] =
	"\t*) return 1 ;;\n"
	"\tesac\n"
	"}\n"
	"\n"
	"# The place in `words` where the program to be run begins; past the end if there is none "
	"yet.\n"
	"_perfolio_program_at()\n"
	"{\n"
	"\tlocal values\n"
	"\tfor ((at = 2; at < ${#words[@]}; at++)); do\n"
	"\t\tcase ${words[at]} in\n"
	"\t\t--) ((at++)); return ;;\n"
	"\t\t-*) _perfolio_values \"${words[1]}\" \"${words[at]}\" && ((at++)) ;;\n"
	"\t\t*) return ;;\n"
	"\t\tesac\n"
	"\tdone\n"
	"}\n"
	"\n"
	"# Offers those of the words $1 that begin with $2, $3 in front of each.  Bash replaces "
	"only\n"
	"# what stands after the last : or = of the word, so what is before it is taken away "
	"again.\n"
	"_perfolio_offer()\n"
	"{\n"
	"\tlocal kept=${cur%\"${cur##*[:=]}\"}\n"
	"\tmapfile -t COMPREPLY < <(compgen -P \"$3\" -W \"$1\" -- \"$2\")\n"
	"\tCOMPREPLY=(\"${COMPREPLY[@]#\"$kept\"}\")\n"
	"}\n"
	"\n"
	"_perfolio()\n"
	"{\n"
	"\tlocal line=${COMP_LINE:0:COMP_POINT} cur option value front='' values options='' "
	"negated='' "
	"runs='' at\n"
	"\tlocal -a words\n"
	"\tread -ra words <<<\"$line\"\n"
	"\t[[ $line == *[[:space:]] ]] && words+=('')\n"
	"\tcur=${words[-1]} COMPREPLY=()\n"
	"\tif ((${#words[@]} <= 2)); then\n"
	"\t\t_perfolio_offer \"$_perfolio_commands --help --version\" \"$cur\"\n"
	"\t\treturn\n"
	"\tfi\n"
	"\t# `script record NAME` goes on as `record`.\n"
	"\t[[ ${words[1]} == script && ${words[2]} == record ]] && ((${#words[@]} > 4)) &&\n"
	"\t\twords=(\"${words[0]}\" record \"${words[@]:4}\")\n"
	"\tcase ${words[1]} in\n";

static const char bash_tail[] =
	"\tesac\n"
	"\tif [[ $runs ]]; then\n"
	"\t\t_perfolio_program_at\n"
	"\t\tif ((at == ${#words[@]} - 1)) && [[ $cur != -* ]]; then\n"
	"\t\t\tmapfile -t COMPREPLY < <(compgen -c -- \"$cur\")\n"
	"\t\t\treturn\n"
	"\t\tfi\n"
	"\t\t((at < ${#words[@]} - 1)) && return\n"
	"\tfi\n"
	"\toption=${words[-2]} value=$cur\n"
	"\t[[ $cur == --*=* ]] && option=${cur%%=*} value=${cur#*=} front=${cur%%=*}=\n"
	"\tif _perfolio_values \"${words[1]}\" \"$option\"; then\n"
	"\t\tif [[ $values == *_event_names* ]]; then\n"
	"\t\t\tfront+=${value%\"${value##*[,\\{]}\"} value=${value##*[,\\{]}\n"
	"\t\t\t[[ $_perfolio_event_names ]] ||\n"
	"\t\t\t\t_perfolio_event_names=$(perfolio list --raw-dump 2>/dev/null)\n"
	"\t\tfi\n"
	"\t\t[[ $values == - ]] || _perfolio_offer \"$values\" \"$value\" \"$front\"\n"
	"\telif [[ $cur == --no-* ]]; then\n"
	"\t\t_perfolio_offer \"$options $negated\" \"$cur\"\n"
	"\telif [[ $cur == -* ]]; then\n"
	"\t\t_perfolio_offer \"$options\" \"$cur\"\n"
	"\telif [[ ${words[1]} == help ]]; then\n"
	"\t\t_perfolio_offer \"$_perfolio_commands\" \"$cur\"\n"
	"\telif [[ ${words[1]} == script ]]; then\n"
	"\t\t_perfolio_offer \"$_perfolio_summaries\" \"$cur\"\n"
	"\tfi\n"
	"}\n"
	"\n"
	"complete -o bashdefault -o default -F _perfolio perfolio\n";

/* A line of the table of values: "stat -e" | "stat --event") values='...' ;; */
static void bash_value(FILE *out, const struct command *command, const struct option_spec *spec)
{
	const struct value_kind *kind = value_kind(spec);

	if (!spec->arg || spec->arg[0] == '[') /* an optional value is glued on */
		return;
	fputs("\t", out);
	if (spec->short_name)
		fprintf(out, "'%s -%c'", command->name, spec->short_name);
	if (spec->short_name && spec->long_name)
		fputs(" | ", out);
	if (spec->long_name)
		fprintf(out, "'%s --%s'", command->name, spec->long_name);
	fprintf(out, ") values='%s' ;;\n", !kind ? "" : kind->bash ? kind->bash : "-");
}

/* The --no-X of every flag that is not itself the opposite of something. */
static void bash_negated(FILE *out, const struct command *command)
{
	fputs(" negated='", out);
	for (const struct option_spec *spec = command->options; spec && spec->kind; spec++)
		if (is_shown(spec) && spec->long_name && strncmp(spec->long_name, "no-", 3) &&
		    (!spec->arg || spec->arg[0] == '['))
			fprintf(out, "--no-%s ", spec->long_name);
	fputs("'", out);
}

static void bash_options(FILE *out, const struct command *command)
{
	fprintf(out, "\t%s) %soptions='-h --help", command->name,
		command->flags & CMD_RUNS_PROGRAM ? "runs=1 " : "");
	for (const struct option_spec *spec = command->options; spec && spec->kind; spec++) {
		if (!is_shown(spec))
			continue;
		if (spec->short_name)
			fprintf(out, " -%c", spec->short_name);
		if (spec->long_name)
			fprintf(out, " --%s", spec->long_name);
	}
	fputs("'", out);
	bash_negated(out, command);
	fputs(" ;;\n", out);
}

static void write_bash(FILE *out)
{
	fputs(bash_head, out);
	for (size_t i = 0; commands[i]; i++)
		for (const struct option_spec *spec = commands[i]->options; spec && spec->kind;
		     spec++)
			if (spec->kind != OPT_HEADING)
				bash_value(out, commands[i], spec);
	fputs(bash_body, out);
	for (size_t i = 0; commands[i]; i++)
		bash_options(out, commands[i]);
	fputs(bash_tail, out);
	fputs("_perfolio_commands='", out);
	for (size_t i = 0; commands[i]; i++)
		fprintf(out, "%s%s", i ? " " : "", commands[i]->name);
	fputs("'\n_perfolio_summaries='", out);
	for (size_t i = 0; summaries[i]; i++) /* what may stand before the file of `script` */
		fprintf(out, "%s ", summaries[i]->name);
	fputs("record'\n", out);
}

static const char zsh_head[] =
	"#compdef perfolio\n"
	"# zsh completion for perfolio, made by `perfolio help --completion zsh`\n"
	"\n"
	"_perfolio_events()\n"
	"{\n"
	"\t(( $#_perfolio_event_names )) ||\n"
	"\t\ttypeset -ga _perfolio_event_names=(${=\"$(perfolio list --raw-dump 2>/dev/null)\"})\n"
	"\tcompset -P '*[,{]'\n"
	"\tcompadd -a _perfolio_event_names\n"
	"}\n"
	"\n";

static const char zsh_main[] = "_perfolio()\n"
			       "{\n"
			       "\tlocal curcontext=$curcontext state line\n"
			       "\tlocal -a perfolio_commands\n"
			       "\tperfolio_commands=(\n";

static const char zsh_body[] = "\t)\n"
			       "\t_arguments -C '(- *)--version[name this build]' '(- "
			       "*)'{-h,--help}'[list the commands]' \\\n"
			       "\t\t'1:command:->command' '*::argument:->argument' && return\n"
			       "\tif [[ $state == command ]]; then\n"
			       "\t\t_describe command perfolio_commands\n"
			       "\t\treturn\n"
			       "\tfi\n"
			       "\tcase $line[1] in\n";

static const char zsh_tail[] = "\tesac\n"
			       "}\n"
			       "\n"
			       "if [[ $funcstack[1] == _perfolio ]]; then\n"
			       "\t_perfolio \"$@\"\n"
			       "else\n"
			       "\tcompdef _perfolio perfolio\n"
			       "fi\n";

/* Text inside single quotes; a backslash before each of `special`. */
static void zsh_text(FILE *out, const char *text, const char *special)
{
	for (; *text; text++) {
		if (*text == '\'') {
			fputs("'\\''", out);
			continue;
		}
		if (strchr(special, *text))
			putc('\\', out);
		putc(*text, out);
	}
}

/* The names: "'(-e --event)'{-e+,--event=}", or only the one there is; -e+ takes a value. */
static void zsh_names(FILE *out, const struct option_spec *spec)
{
	bool repeats = spec->kind == OPT_LIST || spec->kind == OPT_COUNT || spec->kind == OPT_CALL;
	bool optional = spec->arg && spec->arg[0] == '[';
	const char *short_end = !spec->arg ? "" : optional ? "-" : "+";
	const char *long_end = !spec->arg ? "" : optional ? "=-" : "=";

	if (repeats)
		fputs("'*'", out);
	else if (spec->short_name && spec->long_name)
		fprintf(out, "'(-%c --%s)'", spec->short_name, spec->long_name);
	if (spec->short_name && spec->long_name)
		fprintf(out, "{-%c%s,--%s%s}", spec->short_name, short_end, spec->long_name,
			long_end);
	else if (spec->long_name)
		fprintf(out, "--%s%s", spec->long_name, long_end);
	else
		fprintf(out, "-%c%s", spec->short_name, short_end);
}

static void zsh_option(FILE *out, const struct option_spec *spec)
{
	const struct value_kind *kind = value_kind(spec);

	fputs("\t\t\t", out);
	zsh_names(out, spec);
	fputs("'[", out);
	zsh_text(out, spec->help, "[]\\");
	putc(']', out);
	if (spec->arg) {
		fputs(spec->arg[0] == '[' ? "::" : ":", out);
		zsh_text(out, spec->arg, ":\\");
		fprintf(out, ":%s", kind ? kind->zsh : " ");
	}
	fputs("' \\\n", out);
}

static void zsh_summaries(FILE *out)
{
	fputs("_perfolio_summaries()\n{\n\tlocal -a names\n\tnames=(\n", out);
	for (size_t i = 0; summaries[i]; i++) {
		fprintf(out, "\t\t'%s:", summaries[i]->name);
		zsh_text(out, summaries[i]->about, "\\:");
		fputs("'\n", out);
	}
	fputs("\t\t'record:record for one of them'\n\t)\n"
	      "\t_describe summary names\n\t_files\n}\n\n",
	      out);
}

static void write_zsh(FILE *out)
{
	fputs(zsh_head, out);
	zsh_summaries(out);
	fputs(zsh_main, out);
	for (size_t i = 0; commands[i]; i++) {
		fprintf(out, "\t\t'%s:", commands[i]->name);
		zsh_text(out, commands[i]->summary, "\\");
		fputs("'\n", out);
	}
	fputs(zsh_body, out);
	for (size_t i = 0; commands[i]; i++) {
		fprintf(out, "\t%s)\n\t\t_arguments -s -S '(- *)'{-h,--help}'[explain it]' \\\n",
			commands[i]->name);
		for (const struct option_spec *spec = commands[i]->options; spec && spec->kind;
		     spec++)
			if (is_shown(spec))
				zsh_option(out, spec);
		if (commands[i]->flags & CMD_RUNS_PROGRAM)
			fputs("\t\t\t'*::: :_normal' ;;\n", out);
		else if (!strcmp(commands[i]->name, "help"))
			fputs("\t\t\t'1: :{_describe command perfolio_commands}' ;;\n", out);
		else if (!strcmp(commands[i]->name, "script"))
			fputs("\t\t\t'1: :_perfolio_summaries' '*: :_files' ;;\n", out);
		else
			fputs("\t\t\t'*: :_files' ;;\n", out);
	}
	fputs(zsh_tail, out);
}

static const char fish_head[] =
	"# fish completion for perfolio, made by `perfolio help --completion fish`\n"
	"\n"
	"function __perfolio_events\n"
	"\tset -q __perfolio_event_names\n"
	"\tor set -g __perfolio_event_names (perfolio list --raw-dump 2>/dev/null | string split ' "
	"')\n"
	"\tset -l typed (commandline -ct | string replace -r '[^,{]*$' '')\n"
	"\tfor name in $__perfolio_event_names\n"
	"\t\techo $typed$name\n"
	"\tend\n"
	"end\n"
	"\n"
	"complete -c perfolio -n __fish_use_subcommand -f\n"
	"complete -c perfolio -n __fish_use_subcommand -l help -s h -d 'list the commands'\n"
	"complete -c perfolio -n __fish_use_subcommand -l version -d 'name this build'\n";

/* Text inside single quotes. */
static void fish_text(FILE *out, const char *text)
{
	putc('\'', out);
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			putc('\\', out);
		putc(*text, out);
	}
	putc('\'', out);
}

static void fish_option(FILE *out, const struct command *command, const struct option_spec *spec)
{
	const struct value_kind *kind = value_kind(spec);

	fprintf(out, "complete -c perfolio -n '__fish_seen_subcommand_from %s'", command->name);
	if (spec->short_name)
		fprintf(out, " -s %c", spec->short_name);
	if (spec->long_name)
		fprintf(out, " -l %s", spec->long_name);
	if (spec->arg && spec->arg[0] != '[' && kind && kind->fish) {
		fputs(" -x -a ", out);
		fish_text(out, kind->fish);
	} else if (spec->arg && spec->arg[0] != '[') {
		fputs(kind ? " -r -F" : " -x", out);
	}
	fputs(" -d ", out);
	fish_text(out, spec->help);
	putc('\n', out);
}

static void write_fish(FILE *out)
{
	fputs(fish_head, out);
	for (size_t i = 0; commands[i]; i++) {
		fprintf(out, "complete -c perfolio -n __fish_use_subcommand -a %s -d ",
			commands[i]->name);
		fish_text(out, commands[i]->summary);
		putc('\n', out);
	}
	for (size_t i = 0; commands[i]; i++) {
		for (const struct option_spec *spec = commands[i]->options; spec && spec->kind;
		     spec++)
			if (is_shown(spec))
				fish_option(out, commands[i], spec);
		if (commands[i]->flags & CMD_RUNS_PROGRAM)
			fprintf(out,
				"complete -c perfolio -n '__fish_seen_subcommand_from %s' -a "
				"'(__fish_complete_subcommand --fcs-skip=2)'\n",
				commands[i]->name);
	}
	fputs("complete -c perfolio -n '__fish_seen_subcommand_from help' -f -a '", out);
	for (size_t i = 0; commands[i]; i++)
		fprintf(out, "%s%s", i ? " " : "", commands[i]->name);
	fputs("'\ncomplete -c perfolio -n '__fish_seen_subcommand_from script' -a '", out);
	for (size_t i = 0; summaries[i]; i++)
		fprintf(out, "%s ", summaries[i]->name);
	fputs("record'\n", out);
}

int completion_write(FILE *out, const char *shell, struct err *err)
{
	if (!strcmp(shell, "bash"))
		write_bash(out);
	else if (!strcmp(shell, "zsh"))
		write_zsh(out);
	else if (!strcmp(shell, "fish"))
		write_fish(out);
	else
		return err_set(err, EINVAL, "no completion for '%s'; must be bash, zsh or fish",
			       shell);
	return 0;
}
