// SPDX-License-Identifier: Apache-2.0
#include "cmd/doctor_trust.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "cmd/doctor_page.h"
#include "cmd/load.h"
#include "cmd/record_options.h"
#include "profile/trust.h"
#include "render/panel_json.h"
#include "symbol/package.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SAMPLE_SECONDS 2
#define SAMPLE_RATE    997 /* enough for shares, and no echo of anything that ticks */
#define FAULT_COLUMN   4
#define MARK_COLUMN    2     /* behind a mark */
#define SHOWN_SHARE    0.005 /* objects below it are shown only if something is wrong with them */

struct examination {
	struct loaded in;
	const struct profile *profile; /* of it */
	struct panel panel;
	struct trust trust;
	struct remedy_facts facts;
	const char *subject;
};

extern const struct command cmd_record;

static int examine(struct examination *e, const char *path, struct err *err)
{
	int rc = load_profile(&e->in, path, &(struct load_options){ 0 }, err);

	if (rc)
		return rc;
	e->profile = e->in.profile;
	e->facts.copy_size = load_copy_size(&e->in);
	panel_make(&e->panel, e->profile, profile_main_event(e->profile));
	trust_of(&e->trust, e->profile, e->panel.event, &e->facts);
	/* Where all were lost, or the file is cut before the first one, that is the finding. */
	if (e->in.reader && e->trust.fault_count == 1 && e->trust.faults[0].reason == PANEL_NONE)
		return err_set(err, ENODATA, "%s has no samples: %s", e->subject,
			       e->trust.faults[0].text);
	return 0;
}

/* Some samples of a process, with stacks, in a file that is gone when we are done. */
static int sample_process(const char *pid, const char *path, struct err *err)
{
	struct record_options options = record_option_defaults;
	int rc;

	options.pids = pid;
	options.output = path;
	options.quiet = true;
	options.call_graph = true;
	options.choice.frequency = SAMPLE_RATE;
	options.frequency_given = true;
	options.timeout_ns = SAMPLE_SECONDS * INT64_C(1000000000);
	rc = cmd_record.run(&options, 0, (char *[]){ NULL }, err);
	record_options_release(&options);
	return rc > 0 ? err_set(err, EIO, "process %s could not be sampled", pid) : rc;
}

static int examine_process(struct examination *e, const char *pid, struct err *err)
{
	const char *folder = getenv("TMPDIR");
	char *dir = mem_printf("%s/perfolio-XXXXXX", folder && *folder ? folder : "/tmp"), *path;
	char subject[64];
	int rc;

	if (!mkdtemp(dir)) {
		rc = err_set(err, errno, "%s: %s", dir, strerror(errno));
		free(dir);
		return rc;
	}
	snprintf(subject, sizeof(subject), "process %s", pid);
	e->subject = subject;
	path = mem_printf("%s/perf.data", dir);
	rc = sample_process(pid, path, err);
	if (!rc)
		rc = examine(e, path, err);
	if (rc == -ENODATA)
		rc = err_set(err, ENODATA, "process %s did not run in %d seconds", pid,
			     SAMPLE_SECONDS);
	e->subject = NULL;
	unlink(path);
	rmdir(dir);
	free(path);
	free(dir);
	return rc;
}

static bool is_good(const struct panel_row *row)
{
	return row->stacks == PANEL_GOOD && row->names == PANEL_GOOD;
}

/* Whether something is wrong that the recording as a whole has to be told of. */
static bool is_told(const struct panel_row *row)
{
	return (row->stacks != PANEL_GOOD && !row->light_stacks) ||
	       (row->names != PANEL_GOOD && !row->light_names);
}

/* Whether its own figures have nothing to explain. */
static bool is_clean(const struct panel_row *row)
{
	return is_good(row) && !panel_matters(&row->lost, &row->through) &&
	       !panel_matters(&row->skipped, &row->through) &&
	       !panel_matters(&row->unclear, &row->through) &&
	       !panel_matters(&row->unnamed, &row->self);
}

/* A row whose faults are too few samples for a word is not praised. */
static void print_mark(const struct page *page, const struct panel_row *row)
{
	if (!is_good(row))
		page_mark(page, DOCTOR_LIMITED);
	else if (is_clean(row))
		page_mark(page, DOCTOR_OK);
	else
		putc(' ', page->out);
}

static char *remedy_of(const struct examination *e, const struct panel_row *row,
		       enum panel_reason reason)
{
	return remedy_for(reason, e->profile, &e->profile->objects.data[row->object], &e->facts);
}

