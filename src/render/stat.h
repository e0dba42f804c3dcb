/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts as text, CSV or JSON, in perf's layout to the byte.
 *
 * What is shown is a finished table: a place (the whole program, a CPU, a core, a thread) a row, an
 * event a column.  Nothing here measures or opens anything, and everything goes into a buffer, so
 * that whoever shows it does so with one write.
 */
#ifndef RENDER_STAT_H
#define RENDER_STAT_H

#include "event/metric.h"

struct buf;

/* What one place of the table is. */
enum stat_by {
	STAT_BY_ALL, /* one place: everything added up */
	STAT_BY_CPU,
	STAT_BY_CORE,
	STAT_BY_DIE,
	STAT_BY_SOCKET,
	STAT_BY_NODE,
	STAT_BY_THREAD,
};

enum stat_format { STAT_TEXT, STAT_CSV, STAT_JSON };

struct stat_style {
	enum stat_format format;
	enum stat_by by;
	const char *separator; /* between the fields of CSV */
	bool grouped;	       /* 1,234,567 */
	bool metric_only;
	bool color;
	bool repeated;	  /* several runs: counts are means and have a spread */
	bool hide_zero;	  /* threads of the whole system: those that did nothing are left out */
	bool csv_summary; /* CSV: lines without a time begin with "summary" */
	int name_width;	  /* text: of the column of names; perf's is 32 */
	int unit_width;	  /* of the widest unit of an event that is counted, at least 4 */
};

struct stat_column {
	const struct event *event;
	const char *name;
	const char *cgroup; /* NULL where the table has no cgroups */
	bool supported;	    /* opened somewhere */
};

struct stat_place {
	int socket, die, core, node, cpu; /* as far as `by` names them */
	int cpus;			  /* how many are added up here */
	pid_t tid;
	const char *comm;
};

struct stat_cell {
	double count;  /* scaled up where it was multiplexed; the mean of several runs */
	double spread; /* standard error of that mean, in percent of it */
	uint64_t enabled, running; /* ns; equal where it was not multiplexed */
	bool counted; /* false: it never ran, and there is no count that would be true */
	bool absent;  /* this event does not exist at this place; nothing is shown */
};

struct stat_table {
	size_t columns, places;
	const struct stat_column *column;
	const struct stat_place *place;
	const struct stat_cell *cells; /* places * columns, a place after the other */
	double elapsed_ns;	       /* over which the counts were made */
};

/* How long it took, for the lines below the table. */
struct stat_times {
	int runs;
	double elapsed_s;	/* the mean of several runs */
	double elapsed_error_s; /* and its standard error */
	bool has_usage;		/* user and system time of the program are known */
	double user_s, system_s;
	const double *each_s; /* --table: every run's; NULL for none */
	bool no_events;	      /* nothing stands above */
};

/* "Performance counter stats for 'ls':"; what is "'ls'", "process id '12'" and so on. */
void stat_title(struct buf *out, const struct stat_style *style, const char *what, int runs);

/* The heading of interval output, which comes again every STAT_HEADING_EVERY ticks. */
#define STAT_HEADING_EVERY 25
void stat_heading(struct buf *out, const struct stat_style *style, const struct stat_table *table);

/* The counts.  at_ns is the time since the start at an interval's end, negative for a summary. */
void stat_rows(struct buf *out, const struct stat_style *style, const struct stat_table *table,
	       int64_t at_ns);

/* Elapsed, user and system time; text only. */
void stat_footer(struct buf *out, const struct stat_style *style, const struct stat_times *times);

#endif
