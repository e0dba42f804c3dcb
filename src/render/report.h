/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A report: the rows of a breakdown with their call trees, as perf prints them, or as JSON.
 */
#ifndef RENDER_REPORT_H
#define RENDER_REPORT_H

#include "profile/breakdown.h"
#include "profile/trust.h"

struct outbuf;

enum report_graph { REPORT_NO_GRAPH, REPORT_CALLER, REPORT_CALLEE };

/* What is asked for; the same for all events. */
struct report_options {
	const enum breakdown_key *keys; /* columns, in their order */
	size_t key_count;
	bool keys_given; /* by the user, not the usual ones */
	bool children;	 /* a column for what rows weigh with what they call */
	bool show_samples, show_weight;
	const char *separator; /* NULL: columns are aligned */
	enum report_graph graph;
	double graph_min;     /* per cent of all, below which a branch is left out */
	double percent_limit; /* likewise for rows */
	const char *comms, *objects, *symbols; /* only such rows; lists with commas, or NULL */
	bool relative;			       /* to the rows that are left by these */
	bool busy;			       /* idle CPUs were left out */
	const char *time;		       /* as the user gave it, or NULL */
};

/* Names of functions as they are shown, made when they are first asked for. */
struct report_names {
	const struct profile *profile;
	char **shown;
};

void report_names_init(struct report_names *names, const struct profile *profile);
void report_names_free(struct report_names *names);
const char *report_function_name(struct report_names *names, uint32_t function);
/* What stands behind the name of a function that was inlined, as in perf. */
#define REPORT_INLINED " (inlined)"
const char *report_object_name(const struct profile *profile, uint32_t object);

struct report {
	const struct report_options *options;
	struct breakdown *breakdown;
	struct report_names *names;
	uint16_t event;
	double idle_share; /* of all samples of the event; 0 if no CPU was watched while idle */
	/* Rows in their order, without those that lists and the limit leave out. */
	VEC(uint32_t) order;
	uint64_t whole; /* what 100 per cent are */
};

/* Sorts and chooses the rows. */
void report_init(struct report *report, const struct report_options *options,
		 struct breakdown *breakdown, struct report_names *names, uint16_t event);
void report_free(struct report *report);

/* Per cent of the whole. */
double report_percent(const struct report *report, uint64_t weight);

/* Comment lines, columns, rows and trees of one event. */
void report_text(struct report *report, struct outbuf *out);
/* A row's tree below it. */
void report_tree_text(struct report *report, uint32_t row, struct outbuf *out);
/* The lines at the end. */
void report_trust_text(const struct profile *profile, const struct trust *trust,
		       struct outbuf *out);

struct json;
void report_json(struct report *report, struct json *json);
void report_trust_json(const struct profile *profile, const struct trust *trust, struct json *json);

#endif
