/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The BPF programs that were loaded, as BPF_PROG_INFO and BPF_BTF keep them: where their code was
 * and what its functions are called.
 */
#ifndef PERFDATA_BPFINFO_H
#define PERFDATA_BPFINFO_H

#include "base/arena.h"
#include <stdint.h>

struct perf_reader;

/* One function of a program; most programs have one. */
struct bpf_function {
	uint32_t program;      /* the kernel's number of it */
	uint32_t index, count; /* which of the program's functions */
	const char *name;      /* as kallsyms has it: bpf_prog_TAG_NAME */
	uint64_t address;
	uint32_t size;
};

struct bpf_functions {
	struct arena arena;
	struct bpf_function *data; /* by program, then by index */
	uint32_t count;
	const uint32_t *btf_ids; /* what type information there is, in order */
	uint32_t btf_count;
};

/* A feature that is damaged gives what stands before the damage. */
void bpf_functions_load(struct bpf_functions *functions, struct perf_reader *reader);
void bpf_functions_free(struct bpf_functions *functions);

#endif
