// SPDX-License-Identifier: Apache-2.0
#include "cmd/export_output.h"
#include "base/err.h"
#include "base/log.h"
#include "base/outbuf.h"
#include "base/text.h"
#include "cmd/output.h"
#include "render/export.h"

#include <errno.h>
#include <unistd.h>

struct export_job {
	const struct flame_job *job;
	struct export_source source;
};

static int write_into(void *user, struct outbuf *out, struct err *err)
{
	const struct export_job *e = user;

	return flame_formats[e->job->format].write(&e->source, out, err);
}

int export_select(struct selection *selection, const struct flame_job *job, struct err *err)
{
	const struct profile *profile = job->input->profile;
	struct flametree_options view;
	struct selection_options options = { .event = ALL_EVENTS };
	int rc = flame_view_of(job->args, profile, &view, err);

	if (!rc && job->args->event)
		rc = flame_event_find(profile, job->args->event, &options.event, err);
	if (rc)
		return rc;
	options.filter = view.filter;
	options.filter.busy = !view.show_idle;
	options.stacks = view.stacks;
	return selection_make(selection, profile, &options, err);
}

int export_write(const struct flame_job *job, struct err *err)
{
	const struct flame_format_spec *spec = &flame_formats[job->format];
	struct selection selection = { 0 };
	char number[TEXT_NUMBER];
	uint64_t merged = 0;
	struct export_job e = { job,
				{ .selection = &selection,
				  .title = job->args->title ? job->args->title : job->name,
				  .per_thread = job->args->per_thread,
				  .merged = &merged } };
	int rc = flame_weight_of(job->args, &e.source.weight, err);

	if (!rc)
		rc = output_check_apart(job->output, job->path, err);
	if (!rc && spec->is_binary && !strcmp(job->output, "-") && isatty(STDOUT_FILENO))
		rc = err_set(err, EINVAL, "%s is nothing for a terminal: -o FILE", spec->name);
	if (!rc)
		rc = export_select(&selection, job, err);
	if (!rc && !selection.rows)
		log_line(LOG_WARN, "%s holds no samples%s", job->name,
			 job->input->profile->samples.len ? " that the filters leave" : "");
	if (!rc)
		rc = output_file(job->output, flame_packing(job->format, job->output), write_into,
				 &e, err);
	if (!rc && strcmp(job->output, "-") && job->written)
		strlist_add(job->written, job->output);
	if (merged)
		log_line(LOG_NOTE, "%s sample%s merged with equal ones; the period is their sum",
			 text_grouped(number, merged), text_plural(merged));
	selection_free(&selection);
	return rc;
}
