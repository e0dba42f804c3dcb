// SPDX-License-Identifier: Apache-2.0
#include "machine/thread.h"
#include "base/mem.h"

#include <stdlib.h>

struct number_slot {
	uint32_t key;
	void *value; /* NULL: free */
};

static struct number_slot *number_find(const struct number_map *map, uint32_t key)
{
	size_t at = (key * 0x9e3779b1u) >> 7 & (map->cap - 1);

	while (map->slots[at].value && map->slots[at].key != key)
		at = (at + 1) & (map->cap - 1);
	return &map->slots[at];
}

/* The slot of a key, free or not; there is room to fill it. */
static struct number_slot *number_slot(struct number_map *map, uint32_t key)
{
	struct number_slot *old = map->slots;
	size_t old_cap = map->cap;

	if ((map->len + 1) * 2 > map->cap) {
		map->cap = old_cap ? old_cap * 2 : 256;
		map->slots = mem_alloc(map->cap * sizeof(*map->slots));
		for (size_t i = 0; i < old_cap; i++)
			if (old[i].value)
				*number_find(map, old[i].key) = old[i];
		free(old);
	}
	return number_find(map, key);
}

static void number_put(struct number_map *map, struct number_slot *slot, uint32_t key, void *value)
{
	map->len += !slot->value;
	slot->key = key;
	slot->value = value;
}

struct maps *processes_new_maps(struct processes *p)
{
	struct maps *maps = maps_new();

	maps->space = ++p->numbers->spaces;
	return maps;
}

void processes_free(struct processes *p)
{
	vec_each (process, &p->all)
		maps_put((*process)->maps);
	vec_free(&p->all);
	maps_put(p->nothing);
	free(p->by_tid.slots);
	free(p->by_pid.slots);
	interner_free(&p->comms);
	arena_free(&p->arena);
}

static void forget_maps(struct processes *p, struct process *process)
{
	if (!p->nothing)
		p->nothing = processes_new_maps(p);
	maps_put(process->maps);
	process->maps = maps_get(p->nothing);
}

/* Its place in the ring is that of one whose mappings nobody can ask for any more. */
static void end_process(struct processes *p, struct process *process)
{
	struct process **place = &p->ended[p->next_ended % PROCESSES_ENDED];

	if (process->ended)
		return;
	process->ended = true;
	p->next_ended++;
	if (*place && (*place)->ended)
		forget_maps(p, *place);
	*place = process;
}

/* A thread that nobody told of can turn up after all others have ended. */
static void enter(struct process *process)
{
	process->threads++;
	process->ended = false;
}

static void leave(struct processes *p, struct process *process)
{
	if (!--process->threads)
		end_process(p, process);
}

struct process *process_new(struct processes *p, uint32_t pid, struct maps *maps)
{
	struct number_slot *slot = number_slot(&p->by_pid, pid);
	const struct process *before = slot->value;
	struct process *process = arena_alloc(&p->arena, sizeof(*process));

	process->pid = pid;
	process->generation = before ? before->generation + 1 : 0;
	process->id = p->numbers->processes++;
	process->system = p->system;
	process->maps = maps;
	*vec_push(&p->all) = process;
	number_put(&p->by_pid, slot, pid, process);
	return process;
}

struct process *process_find(struct processes *p, uint32_t pid)
{
	struct process *process = number_slot(&p->by_pid, pid)->value;

	return process ? process : process_new(p, pid, processes_new_maps(p));
}

void thread_set_comm(struct processes *p, struct thread *thread, const char *comm)
{
	thread->comm = interner_text(&p->comms, interner_add(&p->comms, comm));
	thread->comm_known = true;
}

struct thread *thread_find(const struct processes *p, uint32_t tid)
{
	return p->by_tid.cap ? number_find(&p->by_tid, tid)->value : NULL;
}

struct thread *thread_new(struct processes *p, struct process *process, uint32_t tid)
{
	struct number_slot *slot = number_slot(&p->by_tid, tid);
	struct thread *thread = arena_alloc(&p->arena, sizeof(*thread)), *before = slot->value;

	enter(process);
	if (before)
		thread_end(p, before);
	thread->tid = tid;
	thread->id = p->numbers->threads++;
	thread->process = process;
	thread->comm = arena_printf(&p->arena, ":%d", (int)tid);
	number_put(&p->by_tid, slot, tid, thread);
	return thread;
}

void thread_move(struct processes *p, struct thread *thread, struct process *process)
{
	enter(process);
	if (!thread->ended)
		leave(p, thread->process);
	thread->ended = false;
	thread->process = process;
}

void thread_end(struct processes *p, struct thread *thread)
{
	if (thread->ended)
		return;
	thread->ended = true;
	leave(p, thread->process);
}
