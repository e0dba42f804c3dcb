// SPDX-License-Identifier: Apache-2.0
#include "symbol/kallsyms.h"
#include "base/err.h"
#include "base/file.h"
#include "symbol/symbol.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *read_hex(char *at, uint64_t *value)
{
	for (*value = 0;; at++) {
		unsigned digit = (unsigned)(unsigned char)*at - '0';
		unsigned letter = ((unsigned)(unsigned char)*at | 0x20) - 'a';

		if (digit < 10)
			*value = *value << 4 | digit;
		else if (letter < 6)
			*value = *value << 4 | (letter + 10);
		else
			return at;
	}
}

/* Code and data of the kernel's own sections; perf leaves out the rest. */
static bool is_wanted(char type, const char *name)
{
	return strchr("TtWwDdBb", type) && type && name[0] != '$';
}

/* A list that is being read; its names move to the front of the text. */
struct reader {
	struct kallsyms *found;
	struct symbol_sheet *sheet;
	enum kallsyms_part part;
	char *text, *next_name;
};

static bool is_of_part(const struct reader *r, const char *module)
{
	bool bpf = module && !strcmp(module, "[bpf]");

	return r->part == KALLSYMS_KERNEL || (r->part == KALLSYMS_BPF) == bpf;
}

static void note_anchor(struct kallsyms *found, const char *name, uint64_t start)
{
	if (!strcmp(name, "_text"))
		found->text = start;
	else if (!strcmp(name, "_stext"))
		found->stext = start;
}

/* name..end, a tab and the module's name at its end perhaps, is followed by a NUL. */
static void add_line(struct reader *r, uint64_t start, char type, char *name, char *end)
{
	char *tab = memchr(name, '\t', (size_t)(end - name));
	size_t length = (size_t)((tab ? tab : end) - name);

	if (!is_wanted(type, name) || !is_of_part(r, tab ? tab + 1 : NULL))
		return;
	r->found->lines++;
	if (!start || start == UINT64_MAX) {
		r->found->hidden += !start;
		return;
	}
	memmove(r->next_name, name, length);
	r->next_name[length] = '\0';
	if (!tab && name[0] == '_')
		note_anchor(r->found, r->next_name, start);
	sheet_add(r->sheet, start, 0, (uint32_t)(r->next_name - r->text),
		  isupper((unsigned char)type) ? STB_GLOBAL : STB_LOCAL);
	vec_last(&r->sheet->rows)->module = tab != NULL;
	r->next_name += length + 1;
}

void kallsyms_read(struct kallsyms *found, struct symbol_sheet *sheet, char *text, size_t size,
		   enum kallsyms_part part)
{
	struct reader r = { found, sheet, part, text, text };
	char *end = text + size, *at = text;

	*found = (struct kallsyms){ 0 };
	vec_reserve(&sheet->rows, size / 40);
	while (at < end && sheet->rows.len < ROWS_MAX) {
		char *line_end = memchr(at, '\n', (size_t)(end - at));
		uint64_t start;

		if (!line_end)
			line_end = end;
		*line_end = '\0';
		at = read_hex(at, &start);
		if (at[0] == ' ' && at[1] && at[2] == ' ' && at[3])
			add_line(&r, start, at[1], at + 3, line_end);
		at = line_end + 1;
	}
	sheet_take_strings(sheet, text, (size_t)(r.next_name - text), size + 1);
	sheet_settle(sheet);
}

static int running_list = -1;
static bool strangers_ask;

void symbol_kernel_list(int fd, bool strangers)
{
	running_list = fd;
	strangers_ask = strangers;
}

bool kallsyms_for_strangers(void)
{
	return strangers_ask;
}

/* The kernel shows addresses to whoever has opened the list, not to who reads it. */
char *kallsyms_load(const char *path, size_t *size)
{
	struct err err = { 0 };
	char *text;

	if (running_list >= 0 && !strcmp(path, KALLSYMS_RUNNING) &&
	    lseek(running_list, 0, SEEK_SET) == 0)
		text = fd_read_all(running_list, path, size, &err);
	else
		text = file_read(path, size, &err);
	errno = err.code;
	return text;
}
