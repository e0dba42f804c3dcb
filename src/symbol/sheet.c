// SPDX-License-Identifier: Apache-2.0
#include "symbol/sheet.h"
#include "symbol/symbol.h"

#include <ctype.h>
#include <elf.h>
#include <string.h>

#define PAGE 4096ull

void sheet_free(struct symbol_sheet *sheet)
{
	vec_free(&sheet->rows);
	vec_free(&sheet->choices);
	vec_free(&sheet->segments);
	buf_free(&sheet->strings);
}

void sheet_take_strings(struct symbol_sheet *sheet, void *block, size_t size, size_t room)
{
	buf_free(&sheet->strings);
	sheet->strings = (struct buf){ .data = block, .len = size, .cap = room };
}

void sheet_add_named(struct symbol_sheet *sheet, uint64_t start, uint64_t size, const char *name,
		     uint8_t binding)
{
	size_t length = strlen(name) + 1;

	if (length >= STRINGS_MAX - sheet->strings.len)
		return;
	sheet_add(sheet, start, size, (uint32_t)sheet->strings.len, binding);
	buf_add(&sheet->strings, name, length);
}

#define DIGIT 11

static void sort_by_digit(const struct symbol_row *rows, uint64_t low, const uint32_t *from,
			  uint32_t *to, size_t count, unsigned shift)
{
	uint32_t place[1 << DIGIT] = { 0 }, sum = 0;

	for (size_t i = 0; i < count; i++)
		place[(rows[i].start - low) >> shift & ((1 << DIGIT) - 1)]++;
	for (size_t d = 0; d < 1 << DIGIT; d++) {
		uint32_t here = place[d];

		place[d] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++)
		to[place[(rows[from[i]].start - low) >> shift & ((1 << DIGIT) - 1)]++] = from[i];
}

static bool find_span(const struct symbol_rows *rows, uint64_t *low, uint64_t *high)
{
	bool sorted = true;

	*low = *high = rows->data[0].start;
	for (size_t i = 1; i < rows->len; i++) {
		uint64_t start = rows->data[i].start;

		sorted &= start >= rows->data[i - 1].start;
		*low = start < *low ? start : *low;
		*high = start > *high ? start : *high;
	}
	return sorted;
}

/* A stable radix sort: starts lie within some megabytes, so three digits do. */
static void sort_rows(struct symbol_rows *rows)
{
	uint32_t *order, *spare, *swap;
	struct symbol_row *sorted;
	uint64_t low, high;

	if (!rows->len || find_span(rows, &low, &high))
		return;
	order = mem_resize(NULL, rows->len, sizeof(*order));
	spare = mem_resize(NULL, rows->len, sizeof(*spare));
	for (size_t i = 0; i < rows->len; i++)
		order[i] = (uint32_t)i;
	for (unsigned shift = 0; shift < 64 && (high - low) >> shift; shift += DIGIT) {
		sort_by_digit(rows->data, low, order, spare, rows->len, shift);
		swap = order;
		order = spare;
		spare = swap;
	}
	free(spare);
	sorted = mem_resize(NULL, rows->len, sizeof(*sorted));
	for (size_t i = 0; i < rows->len; i++)
		sorted[i] = rows->data[order[i]];
	free(order);
	free(rows->data);
	rows->data = sorted;
	rows->cap = rows->len;
}

void sheet_sort(struct symbol_sheet *sheet)
{
	sort_rows(&sheet->rows);
}

/*
 * A symbol without a size reaches to the next one; the last, and one before the gap between kernel
 * and modules, to the end of the following page.
 */
static void give_ends(struct symbol_rows *rows)
{
	for (size_t i = 0; i < rows->len; i++) {
		struct symbol_row *row = &rows->data[i];
		uint64_t to_page_end = 2 * PAGE - 1 - (row->start + PAGE - 1) % PAGE;

		if (row->size)
			continue;
		row->guessed = true;
		if (i + 1 < rows->len && row->module == row[1].module)
			row->size = sheet_size(row->start, row[1].start - row->start);
		else
			row->size = sheet_size(row->start, to_page_end);
	}
}

/* Names that perf has demangled when it compares them. */
static bool is_mangled(const char *name)
{
	return (name[0] == '_' && (name[1] == 'Z' || name[1] == 'R')) ||
	       (!strncmp(name, "caml", 4) && isupper((unsigned char)name[4]));
}

static void judge(const char *name, size_t *underscores, size_t *length)
{
	char *readable = is_mangled(name) ? symbol_demangle(name, DEMANGLE_NAME, SIZE_MAX) : NULL;

	*underscores = strspn(readable ? readable : name, "_");
	*length = strlen(readable ? readable : name);
	free(readable);
}

