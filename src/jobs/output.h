/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a workload prints, as it is kept: pieces one behind the other, each with its time and
 * stream.  A piece is a header and its bytes; the file only grows, so a reader takes whole pieces
 * as far as they are written.  What is over the limit is counted and not kept.
 */
#ifndef JOBS_OUTPUT_H
#define JOBS_OUTPUT_H

#include <stdint.h>

enum output_stream { OUTPUT_STDOUT = 1, OUTPUT_STDERR = 2 };

struct output_piece {
	uint64_t time_ns; /* CLOCK_MONOTONIC, as samples have it */
	uint32_t stream;  /* enum output_stream */
	uint32_t size;	  /* of the bytes behind it; at most OUTPUT_PIECE */
};
#define OUTPUT_PIECE (64 << 10)

#endif
