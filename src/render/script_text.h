/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples as `perf script` prints them, byte for byte.
 *
 * One line a sample, or with stacks a line, one for each frame and an empty one.  Nothing here is
 * done by printf that is done for every sample.
 */
#ifndef RENDER_SCRIPT_TEXT_H
#define RENDER_SCRIPT_TEXT_H

#include "machine/machine.h"
#include "perfdata/feature.h"
#include "perfdata/sample.h"
#include "render/script_fields.h"
#include "render/script_symbol.h"

struct buf;
struct outbuf;
struct tracing;

struct script_text {
	struct outbuf *out;
	struct perf_reader *reader;
	struct machine *machine;
	struct script_symbols symbols; /* of that machine */
	struct script_fields fields;
	bool ns;		       /* nine places of a second instead of six */
	bool no_chains;		       /* -G: the address alone, on the same line */
	bool reltime;		       /* times since the first sample */
	bool deltatime;		       /* times since the sample before */
	bool latency;		       /* -L: names of 8 letters, CPUs without brackets */
	const struct strlist *stop_at; /* functions that a stack is not shown beyond; NULL: none */
	unsigned max_stack;

	/* What it keeps for itself. */
	struct perf_env env;
	bool env_loaded;
	struct tracing *tracing;
	bool tracing_loaded;
	size_t event_width; /* of the longest event's name; 0: not known yet */
	size_t data_src_width;
	uint64_t first_time, previous_time;
};

#define SCRIPT_MAX_STACK 127 /* perf's */

void script_text_sample(struct script_text *text, const struct perf_attr *attr,
			const struct sample *sample, const struct thread *thread);
/* A record that is no sample; no thread if it is about none. */
void script_text_record(struct script_text *text, const struct perf_attr *attr,
			const struct perf_event_header *header, const struct sample *sample,
			const struct thread *thread);
void script_text_free(struct script_text *text);

/* The parts that few samples have (script_extra.c). */
void script_text_regs(struct script_text *text, const struct sample_regs *regs);
void script_text_branches(struct script_text *text, enum script_kind kind,
			  const struct sample *sample, const struct thread *thread);
void script_text_data_src(struct script_text *text, uint64_t data_src);
/* Its parts, in words. */
void script_mem_level(struct buf *into, uint64_t data_src);
void script_mem_snoop(struct buf *into, uint64_t data_src);
void script_mem_tlb(struct buf *into, uint64_t data_src);
void script_text_bpf_output(struct outbuf *out, const struct sample *sample);
const char *script_branch_type(const struct perf_branch_entry *branch);
void script_text_page_size(struct outbuf *out, uint64_t size);
void script_text_tod(struct script_text *text, uint64_t time);

/* What -F wants of a place: SHOW_*. */
unsigned script_text_show(const struct script_text *text, enum script_kind kind);
struct perf_env *script_text_env(struct script_text *text);

#endif
