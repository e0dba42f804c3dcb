// SPDX-License-Identifier: Apache-2.0
#include "render/summary.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/outbuf.h"
#include "base/text.h"

#include <stdio.h>

static const char *cell_text(char into[static TEXT_NUMBER], const struct summary_column *column,
			     const struct summary_value *value)
{
	uint64_t number = value->number;

	if (column->kind == CELL_TEXT)
		return value->text;
	if (number == SUMMARY_NONE)
		return "-";
	switch (column->kind) {
	case CELL_COUNT: return text_grouped(into, number);
	case CELL_SPAN: return text_decimal(into, (double)number / 1e3, 3, true);
	case CELL_TIME:
		snprintf(into, TEXT_NUMBER, "%llu.%06llu",
			 (unsigned long long)(number / NS_PER_SEC),
			 (unsigned long long)(number % NS_PER_SEC / 1000));
		return into;
	case CELL_HEX:
		snprintf(into, TEXT_NUMBER, "0x%llx", (unsigned long long)number);
		return into;
	case CELL_SHARE: snprintf(into, TEXT_NUMBER, "%.2f %%", (double)number / 1e4); return into;
	default: snprintf(into, TEXT_NUMBER, "%llu", (unsigned long long)number); return into;
	}
}

static void find_widths(const struct summary_table *table, size_t *widths)
{
	char text[TEXT_NUMBER];

	for (size_t i = 0; i < table->width; i++)
		widths[i] = strlen(table->columns[i].title);
	for (size_t i = 0; i < table->cells.len; i++) {
		size_t column = i % table->width;
		size_t length =
			strlen(cell_text(text, &table->columns[column], &table->cells.data[i]));

		if (length > widths[column])
			widths[column] = length;
	}
}

/* A thread may call itself anything, a line's end and a terminal's commands too. */
static void put_words(struct outbuf *out, const char *text, size_t width)
{
	size_t length = 0;

	for (; text[length]; length++)
		out_char(out, (unsigned char)text[length] < ' ' || text[length] == 0x7f
				      ? '?'
				      : text[length]);
	for (; length < width; length++)
		out_char(out, ' ');
}

/* Words from the left, numbers from the right; no blanks at a line's end. */
static void put_cell(struct outbuf *out, const struct summary_table *table, size_t column,
		     const char *text, size_t width)
{
	bool last = column + 1 == table->width;

	if (table->columns[column].kind != CELL_TEXT)
		out_right(out, text, strlen(text), width);
	else
		put_words(out, text, last ? 0 : width);
	out_text(out, last ? "\n" : "  ");
}

static void table_text(const struct summary_table *table, struct outbuf *out)
{
	size_t *widths = mem_resize(NULL, table->width, sizeof(*widths));
	char text[TEXT_NUMBER];

	out_printf(out, "%s\n\n", table->title);
	find_widths(table, widths);
	for (size_t i = 0; i < table->width; i++)
		put_cell(out, table, i, table->columns[i].title, widths[i]);
	for (size_t i = 0; i < table->cells.len; i++) {
		size_t column = i % table->width;

		put_cell(out, table, column,
			 cell_text(text, &table->columns[column], &table->cells.data[i]),
			 widths[column]);
	}
	free(widths);
}

void summary_text(const struct summary_result *result, struct outbuf *out)
{
	bool first = true;

	vec_each (table, &result->tables) {
		if (!first)
			out_char(out, '\n');
		first = false;
		if (table->cells.len)
			table_text(table, out);
		else
			out_printf(out, "%s: none\n", table->title);
	}
	if (result->notes.len)
		out_char(out, '\n');
	vec_each (note, &result->notes)
		out_printf(out, "Note: %s.\n", *note);
}

static void cell_json(struct json *json, const struct summary_column *column,
		      const struct summary_value *value)
{
	if (column->kind == CELL_TEXT)
		json_text(json, column->key, value->text);
	else if (value->number == SUMMARY_NONE)
		json_text(json, column->key, NULL);
	else if (column->kind == CELL_HEX)
		json_hex(json, column->key, value->number);
	else if (column->kind == CELL_SHARE)
		json_double(json, column->key, (double)value->number / 1e6);
	else
		json_u64(json, column->key, value->number);
}

void summary_json(const struct summary_result *result, const char *name, struct json *json)
{
	json_open(json, NULL, '{');
	json_text(json, "summary", name);
	vec_each (table, &result->tables) {
		json_open(json, table->key, '[');
		for (size_t i = 0; i < table->cells.len; i++) {
			size_t column = i % table->width;

			if (!column)
				json_open(json, NULL, '{');
			cell_json(json, &table->columns[column], &table->cells.data[i]);
			if (column + 1 == table->width)
				json_close(json);
		}
		json_close(json);
	}
	json_u64(json, "samples", result->samples);
	json_u64(json, "lost", result->lost);
	json_open(json, "notes", '[');
	vec_each (note, &result->notes)
		json_text(json, NULL, *note);
	json_close(json);
	json_close(json);
}
