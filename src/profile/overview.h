/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What limited a program, in plain words: a table of rules over the figures of a run.  The first
 * rule that holds gives the first sentence; each finding comes with the numbers it was made from.
 */
#ifndef PROFILE_OVERVIEW_H
#define PROFILE_OVERVIEW_H

#include "profile/budget.h"
#include "profile/profile.h"

#define OVERVIEW_TOP	  3
#define OVERVIEW_EVIDENCE 6
#define OVERVIEW_FINDINGS 16
/* The kernel counts ticks: of less CPU time its halves, user and system, are noise. */
#define OVERVIEW_ACCOUNT_NS 50000000

/* A function, program or thread that took much of the time. */
struct overview_top {
	char *name;	    /* readable */
	const char *object; /* of a function: its path, the profile's */
	double share;	    /* of 1 */
	bool kernel;
};

struct overview_tops {
	struct overview_top data[OVERVIEW_TOP]; /* the heaviest first */
	size_t count;
	double next; /* the share of the heaviest one that is not among them */
};

/* What a stack that leaves its CPU waits for. */
enum overview_wait {
	WAIT_LOCK,
	WAIT_PIPE,
	WAIT_SOCKET,
	WAIT_POLL,
	WAIT_DISK,
	WAIT_SLEEP,
	WAIT_CHILD,
	WAIT_KINDS
};

/* What is known of a run; 0 where nothing is, unless a flag says so. */
struct overview_facts {
	bool nothing;	    /* was measured, */
	const char *reason; /* because of this: "the reason; the remedy" */
	bool form;	    /* remedies are for the page's form, not for a terminal */
	bool imported;	    /* made elsewhere, and given to the page */

	uint64_t duration_ns;
	bool whole_host; /* not one program, but the machine */
	bool knows_cpu;	 /* user_ns and system_ns are */
	uint64_t user_ns, system_ns;
	bool knows_counts; /* faults and switches are */
	uint64_t minor_faults, major_faults, voluntary_switches, involuntary_switches;
	bool mixed_switches;  /* all of them are in voluntary_switches: a counter tells no kinds */
	uint64_t disk_read;   /* bytes that the kernel brought in for it */
	struct budget budget; /* of all that it started; source BUDGET_NONE: not known */
	bool failed;	      /* ended by a signal or with another status than 0 */
	bool stopped;	      /* by somebody, or with the server */
	bool limited;	      /* it reached its time limit: */
	char time_limit[32];  /* "2 s"; "": not known */
	bool full;	      /* the recording reached its size, and the program may have gone on */
	bool printed;	      /* something: that may say why */
	const char *
		ended_why; /* ended by us: "it used more memory than its limit of 64 MB"; or NULL */
	bool ended_memory; /* ... for that */
	uint64_t limit_tasks, tasks_refused; /* how often it was to have more than so many */
	uint64_t left_over;		     /* processes that were ended with it */
	uint64_t paused_ns; /* nothing was sampled or counted; its budget and CPU time go on */
	char ending[128];   /* "exit status 3", "signal 9 (Killed)" */

	/* From samples; shares are of 1, of what was not idle. */
	bool sampled; /* it was, with whatever success */
	bool clocked; /* by its CPU time: where there is no sample, it hardly ran */
	/* What samples are of, where that is not CPU time: the profile's; "": nothing tells. */
	const char *other_event;
	bool other_time;  /* that is a time all the same: of waiting, or by the clock on the wall */
	const char *noun; /* what `samples` counts: "samples", or what an import says */
	bool one_sided; /* samples don't tell the kernel from user space: it has only one of them */
	/* The only side that was sampled, which is all that shares are of: " in user space"; or "".
	 */
	const char *side;
	bool losses_untold; /* an import: nothing in it tells what was lost */
	const char *damage; /* of its file, which may be why samples are few; or NULL */
	uint64_t samples, lost;
	uint64_t processes, threads; /* that were sampled */
	uint64_t forks;		     /* processes that were started, sampled or not */
	double heaviest_process;     /* its share of the samples' weight */
	double idle;		     /* of all: CPUs without work */
	bool idle_counted;	     /* ... as the kernel counted it, whatever was sampled */
	double kernel, unknown;
	/* Each stack is of one of these at most. */
	double faults;	   /* memory that is touched for the first time, or given back */
	double processing; /* programs that are started and ended */
	double calls;	   /* other system calls */
	double waits[WAIT_KINDS];
	bool has_kernel_stacks;
	double cut; /* stacks without their beginning; why, and what helps: as trust.h */
	const char *cut_object; /* where most of them end; NULL: no object is to blame */
	const char *cut_why;	/* "no frame pointers"; "": not known */
	char cut_remedy[400];
	struct overview_tops functions, programs, workers; /* workers: threads */
	uint64_t sampled_ns; /* what clock samples stand for; 0: another event */
	double python;	     /* Python's interpreter ran a program whose functions are not named */
	/* The object with most of the code without names. */
	const char *nameless; /* path, the profile's, or "" if it has none; NULL: there is none */
	double nameless_share;
	char nameless_why[64]; /* "stripped" */
	char nameless_remedy[400];

	double ipc; /* from counters; 0: not counted */
};

/* Adds what the samples of an event tell; overview_facts_free() frees the names. */
void overview_facts_add(struct overview_facts *facts, const struct profile *profile,
			uint16_t event);
/* How it ended, if its recording has that. */
void overview_facts_ending(struct overview_facts *facts, const struct profile *profile);
/* "exit status 3", "signal 9 (Killed)" */
void overview_name_ending(struct overview_facts *facts, bool by_signal, int code);
void overview_facts_free(struct overview_facts *facts);

/* The CPU time that is known best; 0: none is, or nothing ran. */
uint64_t overview_cpu_ns(const struct overview_facts *facts);

/*
 * From its start until the last of its processes had ended, where that is known: what all shares of
 * the run's time are of.  What it started may outlive it.
 */
uint64_t overview_span_ns(const struct overview_facts *facts);

/* CPUs that it used on average; false: not known.  Samples don't tell of the time of a pause. */
bool overview_cpus_used(const struct overview_facts *facts, double *used);

/* A share and how many samples or ticks it is of. */
struct overview_share {
	double share;
	uint64_t of;
};

/*
 * The kernel's share of the CPU time, by samples of time or by the kernel's own account of ticks;
 * false: neither tells, be it for other samples or for too few.
 */
bool overview_kernel(const struct overview_facts *facts, struct overview_share *kernel);

/* "37 %", "37.4 %", "under 6 %", "over 94 %": no more than its error allows. */
char *overview_share_text(char *into, size_t room, const struct overview_share *share);

struct evidence {
	const char *name;
	const char *unit; /* "percent", "ns", "count", "per-second", "cpus", "bytes" */
	double value;
	char text[64];
};

struct finding {
	const char *rule;
	const char *tab; /* where to look further */
	char text[2000];
	char remedy[400]; /* what to do about it; "": nothing that we know */
	struct evidence evidence[OVERVIEW_EVIDENCE];
	size_t evidence_count;
	const struct overview_top *function; /* that it is about, or NULL */
};

struct overview {
	struct finding findings[OVERVIEW_FINDINGS];
	size_t count; /* at least 1 */
	bool sure;    /* the first finding holds by its data's own error */
};

/* Borrows the names of *facts. */
void overview_make(struct overview *overview, const struct overview_facts *facts);

#endif
