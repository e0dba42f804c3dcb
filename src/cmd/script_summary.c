// SPDX-License-Identifier: Apache-2.0
#include "cmd/script_summary.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/log.h"
#include "base/outbuf.h"
#include "base/text.h"
#include "cmd/command.h"
#include "cmd/output.h"
#include "cmd/record_options.h"
#include "cmd/script_filter.h"
#include "perfdata/reader.h"
#include "render/summary.h"
#include "summary/run.h"

#include <errno.h>
#include <unistd.h>

const struct summary *script_summary_named(int *argc, char ***argv)
{
	bool report = *argc > 1 && !strcmp((*argv)[0], "report");
	const struct summary *summary = *argc ? summary_find((*argv)[report]) : NULL;

	if (summary) {
		*argc -= 1 + report;
		*argv += 1 + report;
	}
	return summary;
}

static int unknown_name(const char *name, const char *known, struct err *err)
{
	const struct summary *nearest = NULL;
	int best = 0;

	for (size_t i = 0; summaries[i]; i++) {
		int distance = text_typo_of(name, summaries[i]->name);

		if (distance && (!best || distance < best)) {
			best = distance;
			nearest = summaries[i];
		}
	}
	if (nearest)
		return err_set(err, EINVAL, "no %s is called '%s'; did you mean '%s'?", known, name,
			       nearest->name);
	return err_set(err, EINVAL, "no %s is called '%s'; `perfolio script -l` lists them", known,
		       name);
}

int script_summary_mistyped(const char *word, bool followed, struct err *err)
{
	struct err said = { 0 };

	if (!access(word, F_OK) || (!followed && strpbrk(word, "./")))
		return 0;
	unknown_name(word, "file and no summary", &said);
	return followed || strstr(said.text, "did you mean") ? err_set(err, EINVAL, "%s", said.text)
							     : 0;
}

/* How much of two names is the same, in whole words: "syscalls:sys_enter_". */
static size_t common_start(const char *a, const char *b)
{
	size_t start = 0;

	for (size_t i = 0; a[i] && a[i] == b[i]; i++)
		if (a[i] == '_' || a[i] == ':')
			start = i + 1;
	return strchr(a, ':') && start > (size_t)(strchr(a, ':') - a) + 1 ? start : 0;
}

/* "syscalls:sys_enter_{read,write} syscalls:sys_exit_read" */
static void short_events(const struct summary *summary, struct buf *into)
{
	const char *before = NULL;
	size_t same = 0;

	for (size_t i = 0; i < summary->kind->need_count; i++) {
		const struct summary_need *need = &summary->kind->needs[i];
		const struct summary_need *next = i + 1 < summary->kind->need_count ? need + 1
										    : NULL;

		if (need->instead)
			continue;
		if (same && strncmp(before, need->event, same)) {
			buf_puts(into, "}");
			same = 0;
		}
		if (same) {
			buf_printf(into, ",%s", need->event + same);
			continue;
		}
		before = need->event;
		same = need->extra && next ? common_start(before, next->event) : 0;
		buf_printf(into, "%s%.*s%s%s", into->len ? " " : "", (int)same, before,
			   same ? "{" : "", before + same);
	}
	buf_puts(into, same ? "}" : "");
}

static void list_one(const struct summary *summary)
{
	struct buf events = { 0 };
	int width = text_width(stdout) < 100 ? text_width(stdout) : 100;

	short_events(summary, &events);
	printf("%s%s%s\n    ", text_color(stdout, COLOR_BOLD), summary->name,
	       text_color(stdout, COLOR_OFF));
	text_wrap(stdout, summary->about, 4, width);
	printf("    ");
	text_wrap(stdout, buf_text(&events), 4, width);
	printf("    %sperfolio script record %s %s%s\n", text_color(stdout, COLOR_DIM),
	       summary->name, summary->kind->whole_machine ? "-- sleep 10" : "-- ./prog",
	       text_color(stdout, COLOR_OFF));
	buf_free(&events);
}

