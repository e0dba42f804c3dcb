// SPDX-License-Identifier: Apache-2.0
#include "cmd/flame_output.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "base/outbuf.h"
#include "base/text.h"
#include "cmd/export_output.h"
#include "cmd/load.h"
#include "cmd/output.h"
#include "profile/remedy.h"
#include "profile/trust.h"
#include "render/flame_html.h"
#include "render/flame_json.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

/* One event of a job. */
struct drawing {
	const struct flame_job *job;
	const struct profile *profile;
	uint16_t event;
	enum flame_weight weight;
	const char *unit;
	struct flametree tree;
	struct flame_svg_options svg;
	struct flame_colors colors;
	struct buf subtitle, footer, remedy;
};

static const char *event_name(const struct drawing *d)
{
	return profile_text(d->profile, d->profile->events.data[d->event].name);
}

/* A picture's lines do not break: the remedy has one of its own there. */
static void make_remedy(struct drawing *d, const struct trust *trust)
{
	bool is_picture = d->job->format == FORMAT_SVG;

	if (*trust->remedy)
		buf_printf(is_picture ? &d->remedy : &d->footer, "%s" TRUST_REMEDY,
			   is_picture ? "" : ". ", trust->remedy);
}

static bool is_not_a_figure(const struct trust_fault *fault)
{
	return fault->reason != PANEL_LOST && fault->reason != PANEL_BAD_LINES &&
	       fault->reason != PANEL_FEW;
}

/* "1,234 samples · 2 lost · ...": how far it can be trusted. */
static void make_footer(struct drawing *d)
{
	const struct loaded *in = d->job->input;
	char number[TEXT_NUMBER];
	struct trust trust;

	trust_of(&trust, d->profile, d->event,
		 &(struct remedy_facts){ .copy_size = load_copy_size(in),
					 .lines = in->imported.lines,
					 .bad_lines = in->imported.broken,
					 .negative = in->imported.negative });
	loaded_amount(in, &d->footer);
	buf_puts(&d->footer, " in all");
	/* Others' texts say nothing of what was lost. */
	if (in->format == IMPORT_PERFDATA)
		buf_printf(&d->footer, ", %s lost", trust.lost ? "" : "none");
	if (trust.lost)
		buf_printf(&d->footer, "%s (%.2f %%)", text_grouped(number, trust.lost),
			   100 * trust.lost_share);
	if (in->format == IMPORT_PERFDATA && trust.has_stacks)
		buf_printf(&d->footer, "; stacks cut short: %.2f %%", 100 * trust.cut_share);
	if (trust.skipped_share > 0)
		buf_printf(&d->footer, "; without a direct caller: %.2f %%",
			   100 * trust.skipped_share);
	if (trust.unclear_share > 0)
		buf_printf(&d->footer, "; perhaps without one: %.2f %%", 100 * trust.unclear_share);
	buf_printf(&d->footer, "; without a name: %.2f %%", 100 * trust.unknown_share);
	if (in->imported.broken)
		buf_printf(&d->footer, "; lines not understood: %s",
			   text_grouped(number, in->imported.broken));
	if (in->imported.negative)
		buf_printf(&d->footer, "; samples with negative values left out: %s",
			   text_grouped(number, in->imported.negative));
	if (strstr(event_name(d), "cpu-clock"))
		buf_puts(&d->footer, "; sampled by a timer (cpu-clock)");
	if (d->tree.idle.samples)
		buf_printf(&d->footer, "; idle CPUs left out: %s sample%s (--idle shows them)",
			   text_grouped(number, d->tree.idle.samples),
			   text_plural(d->tree.idle.samples));
	/* What those figures do not say. */
	for (size_t i = 0; i < trust.fault_count; i++)
		if (trust.faults[i].object == NO_OBJECT_ID && is_not_a_figure(&trust.faults[i]))
			buf_printf(&d->footer, "; %s", trust.faults[i].text);
	make_remedy(d, &trust);
}