/* Aliases of system calls that the kernel had before 4.17. */
static bool is_syscall_alias(const char *name)
{
	return !strncmp(name, "SyS", 3) || !strncmp(name, "compat_SyS", 10);
}

/* Fewer underscores in front, then the longer one, then the first. */
uint32_t sheet_choose(const char *strings, const uint32_t *names, size_t count)
{
	size_t best = 0, best_underscores = 0, best_length = 0;

	for (size_t i = 0; i < count; i++) {
		size_t underscores, length;

		judge(strings + names[i], &underscores, &length);
		if (i == 0 || underscores < best_underscores ||
		    (underscores == best_underscores &&
		     (length > best_length ||
		      (length == best_length && is_syscall_alias(strings + names[best]))))) {
			best = i;
			best_underscores = underscores;
			best_length = length;
		}
	}
	return names[best];
}

/* _ZN3FooC1Ev and _ZN3FooC2Ev: by far the commonest pair, and both are Foo::Foo. */
static bool reads_the_same(const char *a, const char *b)
{
	size_t same = 0;

	while (a[same] && a[same] == b[same])
		same++;
	if (!a[same] && !b[same])
		return true;
	return same > 2 && (a[same - 1] == 'C' || a[same - 1] == 'D') &&
	       isdigit((unsigned char)a[same]) && isdigit((unsigned char)b[same]) &&
	       !strcmp(a + same + 1, b + same + 1);
}

enum winner { FIRST, SECOND, BY_NAME };

/* perf's order of preference before it comes to names: with a size, not weak, global. */
static enum winner compare_kinds(const struct symbol_row *a, const struct symbol_row *b)
{
	if (!a->size != !b->size)
		return a->size ? FIRST : SECOND;
	if ((a->binding == STB_WEAK) != (b->binding == STB_WEAK))
		return b->binding == STB_WEAK ? FIRST : SECOND;
	if ((a->binding == STB_GLOBAL) != (b->binding == STB_GLOBAL))
		return a->binding == STB_GLOBAL ? FIRST : SECOND;
	return BY_NAME;
}

/* Adds a name to those of a row that are to be chosen from; the row's choice is the last one. */
static void add_choice(struct symbol_sheet *sheet, struct symbol_row *row, uint32_t name)
{
	uint32_t first = row->name;

	if (!(row->name & NAME_IS_CHOICE)) {
		row->name = (uint32_t)sheet->choices.len | NAME_IS_CHOICE;
		*vec_push(&sheet->choices) = 1;
		*vec_push(&sheet->choices) = first;
	}
	*vec_push(&sheet->choices) = name;
	sheet->choices.data[row->name & ~NAME_IS_CHOICE]++;
}

/* Two names of one symbol: one is kept, or both as a choice. */
static void settle_names(struct symbol_sheet *sheet, struct symbol_row *kept, uint32_t other)
{
	const char *strings = sheet->strings.data;
	uint32_t first = kept->name & NAME_IS_CHOICE
				 ? sheet->choices.data[(kept->name & ~NAME_IS_CHOICE) + 1]
				 : kept->name;
	uint32_t names[2] = { first, other };

	if (reads_the_same(strings + first, strings + other))
		return;
	if (kept->name & NAME_IS_CHOICE || is_mangled(strings + first) ||
	    is_mangled(strings + other))
		add_choice(sheet, kept, other);
	else
		kept->name = sheet_choose(strings, names, 2);
}

static void drop_aliases(struct symbol_sheet *sheet)
{
	struct symbol_row *rows = sheet->rows.data;
	size_t kept = 0;

	for (size_t i = 1; i < sheet->rows.len; i++) {
		enum winner winner = SECOND;

		if (rows[i].start != rows[kept].start)
			kept++;
		else
			winner = compare_kinds(&rows[kept], &rows[i]);
		if (winner == SECOND)
			rows[kept] = rows[i];
		else if (winner == BY_NAME)
			settle_names(sheet, &rows[kept], rows[i].name);
	}
	sheet->rows.len = sheet->rows.len ? kept + 1 : 0;
}

void sheet_settle(struct symbol_sheet *sheet)
{
	sort_rows(&sheet->rows);
	give_ends(&sheet->rows);
	drop_aliases(sheet);
}

void sheet_merge(struct symbol_sheet *sheet, struct symbol_sheet *lesser)
{
	size_t known = sheet->rows.len, at = 0;

	sort_rows(&lesser->rows);
	vec_each (row, &lesser->rows) {
		while (at < known && sheet->rows.data[at].start < row->start)
			at++;
		if (at == known || sheet->rows.data[at].start != row->start ||
		    compare_kinds(&sheet->rows.data[at], row) == SECOND)
			sheet_add_named(sheet, row->start, row->size,
					lesser->strings.data + row->name, row->binding);
	}
	if (sheet->rows.len > known)
		sheet_settle(sheet);
}