static void list_json(void)
{
	struct json json = json_to(stdout);

	json_open(&json, NULL, '[');
	for (size_t i = 0; summaries[i]; i++) {
		char *events = summary_events(summaries[i]);

		json_open(&json, NULL, '{');
		json_text(&json, "name", summaries[i]->name);
		json_text(&json, "about", summaries[i]->about);
		json_text(&json, "events", events);
		json_flag(&json, "whole_machine", summaries[i]->kind->whole_machine);
		json_close(&json);
		free(events);
	}
	json_close(&json);
}

int script_summary_list(bool json)
{
	if (json) {
		list_json();
		return EXIT_DONE;
	}
	printf("Each with the events that it looks at and a command that records them; then "
	       "`perfolio script NAME`.\n\n");
	for (size_t i = 0; summaries[i]; i++)
		list_one(summaries[i]);
	return EXIT_DONE;
}

static bool takes(void *user, const struct summary_who *who)
{
	return script_filter_takes_deed(user, who);
}

static int print_text(const struct summary_result *result, struct err *err)
{
	struct outbuf out;

	outbuf_init(&out, STDOUT_FILENO);
	summary_text(result, &out);
	return output_end(&out, EXIT_DONE, err);
}

static int print_json(const struct summary *summary, const struct summary_result *result)
{
	struct json json = json_to(stdout);

	summary_json(result, summary->name, &json);
	return EXIT_DONE;
}

int script_summary_print(const struct summary *summary, struct perf_reader *reader,
			 const char *path, const struct script_filter *filter, bool as_json,
			 struct err *err)
{
	const struct summary_choice choice = { .takes = takes, .user = (void *)filter };
	struct summary_result result = { 0 };
	const char *damage;
	int rc = summary_run(summary, reader, path, &choice, &result, err);

	if (!rc)
		rc = as_json ? print_json(summary, &result) : print_text(&result, err);
	damage = perf_reader_damage(reader);
	if (damage)
		log_line(LOG_WARN, "%s: %s", path, damage);
	summary_result_free(&result);
	return rc;
}

/*
 * Whether the words say who is to be recorded; asked of the parser of `record` itself, on a copy,
 * since it may move the words about.  Words that it does not take are left for it to complain.
 */
static bool has_target(int argc, char **argv, bool *command)
{
	struct record_options options = record_option_defaults;
	char **copy = mem_resize(NULL, (size_t)argc + 1, sizeof(*copy));
	struct options_result parsed = { 0 };
	bool target = false;

	memcpy(copy, argv, ((size_t)argc + 1) * sizeof(*copy));
	*command = true;
	if (!options_parse(record_option_specs, &options, argc, copy, true, &parsed, NULL)) {
		target = record_options_has_target(&options);
		*command = parsed.next < argc;
	}
	record_options_release(&options);
	free(copy);
	return target;
}

extern const struct command cmd_record;

const struct command *script_summary_record(int argc, char **argv, struct strlist *words,
					    struct err *err)
{
	const struct summary *summary;
	bool command;
	char *events;

	if (argc < 2 || strcmp(argv[1], "record"))
		return NULL;
	if (argc < 3 || argv[2][0] == '-') {
		err_set(err, EINVAL,
			"record which summary? Its name comes first; `perfolio script -l` lists "
			"them");
		return NULL;
	}
	summary = summary_find(argv[2]);
	if (!summary) {
		unknown_name(argv[2], "summary", err);
		return NULL;
	}
	events = summary_events(summary);
	strlist_add(words, "record");
	strlist_add(words, "-e");
	strlist_add(words, events);
	strlist_add(words, "--summary");
	strlist_add(words, summary->name);
	if (!has_target(argc - 2, argv + 2, &command) && (summary->kind->whole_machine || !command))
		strlist_add(words, "-a");
	for (int i = 3; i < argc; i++)
		strlist_add(words, argv[i]);
	*vec_push(words) = NULL;
	free(events);
	return &cmd_record;
}
