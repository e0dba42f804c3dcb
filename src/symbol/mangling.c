// SPDX-License-Identifier: Apache-2.0
#include "symbol/mangling.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_hex(char c)
{
	return isxdigit((unsigned char)c);
}

/* After "caml" and a capital: "__" is a dot between modules, $xx a character by its number. */
char *mangling_ocaml(const char *name)
{
	struct buf out = { 0 };

	if (strncmp(name, "caml", 4) || !isupper((unsigned char)name[4]))
		return NULL;
	for (name += 4; *name;) {
		if (name[0] == '_' && name[1] == '_') {
			buf_putc(&out, '.');
			name += 2;
		} else if (name[0] == '$' && is_hex(name[1]) && is_hex(name[2])) {
			buf_putc(&out,
				 (char)(text_hex_digit(name[1]) << 4 | text_hex_digit(name[2])));
			name += 3;
		} else {
			buf_putc(&out, *name++);
		}
	}
	return out.data;
}

static const char *java_basic_type(char letter)
{
	switch (letter) {
	case 'B': return "byte";
	case 'C': return "char";
	case 'D': return "double";
	case 'F': return "float";
	case 'I': return "int";
	case 'J': return "long";
	case 'S': return "short";
	case 'V': return "void";
	case 'Z': return "boolean";
	default: return NULL;
	}
}

/* "java/lang/Math" with dots up to the semicolon; what follows that, or NULL if there is none. */
static const char *java_class(const char *at, struct buf *out)
{
	for (; *at && *at != ';'; at++)
		buf_putc(out, *at == '/' ? '.' : *at);
	return *at ? at + 1 : NULL;
}

static const char *java_type(const char *at, struct buf *out)
{
	int dimensions = 0;
	const char *basic;

	for (; *at == '['; at++)
		dimensions++;
	basic = java_basic_type(*at);
	if (basic) {
		buf_puts(out, basic);
		at++;
	} else {
		at = *at == 'L' ? java_class(at + 1, out) : NULL;
	}
	while (at && dimensions--)
		buf_puts(out, "[]");
	return at;
}

/* Lclass;method(types)type; what a method returns is not shown. */
static bool java_method(const char *at, struct buf *out)
{
	bool first = true;

	if (*at++ != 'L' || !(at = java_class(at, out)))
		return false;
	buf_putc(out, '.');
	for (; *at && *at != '('; at++)
		buf_putc(out, *at);
	if (*at++ != '(')
		return false;
	buf_putc(out, '(');
	for (; *at != ')'; first = false) {
		if (!first)
			buf_puts(out, ", ");
		at = java_type(at, out);
		if (!at)
			return false;
	}
	buf_putc(out, ')');
	return true;
}

char *mangling_java(const char *name)
{
	struct buf out = { 0 };

	if (!java_method(name, &out))
		buf_free(&out);
	return out.data;
}
