// SPDX-License-Identifier: Apache-2.0
#include "perfdata/tracing_check.h"
#include "base/vec.h"

#include <ctype.h>
#include <string.h>

#define DEPTH_MAX  40	 /* of parentheses; the kernel's formats have less than ten */
#define NUMBER_MAX 65535 /* of offsets and sizes */

enum token_kind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_TEXT, TOKEN_SIGN, TOKEN_WRONG };

struct token {
	enum token_kind kind;
	const char *at;
	size_t length;
};

struct field {
	const char *name;
	size_t length;
	bool dynamic; /* __data_loc and __rel_loc: its length varies */
};

struct fields VEC_OF(struct field);

struct parser {
	const struct fields *fields;
	const char *at, *end;
	struct token token; /* the next one */
	unsigned depth;
	bool constant; /* no field and no function here: the library works it out beforehand */
	bool wrong;
};

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* A quoted text, with its escapes; a tab in it, and the library divides by zero. */
static const char *text_end(const char *at, const char *end, char quote)
{
	for (at++; at < end && *at != quote; at++)
		if (*at == '\t' || (*at == '\\' && ++at == end))
			return NULL;
	return at < end ? at + 1 : NULL;
}

static size_t sign_length(const char *at, const char *end)
{
	static const char *const signs[] = { "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "->" };

	for (size_t i = 0; end - at >= 2 && i < ARRAY_SIZE(signs); i++)
		if (at[0] == signs[i][0] && at[1] == signs[i][1])
			return 2;
	return strchr("+-*/%<>&|^!~?:()[]{},.", *at) ? 1 : 0;
}

static void advance(struct parser *p)
{
	struct token *token = &p->token;
	const char *at;

	while (p->at < p->end && (*p->at == ' ' || *p->at == '\t'))
		p->at++;
	*token = (struct token){ .kind = TOKEN_END, .at = p->at };
	if (p->at == p->end)
		return;
	at = p->at;
	if (*at == '"') {
		at = text_end(at, p->end, '"');
		token->kind = at ? TOKEN_TEXT : TOKEN_WRONG;
	} else if (*at == '\'') { /* a character, and one only */
		at = text_end(at, p->end, '\'');
		token->kind = at && at - p->at == 3 + (p->at[1] == '\\') ? TOKEN_NUMBER
									 : TOKEN_WRONG;
	} else if (is_name_char(*at)) {
		token->kind = isdigit((unsigned char)*at) ? TOKEN_NUMBER : TOKEN_NAME;
		while (at < p->end && is_name_char(*at))
			at++;
	} else {
		at += *at ? sign_length(at, p->end) : 0;
		token->kind = at > p->at ? TOKEN_SIGN : TOKEN_WRONG;
	}
	token->length = at ? (size_t)(at - p->at) : 0;
	p->at += token->length;
	p->wrong |= token->kind == TOKEN_WRONG;
}

static bool is(const struct parser *p, const char *text)
{
	return p->token.length == strlen(text) && !memcmp(p->token.at, text, p->token.length);
}

static bool take(struct parser *p, const char *text)
{
	if (!is(p, text))
		return false;
	advance(p);
	return true;
}

static void expect(struct parser *p, const char *text)
{
	p->wrong |= !take(p, text);
}

static void expect_kind(struct parser *p, enum token_kind kind)
{
	p->wrong |= p->token.kind != kind;
	advance(p);
}

/* 12, 0x1f, 100UL. */
static void number(struct parser *p)
{
	const char *at = p->token.at, *end = at + p->token.length;

	if (*at == '\'')
		at = end;
	else if (end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
		for (at += 2; at < end && isxdigit((unsigned char)*at); at++)
			;
	else
		while (at < end && isdigit((unsigned char)*at))
			at++;
	while (at < end && strchr("uUlL", *at))
		at++;
	p->wrong |= at != end;
	advance(p);
}

static void expression(struct parser *p);
static void rest_of_expression(struct parser *p);

static void texts(struct parser *p)
{
	expect_kind(p, TOKEN_TEXT);
	while (!p->wrong && p->token.kind == TOKEN_TEXT)
		advance(p);
}

/* ((void *)0), which ends some tables, as 0 does. */
static void null_pointer(struct parser *p)
{
	static const char *const words[] = { "(", "(", "void", "*", ")", "0", ")" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		expect(p, words[i]);
}

/* { 1, "one" }, { 2, "two" }: the table of __print_flags and __print_symbolic. */
static void table(struct parser *p)
{
	do {
		expect(p, "{");
		p->constant = true;
		expression(p);
		expect(p, ",");
		if (p->token.kind == TOKEN_TEXT)
			texts(p);
		else if (!take(p, "0"))
			null_pointer(p);
		p->constant = false;
		expect(p, "}");
	} while (!p->wrong && take(p, ","));
}

static const struct field *find_field(const struct parser *p)
{
	for (size_t i = 0; i < p->fields->len; i++) {
		const struct field *field = &p->fields->data[i];

		if (field->length == p->token.length &&
		    !memcmp(field->name, p->token.at, field->length))
			return field;
	}
	return NULL;
}

static void dynamic_field(struct parser *p)
{
	const struct field *field = find_field(p);

	p->wrong |= !field || !field->dynamic;
	advance(p);
}

static void print_flags(struct parser *p)
{
	expression(p);
	expect(p, ",");
	texts(p);
	expect(p, ",");
	table(p);
}

static void print_symbolic(struct parser *p)
{
	expression(p);
	expect(p, ",");
	table(p);
}

/* Two or three expressions; what is to be printed is a field or one of the functions for it. */
static void print_array(struct parser *p)
{
	expression(p);
	while (!p->wrong && take(p, ","))
		expression(p);
}

static const struct {
	const char *name;
	void (*arguments)(struct parser *p);
} functions[] = {
	{ "__print_flags", print_flags },
	{ "__print_symbolic", print_symbolic },
	{ "__print_hex", print_array },
	{ "__print_hex_str", print_array },
	{ "__print_array", print_array },
	{ "__get_str", dynamic_field },
	{ "__get_rel_str", dynamic_field },
	{ "__get_dynamic_array", dynamic_field },
	{ "__get_rel_dynamic_array", dynamic_field },
	{ "__get_dynamic_array_len", dynamic_field },
	{ "__get_rel_dynamic_array_len", dynamic_field },
	{ "__get_bitmask", dynamic_field },
	{ "__get_rel_bitmask", dynamic_field },
	{ "__get_cpumask", dynamic_field },
	{ "__get_rel_cpumask", dynamic_field },
	{ "__builtin_expect", print_array },
};

static void call(struct parser *p, const struct token *name)
{
	p->wrong |= p->constant;
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		if (name->length != strlen(functions[i].name) ||
		    memcmp(name->at, functions[i].name, name->length))
			continue;
		functions[i].arguments(p);
		expect(p, ")");
		return;
	}
	p->wrong = true;
}

/* From behind REC. */
static void member(struct parser *p)
{
	expect(p, "->");
	p->wrong |= !find_field(p);
	advance(p);
	if (take(p, "[")) {
		number(p);
		expect(p, "]");
	}
}

/* REC->field, REC->field[2], a function's call, or a constant that the kernel left by its name. */
static void named(struct parser *p)
{
	struct token name = p->token;
	bool record = is(p, "REC");

	p->wrong |= p->constant && record;
	advance(p);
	if (record) {
		member(p);
	} else if (take(p, "(")) {
		call(p, &name);
	}
}

/* "(unsigned long *)" in front of an operand, from behind its parenthesis; moves only if it is one.
 */
static bool cast(struct parser *p)
{
	struct parser ahead = *p;
	bool found = false;

	while (ahead.token.kind == TOKEN_NAME && !is(&ahead, "REC")) {
		found = true;
		advance(&ahead);
	}
	while (found && take(&ahead, "*"))
		;
	if (!found || !take(&ahead, ")"))
		return false;
	/* "(x) - 1" is a difference; with "(long) - 1" there is nothing to subtract from. */
	if (ahead.token.kind != TOKEN_NAME && ahead.token.kind != TOKEN_NUMBER &&
	    !is(&ahead, "(") &&
	    !(is(&ahead, "-") && (is(p, "unsigned") || is(p, "long") || is(p, "int"))))
		return false;
	*p = ahead;
	return true;
}

static void operand(struct parser *p)
{
	if (p->wrong || ++p->depth > DEPTH_MAX) {
		p->wrong = true;
		return;
	}
	if (take(p, "(")) {
		if (cast(p)) {
			operand(p);
		} else if (take(p, "REC")) { /* (REC)->field */
			p->wrong |= p->constant;
			if (take(p, ")")) {
				member(p);
			} else {
				member(p);
				rest_of_expression(p);
				expect(p, ")");
			}
		} else {
			expression(p);
			expect(p, ")");
		}
	} else if (take(p, "!") || take(p, "~") || take(p, "-")) {
		operand(p);
	} else if (p->token.kind == TOKEN_NUMBER) {
		number(p);
	} else if (p->token.kind == TOKEN_TEXT && !p->constant) {
		texts(p);
	} else if (p->token.kind == TOKEN_NAME) {
		named(p);
	} else {
		p->wrong = true;
	}
	p->depth--;
}

static bool take_operator(struct parser *p, bool *divides)
{
	static const char *const operators[] = {
		"+",  "-",  "*",  "/",	"%", "<<", ">>", "<",  ">",
		"<=", ">=", "==", "!=", "&", "|",  "^",	 "&&", "||"
	};

	*divides = is(p, "/") || is(p, "%");
	for (size_t i = 0; i < ARRAY_SIZE(operators); i++)
		if (take(p, operators[i]))
			return true;
	return false;
}

/* By nothing but a number that is not zero: the library does not look. */
static void divisor(struct parser *p)
{
	p->wrong |= p->token.kind != TOKEN_NUMBER || p->token.at[0] == '0';
	operand(p);
}

static void expression(struct parser *p)
{
	operand(p);
	rest_of_expression(p);
}

/* What follows the first operand. */
static void rest_of_expression(struct parser *p)
{
	bool divides;

	while (!p->wrong && take_operator(p, &divides))
		divides ? divisor(p) : operand(p);
	if (!p->wrong && take(p, "?")) {
		expression(p);
		expect(p, ":");
		expression(p);
	}
}

/* From behind a '%': the conversions that it makes, or -1. */
static int conversion(const char **at, const char *end)
{
	const char *c = *at;
	int arguments = 1;

	if (c < end && *c == '%') {
		*at = c + 1;
		return 0;
	}
	while (c < end && strchr("-+ #0", *c))
		c++;
	for (; c < end && (isdigit((unsigned char)*c) || *c == '*' || *c == '.'); c++)
		arguments += *c == '*';
	while (c < end && strchr("hlzjtL", *c))
		c++;
	if (c == end || !strchr("diuxXocsp", *c))
		return -1;
	*at = c + 1;
	return arguments;
}

/* How many arguments the format takes, or -1 if it is none. */
static int conversions(const char *at, const char *end)
{
	int count = 0;

	while (at < end) {
		int more = *at++ == '%' ? conversion(&at, end) : 0;

		if (more < 0)
			return -1;
		count += more;
	}
	return count;
}

/* New lines are in texts or at the end: the library stumbles over others, and leaks. */
static bool print_is_sane(const struct fields *fields, const char *at, const char *end)
{
	struct parser p = { .fields = fields, .at = at };
	int wanted;

	while (end > at && end[-1] == '\n')
		end--;
	p.end = end;
	advance(&p);
	at = p.token.at;
	texts(&p);
	wanted = conversions(at, p.token.at);
	for (; !p.wrong && take(&p, ","); wanted--)
		expression(&p);
	return !p.wrong && p.token.kind == TOKEN_END && !wanted;
}

/* "\toffset:8;" and the like: the number, or -1. */
static long numbered(const char **at, const char *end, const char *key)
{
	size_t length = strlen(key);
	long value = 0;

	if ((size_t)(end - *at) <= length || memcmp(*at, key, length) ||
	    !isdigit((unsigned char)(*at)[length]))
		return -1;
	for (*at += length; *at < end && isdigit((unsigned char)**at); (*at)++) {
		value = value * 10 + (**at - '0');
		if (value > NUMBER_MAX)
			return -1;
	}
	if (*at == end || **at != ';')
		return -1;
	(*at)++;
	return value;
}

/* "[6]" behind a field's name: the length of an array. */
static bool brackets(struct parser *p)
{
	advance(p);
	if (p->token.kind == TOKEN_NUMBER && p->token.at[0] != '0')
		number(p);
	else if (p->token.kind == TOKEN_NAME) /* TASK_COMM_LEN */
		advance(p);
	return take(p, "]");
}

/* "unsigned long args[6]", "struct sock * sk", "__data_loc char[] name". */
static bool take_declaration(struct fields *fields, const char *at, const char *end)
{
	struct parser p = { .at = at, .end = end };
	struct field field = { 0 };
	unsigned names = 0;
	bool mask;

	advance(&p);
	field.dynamic = take(&p, "__data_loc") || take(&p, "__rel_loc");
	mask = is(&p, "cpumask_t"); /* has no brackets */
	for (; p.token.kind == TOKEN_NAME || is(&p, "*"); advance(&p)) {
		field.name = p.token.kind == TOKEN_NAME ? p.token.at : NULL;
		field.length = p.token.length;
		names += !!field.name;
		if (is(&p, "__data_loc") || is(&p, "__rel_loc"))
			return false;
	}
	if (field.dynamic && !mask) { /* so far it was the type, and its name follows */
		expect(&p, "[");
		expect(&p, "]");
		field.name = p.token.kind == TOKEN_NAME ? p.token.at : NULL;
		field.length = p.token.length;
		advance(&p);
		names++;
	} else if (is(&p, "[") && !brackets(&p)) {
		return false;
	}
	if (p.wrong || p.token.kind != TOKEN_END || !field.name || names < 2)
		return false;
	*vec_push(fields) = field;
	return true;
}

static bool take_field(struct fields *fields, const char *at, const char *end)
{
	const char *semicolon = memchr(at, ';', (size_t)(end - at));

	if (!semicolon || !take_declaration(fields, at, semicolon))
		return false;
	at = semicolon + 1;
	if (numbered(&at, end, "\toffset:") < 0 || numbered(&at, end, "\tsize:") < 0)
		return false;
	/* Formats of before 2009 end here. */
	return at == end || (numbered(&at, end, "\tsigned:") >= 0 && at == end);
}

static bool starts(const char *at, const char *end, const char *text)
{
	return (size_t)(end - at) >= strlen(text) && !memcmp(at, text, strlen(text));
}

/* The lines before "print fmt:", in their order. */
static bool take_line(struct fields *fields, const char *at, const char *end, unsigned number)
{
	switch (number) {
	case 0:
		for (at += starts(at, end, "name: ") ? 6 : 0; at < end && is_name_char(*at); at++)
			;
		return at == end;
	case 1:
		for (at += starts(at, end, "ID: ") ? 4 : 0; at < end && isdigit((unsigned char)*at);
		     at++)
			;
		return at == end;
	case 2: return (size_t)(end - at) == 7 && starts(at, end, "format:");
	default:
		return at == end ||
		       (starts(at, end, "\tfield:") && take_field(fields, at + 7, end));
	}
}

/* Control characters, even inside quotes, lead the library's own reading astray. */
static bool is_plain_text(const char *at, const char *end)
{
	for (; at < end; at++)
		if ((*at < ' ' && *at != '\t' && *at != '\n') || *at > '~')
			return false;
	return true;
}

struct tracing_check tracing_check(const char *format, size_t size)
{
	const char *at = format, *end = format + size;
	struct tracing_check result = { 0 };
	struct fields fields = { 0 };

	if (!is_plain_text(at, end))
		return result;
	for (unsigned number = 0; at < end; number++) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));

		if (number > 3 && starts(at, end, "print fmt:")) {
			result.fields = true;
			result.print_at = (size_t)(at - format);
			result.print = print_is_sane(&fields, at + strlen("print fmt:"), end);
			break;
		}
		if (!line_end || !take_line(&fields, at, line_end, number))
			break;
		at = line_end + 1;
	}
	vec_free(&fields);
	return result;
}
