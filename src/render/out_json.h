/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON of many numbers, by hand, where base/json.h would cost more than what is told: members end
 * with a comma, so the last one of an object is written otherwise.
 */
#ifndef RENDER_OUT_JSON_H
#define RENDER_OUT_JSON_H

#include "base/outbuf.h"

/* A text with its quotes; what is no UTF-8 is made so. */
void out_json_text(struct outbuf *out, const char *text);
/* `"key":"123",` */
void out_json_ns(struct outbuf *out, const char *key, uint64_t value);
/* `"key":"text",`, null for NULL */
void out_json_member(struct outbuf *out, const char *key, const char *text);

#endif
