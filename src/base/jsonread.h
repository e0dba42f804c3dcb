/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading JSON with json-c (which keeps 64-bit integers), errors in our words.
 *
 * What comes back is json-c's own tree: walk it with json_object_object_get_ex and friends, free it
 * with json_object_put.
 */
#ifndef BASE_JSONREAD_H
#define BASE_JSONREAD_H

#include <json-c/json_object.h>
#include <stddef.h>
#include <stdint.h>

struct err;

/* NULL on failure, with the place in *err; `name` is what the message calls the text. */
struct json_object *jsonread(const char *text, size_t size, const char *name, struct err *err);
struct json_object *jsonread_file(const char *path, struct err *err);

/* A member's text, borrowed from the tree, or `otherwise` if it is absent. */
const char *jsonread_text(struct json_object *object, const char *key, const char *otherwise);

#endif