static void print_fault(const struct page *page, const struct examination *e,
			const struct panel_row *row, const char *what, enum panel_reason reason)
{
	char *remedy = remedy_of(e, row, reason);
	char line[256];

	if (reason != PANEL_GOOD) {
		snprintf(line, sizeof(line), "%s: %s", what, panel_reason(reason)->text);
		page_text(page, FAULT_COLUMN, "", line, COLOR_OFF);
	}
	if (page->verbose && panel_reason(reason)->see) {
		snprintf(line, sizeof(line), "see: %s", panel_reason(reason)->see);
		page_text(page, FAULT_COLUMN, "", line, COLOR_OFF);
	}
	if (remedy)
		page_text(page, FAULT_COLUMN, page_arrow(page), remedy, COLOR_BOLD);
	free(remedy);
}

static void print_row(const struct page *page, const struct examination *e,
		      const struct panel_row *row)
{
	const char *path = profile_text(e->profile, e->profile->objects.data[row->object].path);

	print_mark(page, row);
	fprintf(page->out, " %6.2f %%  %6.2f %%", 100 * panel_share(&row->self, &e->panel.all),
		100 * panel_share(&row->unnamed, &row->self));
	if (e->panel.has_stacks)
		fprintf(page->out, "  %7.2f %%  %7.2f %%",
			100 * panel_share(&row->lost, &row->through),
			100 * panel_share(&row->skipped, &row->through));
	fprintf(page->out, "  %s\n", path);
	print_fault(page, e, row, "names", row->names);
	print_fault(page, e, row, "stacks", row->stacks);
}

static void print_rows(const struct page *page, const struct examination *e)
{
	double light = 0;
	size_t left_out = 0;
	bool clean = true;

	fprintf(page->out, "\n   samples   unnamed%s  object\n",
		e->panel.has_stacks ? "  cut short  no caller" : "");
	vec_each (row, &e->panel.rows) {
		if (is_told(row) || panel_share(&row->self, &e->panel.all) >= SHOWN_SHARE) {
			print_row(page, e, row);
			continue;
		}
		left_out++;
		clean &= is_clean(row);
		light += panel_share(&row->self, &e->panel.all);
	}
	if (left_out)
		fprintf(page->out, "  and %zu more with %.2f %% of the samples%s\n", left_out,
			100 * light, clean ? ", nothing wrong" : "");
}

/* What is wrong with the recording as a whole; objects have their own lines. */
static void print_faults(const struct page *page, const struct trust *t)
{
	for (size_t i = 0; i < t->fault_count; i++) {
		const struct trust_fault *fault = &t->faults[i];
		const char *see = panel_reason(fault->reason)->see;
		char line[512];

		if (fault->object != NO_OBJECT_ID)
			continue;
		page_mark(page, DOCTOR_LIMITED);
		fputc(' ', page->out);
		text_wrap(page->out, fault->text, MARK_COLUMN, page->width);
		if (page->verbose && see) {
			snprintf(line, sizeof(line), "see: %s", see);
			page_text(page, FAULT_COLUMN, "", line, COLOR_OFF);
		}
		if (*fault->remedy)
			page_text(page, FAULT_COLUMN, page_arrow(page), fault->remedy, COLOR_BOLD);
	}
}

