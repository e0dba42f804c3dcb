// SPDX-License-Identifier: Apache-2.0
#include "profile/build.h"
#include "base/cursor.h"
#include "base/err.h"
#include "base/idmap.h"
#include "event/event.h"
#include "event/modifier.h"
#include "machine/samplequeue.h"
#include "perfdata/counts.h"
#include "perfdata/feature.h"
#include "perfdata/sort.h"
#include "perfdata/tracing.h"
#include "profile/memo.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Samples on their way to a row.  Each step asks for the memory that the next one needs, so between
 * two steps of a sample others have theirs; when something else than a sample comes, all of them
 * are finished first.
 */
enum step {
	STEP_MEMO, /* to be looked for in the memo; if it is not there: */
	STEP_LOOK, /* the steps of profile/frames.h */
	STEP_LOOK_CLOSER,
	STEP_NAME,
	STEP_END,
	STEP_FOUND, /* its stack is known */
};

#define SAMPLE_BYTES 128 /* about what one with a stack takes in the file */
#define PENDING	     8
_Static_assert(PENDING < SAMPLE_QUEUE_KEPT, "a pending sample may have the chain of a queued one");

struct pending {
	struct sample sample;
	uint64_t call; /* when its record was read, in the queue's count */
	const struct perf_attr *attr;
	const struct thread *thread;
	uint64_t hash;
	enum step step;
	struct frames_walk walk;
	struct frames_stack stack;
};

/* A thread as the last sample of it was counted. */
struct thread_slot {
	const struct process *process;
	const char *comm;
	uint32_t id;
};

struct profile_builder {
	struct profile_wishes wishes;
	struct perf_reader *reader;
	struct record_sort *sort;
	struct machine *machine;
	struct profile *profile;
	struct frames frames;
	struct unwinding unwinding;
	struct sample_queue queue; /* those with a copy of the stack come through here */
	struct memo memo;
	struct pending pending[PENDING];
	size_t begun, finished;
	VEC(struct thread_slot) threads; /* by the machine's id */
	uint64_t last_time;
	struct idmap skips; /* rows of them, by object and event */
	VEC(uint64_t) lost; /* by event, as LOST_SAMPLES tells */
	uint64_t bad_bytes; /* of the file, in records that were not understood */
	struct perf_counts counts;
};

/* How many samples there may be at most; a pipe, or a file that grows, does not tell. */
static uint64_t guess_samples(const struct perf_reader *reader)
{
	uint64_t at, size;

	perf_reader_progress(reader, &at, &size);
	return size && !perf_reader_growing(reader) ? size / SAMPLE_BYTES : UINT64_MAX;
}

struct profile_builder *profile_builder_new(struct perf_reader *reader, struct symbol_store *store)
{
	struct profile_builder *b = mem_alloc(sizeof(*b));
	uint64_t samples = guess_samples(reader);

	b->reader = reader;
	b->sort = record_sort_new(reader, 0);
	b->machine = machine_new();
	b->profile = profile_new();
	if (samples != UINT64_MAX)
		profile_reserve(b->profile, samples);
	memo_init(&b->memo, samples);
	frames_init(&b->frames, b->profile, b->machine, store, samples);
	machine_take_build_ids(b->machine, reader);
	unwinding_init(&b->unwinding, &b->frames.naming, reader);
	b->frames.unwinding = &b->unwinding;
	sample_queue_init(&b->queue, &b->unwinding);
	return b;
}

void profile_builder_free(struct profile_builder *b)
{
	if (!b)
		return;
	sample_queue_fini(&b->queue);
	unwinding_fini(&b->unwinding);
	frames_fini(&b->frames);
	profile_free(b->profile);
	machine_free(b->machine);
	record_sort_free(b->sort);
	vec_free(&b->threads);
	idmap_free(&b->skips);
	vec_free(&b->lost);
	perf_counts_fini(&b->counts);
	memo_fini(&b->memo);
	free(b);
}