static void make_subtitle(struct drawing *d)
{
	const struct weight_pair *total = &d->tree.nodes.data[0].total;
	char *amount = flame_amount(flame_value(total, d->weight), d->unit);
	const char *noun = profile_noun(d->profile, d->event);
	char number[TEXT_NUMBER];

	/* Texts without events have one of this name. */
	if (strcmp(event_name(d), noun))
		buf_printf(&d->subtitle, "%s: ", event_name(d));
	buf_printf(&d->subtitle, "%s %s", text_grouped(number, total->samples),
		   flame_noun(noun, total->samples));
	if (strcmp(d->unit, noun))
		buf_printf(&d->subtitle, ", %s", amount);
	if (profile_event_sampled(&d->profile->events.data[d->event]))
		buf_printf(&d->subtitle, "; %s only",
			   d->profile->events.data[d->event].scope & SCOPE_NO_KERNEL ? "user space"
										     : "kernel");
	buf_printf(&d->subtitle, "; width = %s", strcmp(d->unit, "ns") ? d->unit : "time");
	free(amount);
}

static int make_svg_options(struct drawing *d, struct err *err)
{
	const struct flame_args *args = d->job->args;
	int palette = flame_palette_find(args->color ? args->color : "kind");
	char *end = NULL;

	if (palette < 0)
		return err_set(err, EINVAL, "--color '%s': must be kind, name, warm or object",
			       args->color);
	if (args->width < 200 || args->width > 100000)
		return err_set(err, EINVAL, "--width %d: 200 to 100000 pixels", args->width);
	d->svg = (struct flame_svg_options){
		.unit = d->unit,
		.noun = profile_noun(d->profile, d->event),
		.width = args->width,
		.min_width = args->min_width ? strtod(args->min_width, &end) : 0.1,
		.inverted = args->inverted,
		.weight = d->weight,
		.palette = (enum flame_palette)palette,
		.notes = args->notes,
		.fixed = args->palette_map ? &d->colors : NULL,
	};
	if (end && (end == args->min_width || *end || !(d->svg.min_width >= 0)))
		return err_set(err, EINVAL, "--min-width '%s': must be a number of pixels",
			       args->min_width);
	return 0;
}

static const char *palette_path(const struct flame_args *args)
{
	return *args->palette_map ? args->palette_map : "palette.map";
}

static int read_colors(struct drawing *d, struct err *err)
{
	const char *path;
	size_t size;
	char *text;

	if (!d->job->args->palette_map)
		return 0;
	path = palette_path(d->job->args);
	if (!file_exists("%s", path))
		return 0;
	text = file_read(path, &size, err);
	if (!text)
		return -err->code;
	flame_colors_parse(&d->colors, text);
	if (d->colors.broken)
		log_line(LOG_WARN, "%s: %zu lines do not name a colour", path, d->colors.broken);
	free(text);
	return 0;
}

static int write_colors(const struct drawing *d, struct err *err)
{
	struct buf text = { 0 };
	const char *path;
	int fd, rc;

	if (!d->job->args->palette_map)
		return 0;
	path = palette_path(d->job->args);
	flame_colors_print(&d->colors, &text);
	fd = file_create(path, 0, err);
	rc = fd < 0 ? 0 : fd_write_all(fd, buf_text(&text), text.len);
	if (fd >= 0 && close(fd) && !rc)
		rc = -errno;
	buf_free(&text);
	if (fd < 0)
		return fd;
	return rc ? err_set(err, -rc, "%s: %s", path, strerror(-rc)) : 0;
}

/* Titles, subtitles, footers. */
static void make_words(struct drawing *d)
{
	const struct flame_args *args = d->job->args;

	make_subtitle(d);
	make_footer(d);
	d->svg.title = args->title ? args->title : d->job->name;
	d->svg.subtitle = args->subtitle ? args->subtitle : buf_text(&d->subtitle);
	d->svg.footer = buf_text(&d->footer);
	d->svg.remedy = d->remedy.len ? buf_text(&d->remedy) : NULL;
	d->svg.empty = d->profile->samples.len
			       ? "No sample is left: the filters take none, or all are idle."
			       : "There are no samples to show.";
}

