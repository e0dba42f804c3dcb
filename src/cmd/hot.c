// SPDX-License-Identifier: Apache-2.0
#include "cmd/hot.h"
#include "base/err.h"
#include "perfdata/reader.h"
#include "profile/breakdown.h"
#include "profile/build.h"

static int by_samples(const void *a, const void *b)
{
	const struct breakdown_row *x = a, *y = b;

	return x->total.samples < y->total.samples ? 1 : -(x->total.samples > y->total.samples);
}

static void add_hot(struct hot_objects *hot, const struct profile *profile)
{
	struct breakdown_options options = { .keys = 1 << BY_OBJECT, .children = true };
	struct breakdown breakdown;
	struct err err = { 0 };

	if (breakdown_make(&breakdown, profile, &options, &err))
		return;
	if (breakdown.rows.len)
		qsort(breakdown.rows.data, breakdown.rows.len, sizeof(*breakdown.rows.data),
		      by_samples);
	vec_each (row, &breakdown.rows) {
		const struct profile_object *object = &profile->objects.data[row->object];

		if (row->total.samples * 100 >= breakdown.total.samples * HOT_PERCENT &&
		    object->build_id.size)
			*vec_push(hot) = object->build_id;
	}
	breakdown_free(&breakdown);
}

void hot_objects_find(struct hot_objects *hot, const char *input, const struct symbol_args *args)
{
	struct symbol_args here = *args;
	struct symbol_store *store;
	struct perf_reader *reader;
	struct profile *profile;
	struct err err = { 0 };

	here.debuginfod = here.inlined = here.lines = false;
	here.not_inlined = true;
	reader = perf_reader_open(input, NULL, &err);
	if (!reader)
		return;
	store = symbols_open(&here, reader, NULL);
	profile = profile_read(reader, store, &err);
	if (profile)
		add_hot(hot, profile);
	profile_free(profile);
	symbol_store_free(store);
	perf_reader_close(reader);
}
