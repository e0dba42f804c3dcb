/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line on stderr that shows how far something long has come; silent where stderr is no terminal
 * and during the first second.
 */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	const char *what; /* "importing" */
	uint64_t total;	  /* 0 if it is not known */
	int64_t started_ns, shown_ns;
	bool terminal, visible;
};

struct progress progress_start(const char *what, uint64_t total);
void progress_at(struct progress *progress, uint64_t done); /* cheap; draws ten times a second */
void progress_end(struct progress *progress);		    /* takes the line away */

#endif
