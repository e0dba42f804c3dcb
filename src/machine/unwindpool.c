// SPDX-License-Identifier: Apache-2.0
#include "machine/unwindpool.h"
#include "machine/unwinding.h"
#include "unwind/object.h"

/* Some hundred microseconds of work: handing over costs about ten. */
#define BATCH 64

enum known {
	KNOWN_LATER, /* to be asked for, or its file is missing and may be found another way */
	KNOWN_NO_FILE,
	KNOWN_SHARE,
};

/* What is known of the machine's objects, by their index; written once, then read by many. */
struct unwinding_catalog {
	unsigned users;
	unsigned changes; /* the unwinder's when it was made */
	size_t count;
	struct {
		enum known known;
		struct unwind_share share;
	} objects[];
};

struct unwinding_batch {
	struct pool_task task; /* first: a task is its batch */
	struct unwinding *unwinding;
	struct unwinding_catalog *catalog;
	size_t count, ended;
	bool done;
	struct unwinding_job *jobs[BATCH];
};

static void put_catalog(struct unwinding_catalog *catalog)
{
	if (catalog && !--catalog->users)
		free(catalog);
}

static enum known share_object(const struct unwinding *u, size_t index, struct unwind_share *share)
{
	const struct naming *naming = u->naming;
	enum object_kind kind = machine_object(naming->machine, (uint32_t)index)->kind;
	const struct dso *dso;

	if (kind != OBJECT_FILE && kind != OBJECT_VDSO)
		return KNOWN_NO_FILE;
	dso = index < naming->objects.len ? naming->objects.data[index].dso : NULL;
	return dso && unwinder_share(u->unwinder, dso, share) ? KNOWN_SHARE : KNOWN_LATER;
}

static struct unwinding_catalog *make_catalog(const struct unwinding *u)
{
	size_t count = machine_object_count(u->naming->machine);
	struct unwinding_catalog *made = mem_alloc(sizeof(*made) + count * sizeof(*made->objects));

	made->users = 1;
	made->changes = unwinder_changes(u->unwinder);
	made->count = count;
	for (size_t i = 0; i < count; i++)
		made->objects[i].known = share_object(u, i, &made->objects[i].share);
	return made;
}

static void renew_catalog(struct unwinding *u)
{
	if (u->catalog && !u->catalog_is_old &&
	    u->catalog->changes == unwinder_changes(u->unwinder))
		return;
	put_catalog(u->catalog);
	u->catalog = make_catalog(u);
	u->catalog_is_old = false;
}

/* What a thread has to answer with. */
struct follower {
	const struct maps *maps;
	struct maps_hints *hints;
	const struct unwinding_catalog *catalog;
};

static bool find(void *context, uint64_t pc, struct unwind_place *place)
{
	const struct follower *f = context;
	const struct mapping *mapping = maps_look(f->maps, f->hints, pc);
	uint32_t object;

	if (!mapping)
		return false;
	object = mapping->object;
	*place = (struct unwind_place){ .file_off = mapping_offset(mapping, pc),
					.number = object,
					.data = mapping->data };
	if (object >= f->catalog->count || f->catalog->objects[object].known == KNOWN_LATER)
		place->later = true;
	else if (f->catalog->objects[object].known == KNOWN_SHARE)
		place->share = &f->catalog->objects[object].share;
	return true;
}

static void follow(struct unwinding_batch *batch, unsigned worker)
{
	struct unwinding *u = batch->unwinding;
	struct follower follower = { .hints = &u->hints[worker], .catalog = batch->catalog };
	struct unwind_space space = { find, &follower };

	for (size_t i = 0; i < batch->count; i++) {
		struct unwinding_job *job = batch->jobs[i];

		follower.maps = job->maps;
		unwinder_run(u->followers[worker], &job->input, &space, &job->unwound);
	}
}

static void run_here(struct unwinding_batch *batch)
{
	for (size_t i = 0; i < batch->count; i++)
		unwinding_run(batch->unwinding, batch->jobs[i]);
}

static void run(struct pool_task *task, unsigned worker)
{
	struct unwinding_batch *batch = (struct unwinding_batch *)task;

	if (worker)
		follow(batch, worker);
	else
		run_here(batch);
}

static void start(struct unwinding *u)
{
	u->pool = pool_new(u->workers);
	for (size_t i = 1; i < POOL_WORKERS_MAX && pool_has_threads(u->pool); i++)
		u->followers[i] = unwinder_new();
}

static struct unwinding_batch *empty_batch(struct unwinding *u)
{
	struct unwinding_batch *batch;

	if (u->unused.len) {
		batch = u->unused.data[--u->unused.len];
	} else {
		batch = mem_alloc(sizeof(*batch));
		*vec_push(&u->all) = batch;
	}
	batch->task.run = run;
	batch->unwinding = u;
	batch->count = batch->ended = 0;
	batch->done = false;
	return batch;
}

static void hand_in(struct unwinding *u, struct unwinding_batch *batch)
{
	renew_catalog(u);
	batch->catalog = u->catalog;
	batch->catalog->users++;
	pool_hand_in(u->pool, &batch->task);
	u->filling = NULL;
}

void unwindpool_add(struct unwinding *u, struct unwinding_job *job)
{
	if (!u->pool)
		start(u);
	if (!pool_has_threads(u->pool))
		return;
	if (!u->filling)
		u->filling = empty_batch(u);
	job->batch = u->filling;
	job->maps = maps_get(job->thread->process->maps);
	job->batch->jobs[job->batch->count++] = job;
	if (job->batch->count == BATCH)
		hand_in(u, job->batch);
}

/* One that was never handed in is done here. */
static void finish(struct unwinding *u, struct unwinding_batch *batch)
{
	if (batch == u->filling) {
		u->filling = NULL;
		run_here(batch);
	} else {
		pool_take_back(u->pool, &batch->task);
	}
	batch->done = true;
}

static void leave(struct unwinding *u, struct unwinding_batch *batch)
{
	if (++batch->ended < batch->count)
		return;
	put_catalog(batch->catalog);
	batch->catalog = NULL;
	*vec_push(&u->unused) = batch;
}

void unwindpool_take(struct unwinding *u, struct unwinding_job *job)
{
	if (!job->batch) {
		unwinding_run(u, job);
		return;
	}
	if (!job->batch->done)
		finish(u, job->batch);
	if (job->unwound.end == UNWIND_LATER) {
		unwinding_run(u, job);
		u->catalog_is_old = true;
	}
	maps_put(job->maps);
	leave(u, job->batch);
}

void unwindpool_fini(struct unwinding *u)
{
	pool_free(u->pool);
	for (size_t i = 0; i < POOL_WORKERS_MAX; i++)
		unwinder_free(u->followers[i]);
	put_catalog(u->catalog);
	vec_each (batch, &u->all)
		free(*batch);
	vec_free(&u->all);
	vec_free(&u->unused);
}
