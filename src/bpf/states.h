/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0) */
/*
 * How long threads ran, waited for a CPU and waited otherwise: counted by the kernel at every
 * switch, without a record of each.
 *
 *	states_open(&states, &err);		once
 *	states_begin(states, &err);		from here on the kernel counts
 *	states_add(states, pid, tid, ...);	a thread to follow; what it starts is followed, too
 *	states_end(states, now, &result);	the kernel counts no more
 *
 * Memory is bounded: so many threads have rows of their own, those beyond that have ended are
 * summed up by name, and what found no room is counted.  The file is shared with the program in
 * the kernel (states.bpf.c).
 */
#ifndef BPF_STATES_H
#define BPF_STATES_H

#include <linux/types.h>

#define STATES_ROWS    16384 /* threads that live, or have ended and have a row of their own */
#define STATES_ENDED   2048  /* of these: those that have ended */
#define STATES_NAMES   256   /* sums of those that ended beyond */
#define STATES_UNCLEAR 6     /* places in the kernel where a thread waited, not known what for */
#define STATES_STACKS  1024
#define STATES_DEPTH   24
#define STATES_CALLS   4    /* system calls that a thread waited in */
#define STATES_ENDERS  8    /* the same of all threads together */
#define STATES_CPUS    4096 /* who has those beyond is not known */
/* In the place of a call: */
#define STATES_STOPPED	(-2) /* by a signal, or by a debugger */
#define STATES_KERNEL	(-3) /* something inside the kernel that can't be interrupted */
#define STATES_CHILDREN (-4) /* the same, until a child has begun its own program */

enum state {
	STATE_RAN,
	STATE_RUNNABLE, /* ready, and no CPU was free */
	STATE_DISK,
	STATE_PAGES,   /* memory: swap-in, reclaim, pages that were just evicted */
	STATE_OTHER,   /* interruptible sleeps, locks of the kernel, stops */
	STATE_UNKNOWN, /* uninterruptible: by the stack it is one of the others; not in results */
	STATES
};
#define STATE_PARTS STATE_UNKNOWN

struct states_row {
	__u64 since_ns; /* it is in its state */
	__u64 begin_ns, end_ns;
	__u64 process_end_ns; /* of one that was added: when a thread of its process last ended */
	__u64 ns[STATES];
	__u64 unclear_ns[STATES_UNCLEAR];
	__s32 unclear_stack[STATES_UNCLEAR]; /* 1 more than its number; 0: free */
	/* Of STATE_OTHER: in which system calls, 1 more than their numbers; 0: free, or none.  What
	 * found no place is in none of them. */
	__u64 call_ns[STATES_CALLS];
	__s32 calls[STATES_CALLS];
	/* Of STATE_RUNNABLE: who had its CPU.  The rest: nobody, or it is not known. */
	__u64 own_ns, others_ns;
	__u64 own_before, others_before; /* what its CPU had counted when it became ready */
	__u64 delay_ns;	 /* the kernel's own account of waiting for a CPU when we first saw it */
	__u64 queued_ns; /* by our clock since then */
	__u64 moved_ns;	 /* of that: what the kernel's account does not have, counted as running */
	/* The same of all together, while it waited: what they had counted when it became ready. */
	__u64 run_before, run_queued_ns, run_moved_ns;
	__u64 switches, preemptions;
	__u32 tid, pid;
	__u32 threads; /* that it is of */
	__u32 state;
	__u32 knows_delay;
	__u32 added;   /* and not started by one that is followed: its row is kept */
	__u32 counted; /* among the threads of its state; those that are added are not, at first */
	__s32 stack;   /* of its state, if that is STATE_UNKNOWN */
	__s32 call;    /* if that is STATE_OTHER */
	__u32 queue;   /* 1 more than the CPU that it waits for; 0: not known */
	char comm[16];
};

/* Who had a CPU: threads that are followed, or others. */
struct states_cpu {
	__u64 since_ns;
	__u64 own_ns, others_ns;
	__u32 own, others; /* one of them has it now */
};

/* All of them together: at each moment the first state that any of them is in. */
struct states_all {
	__u64 last_ns;
	__u64 ns[8];	  /* by enum state */
	__u32 threads[8]; /* that are in it now */
	/* Of STATE_OTHER: in which system call the thread was that ended it, as in a row. */
	__u64 call_ns[STATES_ENDERS];
	__s32 calls[STATES_ENDERS];
	__u64 ended, end_ns; /* how many, and when the last one did */
	__u64 overflow;	     /* threads without a row */
};

#ifndef __bpf__

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct err;
struct states;

struct states_result {
	VEC(struct states_row) rows; /* STATE_UNKNOWN is 0 in all of them */
	uint64_t all_ns[STATE_PARTS];
	/* Of STATE_OTHER, as in a row; the rest is not known. */
	__u64 call_ns[STATES_ENDERS];
	int calls[STATES_ENDERS];
	uint64_t overflow;
	bool knows_pages; /* else they are among the others */
};

/*
 * Loads the program into the kernel, once for many measurements: that takes a tenth of a second.
 * -EPERM, -ENOENT ...: the reason in words; -ENOSYS: this perfolio was built without it.
 */
int states_open(struct states **states, struct err *err);
void states_close(struct states *states);

/* Each switch of the machine costs a fraction of a microsecond between the two. */
int states_begin(struct states *states, struct err *err);
/* One that runs or could, else sleeps; since_ns by CLOCK_MONOTONIC. */
int states_add(struct states *states, pid_t pid, pid_t tid, bool runs, uint64_t since_ns);
/* Rows of those that live end now.  result: NULL, or to be freed with vec_free(&result->rows). */
void states_end(struct states *states, uint64_t now_ns, struct states_result *result);

#endif
#endif