static void print_summary(const struct page *page, const struct examination *e)
{
	struct buf text = { 0 };
	char samples[TEXT_NUMBER], lost[TEXT_NUMBER];
	const struct trust *t = &e->trust;
	bool good = trust_is_good(t);

	fprintf(page->out, "%s%s%s\n", text_color(page->out, good ? COLOR_GOOD : COLOR_WARN),
		strcmp(trust_verdict(t), TRUST_CARE) ? trust_verdict(t)
						     : TRUST_CARE " see what is marked below.",
		text_color(page->out, COLOR_OFF));
	buf_printf(&text, "%s sample%s%s%s, %s lost, throttled %llu time%s",
		   text_grouped(samples, t->samples), text_plural(t->samples),
		   t->events > 1 ? " of " : "",
		   t->events > 1 ? profile_text(e->profile, e->profile->events.data[t->event].name)
				 : "",
		   text_grouped(lost, t->lost), (unsigned long long)t->throttled,
		   t->throttled == 1 ? "" : "s");
	if (t->samples)
		buf_printf(&text, "; %.2f %% have a name", 100 * (1 - t->unknown_share));
	if (e->panel.has_stacks)
		buf_printf(&text, "; %.2f %% of the stacks reach their beginning",
			   100 * panel_share(&e->panel.whole, &e->panel.all));
	if (t->skipped_share > 0)
		buf_printf(&text, "; %.2f %% lack a direct caller", 100 * t->skipped_share);
	if (t->unclear_share > 0)
		buf_printf(&text, "; %.2f %% may lack one", 100 * t->unclear_share);
	if (e->panel.spliced.samples)
		buf_printf(&text, "; %.2f %% go on by frame pointers where the copy ended",
			   100 * panel_share(&e->panel.spliced, &e->panel.all));
	if (t->covered_share >= 0)
		buf_printf(&text, "; samples stand for %.1f %% of %.3f s of %s",
			   100 * t->covered_share, (double)t->cpu_ns / 1e9, trust_time_noun(t));
	if (t->counted)
		buf_printf(&text, "; samples stand for %s, %s were counted",
			   text_grouped(samples, t->weight), text_grouped(lost, t->counted));
	if (t->idle_share >= 0)
		buf_printf(&text, "; CPUs were idle for %.1f %%", 100 * t->idle_share);
	if (text_is_terminal(page->out))
		text_wrap(page->out, buf_text(&text), 0, page->width);
	else
		fprintf(page->out, "%s\n", buf_text(&text));
	buf_free(&text);
	print_faults(page, t);
}

static void print_json(const struct examination *e)
{
	struct json json = json_to(stdout);

	json.pretty = true;
	json_open(&json, NULL, '{');
	json_flag(&json, "good", trust_is_good(&e->trust));
	json_text(&json, "verdict", trust_verdict(&e->trust));
	json_text(&json, "event",
		  e->profile->events.len
			  ? profile_text(e->profile, e->profile->events.data[e->trust.event].name)
			  : NULL);
	json_u64(&json, "samples", e->trust.samples);
	json_u64(&json, "lost", e->trust.lost);
	json_u64(&json, "throttled", e->trust.throttled);
	json_u64(&json, "guest_samples", e->trust.guests);
	json_u64(&json, "whole_stacks", e->panel.whole.samples);
	json_u64(&json, "cut_stacks", e->panel.cut.samples);
	json_u64(&json, "spliced_stacks", e->panel.spliced.samples);
	json_u64(&json, "skipped_stacks", e->panel.skipped.samples);
	json_u64(&json, "unclear_stacks", e->panel.unclear.samples);
	trust_faults_json(e->profile, &e->trust, &json);
	if (e->trust.covered_share >= 0)
		json_double(&json, "covered_percent", 100 * e->trust.covered_share);
	else
		json_text(&json, "covered_percent", NULL);
	json_text(&json, "remedy", *e->trust.remedy ? e->trust.remedy : NULL);
	json_open(&json, "objects", '[');
	vec_each (row, &e->panel.rows)
		panel_row_json(row, e->profile, &e->facts, &json);
	json_close(&json);
	json_close(&json);
	putchar('\n');
}

/* Of what others have worked out not everything can be known. */
static void examine_imported(const struct page *page, const struct loaded *in, bool as_json)
{
	struct json json = json_to(stdout);
	struct buf known = { 0 };

	if (as_json) {
		json.pretty = true;
		json_open(&json, NULL, '{');
		loaded_trust_json(in, &json);
		json_close(&json);
		putchar('\n');
		return;
	}
	loaded_trust_text(in, &known);
	page_text(page, 0, "", buf_text(&known), COLOR_OFF);
	if (in->imported.broken)
		fprintf(page->out, "the first line that was not understood, %llu: %s\n",
			(unsigned long long)in->imported.broken_line, in->imported.broken_text);
	page_text(page, 0, page_arrow(page),
		  "`perfolio doctor` of the recording it was made from knows more", COLOR_BOLD);
	buf_free(&known);
}

int doctor_trust(const struct doctor_flags *flags, struct err *err)
{
	struct examination e = { .in.spool = -1,
				 .subject = flags->input,
				 .facts = { .packages = PACKAGE_LISTS } };
	struct page page = page_of(stdout, flags->verbose);
	int rc = flags->pid ? examine_process(&e, flags->pid, err) : examine(&e, e.subject, err);

	if (!rc && !e.in.reader) {
		examine_imported(&page, &e.in, flags->json);
	} else if (!rc && flags->json) {
		print_json(&e);
	} else if (!rc) {
		print_summary(&page, &e);
		if (e.profile->samples.len)
			print_rows(&page, &e);
	}
	panel_free(&e.panel);
	loaded_close(&e.in);
	return rc;
}
