// SPDX-License-Identifier: Apache-2.0
#include "cmd/flame_options.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/log.h"
#include "base/timerange.h"
#include "render/folded.h"

#include <errno.h>

/* Whether what is written needs the samples one by one. */
static bool wants_samples(const struct flame_args *args)
{
	enum flame_format format;

	return !flame_format_of(args, FORMAT_SVG, &format, NULL) &&
	       flame_formats[format].keeps_samples;
}

int flame_load(struct loaded *in, const char *path, const struct flame_args *args,
	       const struct collapse_options *like, struct err *err)
{
	struct load_options options = {
		.names = args->names,
		.no_index = args->no_index,
		.lines = args->lines,
		.times = args->time || wants_samples(args),
		.cpus = args->cpus || wants_samples(args),
		.addresses = like && like->addresses,
		.as_perl = like && !like->inferno,
	};
	const struct load_words words = { args->cpus, args->pids, args->tids, args->time };
	enum flame_weight weight;
	int rc = flame_weight_of(args, &weight, err);

	if (!rc)
		rc = load_check_words(&words, err);
	if (!rc)
		rc = load_profile(in, path, &options, err);
	if (rc)
		return rc;
	rc = load_check_told(in, args->cpus, args->time, err);
	if (rc)
		loaded_close(in);
	return rc;
}

int flame_weight_of(const struct flame_args *args, enum flame_weight *weight, struct err *err)
{
	*weight = WEIGH_PERIOD;
	if (!args->weight || !strcmp(args->weight, "period"))
		return 0;
	if (strcmp(args->weight, "samples"))
		return err_set(err, EINVAL, "--weight '%s': must be samples or period",
			       args->weight);
	*weight = WEIGH_SAMPLES;
	return 0;
}

int flame_filter_of(const struct flame_args *args, const struct profile *profile,
		    struct profile_filter *filter, struct err *err)
{
	struct time_range range = { 0 }, whole;
	int rc;

	*filter = (struct profile_filter){
		.keep = args->keep,
		.keep_raw = args->keep_raw,
		.drop = args->drop,
		.comms = args->comms,
		.pids = args->pids,
		.tids = args->tids,
		.cpus = args->cpus,
	};
	if (!args->time)
		return 0;
	profile_times(profile, &whole);
	rc = time_range_parse(&range, args->time, &whole, err);
	filter->time_from = range.start;
	filter->time_to = range.end;
	return rc;
}

int flame_view_of(const struct flame_args *args, const struct profile *profile,
		  struct flametree_options *view, struct err *err)
{
	*view = (struct flametree_options){
		.stacks = { .from_leaf = args->reverse,
			    .collapse_recursion = args->collapse_recursion,
			    .focus = args->focus,
			    .hide = args->hide,
			    .changes = args->changes },
		.group = args->per_thread ? GROUP_THREAD : GROUP_COMM,
		.show_idle = args->idle,
	};
	return flame_filter_of(args, profile, &view->filter, err);
}

void flame_warn_empty(const char *name, const struct profile *profile,
		      const struct flametree_options *view)
{
	struct profile_filter filter = view->filter;
	struct stack_weights weights;

	filter.keep_too = view->stacks.focus;
	filter.busy = !view->show_idle;
	if (filter.event >= profile->events.len || !profile->events.data[filter.event].samples ||
	    profile_weigh(profile, &filter, &weights, NULL))
		return;
	if (!weights.total_samples)
		log_line(LOG_WARN, "%s holds no samples%s%s that the filters leave", name,
			 profile->events.len > 1 ? " of " : "",
			 profile->events.len > 1
				 ? profile_text(profile, profile->events.data[filter.event].name)
				 : "");
	stack_weights_free(&weights);
}

static size_t find_event(const struct profile *profile, const char *name)
{
	size_t found = SIZE_MAX;

	for (size_t i = profile->events.len; i-- > 0;) {
		const char *text = profile_text(profile, profile->events.data[i].name);

		if (!strcmp(text, name))
			return i;
		if (profile_event_is(profile, i, name))
			found = i;
	}
	return found;
}

/* "cycles, page-faults": those that have samples, or all where none has any. */
static bool list_events(const struct profile *profile, struct buf *names)
{
	bool any = false;

	vec_each (event, &profile->events)
		any |= event->samples > 0;
	vec_each (event, &profile->events)
		if (event->samples || !any)
			buf_printf(names, "%s%s", names->len ? ", " : "",
				   profile_text(profile, event->name));
	return any;
}

void flame_note_others(const struct profile *profile, uint16_t event)
{
	struct buf names = { 0 };

	for (size_t i = 0; i < profile->events.len; i++)
		if (i != event && profile->events.data[i].samples)
			buf_printf(&names, "%s%s", names.len ? ", " : "",
				   profile_text(profile, profile->events.data[i].name));
	if (names.len)
		log_line(LOG_NOTE, "other events: %s (select with -e)", buf_text(&names));
	buf_free(&names);
}

int flame_event_find(const struct profile *profile, const char *name, uint16_t *event,
		     struct err *err)
{
	size_t found = find_event(profile, name);
	struct buf names = { 0 };
	bool any = list_events(profile, &names);
	int rc = 0;

	*event = (uint16_t)found;
	if (found == SIZE_MAX)
		rc = err_set(err, ENOENT, "unknown event '%s'; there are: %s", name,
			     names.len ? buf_text(&names) : "none");
	else if (any && !profile->events.data[found].samples)
		rc = err_set(err, ENODATA, "there are no samples of '%s'; there are some of: %s",
			     name, buf_text(&names));
	buf_free(&names);
	return rc;
}
