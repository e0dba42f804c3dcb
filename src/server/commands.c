// SPDX-License-Identifier: Apache-2.0
#include "server/commands.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/json.h"
#include "record/sampleattr.h"
#include "server/form.h"
#include "server/quote.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define PERF_LEAST_MS 10 /* perf stat refuses a shorter interval */

struct command {
	const struct form *form;
	struct arena *arena;
	bool perf; /* rather than perfolio */
	struct wordlist words;
};

static void add(struct command *command, const char *word)
{
	*vec_push(&command->words) = word;
}

static void add2(struct command *command, const char *option, const char *value)
{
	if (!*value)
		return;
	add(command, option);
	add(command, value);
}

static void add_all(struct command *command, const struct wordlist *words)
{
	vec_each (word, words)
		add(command, *word);
}

static const char *number(struct command *command, double value)
{
	return arena_printf(command->arena, "%.15g", value);
}

/* taskset before the program, not before the tool, which is not to be pinned with it. */
static void add_program(struct command *command)
{
	const struct form *form = command->form;

	add(command, "--");
	if (form->limit_s > 0)
		add2(command, "timeout", number(command, form->limit_s));
	if (*form->cpus) {
		add(command, "taskset");
		add2(command, "-c", form->cpus);
	}
	add_all(command, &form->argv);
}

static void add_target(struct command *command)
{
	const struct form *form = command->form;

	switch (form->target) {
	case TARGET_COMMAND: add_program(command); return;
	case TARGET_PROCESS:
		add2(command, "-p", form->who);
		if (form->children && !command->perf)
			add(command, "--tree");
		break;
	case TARGET_THREAD: add2(command, "-t", form->who); break;
	case TARGET_USER: add2(command, "-u", form->who); break;
	case TARGET_HOST: add(command, "-a"); break;
	}
	if (form->limit_s > 0) {
		add(command, "--");
		add2(command, "sleep", number(command, form->limit_s));
	}
}

static void count_line(struct command *command)
{
	const struct form *form = command->form;
	double ms = (double)form->interval_ms;

	add(command, "stat");
	add2(command, "-I",
	     number(command, command->perf && ms < PERF_LEAST_MS ? PERF_LEAST_MS : ms));
	add2(command, "-e", form->count_events);
	add_all(command, &form->stat_options);
	add_target(command);
}

/* Copies as large as the rate allows are ours: perf has to be told how large that is. */
static const char *call_graph(struct command *command)
{
	const struct form *form = command->form;

	if (!command->perf || strcmp(form->call_graph, "dwarf"))
		return form->call_graph;
	return arena_printf(command->arena, "dwarf,%u",
			    sampling_stack_size(strtoull(form->rate, NULL, 10), SIZE_MAX));
}

static void sample_line(struct command *command)
{
	const struct form *form = command->form;

	add(command, "record");
	if (*form->rate == 'c')
		add2(command, "-c", form->rate + 1);
	else
		add2(command, "-F", form->rate);
	add2(command, "--call-graph", call_graph(command));
	add2(command, "-e", form->sample_events);
	add(command, "--sample-cpu");
	add_all(command, &form->record_options);
	add_target(command);
}

static void quote_one(const char *word, struct buf *into)
{
	struct wordlist list = { &word, 1, 1 };

	quote_join(&list, into);
}

/*
 * NAME='a value': with the name in quotes too it would be none for a shell.  That there is a '=' is
 * what quote_assignments() promises of a form's environment.
 */
static void put_assignment(const char *assignment, struct buf *into)
{
	const char *equals = strchr(assignment, '=');

	assert(equals);
	buf_add(into, assignment, (size_t)(equals + 1 - assignment));
	if (equals[1])
		quote_one(equals + 1, into);
	buf_putc(into, ' ');
}

static void write_line(struct json *json, struct command *command,
		       void (*fill)(struct command *command))
{
	const struct form *form = command->form;
	struct buf text = { 0 };

	add(command, command->perf ? "perf" : "perfolio");
	fill(command);
	if (*form->folder) {
		buf_puts(&text, "cd ");
		quote_one(form->folder, &text);
		buf_puts(&text, " && ");
	}
	vec_each (word, &form->environment)
		put_assignment(*word, &text);
	quote_join(&command->words, &text);
	json_text(json, NULL, buf_text(&text));
	buf_free(&text);
	command->words.len = 0;
}

static void write_lines(struct json *json, struct command *command)
{
	const struct form *form = command->form;
	bool countable = !command->perf || form->target != TARGET_USER; /* perf stat has no -u */

	if (form->tool & TOOL_COUNT && countable)
		write_line(json, command, count_line);
	if (form->tool & TOOL_SAMPLE)
		write_line(json, command, sample_line);
}

void commands_write(struct json *json, const struct form *form, struct arena *arena)
{
	static const char *const programs[] = { "perfolio", "perf" };
	struct command command = { .form = form, .arena = arena };

	json_open(json, "commands", '{');
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		command.perf = i == 1;
		json_open(json, programs[i], '[');
		write_lines(json, &command);
		json_close(json);
	}
	json_close(json);
	vec_free(&command.words);
}
