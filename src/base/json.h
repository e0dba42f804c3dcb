/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing JSON, piece by piece, into a stream.
 *
 *	struct json json = json_to(stdout);
 *	json_open(&json, NULL, '{');
 *	json_text(&json, "name", "cycles");
 *	json_open(&json, "cpus", '[');
 *	json_u64(&json, NULL, 0);
 *	json_close(&json);
 *	json_close(&json);
 *
 * A key is given inside an object and NULL inside an array.  Text that is not UTF-8 is made so.
 * Numbers that may pass 2^53 go out as text: json_u64_text.  json-c reads (base/jsonread.h).
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct buf;

#define JSON_DEPTH 32

struct json {
	FILE *out;
	int depth;
	bool pretty; /* a line per member, indented */
	char closing[JSON_DEPTH];
	bool has_members[JSON_DEPTH];
};

struct json json_to(FILE *out);
void json_open(struct json *json, const char *key, char bracket); /* '{' or '[' */
void json_close(struct json *json);
void json_text(struct json *json, const char *key, const char *text); /* NULL gives null */
void json_u64(struct json *json, const char *key, uint64_t value);
void json_u64_text(struct json *json, const char *key, uint64_t value);
void json_hex(struct json *json, const char *key, uint64_t value); /* "0x3c" */
void json_int(struct json *json, const char *key, int64_t value);
void json_double(struct json *json, const char *key, double value); /* not finite gives null */
void json_flag(struct json *json, const char *key,
	       bool value); /* true or false; json_bool is a type of json-c */

/* What is JSON already, as it stands; NULL and "" give null. */
void json_raw(struct json *json, const char *key, const char *text);

/* Text with JSON's quotes and escapes around it; what json_text uses. */
void json_quote(FILE *out, const char *text);
void json_quote_into(struct buf *out, const char *text);

#endif
