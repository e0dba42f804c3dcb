/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of `perf script`: a sample's head and the frames below it.
 *
 *	comm with blanks  PID/TID [CPU] SECONDS:  PERIOD EVENT: text or a frame
 *		    ADDRESS function+0xOFFSET (object)
 *
 * Which fields there are depends on perf's version and flags (-F), so every one of them is optional
 * but that something of thread or time is needed to know a head from a frame.
 */
#ifndef IMPORT_PERFSCRIPT_LINE_H
#define IMPORT_PERFSCRIPT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of a line, not ended by a NUL. */
struct piece {
	const char *at, *end;
};

/* An empty one; NULL may not be copied from, not even nothing. */
extern const struct piece no_piece;

static inline size_t piece_length(struct piece piece)
{
	return (size_t)(piece.end - piece.at);
}

struct script_head {
	struct piece comm;  /* empty: none */
	struct piece event; /* without its colon; empty: none */
	struct piece rest;  /* what follows it, trimmed */
	uint32_t pid, tid;
	bool has_pid, has_tid, has_time, has_cpu;
	uint16_t cpu;
	uint64_t time_ns;
	uint64_t period; /* 1 where none is told */
};

/* False if it is no head. */
bool script_head_parse(const char *line, const char *end, struct script_head *head);

struct script_frame {
	struct piece address;
	struct piece name;   /* without its offset; empty: none */
	struct piece object; /* empty: none */
	bool inlined;
};

/* "ADDRESS name+0x12 (object)"; false if it is no frame. */
bool script_frame_parse(const char *at, const char *end, struct script_frame *frame);

/* The frame that a sample without a call chain has in its own line, if there is one. */
bool script_frame_in_head(struct piece rest, struct script_frame *frame);

/* Lines that belong there but say nothing of stacks: source lines, branches, other records. */
bool script_is_noise(const char *at, const char *end);

#endif
