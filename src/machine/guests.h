/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The virtual machines of a recording.
 *
 * A guest is known by the process of the host that it runs in.  Nobody tells of its own processes
 * and mappings, unless its records were merged into the host's (`perf inject --guest-data`; an
 * index of ids says then which are whose).  So its kernel is what can be named, from files that
 * the user gives: for each guest apart in a folder named after its process, or one for all the
 * others.
 */
#ifndef MACHINE_GUESTS_H
#define MACHINE_GUESTS_H

#include "base/arena.h"
#include "base/idmap.h"
#include "machine/system.h"
#include "symbol/symbol.h"

struct cursor;

struct guest_note {
	uint32_t pid;
	struct system *system; /* its own, or the one of all that have none */
};

struct guest_id {
	uint32_t pid, vcpu;
};

struct guests {
	bool taken; /* else nobody wants to see them */
	struct guest_sources from;
	struct process_numbers *numbers;
	struct object_list *objects;
	struct arena arena;
	VEC(struct system *) systems;
	struct idmap pids; /* to rows of: */
	VEC(struct guest_note) notes;
	struct idmap ids; /* of events to rows of: */
	VEC(struct guest_id) id_rows;
};

void guests_init(struct guests *guests, struct process_numbers *numbers,
		 struct object_list *objects);
void guests_fini(struct guests *guests);

/* Guests are wanted; the texts are copied. */
void guests_use(struct guests *guests, const struct guest_sources *from);

/* Takes the payload of an ID_INDEX record. */
void guests_take_index(struct guests *guests, struct cursor *c);
/* Whose event it is, if it was recorded in a guest; else NULL. */
const struct guest_id *guests_of_id(const struct guests *guests, uint64_t id);

/* The system of what runs in a process; one of its own if `apart`, or if it has files. */
struct system *guests_find(struct guests *guests, uint32_t pid, bool apart);

/* The thread that a sample is of, in a guest that runs in the process. */
struct thread *guests_thread(struct guests *guests, struct system *host, uint32_t guest,
			     uint32_t pid, uint32_t tid);

#endif
