// SPDX-License-Identifier: Apache-2.0
#include "record/tuck.h"
#include "perfdata/attrs.h"
#include "perfdata/sample.h"

#define BUFFER ((size_t)256 * 1024)

struct tuck {
	struct attr_table attrs;
	VEC(uint64_t) chain;
	uint64_t buffer[BUFFER / 8];
};

static bool has_both(const struct perf_event_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_STACK_USER &&
	       attr->sample_type & PERF_SAMPLE_CALLCHAIN;
}

struct tuck *tuck_new(const struct perf_writer_attr *attrs, size_t count)
{
	struct tuck *tuck;
	bool any = false;

	for (size_t i = 0; i < count; i++)
		any |= has_both(&attrs[i].attr.base);
	if (!any)
		return NULL;
	tuck = mem_alloc(sizeof(*tuck));
	for (size_t i = 0; i < count; i++)
		attr_table_add(&tuck->attrs, &attrs[i].attr, attrs[i].ids, attrs[i].ids_count);
	return tuck;
}

void tuck_free(struct tuck *tuck)
{
	if (!tuck)
		return;
	attr_table_free(&tuck->attrs);
	vec_free(&tuck->chain);
	free(tuck);
}

static const struct perf_attr *attr_of(const struct tuck *tuck, const uint64_t *record)
{
	const struct id_slot *slot;

	if (tuck->attrs.list.len == 1 || tuck->attrs.sample_id_word < 0)
		return tuck->attrs.list.data[0];
	slot = attr_table_find(&tuck->attrs, record[1 + tuck->attrs.sample_id_word]);
	return slot ? slot->attr : NULL;
}

/*
 *	before:	n + m, kernel's n, USER, m - 1, registers, room,     stack, its room's rest, its
 *size after:	n, kernel's n, registers, size + m, stack, m - 1, "m - 1", its size
 *
 * in words, m with the marker USER.  The new size of the record.
 */
static size_t change(struct tuck *tuck, uint64_t *record, size_t size, struct sample *sample)
{
	uint64_t *chain = (uint64_t *)sample->chain, user = 0, words;
	uint64_t *stack = (uint64_t *)sample->user_stack, *to;
	size_t copied = (sample->user_stack_size + 7) / 8;
	unsigned char *rest = (unsigned char *)(stack + sample->user_stack_room / 8 + 1);
	size_t rest_size = (size_t)((unsigned char *)record + size - rest);

	while (user < sample->chain_len && chain[user] != (uint64_t)PERF_CONTEXT_USER)
		user++;
	words = sample->chain_len - user;
	if (sample->user_chain || (!words && !copied))
		return size; /* done already; and without room no size would follow it */
	tuck->chain.len = 0;
	for (uint64_t i = user + 1; i < sample->chain_len; i++)
		*vec_push(&tuck->chain) = chain[i];
	if (words)
		*vec_push(&tuck->chain) = SAMPLE_CHAIN_MARK << 32 | (words - 1);
	stack[-1] = (copied + words) * 8;
	chain[-1] = user;
	to = chain + sample->chain_len;
	memmove(chain + user, to, (size_t)(stack + copied - to) * 8);
	to = stack + copied - words;
	if (words)
		memcpy(to, tuck->chain.data, words * 8);
	to += words;
	*to++ = sample->user_stack_size; /* a damaged one may be more than the room */
	memmove(to, rest, rest_size);
	return (size_t)((unsigned char *)to - (unsigned char *)record) + rest_size;
}

static size_t change_record(struct tuck *tuck, uint64_t *record, size_t size)
{
	const struct perf_attr *attr = attr_of(tuck, record);
	struct perf_event_header *header = (struct perf_event_header *)record;
	struct sample sample;

	if (!attr || !has_both(&attr->attr.base) || sample_parse(attr, header, &sample) ||
	    !sample.user_stack)
		return size;
	size = change(tuck, record, size, &sample);
	header->size = (uint16_t)size;
	return size;
}

size_t tuck_records(struct tuck *tuck, void *records, size_t size)
{
	unsigned char *bytes = records;
	const struct perf_event_header *header;
	size_t at = 0, kept = 0, record, changed;

	for (; size - at >= sizeof(*header); at += record, kept += changed) {
		header = (const struct perf_event_header *)(bytes + at);
		record = changed = header->size;
		if (record < sizeof(*header) || record > size - at)
			break;
		if (header->type == PERF_RECORD_SAMPLE)
			changed = change_record(tuck, (uint64_t *)(bytes + at), record);
		if (kept != at)
			memmove(bytes + kept, bytes + at, changed);
	}
	if (kept != at)
		memmove(bytes + kept, bytes + at, size - at); /* what is no record */
	return kept + (size - at);
}

/* How many bytes of whole records fit into the buffer; what is none is passed on as it is. */
static size_t choose(const struct ring_view *view, uint64_t at)
{
	uint64_t end = at;

	while (end < view->end) {
		struct perf_event_header header = ring_header(view, end);

		if (header.size < sizeof(header) || end + header.size - at > BUFFER)
			break;
		end += header.size;
	}
	if (end > at)
		return end - at;
	return view->end - at < BUFFER ? view->end - at : BUFFER;
}

bool tuck_next(struct tuck *tuck, const struct ring_view *view, uint64_t *at, struct iovec *part)
{
	size_t size;

	if (*at >= view->end)
		return false;
	size = choose(view, *at);
	ring_copy(view, *at, tuck->buffer, size);
	*part = (struct iovec){ tuck->buffer, tuck_records(tuck, tuck->buffer, size) };
	*at += size;
	return true;
}
