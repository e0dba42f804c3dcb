/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the server's processes say to each other.
 *
 *	web ── runner_protocol ── supervisor	runs, questions to the machine, new analysers
 *	web ── analysis_protocol ── analyser	one job
 *
 * The web side may have been taken over: whatever it asks is checked against the supervisor's own
 * policy (jobs/policy.h).  It passes files as open descriptors and never names one.
 */
#ifndef JOBS_PROTOCOL_H
#define JOBS_PROTOCOL_H

#include "ipc/message.h"

/* web → supervisor */

/* The data folder is open and requests are answered; the link is shown then. */
struct msg_up {
	uint64_t interrupted; /* runs that were found cut short */
};
extern const struct ipc_type msg_up;

enum run_tool { TOOL_COUNT = 1, TOOL_SAMPLE = 2, TOOL_BOTH = 3 };
enum run_target { TARGET_COMMAND, TARGET_PROCESS, TARGET_THREAD, TARGET_USER, TARGET_HOST };

/* Who has the printed link, among the persons of messages. */
#define PERSON_OWNER "owner"

/* Starts a run; one at a time.  The answer is `began` or `ended` with a reason. */
struct msg_start {
	uint64_t run;
	const char *person;		    /* who wants it: says which Unix account it runs as */
	uint64_t tool;			    /* enum run_tool */
	uint64_t target;		    /* enum run_target */
	const char *who;		    /* pids, tids with commas, or a user's name */
	bool children;			    /* of a process: also those it has already */
	struct wordlist argv;		    /* TARGET_COMMAND */
	struct wordlist environment;	    /* NAME=VALUE each, added to a small standard one */
	const char *folder;		    /* "": the workload user's home */
	const char *cpus;		    /* the workload is pinned to these; "": all */
	uint64_t limit_ns;		    /* it is ended then; 0: the policy's */
	uint64_t limit_memory, limit_tasks; /* of all its processes; 0: the policy's */
	uint64_t limit_cpu;		    /* thousandths of one; 0: the policy's */
	uint64_t most_bytes;		    /* its files may take this; 0: any number */
	const char *count_events;	    /* "": stat's own */
	uint64_t interval_ns;		    /* of counts */
	const char *sample_events;	    /* "": record's own */
	const char *rate;		    /* of samples: "99", "max"; "c1000": one every 1000 */
	const char *call_graph;		    /* "", "fp", "dwarf", "dwarf,4096", "lbr" */
	uint64_t network;		    /* enum private_network: at most this */
	struct wordlist stat_options;	    /* further ones, of the policy's list */
	struct wordlist record_options;
	int recording; /* files, opened for reading and writing; -1: none */
	int series;    /* render/series.h */
	int output;    /* jobs/output.h */
};
extern const struct ipc_type msg_start;

struct msg_cancel {
	uint64_t run;
};
extern const struct ipc_type msg_cancel;

enum run_control { CONTROL_PAUSE, CONTROL_RESUME, CONTROL_RESET };
struct msg_control {
	uint64_t run;
	uint64_t action; /* enum run_control */
};
extern const struct ipc_type msg_control;

/* The end of this run is in the store: the supervisor need not tell it again. */
struct msg_forget {
	uint64_t run;
};
extern const struct ipc_type msg_forget;

/*
 * A question to the machine: `what` is a row of a fixed table in the supervisor ("doctor",
 * "server", "events", "processes", "check", "plan", "target"), `words` the values that it takes,
 * the first of them the person where it is asked as that one's Unix account.  The answer, JSON, is
 * written to `out`; `answered` comes at its end.  More than so many at once are refused.
 */
#define QUESTIONS_MOST 8
struct msg_ask {
	uint64_t question;
	const char *what;
	struct wordlist words;
	int out;
};
extern const struct ipc_type msg_ask;

/* Nobody waits for that answer any more: it is ended, and `answered` comes all the same. */
struct msg_unask {
	uint64_t question;
};
extern const struct ipc_type msg_unask;

/* A run has been analysed: what it had for itself (jobs/private.h) can go. */
struct msg_analysed {
	uint64_t run;
};
extern const struct ipc_type msg_analysed;

