/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A report: the rows of a breakdown with their call trees, as perf prints them, or as JSON.
 */
#ifndef RENDER_REPORT_H
#define RENDER_REPORT_H

#include "profile/trust.h"
#include "render/report_keys.h"

struct buf;
struct outbuf;

enum report_graph { REPORT_NO_GRAPH, REPORT_CALLER, REPORT_CALLEE };

/* How a row's stacks are drawn, and what stands at a branch. */
enum report_form { FORM_GRAPH, FORM_FRACTAL, FORM_FLAT, FORM_FOLDED };
enum report_value { VALUE_PERCENT, VALUE_PERIOD, VALUE_COUNT };

#define REPORT_COLUMNS (BREAKDOWN_KEYS + 12)

struct report_columns {
	struct report_column list[REPORT_COLUMNS];
	size_t count;
};

/* What is asked for; the same for all events. */
struct report_options {
	struct report_columns columns; /* as they are shown */
	struct report_columns order;   /* what rows are put in order by, the first one first */
	bool keys_given;	       /* by the user, not the usual ones */
	bool fields_given;	       /* the user chose all columns */
	bool children;		       /* rows weigh what they call, too */
	const char *separator;	       /* NULL: columns are aligned */
	enum report_graph graph;
	enum report_form form;
	enum report_value value;
	double graph_min;	       /* per cent of all, below which a branch is left out */
	unsigned graph_limit;	       /* branches of a frame that are drawn; 0: all */
	double percent_limit;	       /* per cent of all, below which a row is left out */
	const char *comms;	       /* as the samples were chosen, or NULL */
	const char *objects, *symbols; /* only such rows; lists with commas, or NULL */
	const char *symbol_part;       /* only functions with this in their names */
	bool exclude_other;	       /* only rows below a parent that matches */
	bool relative;		       /* to the rows that are left by these */
	bool busy;		       /* idle CPUs were left out */
	const char *time;	       /* as the user gave it, or NULL */
	int socket;		       /* only rows of this one; -1: of all */
	enum breakdown_key socket_key; /* where that is told */
	bool hierarchy;		       /* rows below rows, a level for each key */
	bool quiet;		       /* the rows alone */
	bool verbose;		       /* with addresses, and objects by their paths */
	bool color;		       /* large shares stand out */
	size_t line_width;	       /* of the terminal, which titles end with; 0: none */
	size_t sort_member;	  /* of a group: which event's share rows are put in order by */
	const char *weight_order; /* rows weigh what memory cost; the keys as perf tells them */
	bool branches;		  /* rows are branches, not samples */
	bool raw_names;		  /* as they stand in the files, mangled */
	bool demangle_kernel;
};

/* Names of functions as they are shown, made when they are first asked for. */
struct report_names {
	const struct profile *profile;
	const struct report_options *options;
	char **shown;
};

void report_names_init(struct report_names *names, const struct profile *profile,
		       const struct report_options *options);
void report_names_free(struct report_names *names);
const char *report_function_name(struct report_names *names, uint32_t function);
/* Of samples without a stack: no function's row; its name is the event's, in brackets. */
bool report_is_stackless(const struct profile *profile, const struct breakdown_row *row);
/* What stands behind the name of a function that was inlined, as in perf. */
#define REPORT_INLINED " (inlined)"
const char *report_object_name(const struct profile *profile, uint32_t object);

/* An event of a report; several where a group is shown together. */
struct report_member {
	struct breakdown breakdown;
	uint16_t event;
	struct weight_pair all; /* with the samples of threads that were not asked for */
	uint64_t whole;		/* what 100 per cent are */
	uint32_t *rows;		/* for each row of the first member: 1 + that of this one, or 0 */
};

struct report {
	const struct report_options *options;
	struct breakdown *breakdown; /* the first member's: it has the rows of all */
	struct report_member *members;
	size_t member_count;
	const char *group; /* "anon group { a, b }" where events stand together; else NULL */
	struct report_names *names;
	double idle_share; /* of all samples of the event; 0 if no CPU was watched while idle */
	/* Rows in their order, without those that lists and the limit leave out. */
	VEC(uint32_t) order;
	struct weight_pair shown; /* what the lists leave, of all members */
};

/* Sorts and chooses the rows; the members' breakdowns are made. */
void report_init(struct report *report, const struct report_options *options,
		 struct report_member *members, size_t member_count, struct report_names *names);
void report_free(struct report *report);

/* Per cent of the whole of the first member. */
double report_percent(const struct report *report, uint64_t weight);
/* A row as one member has it; zeros where it has no such row. */
const struct breakdown_row *report_member_row(const struct report *report, uint32_t row,
					      size_t member);
/* What a column's field has of a row: weight, or samples. */
uint64_t report_field(enum report_field field, const struct breakdown_row *row);
/* Below 0, 0 or above: how rows differ in a key. */
int report_compare_key(struct report *report, const struct report_column *column,
		       const struct breakdown_row *a, const struct breakdown_row *b);
/* The text of a key; it may be made in `into`. */
const char *report_key_text(struct report *report, const struct report_column *column,
			    const struct breakdown_row *row, char *into, size_t room);

/* Comment lines, columns, rows and trees of one event. */
void report_text(struct report *report, struct outbuf *out);
/* The parts that rows and rows below rows are printed with. */
void report_print_value(const struct report *report, const struct report_column *column,
			const struct breakdown_row *row, size_t member, struct outbuf *out);
size_t report_value_width(const struct report *report, const struct report_column *column);
void report_print_key(struct report *report, const struct report_column *column, size_t width,
		      const struct breakdown_row *row, bool last, struct outbuf *out);
size_t report_key_width(struct report *report, const struct report_column *column,
			const struct breakdown_row *row);
/* Titles and rows, a level for each key. */
void report_hierarchy_text(struct report *report, struct outbuf *out);
/* A row's tree below it. */
void report_tree_text(struct report *report, uint32_t row, struct outbuf *out);
/* The lines at the end. */
/* filtered: the table is of a part of the recording, this is of the whole. */
void report_trust_text(const struct profile *profile, const struct trust *trust, bool filtered,
		       struct buf *into);

struct json;
void report_json(struct report *report, struct json *json);
void report_trust_json(const struct profile *profile, const struct trust *trust, const char *key,
		       struct json *json);

#endif
