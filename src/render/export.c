// SPDX-License-Identifier: Apache-2.0
#include "render/export.h"
#include "base/buf.h"
#include "base/idmap.h"
#include "base/json.h"
#include "base/outbuf.h"

const char *export_event_name(const struct profile *profile, uint16_t event)
{
	const char *name = profile_text(profile, profile->events.data[event].name);

	return *name ? name : "samples";
}

uint32_t *export_leaders(const struct profile *profile)
{
	uint32_t *leaders = mem_alloc((profile->threads.len + 1) * sizeof(*leaders));
	struct idmap known = { 0 };

	for (uint32_t i = 0; i < profile->threads.len; i++) {
		const struct profile_thread *t = &profile->threads.data[i];

		if (t->pid == t->tid && !thread_is_unknown(t))
			idmap_add(&known, (uint64_t)t->generation << 32 | t->pid, i);
	}
	for (uint32_t i = 0; i < profile->threads.len; i++) {
		const struct profile_thread *t = &profile->threads.data[i];
		uint32_t leader = thread_is_unknown(t)
					  ? IDMAP_NONE
					  : idmap_find(&known,
						       (uint64_t)t->generation << 32 | t->pid);

		leaders[i] = leader == IDMAP_NONE ? i : leader;
	}
	idmap_free(&known);
	return leaders;
}

void export_json_text(struct outbuf *out, struct buf *scratch, const char *text)
{
	buf_clear(scratch);
	json_quote_into(scratch, text);
	out_bytes(out, scratch->data, scratch->len);
}

static size_t group_of(const struct export_groups *groups, const struct profile_samples *rows,
		       size_t row)
{
	return rows->event[row] * groups->threads + (groups->threads > 1 ? rows->thread[row] : 0);
}

/* Counted first, then put where they belong: the order of rows stays. */
void export_groups_make(struct export_groups *groups, const struct selection *s, bool per_thread)
{
	const struct profile_samples *rows = &s->profile->samples;
	size_t *next;

	groups->threads = per_thread && s->profile->threads.len ? s->profile->threads.len : 1;
	groups->count = s->profile->events.len * groups->threads;
	groups->starts = mem_alloc((groups->count + 1) * sizeof(*groups->starts));
	groups->rows = mem_resize(NULL, s->rows + 1, sizeof(*groups->rows));
	next = mem_alloc((groups->count + 1) * sizeof(*next));
	for (size_t i = s->sieve.first; i < s->sieve.last; i++)
		if (selection_takes(s, i))
			groups->starts[group_of(groups, rows, i) + 1]++;
	for (size_t i = 1; i <= groups->count; i++)
		groups->starts[i] += groups->starts[i - 1];
	memcpy(next, groups->starts, (groups->count + 1) * sizeof(*next));
	for (size_t i = s->sieve.first; i < s->sieve.last; i++)
		if (selection_takes(s, i))
			groups->rows[next[group_of(groups, rows, i)]++] = (uint32_t)i;
	free(next);
}

void export_groups_free(struct export_groups *groups)
{
	free(groups->rows);
	free(groups->starts);
	*groups = (struct export_groups){ 0 };
}
