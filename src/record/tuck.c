// SPDX-License-Identifier: Apache-2.0
#include "record/tuck.h"
#include "perfdata/attrs.h"
#include "perfdata/sample.h"

#define BUFFER ((size_t)256 * 1024)

/* Raw data of these tracepoints is arguments and names of tasks, as far as this. */
#define RAW_ARGUMENTS 64
#define RAW_COMMON    8 /* of all others the event's number and its flags stay */

#define MEMORY \
	(PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_AUX)

struct tuck {
	struct attr_table attrs;
	VEC(bool) has_arguments; /* by event: of its raw data RAW_ARGUMENTS may be seen */
	bool moves_chains;
	struct ownproc *own;
	size_t pid_at; /* in a sample */
	uint64_t blanked;
	VEC(uint64_t) chain;
	uint64_t buffer[BUFFER / 8];
};

static bool has_both(const struct perf_event_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_STACK_USER &&
	       attr->sample_type & PERF_SAMPLE_CALLCHAIN;
}

static bool has_arguments(const struct perf_writer_attr *attr)
{
	static const char *const systems[] = { "sched:", "raw_syscalls:", "syscalls:" };

	for (size_t i = 0; i < ARRAY_SIZE(systems); i++)
		if (attr->name && !strncmp(attr->name, systems[i], strlen(systems[i])))
			return true;
	return false;
}

bool tuck_holds_memory(const struct perf_writer_attr *attrs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t type = attrs[i].attr.base.sample_type;

		/* system calls' texts follow their arguments; scheduling has none */
		if (type & MEMORY ||
		    (type & PERF_SAMPLE_RAW &&
		     (!has_arguments(&attrs[i]) || !strncmp(attrs[i].name, "syscalls:", 9))))
			return true;
	}
	return false;
}

struct tuck *tuck_new(const struct perf_writer_attr *attrs, size_t count, struct ownproc *own)
{
	struct tuck *tuck;
	uint64_t type = count ? attrs[0].attr.base.sample_type : 0;
	bool any = false;

	for (size_t i = 0; i < count; i++)
		any |= has_both(&attrs[i].attr.base);
	if (!any && !own)
		return NULL;
	tuck = mem_alloc(sizeof(*tuck));
	tuck->own = own;
	tuck->moves_chains = any;
	if (type & PERF_SAMPLE_TID)
		tuck->pid_at = sizeof(struct perf_event_header) +
			       (type & PERF_SAMPLE_IDENTIFIER ? sizeof(uint64_t) : 0) +
			       (type & PERF_SAMPLE_IP ? sizeof(uint64_t) : 0);
	for (size_t i = 0; i < count; i++) {
		attr_table_add(&tuck->attrs, &attrs[i].attr, attrs[i].ids, attrs[i].ids_count);
		*vec_push(&tuck->has_arguments) = has_arguments(&attrs[i]);
	}
	return tuck;
}

uint64_t tuck_blanked(const struct tuck *tuck)
{
	return tuck ? tuck->blanked : 0;
}

