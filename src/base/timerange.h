/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A part of a recording's time, as --time takes it everywhere:
 *
 *	"12.5,13"	between two times of the recording's clock, in seconds; either may be left
 *out "10s-20s"	so long after the first sample; either may be left out, seconds without a unit
 *	"10%-20%"	parts of the time from the first to the last sample
 *	"10%/2"		the second tenth of it
 *
 * Several of them may stand one behind the other, with blanks between them; parts with commas, too.
 */
#ifndef BASE_TIMERANGE_H
#define BASE_TIMERANGE_H

#include <stddef.h>
#include <stdint.h>

struct err;

struct time_range {
	uint64_t start, end; /* ns; 0: open */
};

/*
 * `whole` has the times of the first and last sample; NULL if they are not known: -ENODATA then for
 * what counts from them.
 */
int time_range_parse(struct time_range *range, const char *text, const struct time_range *whole,
		     struct err *err);

/* How much of the text is its first range; one byte behind it the next one begins. */
size_t time_range_length(const char *text);

#endif
