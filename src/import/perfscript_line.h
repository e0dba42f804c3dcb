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
	int64_t offset;	     /* behind it; -1: none */
	struct piece object; /* empty: none */
	bool inlined;
	const char *line_end; /* where it ends in its line */
	bool has_branches;    /* they follow in the same line, which is a whole sample then */
};

/*
 * "ADDRESS name+0x12 (object)"; false if it is no frame.  Without objects (-F ip,sym) brackets at
 * the end are the name's, "operator()", and the address has to be one.
 */
bool script_frame_parse(const char *at, const char *end, struct script_frame *frame);

/* The frame that a sample without a call chain has in its own line, if there is one. */
bool script_frame_in_head(const struct script_head *head, struct script_frame *frame);

/*
 * A sample in one line without time and event (-G -F comm,tid,ip,sym,dso); false if it is none or
 * nothing but a frame.
 */
bool script_line_parse(const char *at, const char *end, struct script_head *head,
		       struct script_frame *frame);
/*
 * "comm with blanks PID/TID [CPU] EVENT: ADDRESS name", of which each may be missing: a head
 * without a time.  The address is the one that was accessed (-F addr).
 */
void script_head_bare(const char *at, const char *end, struct script_head *head);

/*
 * A text without the columns that perf prints behind a frame: registers, the instruction, branches,
 * the physical address, sizes of pages, instructions a cycle (-F iregs,uregs,insn,insnlen,brstack,
 * phys_addr,data_page_size,code_page_size,ipc).
 */
struct piece script_without_columns(struct piece text);
/* Nothing but such columns: they stand below a call chain, which begins its lines with tabs. */
bool script_is_columns(const char *at, const char *end);

/* Another record than a sample: "prog 12 1.5: PERF_RECORD_MMAP2 12/12: [0x400000(...". */
bool script_is_record(const char *at, const char *end);
/* What "PERF_RECORD_LOST lost 7" and "PERF_RECORD_LOST_SAMPLES lost 7" tell; 0 of other records. */
uint64_t script_record_lost(const char *at, const char *end, bool *samples);
/* Branches in a line of their own: the end of a sample. */
bool script_is_branches(const char *at, const char *end);
/* A line of a dump (-D), "... thread: prog:12", ". 0000: 09 00 00 00", or of source (-F srccode),
 * "|175  x = y;". */
bool script_is_dump(const char *at, const char *end);
/* Lines that belong there but say nothing of stacks: source lines, branches. */
bool script_is_noise(const char *at, const char *end);

#endif
