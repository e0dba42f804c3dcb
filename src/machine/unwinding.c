// SPDX-License-Identifier: Apache-2.0
#include "machine/unwinding.h"
#include "machine/unwindpool.h"
#include "perfdata/feature.h"
#include "perfdata/sample.h"

void unwinding_init(struct unwinding *unwinding, struct naming *naming, struct perf_reader *reader)
{
	*unwinding = (struct unwinding){ .naming = naming, .reader = reader };
}

void unwinding_fini(struct unwinding *unwinding)
{
	unwindpool_fini(unwinding);
	unwinder_free(unwinding->unwinder);
	free(unwinding->machine);
	unwinding_job_free(&unwinding->single);
}

void unwinding_job_free(struct unwinding_job *job)
{
	vec_free(&job->chain);
}

/* Not before the first sample that needs it: a pipe tells of its machine on the way. */
static void start(struct unwinding *u)
{
	const char *machine = feature_text(u->reader, FEATURE_ARCH);

	u->unwinder = unwinder_new();
	u->machine = machine ? mem_strdup(machine) : NULL;
}

/* Where nobody says what machine it was, its registers do: x86 has fewer. */
static bool arch_of(const struct unwinding *u, const struct sample_regs *regs,
		    enum unwind_arch *arch)
{
	const char *machine = u->machine;

	if (!machine && regs->mask >> 32)
		machine = "aarch64";
	return unwind_arch_of(machine, regs->abi, arch);
}

/* Whether there is a file to ask, and somebody who does. */
static bool can_ask(struct unwinding *u, const struct dso *dso)
{
	if (!u->naming->store || (dso_kind(dso) != DSO_FILE && dso_kind(dso) != DSO_VDSO))
		return false;
	if (!u->unwinder)
		start(u);
	return true;
}

enum unwind_pointer unwinding_pointer(struct unwinding *u, struct dso *dso, uint64_t file_off,
				      bool called)
{
	return can_ask(u, dso) ? unwinder_pointer(u->unwinder, dso, file_off, called)
			       : POINTER_UNKNOWN;
}

bool unwinding_lacks_rules(struct unwinding *u, struct dso *dso, uint64_t file_off)
{
	return can_ask(u, dso) && unwinder_lacks_rules(u->unwinder, dso, file_off);
}

struct question {
	struct naming *naming;
	const struct thread *thread;
};

static bool find(void *context, uint64_t pc, struct unwind_place *place)
{
	struct question *q = context;
	const struct mapping *mapping = machine_find(q->naming->machine, q->thread,
						     PERF_RECORD_MISC_USER, pc);
	enum object_kind kind;

	if (!mapping)
		return false;
	kind = machine_object(q->naming->machine, mapping->object)->kind;
	*place = (struct unwind_place){ .file_off = mapping_offset(mapping, pc),
					.data = mapping->data };
	if (kind == OBJECT_FILE || kind == OBJECT_VDSO)
		place->dso = naming_dso(q->naming, mapping, q->thread);
	return true;
}

/* How many entries of the chain come before the user's part. */
static uint64_t kernel_part(const struct sample *sample)
{
	uint64_t i = 0;

	while (i < sample->chain_len && sample->chain[i] != (uint64_t)PERF_CONTEXT_USER)
		i++;
	return i;
}

static struct chain_origin origin_of(const struct unwound *unwound)
{
	return (struct chain_origin){
		.unwound = true,
		.spliced = unwound->frames[unwound->count - 1].how == UNWIND_SPLICED,
		.short_copy = unwound->end == UNWIND_COPY_END,
		.whole = unwound->end == UNWIND_ROOT,
		.no_rules = unwound->end == UNWIND_NO_RULES || unwound->end == UNWIND_NO_FILE,
		.deep = unwound->end == UNWIND_DEEP,
	};
}

static void put_chain(struct unwinding_job *job, size_t limit, struct sample *sample)
{
	size_t count = limit && limit < job->unwound.count ? limit : job->unwound.count;

	job->chain.len = 0;
	for (uint64_t i = 0; i < job->kernel; i++)
		*vec_push(&job->chain) = sample->chain[i];
	*vec_push(&job->chain) = (uint64_t)PERF_CONTEXT_USER;
	for (size_t i = 0; i < count; i++) {
		if (job->unwound.frames[i].how == UNWIND_SPLICED && !sample->chain_spliced)
			sample->chain_spliced = job->chain.len;
		*vec_push(&job->chain) = job->unwound.frames[i].address;
	}
	sample->chain = job->chain.data;
	sample->chain_len = job->chain.len;
	sample->chain_origin = origin_of(&job->unwound);
}

static bool is_without_file(const struct unwound *unwound)
{
	return unwound->count == 1 &&
	       (unwound->end == UNWIND_NO_FILE || unwound->end == UNWIND_NO_CODE);
}

static bool prepare(struct unwinding *u, struct unwinding_job *job, const struct thread *thread,
		    const struct sample *sample)
{
	job->thread = thread;
	job->batch = NULL;
	job->input = (struct unwind_input){
		.mask = sample->user_regs.mask,
		.values = sample->user_regs.values,
		.stack = sample->user_stack,
		.stack_size = sample->user_stack_size,
	};
	if (!sample->user_regs.values || !sample->user_stack_size || !u->naming->store)
		return false;
	if (!u->unwinder)
		start(u);
	if (!arch_of(u, &sample->user_regs, &job->input.arch))
		return false;
	job->kernel = kernel_part(sample);
	if (job->kernel < sample->chain_len) {
		job->input.chain = sample->chain + job->kernel + 1;
		job->input.chain_len = sample->chain_len - job->kernel - 1;
	} else {
		job->input.chain = sample->user_chain;
		job->input.chain_len = sample->user_chain_len;
	}
	return true;
}

void unwinding_begin(struct unwinding *u, struct unwinding_job *job, const struct thread *thread,
		     const struct sample *sample)
{
	job->unwinds = prepare(u, job, thread, sample);
	if (job->unwinds)
		unwindpool_add(u, job);
}

void unwinding_run(struct unwinding *u, struct unwinding_job *job)
{
	struct question question = { u->naming, job->thread };
	struct unwind_space space = { find, &question };

	unwinder_run(u->unwinder, &job->input, &space, &job->unwound);
}

/* Whether it comes to anything is known now. */
static bool finish(struct unwinding *u, struct unwinding_job *job, struct sample *sample)
{
	if (!job->unwound.count || (u->needs_file && is_without_file(&job->unwound)))
		return false;
	put_chain(job, u->limit, sample);
	return true;
}

bool unwinding_end(struct unwinding *u, struct unwinding_job *job, struct sample *sample)
{
	if (!job->unwinds)
		return false;
	unwindpool_take(u, job);
	return finish(u, job, sample);
}

bool unwinding_apply(struct unwinding *u, const struct thread *thread, struct sample *sample)
{
	if (!prepare(u, &u->single, thread, sample))
		return false;
	unwinding_run(u, &u->single);
	return finish(u, &u->single, sample);
}
