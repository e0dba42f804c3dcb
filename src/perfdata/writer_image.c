// SPDX-License-Identifier: Apache-2.0
#include "perfdata/writer_image.h"
#include "base/err.h"
#include "perfdata/payload.h"

#include <errno.h>

bool image_comes_late(enum perf_feature feature)
{
	return feature == FEATURE_BUILD_ID || feature == FEATURE_SAMPLE_TIME;
}

static struct buf *own_feature(struct perf_writer *w, enum perf_feature feature)
{
	w->present[feature] = true;
	buf_clear(&w->payloads[feature]);
	return &w->payloads[feature];
}

static void make_event_desc(struct perf_writer *w)
{
	struct buf *into = own_feature(w, FEATURE_EVENT_DESC);

	payload_u32(into, (uint32_t)w->attrs.len);
	payload_u32(into, (uint32_t)w->attr_size);
	vec_each (attr, &w->attrs) {
		buf_add(into, &attr->attr, w->attr_size);
		payload_u32(into, (uint32_t)attr->ids_count);
		payload_text(into, attr->name);
		buf_add(into, attr->ids, attr->ids_count * sizeof(*attr->ids));
	}
}

static uint32_t group_members(const struct perf_writer *w, size_t leader)
{
	uint32_t members = 0;

	vec_each (attr, &w->attrs)
		members += attr->leader == leader;
	return members;
}

static void make_group_desc(struct perf_writer *w)
{
	uint32_t groups = 0;
	struct buf *into;

	for (size_t i = 0; i < w->attrs.len; i++)
		groups += group_members(w, i) > 1;
	if (!groups)
		return;
	into = own_feature(w, FEATURE_GROUP_DESC);
	payload_u32(into, groups);
	for (size_t i = 0; i < w->attrs.len; i++) {
		uint32_t members = group_members(w, i);

		if (members < 2)
			continue;
		payload_text(into, "{anon_group}"); /* what perf calls a group without a name */
		payload_u32(into, (uint32_t)i);
		payload_u32(into, members);
	}
}

void image_compressed(struct perf_writer *w)
{
	struct buf *into = own_feature(w, FEATURE_COMPRESSED);
	uint64_t out = pack_bytes_out(w->pack);

	payload_u32(into, 1); /* version */
	payload_u32(into, 1); /* zstd */
	payload_u32(into, (uint32_t)w->pack_level);
	payload_u32(into, out ? (uint32_t)(pack_bytes_in(w->pack) / out) : 1);
	payload_u32(into, PACK_CHUNK); /* the most that one record unpacks to */
}

void image_own_features(struct perf_writer *w)
{
	make_event_desc(w);
	make_group_desc(w);
	vec_each (attr, &w->attrs)
		if (attr->attr.base.sample_type & PERF_SAMPLE_BRANCH_STACK)
			own_feature(w, FEATURE_BRANCH_STACK);
	if (w->pack)
		image_compressed(w);
}

void image_table(const struct perf_writer *w, bool as_round, struct buf *into)
{
	size_t start = into->len;

	if (as_round)
		payload_zeros(into, sizeof(struct perf_section));
	for (size_t i = 0; i < FEATURE_LAST; i++)
		if (w->present[i] && !(as_round && image_comes_late((enum perf_feature)i)))
			buf_add(into, &w->sections[i], sizeof(w->sections[i]));
	if (as_round && w->counted)
		perf_counts_add(&w->counts, into);
	if (as_round) {
		struct perf_event_header header = { .type = USER_RECORD_FINISHED_ROUND,
						    .size = (uint16_t)(into->len - start) };

		memcpy(into->data + start, &header, sizeof(header));
	}
}

void image_feature_bits(struct perf_writer *w, bool as_round)
{
	memset(w->header.features, 0, sizeof(w->header.features));
	for (size_t i = 0; i < FEATURE_LAST; i++)
		if (as_round ? i == 0 || (w->present[i] && !image_comes_late((enum perf_feature)i))
			     : w->present[i])
			w->header.features[i / 64] |= 1ULL << (i % 64);
}

static void add_attrs(struct perf_writer *w, struct buf *into)
{
	uint64_t ids_at = sizeof(w->header);

	vec_each (attr, &w->attrs)
		buf_add(into, attr->ids, attr->ids_count * sizeof(*attr->ids));
	w->header.attr_size = w->attr_size + sizeof(struct perf_section);
	w->header.attrs.offset = into->len;
	w->header.attrs.size = w->attrs.len * w->header.attr_size;
	vec_each (attr, &w->attrs) {
		buf_add(into, &attr->attr, w->attr_size);
		payload_u64(into, ids_at);
		payload_u64(into, attr->ids_count * sizeof(*attr->ids));
		ids_at += attr->ids_count * sizeof(*attr->ids);
	}
}

