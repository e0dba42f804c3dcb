/* SPDX-License-Identifier: Apache-2.0 */
/* Sections of call frame information made to measure. */
#ifndef UNIT_UNWIND_MAKER_H
#define UNIT_UNWIND_MAKER_H

#include "base/buf.h"
#include "unwind/cfi.h"

#define MADE_FRAMES_ADDR 0x403000u

struct made_common {
	uint8_t version; /* 0: 1 */
	const char *letters;
	const void *data; /* behind the length of the 'z' */
	size_t data_size;
	uint8_t return_column; /* 0: 16 */
	const void *program;
	size_t size;
};

struct made_frames {
	struct buf bytes;
	bool debug;
	size_t common; /* where the last CIE begins */
};

void make_common(struct made_frames *frames, const struct made_common *made);
/* Its addresses in 4 bytes counted from here ("zR" with 0x1b); as words for .debug_frame. */
size_t make_entry(struct made_frames *frames, uint64_t start, uint64_t size, const void *program,
		  size_t program_size);
struct cfi_section made_section(const struct made_frames *frames);

/* The CIE of x86_64 that gcc writes: CFA = rsp + 8, the return address at CFA - 8. */
void make_usual_common(struct made_frames *frames);

#endif
