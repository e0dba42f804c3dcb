// SPDX-License-Identifier: Apache-2.0
#include "base/err.h"
#include "base/json.h"
#include "base/text.h"
#include "cmd/command.h"
#include "cmd/doctor_page.h"
#include "cmd/doctor_server.h"
#include "cmd/doctor_trust.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define TITLE_WIDTH 19
#define TEXT_COLUMN (4 + TITLE_WIDTH)

static const struct option_spec specs[] = {
	{ OPT_TEXT, 'i', "input", offsetof(struct doctor_flags, input), "FILE",
	  "how far this recording can be trusted, object by object, and what would help" },
	{ OPT_TEXT, 'p', "pid", offsetof(struct doctor_flags, pid), "PID",
	  "the same for a running process, from two seconds of samples" },
	{ OPT_FLAG, 0, "server", offsetof(struct doctor_flags, server), NULL,
	  "whether a server is set up as it should be; FILE is its data folder, or its link" },
	{ OPT_FLAG, 'v', "verbose", offsetof(struct doctor_flags, verbose), NULL,
	  "add how each thing was found out" },
	{ OPT_FLAG, 'j', "json", offsetof(struct doctor_flags, json), NULL,
	  "print the findings as JSON" },
	{ 0 },
};

static void print_finding(const struct page *page, const struct finding *f)
{
	char line[6000];

	fputs("  ", page->out);
	page_mark(page, f->state);
	fprintf(page->out, " %-*s", TITLE_WIDTH, f->title);
	snprintf(line, sizeof(line), "%s%s%s", f->what, f->meaning ? "; " : "",
		 f->meaning ? f->meaning : "");
	text_wrap(page->out, line, TEXT_COLUMN, page->width);
	if (f->needs) {
		snprintf(line, sizeof(line), "%s would do (see the end)%s%s", f->needs,
			 f->remedy ? "; " : "", f->remedy ? f->remedy : "");
		page_text(page, TEXT_COLUMN, page_arrow(page), line, COLOR_BOLD);
	} else if (f->remedy) {
		page_text(page, TEXT_COLUMN, page_arrow(page), f->remedy, COLOR_BOLD);
	}
	if (page->verbose && f->evidence) {
		snprintf(line, sizeof(line), "(%s)", f->evidence);
		page_text(page, TEXT_COLUMN, "", line, COLOR_DIM);
	}
}

static void print_part(const struct page *page, const char *head, const char *list)
{
	if (!list[0])
		return;
	fprintf(page->out, "%s ", head);
	text_wrap(page->out, list, (int)strlen(head) + 1, page->width);
}

static void print_verdict(const struct page *page, const struct doctor *doctor)
{
	fprintf(page->out, "%s%s%s\n",
		text_color(page->out, doctor->works ? COLOR_GOOD : COLOR_BAD),
		doctor->works ? "Profiling works here." : "Profiling does not work here.",
		text_color(page->out, COLOR_OFF));
	print_part(page, "Yes:    ", doctor->works_text);
	print_part(page, "In part:", doctor->limited_text);
	print_part(page, "No:     ", doctor->missing_text);
}

static size_t count_state(const struct doctor *doctor, enum doctor_state state)
{
	size_t count = 0;

	vec_each (f, &doctor->findings)
		count += f->state == state;
	return count;
}

static void print_server_verdict(const struct page *page, const struct doctor *doctor)
{
	size_t bad = count_state(doctor, DOCTOR_MISSING);
	size_t warnings = count_state(doctor, DOCTOR_LIMITED);

	fprintf(page->out, "%s%s%s", text_color(page->out, bad ? COLOR_BAD : COLOR_GOOD),
		bad ? "The server is not set up safely" : "The server is set up well",
		text_color(page->out, COLOR_OFF));
	if (bad || warnings)
		fprintf(page->out, ": %zu bad, %zu to consider", bad, warnings);
	fputs(".\n", page->out);
}

static void print_page(const struct doctor *doctor, const struct doctor_flags *flags)
{
	struct page page = page_of(stdout, flags->verbose);
	const char *area = "";

	if (flags->server)
		print_server_verdict(&page, doctor);
	else
		print_verdict(&page, doctor);
	vec_each (f, &doctor->findings) {
		if (strcmp(area, f->area))
			printf("\n%s%s%s\n", text_color(stdout, COLOR_BOLD), f->area,
			       text_color(stdout, COLOR_OFF));
		area = f->area;
		print_finding(&page, f);
	}
	if (doctor->grant_text)
		printf("\nTo open what is closed to you but not to root:\n  %s%s%s\n",
		       text_color(stdout, COLOR_BOLD), doctor->grant_text,
		       text_color(stdout, COLOR_OFF));
}

static void print_json(const struct doctor *doctor)
{
	struct json json = json_to(stdout);

	json.pretty = true;
	json_open(&json, NULL, '{');
	json_flag(&json, "works", doctor->works);
	json_text(&json, "grant", doctor->grant_text);
	json_open(&json, "findings", '[');
	vec_each (f, &doctor->findings) {
		json_open(&json, NULL, '{');
		json_text(&json, "id", f->id);
		json_text(&json, "area", f->area);
		json_text(&json, "title", f->title);
		json_text(&json, "state", doctor_state_name(f->state));
		json_text(&json, "what", f->what);
		json_text(&json, "meaning", f->meaning);
		json_text(&json, "needs", f->needs);
		json_text(&json, "remedy", f->remedy);
		json_text(&json, "evidence", f->evidence);
		json_close(&json);
	}
	json_close(&json);
	json_close(&json);
	putchar('\n');
}

static int run(void *options, int argc, char **argv, struct err *err)
{
	struct doctor_flags *flags = options;
	struct doctor_options all = { 0 };
	struct doctor doctor;
	bool works;
	int rc = 0;

	if (flags->server && (flags->input || flags->pid || argc > 1))
		return err_set(err, EINVAL, "--server: one data folder");
	if (argc > (flags->input || flags->pid ? 0 : 1))
		return err_set(err, EINVAL, "one recording or process at a time");
	if (argc && !flags->server)
		flags->input = argv[0];
	if (flags->input && flags->pid)
		return err_set(err, EINVAL, "-i and -p don't go together");
	if (flags->input || flags->pid)
		return doctor_trust(flags, err);
	if (flags->server && argc && strstr(argv[0], "://"))
		rc = doctor_remote(&doctor, argv[0], err);
	else if (flags->server)
		rc = doctor_server(&doctor, argc ? argv[0] : NULL, err);
	else
		doctor_examine(&doctor, &all);
	if (rc) {
		doctor_free(&doctor);
		return rc;
	}
	if (flags->json)
		print_json(&doctor);
	else
		print_page(&doctor, flags);
	works = doctor.works;
	doctor_free(&doctor);
	return works ? EXIT_DONE : EXIT_FAILED;
}

const struct command cmd_doctor = {
	.name = "doctor",
	.args = "[FILE]",
	.summary = "explain what this machine can measure, and how to get the rest",
	.example = "perfolio doctor",
	.options = specs,
	.options_size = sizeof(struct doctor_flags),
	.run = run,
};
