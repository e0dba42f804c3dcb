/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a summary found: tables of plain data, for render/summary.h or whoever asks.
 */
#ifndef SUMMARY_RESULT_H
#define SUMMARY_RESULT_H

#include "base/arena.h"
#include "base/vec.h"
#include <stdbool.h>
#include <stdint.h>

enum summary_cell {
	CELL_TEXT,
	CELL_ID,    /* a process, a CPU, a descriptor: digits that nobody adds up */
	CELL_COUNT, /* of things or bytes */
	CELL_SPAN,  /* ns */
	CELL_TIME,  /* ns, by the recording's clock */
	CELL_HEX,
	CELL_SHARE, /* 1,000,000 is all */
};

struct summary_column {
	const char *key;   /* for programs; a span's says ns */
	const char *title; /* for people, who are shown spans in us */
	enum summary_cell kind;
};

#define SUMMARY_NONE UINT64_MAX /* there is no such number */

struct summary_value {
	uint64_t number;
	const char *text; /* of CELL_TEXT; the result's own or a constant */
};

struct summary_table {
	const char *key, *title;
	const struct summary_column *columns;
	size_t width;
	VEC(struct summary_value) cells; /* row by row */
};

struct summary_result { /* { 0 } is a ready, empty one */
	struct arena arena;
	VEC(struct summary_table) tables;
	struct strlist notes;	/* what to know before the numbers are believed */
	uint64_t samples, lost; /* that it looked at; that the recorder lost, of whatever kind */
};

/* Adds a table; the pointer holds until the next one. */
struct summary_table *summary_result_add(struct summary_result *result, const char *key,
					 const char *title, const struct summary_column *columns,
					 size_t width);
#define summary_result_table(result, key, title, columns) \
	summary_result_add(result, key, title, columns, ARRAY_SIZE(columns))

/* A cell for the row that is being filled, from left to right. */
void summary_put(struct summary_table *table, uint64_t number);
void summary_put_text(struct summary_result *result, struct summary_table *table, const char *text);

void summary_note(struct summary_result *result, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void summary_result_free(struct summary_result *result);

static inline size_t summary_table_rows(const struct summary_table *table)
{
	return table->cells.len / table->width;
}

#endif
