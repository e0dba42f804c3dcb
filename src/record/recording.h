/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording from its first event to its closed file: events, rings, the thread that writes, the
 * file and what describes the machine in it.
 *
 * It prints nothing and waits for nothing; the record command and, later, the server drive it:
 *
 *	recording_open	    everything is ready; the file can be read from here on
 *	recording_enable    (not for a program that we start: its exec does it)
 *	recording_fd	    readable: it has come to an end by itself, a full disk for example
 *	recording_stop	    the file is closed; what it came to
 */
#ifndef RECORD_RECORDING_H
#define RECORD_RECORDING_H

#include "record/drain.h"
#include "record/sampling.h"

struct err;
struct recording;

struct recording_options {
	struct sampling_options sampling;
	const char *output; /* a path; NULL: output_fd */
	int output_fd;
	char *const *argv;   /* the command line, for the file's header */
	const char *tracefs; /* where it is mounted, for tracepoints' formats; NULL: nowhere */
	bool compress;
	int compress_level;
	int priority;	      /* of the thread that writes; 0: the lowest real-time one */
	uint64_t most_bytes;  /* of the file; 0: no limit */
	bool numbered;	      /* --switch-output: each file is named after its time */
	size_t keep_files;    /* of those; 0: all */
	bool no_sample_times; /* leave the times of the first and last sample out of the header */
	/* What is written of what is there already, and how. */
	bool no_tasks, no_maps, no_cgroups; /* --synth */
	bool describe_last;		    /* --tail-synthesize */
	size_t describe_threads;	    /* 0: as many as is good */
	int64_t map_limit_ns;		    /* for the mappings of one process; 0: any time */
	uint64_t flush_bytes;		    /* --mmap-flush; 0: any */
	enum drain_affinity affinity;
	bool exclude_self;   /* tracepoints leave out what our own threads do */
	bool keep_vanishing; /* keep what would vanish with the processes, in ~/.debug */
};

struct recording_event {
	const char *name;
	uint64_t samples, lost;
};

/* What it came to; texts hold until recording_free. */
struct recording_result {
	uint64_t samples, bytes, raw_bytes; /* raw_bytes: before compression */
	uint64_t lost;			    /* samples that the kernel had no room for */
	uint64_t lost_side;		    /* records of processes and mappings, the same */
	uint64_t throttled;		    /* times that the kernel held an event back */
	int64_t duration_ns;		    /* of sampling */
	const char *path;
	size_t files; /* with --switch-output */
	const struct recording_event *events;
	size_t events_count;
	struct sampling_losses losses;	  /* by event and CPU */
	const struct perf_counts *counts; /* what the events came to themselves */
	bool full;			  /* the disk was, or most_bytes were reached */
	bool reached_limit;		  /* most_bytes were reached */
	struct keep_result kept;	  /* what would have vanished */
	uint64_t blanked; /* samples of perfolio itself, without a copy of their stack */
};

/* On failure NULL, and nothing of it is left behind. */
struct recording *recording_open(const struct event_list *events, struct target *target,
				 const struct recording_options *options, struct err *err);

int recording_enable(struct recording *recording, struct err *err);
int recording_disable(struct recording *recording, struct err *err);
/* One event alone, by its place among recording_attrs. */
int recording_switch_event(struct recording *recording, size_t event, bool on, struct err *err);
/* Goes on with the later frequency of sampling_options. */
int recording_slow_down(struct recording *recording, struct err *err);
const struct perf_writer_attr *recording_attrs(const struct recording *recording, size_t *count);

/* The program is let go next: for a target of TARGET_COMMAND sampling begins now. */
int recording_begin(struct recording *recording, struct err *err);

int recording_fd(const struct recording *recording);
struct drain_progress recording_progress(struct recording *recording);
const struct sampling_census *recording_census(const struct recording *recording);
enum drain_priority recording_priority(const struct recording *recording);
/* Set if the kernel's functions will have no names: why. */
const char *recording_kernel_note(const struct recording *recording);

/* --switch-output: closes the file and goes on in a new one.  *path is the closed one's name. */
int recording_switch(struct recording *recording, const char **path, struct err *err);

/* Before the stop: words that the file's counts end with (perfdata/counts.h); borrowed. */
void recording_budget(struct recording *recording, const uint64_t *words, size_t count);

/* Before the stop: the CPU time of a program that has ended, all of which was recorded. */
/* How the program ended by itself: its status of wait(2). */
void recording_ended(struct recording *recording, int wait_status);
void recording_used(struct recording *recording, uint64_t ns);

/*
 * Ends it.  0, or what made the recording incomplete: then *err says it and the result tells what
 * there is nevertheless.
 */
int recording_stop(struct recording *recording, struct recording_result *result, struct err *err);
/* Instead of recording_stop: nothing was recorded, so no file is left and the older one is back. */
void recording_withdraw(struct recording *recording);
void recording_free(struct recording *recording);

#endif
