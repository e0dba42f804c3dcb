// SPDX-License-Identifier: Apache-2.0
/* Which samples a report is about, where that is told by more than a filter of columns. */
#include "cmd/report_rows.h"
#include "base/err.h"
#include "base/mem.h"

#include <errno.h>

static void keep_known(const struct profile *profile, uint8_t *rows)
{
	for (size_t i = 0; i < profile->samples.len; i++) {
		uint32_t leaf = profile->samples.leaf[i];
		uint32_t function = profile->leaves.data[leaf].function;

		rows[i] &= function != NO_FUNCTION &&
			   profile->functions.data[function].kind != FRAME_UNKNOWN;
	}
}

/* In any of the ranges. */
static int keep_times(const struct profile *profile, const struct report_args *args, uint8_t *rows,
		      struct err *err)
{
	uint8_t *in = mem_alloc(profile->samples.len + 1);
	struct time_range whole;
	bool told = profile_times(profile, &whole);
	const char *at = args->time;
	int rc = 0;

	while (!rc && *at) {
		size_t length = time_range_length(at);
		char *word = mem_strndup(at, length);
		struct time_range range = { 0 };

		if (length)
			rc = time_range_parse(&range, word, told ? &whole : NULL, err);
		for (size_t i = 0; length && !rc && i < profile->samples.len; i++) {
			uint64_t time = profile->samples.time[i];

			in[i] |= time >= range.start && (!range.end || time <= range.end);
		}
		free(word);
		at += length;
		at += *at != '\0';
	}
	for (size_t i = 0; !rc && i < profile->samples.len; i++)
		rows[i] &= in[i];
	free(in);
	return rc;
}

static int find_event(const struct profile *profile, const char *option, const char *name,
		      int *event, struct err *err)
{
	*event = -1;
	if (!name)
		return 0;
	for (size_t i = 0; i < profile->events.len; i++)
		if (!strcmp(name, profile_text(profile, profile->events.data[i].name)))
			*event = (int)i;
	return *event >= 0
		       ? 0
		       : err_set(err, EINVAL, "%s: the recording has no event '%s'", option, name);
}

/* Samples between an event that begins and one that ends what is looked at. */
static int keep_switched(const struct profile *profile, const struct report_args *args,
			 uint8_t *rows, struct err *err)
{
	bool off = args->switch_on;
	int begin, end, rc;

	rc = find_event(profile, "--switch-on", args->switch_on, &begin, err);
	if (!rc)
		rc = find_event(profile, "--switch-off", args->switch_off, &end, err);
	for (size_t i = 0; !rc && i < profile->samples.len; i++) {
		int event = profile->samples.event[i];

		if (begin >= 0 && off) {
			off = event != begin;
			rows[i] &= !off && args->show_switches;
		} else if (end >= 0 && !off && event == end) {
			off = true;
			rows[i] &= args->show_switches;
		} else {
			rows[i] &= !off;
		}
	}
	return rc;
}

int report_choose_rows(const struct report_args *args, const struct profile *profile,
		       uint8_t **rows, struct err *err)
{
	bool several = report_has_ranges(args);
	int rc = 0;

	*rows = NULL;
	if (!args->hide_unknown && !several && !args->switch_on && !args->switch_off)
		return 0;
	*rows = mem_alloc(profile->samples.len + 1);
	memset(*rows, 1, profile->samples.len);
	if (args->hide_unknown)
		keep_known(profile, *rows);
	if (several)
		rc = keep_times(profile, args, *rows, err);
	if (!rc && (args->switch_on || args->switch_off))
		rc = keep_switched(profile, args, *rows, err);
	return rc;
}