bool profile_builder_named_late(struct profile_builder *b)
{
	return frames_named_late(&b->frames);
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

static uint32_t name_event(struct profile *profile, const struct perf_attr *attr)
{
	char *text = modifiers_name(attr->name, &attr->attr.base);
	uint32_t name = interner_add(&profile->strings, text);

	free(text);
	return name;
}

/* Of others, clocks and a CPU's counters, a program that runs has some. */
static bool is_seldom(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_TRACEPOINT || attr->type == PERF_TYPE_BREAKPOINT ||
	       (attr->type == PERF_TYPE_SOFTWARE && attr->config != PERF_COUNT_SW_CPU_CLOCK &&
		attr->config != PERF_COUNT_SW_TASK_CLOCK);
}

static bool is_inherited_probe(const struct tracing_ids *probes, const struct perf_attr *attr)
{
	const struct perf_event_attr *base = &attr->attr.base;

	if (!base->inherit)
		return false;
	if (base->type != PERF_TYPE_TRACEPOINT)
		return !strncmp(attr->name, "uprobe/", strlen("uprobe/"));
	vec_each (id, probes)
		if (*id == base->config)
			return true;
	return false;
}

/* Of copied stacks, and of those that the CPU keeps, the user's part does not come with the chain.
 */
static bool has_kernel_chains(const struct perf_event_attr *attr)
{
	const uint64_t others = PERF_SAMPLE_STACK_USER | PERF_SAMPLE_BRANCH_STACK;

	return attr->exclude_callchain_user && attr->sample_type & PERF_SAMPLE_CALLCHAIN &&
	       !(attr->sample_type & others);
}

static uint64_t scope_of(const struct tracing_ids *probes, const struct perf_attr *attr)
{
	const struct perf_event_attr *base = &attr->attr.base;

	return (is_inherited_probe(probes, attr) ? SCOPE_PROBE : 0) |
	       (base->enable_on_exec ? SCOPE_ON_EXEC : 0) |
	       (has_kernel_chains(base) ? SCOPE_KERNEL_CHAINS : 0) |
	       (base->exclude_kernel ? SCOPE_NO_KERNEL : 0) |
	       (base->exclude_user ? SCOPE_NO_USER : 0) | (base->freq ? SCOPE_BY_RATE : 0) |
	       (is_seldom(base) ? SCOPE_SELDOM : 0) |
	       (base->freq || base->sample_period <= 1 ? SCOPE_FIRST : 0) |
	       (base->exclude_kernel && attr_is_kernels(base, attr->name) ? SCOPE_VOID : 0);
}

/* Events are known by the time of their first sample; a pipe tells of them one by one. */
static void add_events(struct profile_builder *b)
{
	struct tracing_ids probes = { 0 };

	tracing_find_probes(b->reader, &probes);
	for (size_t i = b->profile->events.len; i < perf_reader_attr_count(b->reader); i++) {
		const struct perf_attr *attr = perf_reader_attr(b->reader, i);

		*vec_push(&b->profile->events) = (struct profile_event){
			.name = name_event(b->profile, attr),
			.unit = interner_add(&b->profile->strings, attr->unit),
			.scale = attr->scale,
			.scope = scope_of(&probes, attr),
		};
		*vec_push(&b->lost) = 0;
	}
	vec_free(&probes);
}

static uint32_t thread_row(struct profile_builder *b, const struct thread *thread)
{
	struct thread_slot *slot;

	while (b->threads.len <= thread->id)
		vec_push(&b->threads);
	slot = &b->threads.data[thread->id];
	if (slot->process == thread->process && slot->comm == thread->comm)
		return slot->id;
	*slot = (struct thread_slot){ .process = thread->process, .comm = thread->comm };
	slot->id = profile_thread(b->profile,
				  &(struct profile_thread){
					  .pid = thread->process->pid,
					  .tid = thread->tid,
					  .generation = thread->process->generation,
					  .comm = interner_add(&b->profile->strings, thread->comm),
				  });
	return slot->id;
}

static void count(struct weight_pair *sum, uint64_t weight)
{
	sum->samples++;
	sum->weight += weight;
}

static void count_skip(struct profile_builder *b, const struct frames_stack *stack, size_t event,
		       uint64_t weight)
{
	uint32_t object = stack->skip_object;
	struct profile_skips *skips;
	uint32_t next = (uint32_t)b->profile->skips.len;
	uint32_t at = idmap_add(&b->skips, (uint64_t)object << 32 | event, next);

	if (at == next)
		*vec_push(&b->profile->skips) = (struct profile_skips){ .object = object,
									.event = (uint32_t)event };
	skips = &b->profile->skips.data[at];
	count(stack->skips ? &skips->sum : &skips->unclear, weight);
	if (stack->tableless)
		count(&skips->tableless, weight);
}

static void add_row(struct profile_builder *b, const struct perf_attr *attr,
		    const struct sample *sample, const struct thread *thread,
		    const struct frames_stack *stack)
{
	uint64_t weight = b->wishes.by_weight ? sample->weight : sample->period;
	struct profile_event *event = &b->profile->events.data[attr->index];

	/* Rows never go back in time, even where a record came too late to be sorted. */
	if (sample->time != UINT64_MAX && sample->time > b->last_time)
		b->last_time = sample->time;
	b->profile->quality.cut_stacks += stack->cut;
	b->profile->quality.unknown_leaves += stack->unknown;
	if ((stack->skips || stack->unclear) && !stack->cut)
		count_skip(b, stack, attr->index, weight);
	b->profile->quality.off_map += stack->off_map;
	b->profile->quality.mapless += stack->mapless;
	if (sample->chain_origin.left_out)
		count(&event->left_out, weight);
	event->reused.samples += stack->reused;
	event->reused.weight += stack->reused ? weight : 0;
	b->profile->quality.stack_copies += sample->user_stack_size > 0;
	profile_add(b->profile, &(struct profile_row){
					.time = b->last_time,
					.weight = weight,
					.stack = stack->stack,
					.thread = thread_row(b, thread),
					.leaf = stack->leaf,
					.cpu = (uint16_t)sample->cpu,
					.event = (uint16_t)attr->index,
				});
}

static void add_traits(struct profile_builder *b, const struct perf_attr *attr,
		       const struct sample *sample, const struct thread *thread,
		       const struct perf_branch_entry *branch)
{
	const struct profile_subject subject = { .profile = b->profile,
						 .naming = &b->frames.naming,
						 .attr = attr,
						 .sample = sample,
						 .thread = thread,
						 .branch = branch };
	size_t at = b->profile->traits.len;

	for (size_t i = 0; i < b->wishes.trait_count; i++)
		vec_push(&b->profile->traits);
	if (b->wishes.trait_count)
		b->wishes.traits(b->wishes.user, &subject, &b->profile->traits.data[at]);
}

/* A row for each branch, which is where it led to. */
static void add_branches(struct profile_builder *b, struct pending *p)
{
	struct sample sample = p->sample;

	for (uint64_t i = 0; i < p->sample.branch_count; i++) {
		const struct perf_branch_entry *branch = &p->sample.branches[i];
		struct frames_stack stack;

		sample.ip = branch->to;
		sample.chain = NULL;
		sample.chain_len = 0;
		sample.period = sample.weight = 1;
		sample.cpumode = naming_mapping(&b->frames.naming, p->thread, PERF_RECORD_MISC_USER,
						branch->to)
					 ? PERF_RECORD_MISC_USER
					 : PERF_RECORD_MISC_KERNEL;
		frames_begin(&b->frames, &p->walk, &sample, p->thread);
		frames_name(&b->frames, &p->walk, p->thread);
		stack = frames_end(&b->frames, &p->walk, &sample);
		add_row(b, p->attr, &sample, p->thread, &stack);
		add_traits(b, p->attr, &p->sample, p->thread, branch);
	}
}

/* Leader sampling: one record holds the totals of the whole group, and is a sample of each. */
static void add_group(struct profile_builder *b, const struct perf_attr *leader,
		      struct sample *sample, const struct thread *thread,
		      const struct frames_stack *stack)
{
	for (uint64_t i = 0; i < sample->read_count; i++) {
		struct sample_read_value value = sample_read_value_at(leader, sample, i);
		const struct perf_attr *attr = perf_reader_read_delta(b->reader, value.id,
								      value.value, &sample->period);

		if (!attr)
			b->profile->quality.unknown_records++;
		else if (sample->period) {
			add_row(b, attr, sample, thread, stack);
			add_traits(b, attr, sample, thread, NULL);
		}
	}
}

static void step(struct profile_builder *b, struct pending *p)
{
	switch (p->step) {
	case STEP_MEMO:
		if (memo_find(&b->memo, p->hash, &p->stack)) {
			p->step = STEP_FOUND;
			break;
		}
		b->frames.stack_limit = p->attr->attr.base.sample_max_stack;
		frames_begin(&b->frames, &p->walk, &p->sample, p->thread);
		p->step = STEP_LOOK;
		break;
	case STEP_LOOK:
		frames_look(&b->frames, &p->walk);
		p->step = STEP_LOOK_CLOSER;
		break;
	case STEP_LOOK_CLOSER:
		frames_look_closer(&b->frames, &p->walk);
		p->step = STEP_NAME;
		break;
	case STEP_NAME:
		frames_name(&b->frames, &p->walk, p->thread);
		p->step = STEP_END;
		break;
	case STEP_END:
		/* One of those before may have been the same. */
		if (!memo_find(&b->memo, p->hash, &p->stack)) {
			p->stack = frames_end(&b->frames, &p->walk, &p->sample);
			memo_put(&b->memo, p->hash, &p->stack);
		}
		p->step = STEP_FOUND;
		break;
	case STEP_FOUND: break;
	}
}

static void finish_oldest(struct profile_builder *b)
{
	struct pending *p = &b->pending[b->finished++ % PENDING];

	while (p->step != STEP_FOUND)
		step(b, p);
	if (b->wishes.branches) {
		add_branches(b, p);
		return;
	}
	if (p->attr->attr.base.sample_type & PERF_SAMPLE_READ)
		add_group(b, p->attr, &p->sample, p->thread, &p->stack);
	else {
		add_row(b, p->attr, &p->sample, p->thread, &p->stack);
		add_traits(b, p->attr, &p->sample, p->thread, NULL);
	}
}

static void finish_all(struct profile_builder *b)
{
	while (b->finished < b->begun)
		finish_oldest(b);
}

/* The next one, with nobody in it. */
static struct pending *pending_next(struct profile_builder *b)
{
	if (b->begun - b->finished == PENDING)
		finish_oldest(b);
	return &b->pending[b->begun % PENDING];
}

/* The sample is in the next pending one. */
static void begin(struct profile_builder *b, const struct perf_attr *attr,
		  const struct thread *thread, uint64_t call)
{
	struct pending *p = &b->pending[b->begun++ % PENDING];

	p->call = call;
	p->attr = attr;
	p->thread = thread;
	p->hash = memo_hash(&p->sample, machine_space(b->machine, p->thread, PERF_RECORD_MISC_USER),
			    machine_space(b->machine, p->thread, PERF_RECORD_MISC_KERNEL));
	memo_prefetch(&b->memo, p->hash);
	p->step = STEP_MEMO;
	for (size_t i = b->finished; i < b->begun - 1; i++)
		step(b, &b->pending[i % PENDING]);
}

static void begin_queued(struct profile_builder *b, bool all)
{
	const struct queued_sample *queued;

	while ((queued = sample_queue_next(&b->queue, all))) {
		pending_next(b)->sample = queued->sample;
		begin(b, queued->attr, queued->thread, queued->call);
	}
}

/* What ran in a guest, of which nobody wants to know more. */
static void leave_out(struct profile_builder *b, const struct perf_attr *attr,
		      const struct sample *sample)
{
	struct profile_event *event = &b->profile->events.data[attr->index];

	event->guest_samples++;
	event->guest_weight += sample->period;
}

static void accept(struct profile_builder *b, const struct perf_attr *attr, struct sample *sample,
		   bool queued)
{
	const struct thread *thread = machine_sample_thread(b->machine, sample);
	struct queued_sample *slot;

	if (!thread) {
		leave_out(b, attr, sample);
		return;
	}
	if (!queued) {
		begin(b, attr, thread, b->queue.calls);
		return;
	}
	slot = sample_queue_slot(&b->queue);
	slot->attr = attr;
	slot->thread = thread;
	sample_queue_push(&b->queue, !misc_is_of_guest(sample->misc));
	begin_queued(b, false);
}

static void finish_everything(struct profile_builder *b)
{
	begin_queued(b, true);
	finish_all(b);
}

/* Another record was read: what waits lies in records that do not last for ever. */
static void tick(struct profile_builder *b)
{
	const struct pending *oldest;

	sample_queue_tick(&b->queue);
	if (!sample_queue_is_empty(&b->queue))
		begin_queued(b, false);
	oldest = &b->pending[b->finished % PENDING];
	if (b->finished < b->begun &&
	    b->queue.calls - oldest->call >= RECORD_SORT_LASTING - PENDING)
		finish_all(b);
}

/* The kernel has registers of every task that runs a program; our recorder may take them away. */
static bool is_left_out(const struct perf_attr *attr, const struct sample *sample)
{
	bool user = sample->cpumode == PERF_RECORD_MISC_USER;

	if (!(attr->attr.base.sample_type & PERF_SAMPLE_STACK_USER) || sample->user_regs.values)
		return false;
	for (uint64_t i = 0; i < sample->chain_len && !user; i++)
		user = sample->chain[i] == (uint64_t)PERF_CONTEXT_USER;
	return user;
}

/* One that was not understood; `count` is the quality's. */
static void refuse(struct profile_builder *b, const struct sorted_record *rec, uint64_t *count)
{
	++*count;
	if (rec->rec.reread) /* it stands in the file like that */
		b->bad_bytes += rec->rec.header->size;
}

static void take_sample(struct profile_builder *b, const struct sorted_record *rec)
{
	struct profile_quality *quality = &b->profile->quality;
	bool queued = !sample_queue_is_empty(&b->queue) ||
		      (rec->attr && rec->attr->attr.base.sample_type & PERF_SAMPLE_STACK_USER);
	struct sample *sample = queued ? &sample_queue_slot(&b->queue)->sample
				       : &pending_next(b)->sample;

	if (rec->attr && rec->attr->index >= b->profile->events.len)
		add_events(b);
	if (!rec->attr || rec->attr->index > UINT16_MAX)
		refuse(b, rec, &quality->unknown_records);
	else if (sample_parse(rec->attr, rec->rec.header, sample))
		refuse(b, rec, &quality->damaged);
	else {
		sample->chain_origin.left_out = is_left_out(rec->attr, sample);
		sample->chain_origin.kernel_only = has_kernel_chains(&rec->attr->attr.base);
		accept(b, rec->attr, sample, queued);
	}
	if (!rec->lasting)
		finish_everything(b);
}

/*
 * A new process, or thread.  The recorder's own ones tell of those that were there before: perf
 * marks them, ours and older ones have no time.
 */
static void take_fork(struct profile_quality *quality, const struct perf_event_header *header,
		      struct cursor *c)
{
	uint32_t pid = cursor_u32(c), parent = cursor_u32(c);
	uint64_t time;

	cursor_u64(c); /* threads */
	time = cursor_u64(c);
	if (header->misc & PERF_RECORD_MISC_FORK_EXEC || !time || c->broken)
		return;
	quality->forks += pid != parent;
	quality->spawns++;
}

static void take_lost_samples(struct profile_builder *b, const struct perf_attr *attr,
			      uint64_t lost)
{
	b->profile->quality.lost_samples += lost;
	if (attr && attr->index >= b->lost.len)
		add_events(b);
	if (attr && attr->index < b->lost.len)
		b->lost.data[attr->index] += lost;
}

static void sum_losses(struct profile_builder *b)
{
	struct profile_quality *quality = &b->profile->quality;
	struct profile *p = b->profile;

	quality->lost = perf_reader_lost(b->reader, quality->lost_records, quality->lost_samples);
	for (size_t i = 0; i < p->events.len && i < b->lost.len; i++)
		p->events.data[i].lost = p->events.len == 1 ? quality->lost : b->lost.data[i];
}

/* Each round tells of all that was counted so far. */
static void take_counts(struct profile_builder *b, const struct perf_event_header *header)
{
	struct profile *p = b->profile;

	if (!perf_counts_read(&b->counts, header))
		return;
	p->coverage = (struct profile_coverage){
		.known = b->counts.flags & COUNTS_CPU,
		.idle_known = b->counts.flags & COUNTS_IDLE,
		.inherited = b->counts.flags & COUNTS_INHERITED,
		.full = b->counts.flags & COUNTS_FULL,
		.ended = b->counts.flags & COUNTS_ENDED,
		.wait_status = (uint16_t)(b->counts.flags >> COUNTS_STATUS_SHIFT),
		.cpu_ns = b->counts.cpu_ns,
		.idle_ns = b->counts.idle_ns,
	};
	for (size_t i = 0; i < BUDGET_WORDS && b->counts.budget.len >= BUDGET_WORDS; i++)
		p->budget[i] = b->counts.budget.data[i];
	for (size_t i = 0; i < p->events.len && i < b->counts.events.len; i++)
		p->events.data[i].counted = b->counts.events.data[i];
}

static void take_other(struct profile_builder *b, const struct sorted_record *rec)
{
	const struct perf_event_header *header = rec->rec.header;
	size_t trailer = rec->attr ? rec->attr->trailer_size : 0;
	struct profile_quality *quality = &b->profile->quality;
	struct cursor c;

	if (!machine_passes_over(header->type) || sample_queue_is_empty(&b->queue))
		finish_everything(b);
	if (header->size < trailer + sizeof(*header)) {
		refuse(b, rec, &quality->damaged);
		return;
	}
	c = cursor_of(header + 1, header->size - trailer - sizeof(*header));
	machine_take(b->machine, header, header->size - trailer);
	switch (header->type) {
	case PERF_RECORD_LOST:
		cursor_u64(&c); /* the id */
		quality->lost_records += cursor_u64(&c);
		break;
	case PERF_RECORD_LOST_SAMPLES: take_lost_samples(b, rec->attr, cursor_u64(&c)); break;
	case PERF_RECORD_THROTTLE: quality->throttled++; break;
	case PERF_RECORD_FORK: take_fork(quality, header, &c); break;
	case USER_RECORD_FINISHED_ROUND: take_counts(b, header); break;
	default: break;
	}
}

/*
 * What is wrong with the file, and how much of its data could not be read for that.  Bytes in the
 * middle that make no sense are mostly taken for a few huge records of no known type, which swallow
 * what stands behind them: that was not read either.
 */
static void note_damage(struct profile_builder *b)
{
	struct profile_quality *quality = &b->profile->quality;
	const struct perf_section *data = &perf_reader_header(b->reader)->data;
	const char *damage = perf_reader_damage(b->reader);
	uint64_t at, size, missing;

	if (!damage)
		return;
	quality->damage = interner_add(&b->profile->strings, damage);
	quality->records_cut = perf_reader_records_cut(b->reader);
	perf_reader_progress(b->reader, &at, &size);
	if (perf_reader_is_pipe(b->reader) || perf_reader_stream_count(b->reader) != 1 ||
	    !data->size || at < data->offset)
		return;
	missing = b->bad_bytes;
	if (at - data->offset < data->size)
		missing += data->size - (at - data->offset);
	quality->bytes_all = missing ? data->size : 0;
	quality->bytes_missing = missing < data->size ? missing : data->size;
}

/* How many CPUs a list like "0,2-4" names; 0 if it is none. */
static uint64_t count_cpus(const char *list)
{
	uint64_t count = 0;
	unsigned first, last;
	int used;

	while (sscanf(list, "%u%n", &first, &used) == 1) {
		last = first;
		list += used;
		if (sscanf(list, "-%u%n", &last, &used) == 1)
			list += used;
		if (last < first || last > UINT16_MAX)
			return 0;
		count += last - first + 1;
		if (*list != ',')
			return *list ? 0 : count;
		list++;
	}
	return 0;
}

/* The value of an option where it is part of the word or the word behind; NULL: not this option. */
static const char *option_value(const struct feature_strings *words, uint32_t i, const char *name)
{
	size_t length = strlen(name);

	if (strncmp(words->data[i], name, length) != 0)
		return NULL;
	if (!words->data[i][length])
		return i + 1 < words->count ? words->data[i + 1] : NULL;
	if (name[1] != '-') /* -C0 */
		return words->data[i] + length;
	return words->data[i][length] == '=' ? words->data[i] + length + 1 : NULL;
}

/*
 * What else was left out, which only the recorder's command line tells.  The command that it ran
 * may have such options, too: what stands behind `--`, or behind the first word that can be no
 * option's value, is that.
 */
static void note_command_line(struct profile_builder *b)
{
	static const char flags[] = "agqvdsnTPRWINSBb";
	struct profile_quality *quality = &b->profile->quality;
	struct perf_env env = { 0 };
	bool takes_value = false;

	perf_env_load(&env, b->reader);
	for (uint32_t i = 2; i < env.cmdline.count && strcmp(env.cmdline.data[i], "--"); i++) {
		const char *word = env.cmdline.data[i], *cpus = option_value(&env.cmdline, i, "-C");

		if (*word != '-' && !takes_value)
			break;
		takes_value = *word == '-' && !strchr(word, '=') &&
			      (word[1] == '-' || (word[1] && !word[2] && !strchr(flags, word[1])));
		if (!cpus)
			cpus = option_value(&env.cmdline, i, "--cpu");
		if (cpus && count_cpus(cpus) && count_cpus(cpus) < env.cpus_online) {
			quality->cpus_sampled = count_cpus(cpus);
			quality->cpus_online = env.cpus_online;
		}
		quality->is_filtered |= option_value(&env.cmdline, i, "--filter") != NULL;
	}
	perf_env_free(&env);
}

int profile_builder_read(struct profile_builder *b, struct err *err)
{
	uint64_t unknown = perf_reader_unknown_records(b->reader);
	uint64_t unknown_bytes = perf_reader_unknown_bytes(b->reader);
	struct sorted_record rec;
	int rc;

	add_events(b);
	if (frames_ask_again(&b->frames))
		memo_clear(&b->memo);
	while ((rc = record_sort_next(b->sort, &rec, err)) > 0) {
		tick(b);
		if (rec.rec.header->type == PERF_RECORD_SAMPLE)
			take_sample(b, &rec);
		else
			take_other(b, &rec);
	}
	finish_everything(b);
	sum_losses(b);
	b->profile->quality.out_of_order = record_sort_out_of_order(b->sort);
	b->profile->quality.unknown_records += perf_reader_unknown_records(b->reader) - unknown;
	b->bad_bytes += perf_reader_unknown_bytes(b->reader) - unknown_bytes;
	note_damage(b);
	note_command_line(b);
	frames_find_lines(&b->frames);
	frames_update_states(&b->frames);
	return rc;
}

struct profile *profile_read(struct perf_reader *reader, struct symbol_store *store,
			     struct err *err)
{
	return profile_read_with(reader, store, &(struct profile_wishes){ 0 }, err);
}

struct profile *profile_read_with(struct perf_reader *reader, struct symbol_store *store,
				  const struct profile_wishes *wishes, struct err *err)
{
	struct profile_builder *builder = profile_builder_new(reader, store);
	struct profile *profile = NULL;

	builder->wishes = *wishes;
	builder->profile->trait_count = wishes->trait_count;
	if (!profile_builder_read(builder, err))
		profile = profile_builder_take(builder);
	profile_builder_free(builder);
	return profile;
}
