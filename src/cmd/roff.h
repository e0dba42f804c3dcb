/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Manual pages in roff, man(7), from a small part of Markdown.
 *
 * Taken are: ## and ### headings, paragraphs, lists (- and 1.), definitions (a term, and below it
 * lines that begin with a colon), blocks of code (indented by four, or fenced), and within text
 * **bold**, *emphasis* and `code`.
 */
#ifndef CMD_ROFF_H
#define CMD_ROFF_H

#include <stdio.h>

/* One line of running text. */
void roff_text(FILE *out, const char *text);

/* Bytes as they are, but for what roff would take as its own; hyphens can be copied from it. */
void roff_literal(FILE *out, const char *text);

/* A whole document.  Before its second heading, or at its end, `between` (if any) may write. */
void roff_markdown(FILE *out, const char *markdown, void (*between)(FILE *out, const void *user),
		   const void *user);

#endif
