// SPDX-License-Identifier: Apache-2.0
#include "profile/build.h"
#include "base/cursor.h"
#include "base/err.h"
#include "base/idmap.h"
#include "perfdata/sort.h"
#include "profile/frames.h"

#include <errno.h>
#include <linux/perf_event.h>

/*
 * Stacks that were met lately, by a hash of their process and raw chain.  Of a fixed size, a new
 * one takes the place of an old one: memory and cost stay the same however long the recording is.
 */
#define MEMO_SLOTS (1u << 15)

struct memo_slot {
	uint64_t hash; /* 0: empty */
	struct frames_stack found;
};

/* A thread as the last sample of it was counted. */
struct thread_slot {
	const struct thread *thread;
	const struct process *process;
	const char *comm;
	uint32_t id;
};

struct profile_builder {
	struct perf_reader *reader;
	struct record_sort *sort;
	struct machine *machine;
	struct profile *profile;
	struct frames frames;
	struct memo_slot *memo;
	/* By process: a number that is new whenever its mappings change.  0: not given yet. */
	VEC(uint32_t) spaces;
	uint32_t kernel_space, next_space;
	struct idmap thread_ids; /* tid to slot */
	VEC(struct thread_slot) threads;
	uint64_t last_time;
};

struct profile_builder *profile_builder_new(struct perf_reader *reader, struct symbol_store *store)
{
	struct profile_builder *b = mem_alloc(sizeof(*b));

	b->reader = reader;
	b->sort = record_sort_new(reader, 0);
	b->machine = machine_new();
	b->profile = profile_new();
	b->kernel_space = ++b->next_space;
	b->memo = mem_alloc(MEMO_SLOTS * sizeof(*b->memo));
	machine_take_build_ids(b->machine, reader);
	frames_init(&b->frames, b->profile, b->machine, store);
	return b;
}

void profile_builder_free(struct profile_builder *b)
{
	if (!b)
		return;
	frames_fini(&b->frames);
	profile_free(b->profile);
	machine_free(b->machine);
	record_sort_free(b->sort);
	idmap_free(&b->thread_ids);
	vec_free(&b->threads);
	vec_free(&b->spaces);
	free(b->memo);
	free(b);
}

struct profile *profile_builder_profile(struct profile_builder *b)
{
	return b->profile;
}

struct profile *profile_builder_take(struct profile_builder *b)
{
	struct profile *profile = b->profile;

	b->profile = NULL;
	return profile;
}

/* Events are known by the time of their first sample; a pipe tells of them one by one. */
static void add_events(struct profile_builder *b)
{
	for (size_t i = b->profile->events.len; i < perf_reader_attr_count(b->reader); i++) {
		const struct perf_attr *attr = perf_reader_attr(b->reader, i);

		*vec_push(&b->profile->events) = (struct profile_event){
			.name = interner_add(&b->profile->strings, attr->name),
			.unit = interner_add(&b->profile->strings, attr->unit),
			.scale = attr->scale,
		};
	}
}

static uint32_t thread_row(struct profile_builder *b, const struct thread *thread)
{
	uint32_t next = (uint32_t)b->threads.len;
	uint32_t at = idmap_add(&b->thread_ids, thread->tid, next);
	struct thread_slot *slot;

	if (at == next)
		vec_push(&b->threads);
	slot = &b->threads.data[at];
	if (slot->thread == thread && slot->process == thread->process &&
	    slot->comm == thread->comm)
		return slot->id;
	*slot = (struct thread_slot){ .thread = thread,
				      .process = thread->process,
				      .comm = thread->comm };
	slot->id = profile_thread(b->profile,
				  &(struct profile_thread){
					  .pid = thread->process->pid,
					  .tid = thread->tid,
					  .generation = thread->process->generation,
					  .comm = interner_add(&b->profile->strings, thread->comm),
				  });
	return slot->id;
}

static uint32_t *space_of(struct profile_builder *b, const struct process *process)
{
	while (b->spaces.len <= process->id)
		vec_push(&b->spaces);
	if (!b->spaces.data[process->id])
		b->spaces.data[process->id] = ++b->next_space;
	return &b->spaces.data[process->id];
}

/* Two lanes, since each multiplication waits for the one before. */
static uint64_t hash_chain(const struct sample *sample, uint32_t user_space, uint32_t kernel_space)
{
	uint64_t one = (uint64_t)user_space << 32 | kernel_space;
	uint64_t two = sample->ip ^ (uint64_t)sample->cpumode << 56;
	uint64_t i = 0;

	one = (one ^ one >> 29) * 0xbf58476d1ce4e5b9u;
	for (; i + 1 < sample->chain_len; i += 2) {
		one = ((one << 27 | one >> 37) ^ sample->chain[i]) * 0x9e3779b97f4a7c15u;
		two = ((two << 31 | two >> 33) ^ sample->chain[i + 1]) * 0xbf58476d1ce4e5b9u;
	}
	if (i < sample->chain_len)
		one = ((one << 27 | one >> 37) ^ sample->chain[i]) * 0x9e3779b97f4a7c15u;
	one ^= two * 0x94d049bb133111ebu;
	one = (one ^ one >> 32) * 0x9e3779b97f4a7c15u;
	return (one ^ one >> 29) | 1;
}

