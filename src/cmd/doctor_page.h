/* SPDX-License-Identifier: Apache-2.0 */
/* How the pages of `doctor` look: marks, paragraphs, arrows. */
#ifndef CMD_DOCTOR_PAGE_H
#define CMD_DOCTOR_PAGE_H

#include "base/text.h"
#include "doctor/doctor.h"

struct page {
	FILE *out;
	int width;
	bool utf8, verbose;
};

struct page page_of(FILE *out, bool verbose);

/* One character for a state, in its colour. */
void page_mark(const struct page *page, enum doctor_state state);

/* What stands in front of a remedy; two columns wide. */
const char *page_arrow(const struct page *page);

/* A paragraph from a column on; mark is the two columns that hang out on its left, or "". */
void page_text(const struct page *page, int column, const char *mark, const char *text,
	       enum text_color color);

#endif
