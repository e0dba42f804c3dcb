/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A summary's result as aligned tables for people, or as JSON for programs.
 */
#ifndef RENDER_SUMMARY_H
#define RENDER_SUMMARY_H

#include "summary/result.h"

struct json;
struct outbuf;

void summary_text(const struct summary_result *result, struct outbuf *out);
void summary_json(const struct summary_result *result, const char *name, struct json *json);

#endif
