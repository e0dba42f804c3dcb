// SPDX-License-Identifier: Apache-2.0
#include "base/jsonread.h"
#include "base/err.h"
#include "base/file.h"

#include <errno.h>
#include <json-c/json_tokener.h>
#include <json-c/printbuf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 64 /* nesting; what we read has less than 10 */

static int line_of(const char *text, size_t offset)
{
	int line = 1;

	for (size_t i = 0; i < offset; i++)
		line += text[i] == '\n';
	return line;
}

/* Parses all of text; *end is where the parser stopped.  NULL with json_tokener_success is "null".
 */
static struct json_object *parse(struct json_tokener *tok, const char *text, size_t size,
				 size_t *end, enum json_tokener_error *why)
{
	struct json_object *root = json_tokener_parse_ex(tok, text, (int)size);

	*why = json_tokener_get_error(tok);
	*end = json_tokener_get_parse_end(tok);
	if (*why == json_tokener_continue) { /* a number may go on: a space says that it does not */
		root = json_tokener_parse_ex(tok, " ", 1);
		*why = json_tokener_get_error(tok);
	} else if (*why == json_tokener_success && *end < size && text[*end] == '\0') {
		json_object_put(root); /* json-c takes a NUL for the end, but more follows */
		root = NULL;
		*why = json_tokener_error_parse_unexpected;
	}
	return root;
}

struct json_object *jsonread(const char *text, size_t size, const char *name, struct err *err)
{
	struct json_tokener *tok;
	struct json_object *root = NULL;
	enum json_tokener_error why;
	size_t end;

	if (size >= INT_MAX) {
		err_set(err, EFBIG, "%s: too large for a JSON file", name);
		return NULL;
	}
	tok = json_tokener_new_ex(DEPTH);
	if (!tok) {
		err_set(err, ENOMEM, "%s: no memory for the JSON parser", name);
		return NULL;
	}
	/* Strict: one document, nothing but space after it, no comments or lone commas. */
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
	root = parse(tok, text, size, &end, &why);
	if (!root)
		err_set(err, EBADMSG, "%s:%d: not valid JSON: %s", name, line_of(text, end),
			why == json_tokener_continue  ? "it ends too early"
			: why == json_tokener_success ? "it holds nothing but null"
						      : json_tokener_error_desc(why));
	explicit_bzero(tok->pb->buf, (size_t)tok->pb->size); /* a password, for all we know */
	json_tokener_free(tok);
	return root;
}

struct json_object *jsonread_file(const char *path, struct err *err)
{
	struct json_object *root;
	size_t size;
	char *text = file_read(path, &size, err);

	if (!text)
		return NULL;
	root = jsonread(text, size, path, err);
	free(text);
	return root;
}

const char *jsonread_text(struct json_object *object, const char *key, const char *otherwise)
{
	struct json_object *member;

	if (!json_object_is_type(object, json_type_object) ||
	    !json_object_object_get_ex(object, key, &member) || !member)
		return otherwise;
	return json_object_get_string(member);
}
