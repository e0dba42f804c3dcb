// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"
#include "base/buf.h"
#include "base/text.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct json json_to(FILE *out)
{
	return (struct json){ .out = out };
}

/* One character of text as it stands between JSON's quotes; *length is how much of text it took. */
static const char *escaped(char into[static 8], const unsigned char *text, size_t *length)
{
	*length = text_utf8_length((const char *)text);
	if (!*length) {
		*length = 1;
		return "\\ufffd";
	}
	if (*text == '"' || *text == '\\')
		snprintf(into, 8, "\\%c", *text);
	else if (*text == '\n')
		return "\\n";
	else if (*text == '\t')
		return "\\t";
	else if (*text < 0x20 || *text == 0x7f)
		snprintf(into, 8, "\\u%04x", *text);
	else
		snprintf(into, 8, "%.*s", (int)*length, (const char *)text);
	return into;
}

/* How many characters at text may stand between JSON's quotes as they are. */
static size_t plain_length(const char *text)
{
	size_t length = 0;

	while (text[length] >= 0x20 && text[length] < 0x7f && text[length] != '"' &&
	       text[length] != '\\')
		length++;
	return length;
}

void json_quote_into(struct buf *out, const char *text)
{
	char into[8];
	size_t length;

	buf_putc(out, '"');
	for (; *text; text += length) {
		length = plain_length(text);
		if (length)
			buf_add(out, text, length);
		else
			buf_puts(out, escaped(into, (const unsigned char *)text, &length));
	}
	buf_putc(out, '"');
}

void json_quote(FILE *out, const char *text)
{
	char into[8];
	size_t length;

	putc('"', out);
	for (; *text; text += length) {
		length = plain_length(text);
		if (length)
			fwrite(text, 1, length, out);
		else
			fputs(escaped(into, (const unsigned char *)text, &length), out);
	}
	putc('"', out);
}

static void new_line(struct json *json)
{
	if (json->pretty)
		fprintf(json->out, "\n%*s", json->depth * 2, "");
}

/* What stands in front of a value: the comma, the line, the key. */
static void lead(struct json *json, const char *key)
{
	if (json->depth) {
		bool *has_members = &json->has_members[json->depth - 1];

		assert((json->closing[json->depth - 1] == '}') == (key != NULL));
		if (*has_members)
			putc(',', json->out);
		*has_members = true;
		new_line(json);
	}
	if (key) {
		json_quote(json->out, key);
		putc(':', json->out);
		if (json->pretty)
			putc(' ', json->out);
	}
}

void json_open(struct json *json, const char *key, char bracket)
{
	assert(json->depth < JSON_DEPTH);
	lead(json, key);
	putc(bracket, json->out);
	json->closing[json->depth] = bracket == '{' ? '}' : ']';
	json->has_members[json->depth] = false;
	json->depth++;
}

void json_close(struct json *json)
{
	assert(json->depth > 0);
	json->depth--;
	if (json->has_members[json->depth])
		new_line(json);
	putc(json->closing[json->depth], json->out);
	if (!json->depth)
		putc('\n', json->out);
}

void json_text(struct json *json, const char *key, const char *text)
{
	lead(json, key);
	if (text)
		json_quote(json->out, text);
	else
		fputs("null", json->out);
}

void json_u64(struct json *json, const char *key, uint64_t value)
{
	lead(json, key);
	fprintf(json->out, "%" PRIu64, value);
}

void json_u64_text(struct json *json, const char *key, uint64_t value)
{
	lead(json, key);
	fprintf(json->out, "\"%" PRIu64 "\"", value);
}

void json_hex(struct json *json, const char *key, uint64_t value)
{
	lead(json, key);
	fprintf(json->out, "\"0x%" PRIx64 "\"", value);
}

void json_int(struct json *json, const char *key, int64_t value)
{
	lead(json, key);
	fprintf(json->out, "%" PRId64, value);
}

void json_double(struct json *json, const char *key, double value)
{
	char text[32];

	lead(json, key);
	if (!isfinite(value)) {
		fputs("null", json->out);
		return;
	}
	/* the shorter of the two spellings that give the same number back */
	snprintf(text, sizeof(text), "%.15g", value);
	if (strtod(text, NULL) != value)
		snprintf(text, sizeof(text), "%.17g", value);
	fputs(text, json->out);
}

void json_flag(struct json *json, const char *key, bool value)
{
	lead(json, key);
	fputs(value ? "true" : "false", json->out);
}

void json_raw(struct json *json, const char *key, const char *text)
{
	lead(json, key);
	fputs(text && *text ? text : "null", json->out);
}