static int draw_svg(struct drawing *d, struct outbuf *out, struct err *err)
{
	int rc = read_colors(d, err);

	if (rc)
		return rc;
	make_words(d);
	flame_svg_write(&d->tree, &d->svg, out);
	return write_colors(d, err);
}

/* One event of an HTML document. */
static void draw_graph(struct drawing *d, struct flame_colors *fixed, struct outbuf *out)
{
	struct flame_graph graph = {
		.tree = &d->tree,
		.event = d->event,
		.weight = d->weight,
		.reversed = d->job->args->reverse,
		.unit = d->unit,
		.fixed = fixed,
		.palette = d->svg.palette,
	};

	make_words(d);
	graph.subtitle = d->svg.subtitle;
	graph.footer = d->svg.footer;
	graph.empty = d->svg.empty;
	flame_html_graph(&graph, out);
}

static int prepare(struct drawing *d, struct err *err);
static void finish(struct drawing *d);

/* The other events of a document that begins with the drawing's. */
static int draw_others(const struct drawing *first, struct outbuf *out, struct err *err)
{
	const struct profile *profile = first->profile;
	int rc = 0;

	for (uint16_t i = first->event + 1; i < profile->events.len && !rc; i++) {
		struct drawing d = { .job = first->job, .profile = profile, .event = i };

		if (!profile->events.data[i].samples)
			continue;
		rc = prepare(&d, err);
		if (!rc)
			draw_graph(&d, first->svg.fixed, out);
		finish(&d);
	}
	return rc;
}

/* One document for all events, unless one is asked for. */
static int draw_html(struct drawing *d, struct outbuf *out, struct err *err)
{
	const struct flame_args *args = d->job->args;
	struct flame_page page = {
		.title = args->title ? args->title : d->job->name,
		.notes = args->notes,
		.palette = d->svg.palette,
		.inverted = args->inverted,
		.reversed = args->reverse,
	};
	int rc = read_colors(d, err);

	if (rc)
		return rc;
	flame_html_begin(&page, out);
	draw_graph(d, d->svg.fixed, out);
	if (!args->event)
		rc = draw_others(d, out, err);
	flame_html_end(out);
	return rc ? rc : write_colors(d, err);
}

static int draw_into(struct drawing *d, struct outbuf *out, struct err *err)
{
	struct folded_options folded = { d->weight, d->job->args->annotate };
	size_t changed;

	switch (d->job->format) {
	case FORMAT_HTML: return draw_html(d, out, err);
	case FORMAT_JSON: flame_json_write(&d->tree, d->weight, out); return 0;
	case FORMAT_FOLDED:
		changed = folded_write(&d->tree, &folded, out);
		/* The lines themselves can't say it. */
		if (!strcmp(d->unit, "ns") || !strcmp(d->unit, "nanoseconds") ||
		    !strcmp(d->unit, "bytes"))
			log_line(LOG_NOTE, "values are %s of %s; --weight samples writes %s",
				 strcmp(d->unit, "ns") ? d->unit : "nanoseconds", event_name(d),
				 profile_noun(d->profile, d->event));
		if (changed)
			log_line(LOG_NOTE, "%zu name%s ';' or line breaks, written as ':' and ' '",
				 changed, changed == 1 ? " holds" : "s hold");
		return 0;
	default: return draw_svg(d, out, err);
	}
}

static int draw_into_file(void *drawing, struct outbuf *out, struct err *err)
{
	return draw_into(drawing, out, err);
}

/* The tree of an event, and how it is to be drawn; finish() is due whatever it returns. */
static int prepare(struct drawing *d, struct err *err)
{
	const struct flame_args *args = d->job->args;
	struct flametree_options options;
	int rc = flame_weight_of(args, &d->weight, err);

	if (!rc)
		rc = flame_view_of(args, d->profile, &options, err);
	if (rc)
		return rc;
	options.filter.event = d->event;
	d->unit = flame_unit(d->profile, d->event, d->weight);
	rc = make_svg_options(d, err);
	if (!rc && d->job->format == FORMAT_SVG) {
		options.least = flame_svg_least(&d->svg);
		options.weight = d->weight;
	}
	return rc ? rc : flametree_build(&d->tree, d->profile, &options, err);
}

