// SPDX-License-Identifier: Apache-2.0
#include "base/err.h"
#include "base/idmap.h"
#include "render/query_inside.h"

#include <errno.h>

struct spot {
	uint32_t place, file; /* strings */
	struct weight_pair weight;
};

struct spots {
	struct idmap known; /* by place and file */
	VEC(struct spot) all;
	struct weight_pair whole, inside; /* of all samples, and of those in the function */
};

static void add_to(struct weight_pair *sum, const struct profile_samples *rows, size_t row)
{
	sum->samples += profile_row_count(rows, row);
	sum->weight += rows->weight[row];
}

static void add_sample(struct spots *spots, const struct profile *profile, size_t row)
{
	const struct profile_samples *rows = &profile->samples;
	const struct profile_line *line = &profile->lines.data[rows->leaf[row]];
	uint32_t next = (uint32_t)spots->all.len;
	uint32_t at = idmap_add(&spots->known, (uint64_t)line->place << 32 | line->file, next);

	if (at == next)
		*vec_push(&spots->all) = (struct spot){ line->place, line->file, { 0 } };
	add_to(&spots->all.data[at].weight, rows, row);
	add_to(&spots->inside, rows, row);
}

/* A byte for each function: it has that name.  Free it. */
static uint8_t *find_functions(const struct profile *profile, const char *name, bool *any)
{
	uint8_t *called = mem_alloc(profile->functions.len + 1);

	*any = false;
	for (uint32_t i = 0; i < profile->functions.len; i++) {
		called[i] = query_is_called(profile, i, name);
		*any |= called[i];
	}
	return called;
}

static int collect(struct spots *spots, const struct query *query, const uint8_t *called,
		   struct err *err)
{
	const struct profile *profile = query->profile;
	const struct profile_samples *rows = &profile->samples;
	struct profile_filter filter = query_filter(query);
	struct sieve sieve;
	int rc = sieve_make(&sieve, profile, &filter, err);

	if (rc)
		return rc;
	for (size_t i = sieve.first; i < sieve.last; i++) {
		if (!sieve_takes(&sieve, profile, i))
			continue;
		add_to(&spots->whole, rows, i);
		if (called[profile->stacks.function[rows->stack[i]]])
			add_sample(spots, profile, i);
	}
	sieve_free(&sieve);
	return 0;
}

/* "file.c:12" has a line; words about an address have no file. */
static void put_spot(const struct query *query, const struct spot *spot, uint64_t of,
		     struct json *json)
{
	const char *place = profile_text(query->profile, spot->place);
	const char *file = profile_text(query->profile, spot->file);
	const char *colon = *file ? strrchr(place, ':') : NULL;

	json_open(json, NULL, '{');
	json_text(json, "place", place);
	json_text(json, "file", file);
	if (colon)
		json_u64(json, "line", strtoull(colon + 1, NULL, 10));
	else
		json_text(json, "line", NULL);
	query_put_weight(query, "", &spot->weight, of, json);
	json_close(json);
}

static void put_spots(const struct query *query, const struct spots *spots, const char *name,
		      struct json *json)
{
	uint64_t of = flame_value(&spots->whole, query->weight);
	struct query_ranking ranking = { 0 };
	size_t shown;

	for (uint32_t i = 0; i < spots->all.len; i++)
		*vec_push(&ranking) = (struct query_ranked){
			flame_value(&spots->all.data[i].weight, query->weight), 0, i
		};
	query_rank(&ranking);
	shown = query_shown(query, &ranking, of);
	query_open(query, "lines", &spots->whole, json);
	json_text(json, "function", name);
	query_put_weight(query, "self_", &spots->inside, of, json);
	json_open(json, "rows", '[');
	for (size_t i = 0; i < shown; i++)
		put_spot(query, &spots->all.data[ranking.data[i].id], of, json);
	json_close(json);
	json_u64(json, "left_out", ranking.len - shown);
	json_close(json);
	vec_free(&ranking);
}

int query_lines(const struct query *query, const char *name, struct json *json, struct err *err)
{
	struct spots spots = { 0 };
	uint8_t *called;
	bool any;
	int rc = 0;

	if (!query->profile->lines.len)
		return err_set(err, ENOENT, "no lines are known of these samples");
	called = find_functions(query->profile, name, &any);
	if (!any)
		rc = err_set(err, ENOENT, "no function is called '%s'", name);
	if (!rc)
		rc = collect(&spots, query, called, err);
	if (!rc)
		put_spots(query, &spots, name, json);
	free(called);
	idmap_free(&spots.known);
	vec_free(&spots.all);
	return rc;
}
