// SPDX-License-Identifier: Apache-2.0
/*
 * BPF programs that are loaded already: a KSYMBOL for each of their compiled functions, so that
 * samples in them have a name, and a BPF_EVENT for each program.
 */
#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "record/synth_record.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FUNCTIONS_MOST 1024

static int bpf(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

struct program {
	struct bpf_prog_info info;
	uint64_t start[FUNCTIONS_MOST];
	uint32_t size[FUNCTIONS_MOST];
};

static bool read_program(uint32_t id, struct program *program)
{
	union bpf_attr attr = { .prog_id = id };
	int fd = bpf(BPF_PROG_GET_FD_BY_ID, &attr), rc;

	if (fd < 0)
		return false;
	program->info = (struct bpf_prog_info){
		.nr_jited_ksyms = FUNCTIONS_MOST,
		.jited_ksyms = (uint64_t)(uintptr_t)program->start,
		.nr_jited_func_lens = FUNCTIONS_MOST,
		.jited_func_lens = (uint64_t)(uintptr_t)program->size,
	};
	attr = (union bpf_attr){ .info = { .bpf_fd = (uint32_t)fd,
					   .info_len = sizeof(program->info),
					   .info = (uint64_t)(uintptr_t)&program->info } };
	rc = bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
	close(fd);
	return rc == 0;
}

/* As the kernel calls them: bpf_prog_TAG_NAME; a subprogram without a name of its own is F. */
static void function_name(const struct program *program, uint32_t index, char *into, size_t room)
{
	int length = snprintf(into, room, "bpf_prog_");

	for (size_t i = 0; i < sizeof(program->info.tag); i++)
		length += snprintf(into + length, room - (size_t)length, "%02x",
				   program->info.tag[i]);
	if (index)
		snprintf(into + length, room - (size_t)length, "_F");
	else if (program->info.name[0])
		snprintf(into + length, room - (size_t)length, "_%s", program->info.name);
}

static void add_program(const struct synth *synth, const struct program *program, struct buf *into)
{
	uint32_t count = program->info.nr_jited_ksyms;
	struct {
		uint16_t type, flags;
		uint32_t id;
		uint8_t tag[sizeof(program->info.tag)];
	} event = { .type = PERF_BPF_EVENT_PROG_LOAD, .id = program->info.id };

	if (count > program->info.nr_jited_func_lens)
		count = program->info.nr_jited_func_lens;
	for (uint32_t i = 0; i < count && i < FUNCTIONS_MOST; i++) {
		struct {
			uint64_t start;
			uint32_t size;
			uint16_t type, flags;
		} symbol = { .start = program->start[i],
			     .size = program->size[i],
			     .type = PERF_RECORD_KSYMBOL_TYPE_BPF };
		char name[128];

		function_name(program, i, name, sizeof(name));
		if (symbol.start) /* 0: hidden from us */
			synth_record(synth, into, PERF_RECORD_KSYMBOL, PERF_RECORD_MISC_KERNEL,
				     &symbol, sizeof(symbol), name);
	}
	memcpy(event.tag, program->info.tag, sizeof(event.tag));
	synth_record(synth, into, PERF_RECORD_BPF_EVENT, PERF_RECORD_MISC_KERNEL, &event,
		     sizeof(event), NULL);
}

/* Who may not look at BPF programs gets none: samples in them then have no names, as with perf. */
int synth_bpf(const struct synth *synth, struct err *err)
{
	struct program *program = mem_alloc(sizeof(*program));
	union bpf_attr attr = { 0 };
	struct buf records = { 0 };
	int rc = 0;

	while (!bpf(BPF_PROG_GET_NEXT_ID, &attr)) {
		uint32_t id = attr.next_id;

		if (read_program(id, program))
			add_program(synth, program, &records);
		attr = (union bpf_attr){ .start_id = id };
	}
	if (records.len)
		rc = synth->take(synth->user, records.data, records.len, err);
	buf_free(&records);
	free(program);
	return rc;
}