void tuck_free(struct tuck *tuck)
{
	if (!tuck)
		return;
	attr_table_free(&tuck->attrs);
	vec_free(&tuck->chain);
	vec_free(&tuck->has_arguments);
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

/* Takes `words` out of a record at `from`; its new size. */
static size_t cut_words(uint64_t *record, size_t size, const uint64_t *from, size_t words)
{
	uint64_t *to = (uint64_t *)from;

	memmove(to, to + words, size - (size_t)(to + words - record) * sizeof(*to));
	return size - words * sizeof(*to);
}

static void blank_raw(const struct tuck *tuck, const struct perf_attr *attr,
		      const struct sample *sample)
{
	bool arguments = tuck->has_arguments.data[attr->index];
	size_t kept = attr->attr.base.type != PERF_TYPE_TRACEPOINT ? 0
		      : arguments				   ? RAW_ARGUMENTS
								   : RAW_COMMON;

	if (sample->raw_size > kept)
		memset((char *)sample->raw + kept, 0, sample->raw_size - kept);
}

/* The new size of the record, which has no copy of memory or registers then. */
static size_t blank(struct tuck *tuck, const struct perf_attr *attr, uint64_t *record, size_t size)
{
	struct sample sample;

	if (sample_parse(attr, (const void *)record, &sample)) {
		size_t kept = sizeof(struct perf_event_header) + attr->fixed_size;

		if (size > kept)
			memset((char *)record + kept, 0, size - kept);
		return size;
	}
	blank_raw(tuck, attr, &sample);
	if (sample.aux_size)
		memset((void *)sample.aux, 0, sample.aux_size);
	if (sample.intr_regs.values)
		memset((void *)sample.intr_regs.values, 0,
		       (size_t)__builtin_popcountll(sample.intr_regs.mask) * sizeof(uint64_t));
	/* From the back, so that what is in front stays where it is. */
	if (sample.user_stack) {
		uint64_t *stack = (uint64_t *)sample.user_stack;

		stack[-1] = 0;
		size = cut_words(record, size, stack, sample.user_stack_room / 8 + 1);
	}
	if (sample.user_regs.values) {
		uint64_t *values = (uint64_t *)sample.user_regs.values;

		values[-1] = PERF_SAMPLE_REGS_ABI_NONE;
		size = cut_words(record, size, values,
				 (size_t)__builtin_popcountll(sample.user_regs.mask));
	}
	tuck->blanked++;
	return size;
}

static bool is_own(const struct tuck *tuck, const struct perf_attr *attr, uint32_t pid,
		   uint64_t time)
{
	if (!tuck->own || !tuck->pid_at ||
	    !(attr->attr.base.sample_type & (MEMORY | PERF_SAMPLE_RAW)))
		return false;
	return ownproc_was(tuck->own, (pid_t)pid, time);
}

static size_t change_record(struct tuck *tuck, uint64_t *record, size_t size)
{
	const struct perf_attr *attr = attr_of(tuck, record);
	struct perf_event_header *header = (struct perf_event_header *)record;
	struct sample sample;

	if (!attr)
		return size;
	if (is_own(tuck, attr, *(uint32_t *)((char *)record + tuck->pid_at),
		   record_time(attr, header))) {
		size = blank(tuck, attr, record, size);
	} else {
		if (!has_both(&attr->attr.base) || sample_parse(attr, header, &sample) ||
		    !sample.user_stack)
			return size;
		size = change(tuck, record, size, &sample);
	}
	header->size = (uint16_t)size;
	return size;
}

static size_t change_records(struct tuck *tuck, void *records, size_t size)
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

size_t tuck_records(struct tuck *tuck, void *records, size_t size)
{
	if (tuck->own)
		ownproc_lock(tuck->own);
	size = change_records(tuck, records, size);
	if (tuck->own)
		ownproc_unlock(tuck->own);
	return size;
}

/* Whether a record in the ring is a sample that must not be written as it is. */
static bool is_own_in_ring(const struct tuck *tuck, const struct ring_view *view, uint64_t at,
			   const struct perf_event_header *header)
{
	const struct perf_attr *attr = tuck->attrs.list.data[0];
	const struct id_slot *slot;
	int word = tuck->attrs.sample_id_word;

	if (header->type != PERF_RECORD_SAMPLE)
		return false;
	if (tuck->attrs.list.len > 1 && word >= 0) {
		slot = attr_table_find(&tuck->attrs, ring_u64(view, at + 8 + (size_t)word * 8));
		if (!slot)
			return false;
		attr = slot->attr;
	}
	return is_own(tuck, attr, (uint32_t)ring_u64(view, at + tuck->pid_at),
		      attr->time_at ? ring_u64(view, at + attr->time_at) : 0);
}

/* How far records may be written straight from the ring. */
static uint64_t plain_until(const struct tuck *tuck, const struct ring_view *view, uint64_t at)
{
	while (at < view->end) {
		struct perf_event_header header = ring_header(view, at);

		if (header.size < sizeof(header))
			return view->end; /* no record: passed on as it is */
		if (is_own_in_ring(tuck, view, at, &header))
			return at;
		at += header.size;
	}
	return view->end;
}

int tuck_next(struct tuck *tuck, const struct ring_view *view, uint64_t *at, struct iovec parts[2])
{
	struct ring_view plain = *view;
	size_t size;

	if (*at >= view->end)
		return 0;
	size = choose(view, *at);
	if (!tuck->moves_chains) {
		plain.start = *at;
		ownproc_lock(tuck->own);
		plain.end = *at = plain_until(tuck, view, *at);
		ownproc_unlock(tuck->own);
		if (plain.end > plain.start)
			return ring_parts(&plain, parts);
		size = ring_header(view, *at).size;
	}
	ring_copy(view, *at, tuck->buffer, size);
	parts[0] = (struct iovec){ tuck->buffer, tuck_records(tuck, tuck->buffer, size) };
	*at += size;
	return 1;
}
