// SPDX-License-Identifier: Apache-2.0
#include "doctor/doctor.h"
#include "base/err.h"
#include "base/json.h"
#include "base/text.h"
#include "cmd/command.h"

#include <errno.h>
#include <langinfo.h>
#include <stdio.h>
#include <string.h>

#define TITLE_WIDTH 19
#define TEXT_COLUMN (4 + TITLE_WIDTH)

struct doctor_flags {
	bool json;
	bool verbose;
};

static const struct option_spec specs[] = {
	{ OPT_FLAG, 'v', "verbose", offsetof(struct doctor_flags, verbose), NULL,
	  "add how each thing was found out" },
	{ OPT_FLAG, 'j', "json", offsetof(struct doctor_flags, json), NULL,
	  "print the findings as JSON" },
	{ 0 },
};

/* How a state looks; the ASCII form serves where the terminal's characters are not UTF-8. */
static const struct {
	const char *utf8, *ascii;
	enum text_color color;
} marks[] = {
	[DOCTOR_OK] = { "✓", "+", COLOR_GOOD },
	[DOCTOR_LIMITED] = { "!", "!", COLOR_WARN },
	[DOCTOR_MISSING] = { "✗", "-", COLOR_BAD },
	[DOCTOR_UNKNOWN] = { "?", "?", COLOR_DIM },
};

struct page {
	FILE *out;
	int width;
	bool utf8, verbose;
};

/* A paragraph in the text column; mark is the two columns that hang out on its left, or "". */
static void print_text(const struct page *page, const char *mark, const char *text,
		       enum text_color color)
{
	fprintf(page->out, "%*s%s%s", TEXT_COLUMN, "", mark, text_color(page->out, color));
	text_wrap(page->out, text, TEXT_COLUMN + (mark[0] ? 2 : 0), page->width);
	fputs(text_color(page->out, COLOR_OFF), page->out);
}

static void print_finding(const struct page *page, const struct finding *f)
{
	const char *arrow = page->utf8 ? "→ " : "> ";
	char line[6000];

	fprintf(page->out, "  %s%s%s %-*s", text_color(page->out, marks[f->state].color),
		page->utf8 ? marks[f->state].utf8 : marks[f->state].ascii,
		text_color(page->out, COLOR_OFF), TITLE_WIDTH, f->title);
	snprintf(line, sizeof(line), "%s%s%s", f->what, f->meaning ? "; " : "",
		 f->meaning ? f->meaning : "");
	text_wrap(page->out, line, TEXT_COLUMN, page->width);
	if (f->needs) {
		snprintf(line, sizeof(line), "%s would do (see the end)%s%s", f->needs,
			 f->remedy ? "; " : "", f->remedy ? f->remedy : "");
		print_text(page, arrow, line, COLOR_BOLD);
	} else if (f->remedy) {
		print_text(page, arrow, f->remedy, COLOR_BOLD);
	}
	if (page->verbose && f->evidence) {
		snprintf(line, sizeof(line), "(%s)", f->evidence);
		print_text(page, "", line, COLOR_DIM);
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

static void print_page(const struct doctor *doctor, bool verbose)
{
	struct page page = {
		.out = stdout,
		.width = text_width(stdout) < 100 ? text_width(stdout) : 100,
		.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8"),
		.verbose = verbose,
	};
	const char *area = "";

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
	const struct doctor_flags *flags = options;
	struct doctor_options all = { 0 };
	struct doctor doctor;
	bool works;

	if (argc)
		return err_set(err, EINVAL, "takes no arguments, but '%s' was given", argv[0]);
	doctor_examine(&doctor, &all);
	if (flags->json)
		print_json(&doctor);
	else
		print_page(&doctor, flags->verbose);
	works = doctor.works;
	doctor_free(&doctor);
	return works ? EXIT_DONE : EXIT_FAILED;
}

const struct command cmd_doctor = {
	.name = "doctor",
	.summary = "explain what this machine can measure, and how to get the rest",
	.example = "perfolio doctor",
	.options = specs,
	.options_size = sizeof(struct doctor_flags),
	.run = run,
};
