/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes and threads of a machine, in time.
 *
 * A process is (pid, generation): a pid that is used again, and a process after exec, are new
 * generations.  Those that have ended keep their mappings for a while only, since a recording of a
 * day of compiling tells of millions: the kernel still samples a thread on its way out, and records
 * of different CPUs may be a little out of order, but not by as many ends of processes.
 */
#ifndef MACHINE_THREAD_H
#define MACHINE_THREAD_H

#include "base/arena.h"
#include "base/interner.h"
#include "base/vec.h"
#include "machine/maps.h"
#include <stdbool.h>
#include <stdint.h>

#define PROCESSES_ENDED 256 /* keep their mappings */

struct system;

struct process {
	uint32_t pid;
	uint32_t generation; /* how many of that pid came before */
	uint32_t id;	     /* one for each (pid, generation), from 0 */
	uint32_t threads;    /* that are known and have not ended */
	bool ended;
	struct maps *maps;
	struct system *system; /* whose process it is: the host's or a guest's */
};

struct thread {
	uint32_t tid;
	uint32_t id; /* one for each thread, from 0 */
	bool comm_known;
	bool ended;
	struct process *process;
	const char *comm; /* ":TID" until it is known */
};

/* Open addressing by a number; nothing is ever taken out. */
struct number_map {
	struct number_slot *slots;
	size_t len, cap;
};

/* The numbers that were given last; all processes of a recording share them. */
struct process_numbers {
	uint32_t threads, processes;
	uint32_t spaces; /* of mappings (machine_space) */
};

struct processes { /* zeros and the two pointers are ready */
	struct process_numbers *numbers;
	struct system *system; /* that they are of */
	struct arena arena;
	struct interner comms;
	struct number_map by_tid;
	struct number_map by_pid; /* the present generation */
	VEC(struct process *) all;
	struct process *ended[PROCESSES_ENDED]; /* a ring */
	uint32_t next_ended;
	struct maps *nothing; /* what those of longer ago have mapped; NULL: none has yet */
};

/* Empty ones, with a number of their own. */
struct maps *processes_new_maps(struct processes *processes);
void processes_free(struct processes *processes);

/* NULL if no record has told of it. */
struct thread *thread_find(const struct processes *processes, uint32_t tid);
/* A thread that begins; one of that tid that was there is forgotten. */
struct thread *thread_new(struct processes *processes, struct process *process, uint32_t tid);
void thread_set_comm(struct processes *processes, struct thread *thread, const char *comm);
void thread_move(struct processes *processes, struct thread *thread, struct process *process);
void thread_end(struct processes *processes, struct thread *thread);

/* The present generation, made without mappings if no record has told of it. */
struct process *process_find(struct processes *processes, uint32_t pid);
/* The next generation, which takes the mappings over. */
struct process *process_new(struct processes *processes, uint32_t pid, struct maps *maps);

#endif
