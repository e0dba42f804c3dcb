/* SPDX-License-Identifier: Apache-2.0 */
/* An event's attr in words, as `perf script --header` and `perf evlist -v` have it. */
#ifndef RENDER_ATTR_TEXT_H
#define RENDER_ATTR_TEXT_H

struct event_attr;
struct outbuf;

/* Every field that is not zero: ", NAME = VALUE" if `between` is " = "; `before` stands before the
 * first. */
void attr_text(struct outbuf *out, const struct event_attr *attr, const char *before,
	       const char *between);

#endif