static void finish(struct drawing *d)
{
	flametree_free(&d->tree);
	flame_colors_free(&d->colors);
	buf_free(&d->subtitle);
	buf_free(&d->footer);
	buf_free(&d->remedy);
}

/* An empty tree is worth a second look for the reason. */
static void warn_empty(const struct drawing *d)
{
	struct flametree_options view;

	if (d->tree.idle.samples) {
		log_line(LOG_WARN, "%s: what is left is of idle CPUs; --idle shows it",
			 d->job->name);
		return;
	}
	if (flame_view_of(d->job->args, d->profile, &view, NULL))
		return;
	view.filter.event = d->event;
	flame_warn_empty(d->job->name, d->profile, &view);
}

static int draw_event(const struct flame_job *job, uint16_t event, const char *path,
		      struct err *err)
{
	struct drawing d = { .job = job, .profile = job->input->profile, .event = event };
	int rc = prepare(&d, err);

	if (!rc && !d.tree.nodes.data[0].total.samples)
		warn_empty(&d);
	if (!rc)
		rc = output_check_apart(path, job->path, err);
	if (!rc)
		rc = output_file(path, flame_packing(job->format, path), draw_into_file, &d, err);
	if (!rc && strcmp(path, "-") && job->written)
		strlist_add(job->written, path);
	finish(&d);
	return rc;
}

/* "out.svg" for the event "cycles:u" among several: "out.cycles-u.svg". */
static char *event_path(const struct flame_job *job, const char *event)
{
	const char *packed = packing_suffix(packing_of_name(job->output));
	size_t whole = strlen(job->output) - strlen(packed);
	const char *point = memrchr(job->output, '.', whole);
	const char *slash = strrchr(job->output, '/');
	char *name = mem_strdup(event), *path;
	int length;

	for (char *c = name; *c; c++)
		if (*c == '/' || *c == ':' || (unsigned char)*c <= ' ')
			*c = '-';
	if (!point || (slash && point < slash))
		point = job->output + whole;
	length = (int)(point - job->output);
	path = mem_printf("%.*s.%s%s", length, job->output, name, point);
	free(name);
	return path;
}

/* An event for an empty profile to be drawn with. */
static int draw_nothing(const struct flame_job *job, struct err *err)
{
	struct profile *profile = job->input->profile;
	bool none = !profile->events.len;
	int rc;

	if (none)
		*vec_push(&profile->events) = (struct profile_event){
			.name = interner_add(&profile->strings, "samples"),
			.unit = interner_add(&profile->strings, ""),
			.scale = 1,
		};
	log_line(LOG_WARN, "%s: there are no samples", job->name);
	rc = draw_event(job, 0, job->output, err);
	if (none) /* the columns of a mapped index are not the profile's to free */
		vec_free(&profile->events);
	return rc;
}

int flame_draw(const struct flame_job *job, struct err *err)
{
	const struct profile *profile = job->input->profile;
	bool special = output_is_special(job->output),
	     together = flame_formats[job->format].is_page;
	size_t drawn = 0, there = 0;
	uint16_t event;
	int rc = 0;

	if (flame_formats[job->format].write)
		return export_write(job, err);
	if (job->args->event) {
		rc = flame_event_find(profile, job->args->event, &event, err);
		return rc ? rc : draw_event(job, event, job->output, err);
	}
	vec_each (e, &profile->events)
		there += e->samples > 0;
	if (!there)
		return draw_nothing(job, err);
	for (uint16_t i = 0; i < profile->events.len && !rc; i++) {
		const char *name = profile_text(profile, profile->events.data[i].name);
		char *path;

		if (!profile->events.data[i].samples)
			continue;
		if (together && drawn++)
			break;
		if (special && !together && drawn++)
			continue;
		path = there > 1 && !special && !together ? event_path(job, name)
							  : mem_strdup(job->output);
		rc = draw_event(job, i, path, err);
		if (!rc && special && !together)
			flame_note_others(profile, i);
		free(path);
	}
	return rc;
}