/* Starts an analyser that speaks analysis_protocol on the channel. */
struct msg_analyse {
	uint64_t job;
	bool imported;	    /* from outside: no file of this host is read for it */
	const char *person; /* whose run it is: files are opened as that one's Unix account */
	uint64_t run;	    /* whose own folders it sees; 0: none */
	int channel;
};
extern const struct ipc_type msg_analyse;

/* Ends an analyser that nobody needs any more. */
struct msg_stop_job {
	uint64_t job;
};
extern const struct ipc_type msg_stop_job;

/* supervisor → web */

/* First of all; after it for each run that it holds `holds` and what was told of it, then `ready`.
 */
struct msg_policy {
	const char *host, *kernel, *cpu_model, *perfolio;
	const char *workload_user;
	bool as_root;			      /* workloads run as root */
	bool attach, other_users, whole_host; /* what may be measured: jobs/reach.h */
	bool allow_attach, allow_users, allow_host;
	bool shared;	  /* somebody besides the owner has an account; others may get one later */
	bool private_tmp; /* runs have a /tmp of their own */
	const char *private_why;      /* why they have not; "": it is not wanted */
	uint64_t network;	      /* enum private_network: what runs reach at most */
	struct wordlist private_runs; /* numbers of those whose folders are kept */
	uint64_t cpus;
	uint64_t max_runtime_ns, max_output, max_disk, max_export; /* 0: no limit */
	uint64_t max_share; /* per cent of the disk space that one person may have */
	uint64_t run_memory, run_tasks, run_cpu; /* the most that a run may have; 0: any */
	bool holds_memory, holds_tasks; /* for a run as a whole; else a process at a time */
	uint64_t analyser_ns;		/* of CPU, for a job of an analyser */
	const char *token_hash;		/* of the one to sign in with */
	const char *origin;		/* "http://127.0.0.1:7700", as a browser would send it */
	struct wordlist hosts;		/* what a Host header may say */
	bool open;			/* --open: nobody need sign in (loopback only) */
	bool tls;
	struct wordlist webhooks; /* beginnings of addresses that may be told of a run's end */
	bool again;		  /* another web side was up before, under the same supervisor */
};
extern const struct ipc_type msg_policy;

/* A run that is its own: it is about to begin, goes on, or its end was not taken. */
struct msg_holds {
	uint64_t run;
};
extern const struct ipc_type msg_holds;

struct msg_ready {
	uint64_t runs; /* that the supervisor holds */
};
extern const struct ipc_type msg_ready;

/* The server is being stopped: what is queued stays so. */
struct msg_stopping {
	uint64_t runs; /* that have to be ended first */
};
extern const struct ipc_type msg_stopping;

struct msg_began {
	uint64_t run;
	uint64_t monotonic_ns, wall_ns; /* the same moment by both clocks */
	uint64_t pid;			/* of the workload; 0: none was started */
	const char *user;		/* the Unix account that it runs as; "": none was started */
};
extern const struct ipc_type msg_began;

struct msg_ended {
	uint64_t run;
	uint64_t ending; /* enum run_ending of store/store.h */
	uint64_t code;
	bool cancelled;	   /* because it was asked for */
	bool interrupted;  /* because the server was stopped */
	bool limited;	   /* because its time was up; `reason` says so where that is a cut */
	const char *limit; /* which one ended it: "time", "disk", "memory"; "": none */
	uint64_t limit_memory, limit_tasks, limit_cpu; /* that were held; 0: none */
	uint64_t tasks_refused; /* how often it was to have more than limit_tasks */
	uint64_t left_over;	/* processes that still ran when it had ended, and were ended */
	uint64_t paused_ns;	/* for how long it was not measured */
	const char *reason;	/* why it failed or was cut short; "": it did not */
	uint64_t wall_ns;
	uint64_t user_ns, system_ns, max_rss, minor_faults, major_faults, voluntary_switches,
		involuntary_switches, disk_read; /* of the workload; the last in bytes */
	uint64_t rss_below;			 /* where max_rss is 0: what it is not above */
	uint64_t output_cut;			 /* bytes of output that were not kept */
	const char *notes;			 /* what stat and record said, lines */
	const char *budget;			 /* JSON, profile/budget.h; "": not known */
	const char *user;			 /* as of `began` */
};
extern const struct ipc_type msg_ended;

struct msg_answered {
	uint64_t question;
	bool failed;
	const char *reason;
};
extern const struct ipc_type msg_answered;

