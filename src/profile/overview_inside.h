/* SPDX-License-Identifier: Apache-2.0 */
/* What the rules of the overview share. */
#ifndef PROFILE_OVERVIEW_INSIDE_H
#define PROFILE_OVERVIEW_INSIDE_H

#include "profile/overview.h"
#include "profile/remedy.h"

#define FEW_SAMPLES 20

/* Figures that several rules ask for. */
struct sums {
	const struct overview_facts *facts;
	double seconds;
	double cpu_s;	  /* CPU time; -1: not known */
	double cpus_used; /* 1: one CPU all the time; -1: not known */
	struct overview_share kernel_of;
	double kernel;				      /* share of the CPU time; -1: not known */
	bool known;				      /* where its time went: the next four */
	double run[BUDGET_PARTS], work[BUDGET_PARTS]; /* shares; profile/budget.h */
	enum budget_part main;			      /* the largest part of the run, */
	enum budget_part workers;		      /* and of the busiest threads' time */
	const char *first; /* the rule that told what limited it, once it has */
};

struct rule {
	const char *name, *tab;
	bool (*holds)(const struct sums *s);
	void (*tell)(const struct sums *s, struct finding *finding);
	/* Whether it is more than the error of what it is made of; NULL: never. */
	bool (*sure)(const struct sums *s);
};

/* In order of rank, an empty row at the end: the first that holds is what limited the program. */
extern const struct rule overview_first_rules[];
/* What else is worth saying, each by itself. */
extern const struct rule overview_more_rules[];

/* A file may say anything: what is more than fits is the most. */
static inline int64_t whole_number(double value)
{
	return value < 0x1p63 ? (int64_t)value : INT64_MAX;
}

/* Writing a finding. */
void say(struct finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));
void advise(struct finding *finding, const struct sums *s, enum advice advice, const char *about);
void show_share(struct finding *finding, const char *name, double share);
/* As exactly as a share of so many samples is known. */
void show_sampled(struct finding *finding, const char *name, double share, uint64_t of);
void show_time(struct finding *finding, const char *name, double seconds);
void show_count(struct finding *finding, const char *name, uint64_t count);
void show_rate(struct finding *finding, const char *name, uint64_t count, double seconds);
void show_bytes(struct finding *finding, const char *name, uint64_t bytes);
void show_number(struct finding *finding, const char *name, const char *unit, double value);
void show_switches(struct finding *finding, const struct sums *s);
/* "`a` 40.1 %, `b` 20.0 %": their own evidence */
void say_tops(struct finding *finding, const struct overview_tops *tops);

/* `name`, cut where it is so long that nothing else would have room. */
void say_name(struct finding *finding, const char *name);

double percent(double share); /* 100 at the most */
/* What shares of the samples are of, behind "CPU time": " in user space", or "" for all of it. */
const char *side(const struct sums *s);
/* What nearly all of the run's other waiting was for; NULL: several things, or it is not known. */
const char *only_wait(const struct sums *s);
/* What the other waiting was certainly not for: "neither for a CPU nor for the disk". */
const char *not_for(const struct sums *s, bool of_run);
/*
 * What the other waiting of the run was for, or that of its busiest threads; where several things
 * share it the two largest are named, and where it is not known that is said.
 */
void say_reason(struct finding *finding, const struct sums *s, bool of_run);
/*
 * How many functions stand out: the last of them from the next one by more than the error of their
 * samples.  0: none does.
 */
size_t standing_out(const struct overview_facts *facts);
/* How many of the heaviest are told apart from those that follow: all but noise is named. */
size_t worth_naming(const struct overview_facts *facts);
/* Whether a share of the samples is above a limit by more than its error. */
bool is_above(const struct overview_facts *facts, double share, double limit);
/* Where the kernel lets interrupts in again: a clock that had to wait for that samples there. */
bool is_interrupt_place(const struct overview_top *function);
/* Many processes, none of which had much time. */
bool has_short_processes(const struct sums *s);
void tell_short_processes(const struct sums *s, struct finding *finding);
const char *subject(const struct sums *s);
double all_waits(const struct overview_facts *facts); /* share of stacks that leave their CPU */
/* What most of its waits were for; NULL: stacks don't tell. */
const char *wait_words(const struct overview_facts *facts);

#endif