static const struct frames_stack *stack_of(struct profile_builder *b, const struct sample *sample,
					   const struct thread *thread)
{
	uint32_t space = *space_of(b, thread->process);
	uint64_t hash = hash_chain(sample, space, b->kernel_space);
	struct memo_slot *slot = &b->memo[hash >> 40 & (MEMO_SLOTS - 1)];

	if (slot->hash != hash) {
		slot->found = frames_resolve(&b->frames, sample, thread, space, b->kernel_space);
		slot->hash = hash;
	}
	return &slot->found;
}

static void add_row(struct profile_builder *b, const struct perf_attr *attr,
		    const struct sample *sample)
{
	const struct thread *thread = machine_thread(b->machine, sample->pid, sample->tid);
	const struct frames_stack *stack = stack_of(b, sample, thread);

	/* Rows never go back in time, even where a record came too late to be sorted. */
	if (sample->time != UINT64_MAX && sample->time > b->last_time)
		b->last_time = sample->time;
	b->profile->quality.cut_stacks += stack->cut;
	b->profile->quality.unknown_leaves += stack->unknown;
	profile_add(b->profile, &(struct profile_row){
					.time = b->last_time,
					.weight = sample->period,
					.stack = stack->stack,
					.thread = thread_row(b, thread),
					.leaf = stack->leaf,
					.cpu = (uint16_t)sample->cpu,
					.event = (uint16_t)attr->index,
				});
}

/* Leader sampling: one record holds the totals of the whole group, and is a sample of each. */
static void add_group(struct profile_builder *b, const struct perf_attr *leader,
		      struct sample *sample)
{
	for (uint64_t i = 0; i < sample->read_count; i++) {
		struct sample_read_value value = sample_read_value_at(leader, sample, i);
		const struct perf_attr *attr = perf_reader_read_delta(b->reader, value.id,
								      value.value, &sample->period);

		if (!attr)
			b->profile->quality.unknown_records++;
		else if (sample->period)
			add_row(b, attr, sample);
	}
}

static void take_sample(struct profile_builder *b, const struct sorted_record *rec)
{
	struct profile_quality *quality = &b->profile->quality;
	struct sample sample;

	if (rec->attr && rec->attr->index >= b->profile->events.len)
		add_events(b);
	if (!rec->attr || rec->attr->index > UINT16_MAX)
		quality->unknown_records++;
	else if (sample_parse(rec->attr, rec->rec.header, &sample))
		quality->damaged++;
	else if (sample.cpumode == PERF_RECORD_MISC_GUEST_KERNEL ||
		 sample.cpumode == PERF_RECORD_MISC_GUEST_USER)
		quality->guest++;
	else if (rec->attr->attr.base.sample_type & PERF_SAMPLE_READ)
		add_group(b, rec->attr, &sample);
	else
		add_row(b, rec->attr, &sample);
}

/* What was remembered of the addresses in a mapping's process no longer holds. */
static void forget_process(struct profile_builder *b, const struct perf_event_header *header,
			   struct cursor *c)
{
	uint32_t pid = cursor_u32(c), tid = cursor_u32(c);

	if ((header->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL)
		b->kernel_space = ++b->next_space;
	else
		*space_of(b, machine_thread(b->machine, pid, tid)->process) = ++b->next_space;
}

static void take_other(struct profile_builder *b, const struct sorted_record *rec)
{
	const struct perf_event_header *header = rec->rec.header;
	size_t trailer = rec->attr ? rec->attr->trailer_size : 0;
	struct profile_quality *quality = &b->profile->quality;
	struct cursor c;

	if (header->size < trailer + sizeof(*header)) {
		quality->damaged++;
		return;
	}
	c = cursor_of(header + 1, header->size - trailer - sizeof(*header));
	machine_take(b->machine, header, header->size - trailer);
	switch (header->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2: forget_process(b, header, &c); break;
	case PERF_RECORD_KSYMBOL: b->kernel_space = ++b->next_space; break;
	case PERF_RECORD_LOST:
		cursor_u64(&c); /* the id */
		quality->lost += cursor_u64(&c);
		break;
	case PERF_RECORD_LOST_SAMPLES: quality->lost_samples += cursor_u64(&c); break;
	case PERF_RECORD_THROTTLE: quality->throttled++; break;
	default: break;
	}
}

int profile_builder_read(struct profile_builder *b, struct err *err)
{
	uint64_t unknown = perf_reader_unknown_records(b->reader);
	struct sorted_record rec;
	int rc;

	add_events(b);
	while ((rc = record_sort_next(b->sort, &rec, err)) > 0) {
		if (rec.rec.header->type == PERF_RECORD_SAMPLE)
			take_sample(b, &rec);
		else
			take_other(b, &rec);
	}
	b->profile->quality.out_of_order = record_sort_out_of_order(b->sort);
	b->profile->quality.unknown_records += perf_reader_unknown_records(b->reader) - unknown;
	frames_update_states(&b->frames);
	return rc;
}

struct profile *profile_read(struct perf_reader *reader, struct symbol_store *store,
			     struct err *err)
{
	struct profile_builder *builder = profile_builder_new(reader, store);
	struct profile *profile = NULL;

	if (!profile_builder_read(builder, err))
		profile = profile_builder_take(builder);
	profile_builder_free(builder);
	return profile;
}
