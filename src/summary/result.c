// SPDX-License-Identifier: Apache-2.0
#include "summary/result.h"

#include <stdarg.h>
#include <stdio.h>

struct summary_table *summary_result_add(struct summary_result *result, const char *key,
					 const char *title, const struct summary_column *columns,
					 size_t width)
{
	struct summary_table *table = vec_push(&result->tables);

	table->key = key;
	table->title = title;
	table->columns = columns;
	table->width = width;
	return table;
}

void summary_put(struct summary_table *table, uint64_t number)
{
	vec_push(&table->cells)->number = number;
}

void summary_put_text(struct summary_result *result, struct summary_table *table, const char *text)
{
	vec_push(&table->cells)->text = arena_strdup(&result->arena, text);
}

void summary_note(struct summary_result *result, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	strlist_add(&result->notes, text);
}

void summary_result_free(struct summary_result *result)
{
	vec_each (table, &result->tables)
		vec_free(&table->cells);
	vec_free(&result->tables);
	strlist_free(&result->notes);
	arena_free(&result->arena);
}