/* Before the first table stands one record: perf warns of empty data. */
void image_file(struct perf_writer *w, struct buf *into)
{
	static const struct perf_event_header first = { .type = USER_RECORD_FINISHED_ROUND,
							.size = sizeof(first) };

	w->header.magic = PERF_MAGIC;
	w->header.size = sizeof(w->header);
	payload_zeros(into, sizeof(w->header));
	add_attrs(w, into);
	for (size_t i = 0; i < FEATURE_LAST; i++) {
		if (!w->present[i] || image_comes_late((enum perf_feature)i))
			continue;
		w->sections[i] = (struct perf_section){ into->len, w->payloads[i].len };
		buf_add(into, w->payloads[i].data, w->payloads[i].len);
	}
	payload_align(into, 8);
	w->header.data = (struct perf_section){ into->len, sizeof(first) };
	buf_add(into, &first, sizeof(first));
	w->committed = into->len;
	image_table(w, true, into);
	w->end = w->committed_end = into->len;
	image_feature_bits(w, true);
	memcpy(into->data, &w->header, sizeof(w->header));
}

static void pipe_record(struct buf *into, uint32_t type, const void *fixed, size_t fixed_size,
			const void *rest, size_t rest_size)
{
	struct perf_event_header header = { .type = type };

	header.size = (uint16_t)((sizeof(header) + fixed_size + rest_size + 7) / 8 * 8);
	buf_add(into, &header, sizeof(header));
	buf_add(into, fixed, fixed_size);
	buf_add(into, rest, rest_size);
	payload_align(into, 8);
}

static int pipe_attrs(struct perf_writer *w, struct buf *into, struct err *err)
{
	vec_each (attr, &w->attrs) {
		size_t ids = attr->ids_count * sizeof(*attr->ids);

		if (sizeof(struct perf_event_header) + w->attr_size + ids > PERF_RECORD_MAX_SIZE)
			return err_set(err, E2BIG,
				       "%s is open %zu times, more than a pipe's record can name; "
				       "write to a file, or record with -a",
				       attr->name, attr->ids_count);
		pipe_record(into, USER_RECORD_ATTR, &attr->attr, w->attr_size, attr->ids, ids);
	}
	return 0;
}

static void pipe_features(struct perf_writer *w, struct buf *into)
{
	for (uint64_t i = 0; i < FEATURE_LAST; i++) {
		const struct buf *payload = &w->payloads[i];

		if (!w->present[i] || i == FEATURE_TRACING_DATA ||
		    image_comes_late((enum perf_feature)i))
			continue;
		if (payload->len + 2 * sizeof(uint64_t) <= PERF_RECORD_MAX_SIZE)
			pipe_record(into, USER_RECORD_FEATURE, &i, sizeof(i), payload->data,
				    payload->len);
	}
	pipe_record(into, USER_RECORD_FEATURE, &(uint64_t){ FEATURE_LAST }, sizeof(uint64_t), NULL,
		    0);
}

/* The one record whose body follows it without being counted in its size. */
static void pipe_tracing_data(struct perf_writer *w, struct buf *into)
{
	const struct buf *payload = &w->payloads[FEATURE_TRACING_DATA];
	uint32_t size = (uint32_t)((payload->len + 7) / 8 * 8);

	if (!w->present[FEATURE_TRACING_DATA])
		return;
	pipe_record(into, USER_RECORD_TRACING_DATA, &size, sizeof(size), NULL, 0);
	buf_add(into, payload->data, payload->len);
	payload_align(into, 8);
}

int image_pipe(struct perf_writer *w, struct buf *into, struct err *err)
{
	int rc;

	payload_u64(into, PERF_MAGIC);
	payload_u64(into, PERF_PIPE_HEADER_SIZE);
	rc = pipe_attrs(w, into, err);
	if (rc)
		return rc;
	pipe_features(w, into);
	pipe_tracing_data(w, into);
	w->end = into->len;
	return 0;
}

void image_tail(struct perf_writer *w, uint64_t at, struct buf *into)
{
	uint64_t payload_at = at;

	for (size_t i = 0; i < FEATURE_LAST; i++)
		payload_at += w->present[i] * sizeof(struct perf_section);
	for (size_t i = 0; i < FEATURE_LAST; i++) {
		if (!w->present[i] || !image_comes_late((enum perf_feature)i))
			continue;
		w->sections[i] = (struct perf_section){ payload_at, w->payloads[i].len };
		payload_at += w->payloads[i].len;
	}
	image_table(w, false, into);
	for (size_t i = 0; i < FEATURE_LAST; i++)
		if (w->present[i] && image_comes_late((enum perf_feature)i))
			buf_add(into, w->payloads[i].data, w->payloads[i].len);
}