struct msg_job_ended {
	uint64_t job;
	bool failed; /* it crashed, took too long or too much memory */
	const char *reason;
};
extern const struct ipc_type msg_job_ended;

extern const struct ipc_protocol runner_protocol;

/* web → analyser */

/* What the job is about: `input`s first, then one `job`; of ANALYSE_SESSION the other way round. */
struct msg_input {
	const char *kind; /* "recording", "import", "index", "series"; "scratch": room to unpack */
	const char *name; /* of the run or uploaded file, for people */
	uint64_t run;
	struct wordlist attributes; /* NAME=VALUE: facts of the run, for exports */
	int fd;
};
extern const struct ipc_type msg_input;

enum analysis_kind {
	ANALYSE_INDEX,	/* recording or import → index in `out` */
	ANALYSE_FOLLOW, /* a growing recording → live_* until `complete`, then as ANALYSE_INDEX */
	ANALYSE_EXPORT, /* options: a format, then NAME=VALUE: cmd/analyser_export.c; to `out` */
	ANALYSE_SESSION, /* inputs of run after run until `complete` → one HDF5 file in `out` */
	ANALYSE_CHECK,	 /* whether an import is a profile at all, by its first bytes; no `out` */
};
struct msg_job {
	uint64_t kind; /* enum analysis_kind */
	struct wordlist options;
	const char *avoid; /* the data folder, which it must not read; "": none */
	uint64_t most;	   /* bytes of `out`; 0: as many as the disk has room for */
	int out;
};
extern const struct ipc_type msg_job;

/* ANALYSE_FOLLOW: the recording is whole now; ANALYSE_SESSION: these were all. */
struct msg_complete {
	uint64_t run;
};
extern const struct ipc_type msg_complete;

/* analyser → web */

/*
 * Growth of a live tree of one event.  Node 0 is the root, told like any other with itself as its
 * parent; ids are only ever appended, a parent comes before its children.  Names are numbered for
 * each event on its own.  Growth that does not fit into one message is told in several.  first_node
 * 0 for a tree that has nodes already begins it anew, names and all.  Arrays of uint32_t and
 * uint64_t, in this machine's byte order.
 */
struct msg_live_tree {
	uint64_t event;		/* 0, 1 ... in the order in which they are first told */
	const char *event_name; /* told with the event's first growth, else "" */
	uint64_t first_node;	/* id of the first new node */
	struct wordlist names;	/* new names: ids go on from the last */
	struct ipc_bytes parents, name_ids, kinds;  /* of new nodes: u32, u32, u8 (flame_kind) */
	struct ipc_bytes changed;		    /* u32: nodes whose self count is another now */
	struct ipc_bytes self_samples, self_counts; /* u64: their new values */
	uint64_t samples, lost;			    /* in all */
};
extern const struct ipc_type msg_live_tree;

/* New or changed cells of the heatmap: 50 rows a second, as u32 triples (second, row, samples). */
struct msg_live_heat {
	uint64_t event;
	uint64_t start_ns; /* the first column's time */
	struct ipc_bytes cells;
};
extern const struct ipc_type msg_live_heat;

/*
 * The same by CPU and by thread.  Lanes have the numbers 0, 1 ... in the order in which they are
 * told; of a lane only the latest cell changes.  Told after the event's heatmap.
 */
struct msg_live_lanes {
	uint64_t event;
	uint64_t first;		/* number of the first new lane; 0: all begins anew */
	struct wordlist names;	/* of new lanes: the thread's program; "" for a CPU */
	struct ipc_bytes ids;	/* u32 pairs: pid and tid; or LIVE_LANE_CPU and the CPU */
	struct ipc_bytes cells; /* u32 triples: lane, 20 ms since the start, samples */
	uint64_t left_out;	/* threads that have no lane */
};
#define LIVE_LANE_CPU UINT32_MAX
extern const struct ipc_type msg_live_lanes;

struct msg_finished {
	bool failed;
	bool refused;	/* ... for what was asked was wrong, not what was looked at */
	bool no_room;	/* ... for the disk is full */
	bool too_large; /* ... for `out` would have more than its `most` bytes */
	const char *reason;
	const char *quality; /* JSON as `perfolio query quality` */
	const char *facts;   /* JSON: events, samples, lost, duration, what tabs its data allows */
};
extern const struct ipc_type msg_finished;

extern const struct ipc_protocol analysis_protocol;

#endif
