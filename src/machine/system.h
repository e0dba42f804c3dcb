/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One operating system of a recording, as its records tell it: the host's, or a guest's that runs
 * in one of its processes.
 */
#ifndef MACHINE_SYSTEM_H
#define MACHINE_SYSTEM_H

#include "machine/object.h"
#include "machine/thread.h"

struct perf_event_header;

struct system {
	uint32_t guest; /* as struct object's */
	struct processes processes;
	struct object_table objects;
	struct maps *kernel;
	uint32_t kernel_object; /* OBJECT_NONE: no mapping told of it yet */
	bool settled;		/* what is known of a guest without records was added */
};

struct system *system_new(struct process_numbers *numbers, struct object_list *objects,
			  uint32_t guest);
void system_free(struct system *system);

/* The thread, made if no record has told of it yet. */
struct thread *system_thread(struct system *system, uint32_t pid, uint32_t tid);

/* The kernel itself, or OBJECT_NONE if nothing told of it yet. */
uint32_t system_kernel(const struct system *system);

/* All that runs in kernel mode is the kernel's, if nobody says where that lies. */
void system_assume_kernel(struct system *system);
void system_add_module(struct system *system, const char *path, uint64_t start, uint64_t size);

/* Takes MMAP, MMAP2, COMM, FORK, EXIT and KSYMBOL records, passes over all others. */
void system_take(struct system *system, const struct perf_event_header *header, size_t size);

#endif
