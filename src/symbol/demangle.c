// SPDX-License-Identifier: Apache-2.0
/*
 * Readable names.  libiberty knows C++, Rust and D; OCaml and Java's names from JIT agents are
 * simple enough for ourselves.
 */
#include "base/buf.h"
#include "base/mem.h"
#include "symbol/mangling.h"
#include "symbol/symbol.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_IN  (64 * 1024)
#define NAME_MAX_OUT (1024 * 1024) /* whatever the caller's limit */

/* What libiberty hands over piece by piece. */
struct output {
	struct buf text;
	size_t limit;
	jmp_buf full;
};

/*
 * A name of a hundred bytes can stand for gigabytes, by references to its own parts.  Leaving by a
 * jump is the only way to stop; libiberty's printers keep nothing on the heap at that point.
 */
static void take_piece(const char *piece, size_t size, void *user)
{
	struct output *out = user;
	size_t room = out->limit - out->text.len;

	buf_add(&out->text, piece, size < room ? size : room);
	if (size >= room)
		longjmp(out->full, 1);
}

typedef int demangler(const char *name, int options, demangle_callbackref callback, void *user);

static char *run(demangler *demangle, const char *name, int options, size_t limit)
{
	struct output *out = mem_alloc(sizeof(*out));
	char *text = NULL;
	volatile bool ok = true;

	out->limit = limit < NAME_MAX_OUT ? limit : NAME_MAX_OUT;
	if (!setjmp(out->full))
		ok = demangle(name, options, take_piece, out);
	if (ok && out->text.len)
		text = mem_strdup(buf_text(&out->text));
	buf_free(&out->text);
	free(out);
	return text;
}

/*
 * D's demangler has no such exit, but its references are marked by a Q: with 32 of them the longest
 * name is some megabytes.
 */
static char *demangle_d(const char *name)
{
	size_t references = 0;

	for (const char *at = name; *at; at++)
		references += *at == 'Q';
	return references <= 32 ? dlang_demangle(name, 0) : NULL;
}

static char *demangle_bare(const char *name, enum demangle form, size_t limit)
{
	int options = form == DEMANGLE_PARAMS ? DMGL_PARAMS | DMGL_ANSI : DMGL_NO_OPTS;
	char *text;

	if (!strncmp(name, "_D", 2))
		return demangle_d(name);
	if (!strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2) || !strncmp(name, "_GLOBAL_", 8)) {
		text = run(rust_demangle_callback, name, options, limit);
		return text ? text : run(cplus_demangle_v3_callback, name, options, limit);
	}
	if (!strncmp(name, "caml", 4))
		return mangling_ocaml(name);
	return strchr(name, ')') ? mangling_java(name) : NULL;
}

/* The part of a name that is mangled; "@plt" and the version behind it are not. */
static size_t mangled_length(const char *name)
{
	const char *at = name[0] == '_' ? strchr(name + 1, '@') : NULL;

	return at ? (size_t)(at - name) : strlen(name);
}

char *symbol_demangle(const char *name, enum demangle form, size_t limit)
{
	size_t length = mangled_length(name);
	char *bare, *text, *whole;

	if (!strchr("_cL", name[0]) || length > NAME_MAX_IN)
		return NULL;
	if (!name[length]) {
		text = demangle_bare(name, form, limit);
	} else {
		bare = mem_strndup(name, length);
		text = demangle_bare(bare, form, limit);
		free(bare);
		if (text) {
			whole = mem_printf("%s%s", text, name + length);
			free(text);
			text = whole;
		}
	}
	if (text && strlen(text) > limit)
		text[limit] = '\0';
	return text;
}
