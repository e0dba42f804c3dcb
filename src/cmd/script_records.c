// SPDX-License-Identifier: Apache-2.0
#include "cmd/script_records.h"
#include "base/cursor.h"
#include "base/outbuf.h"

bool script_records_shows(const struct script_shown *shown, uint32_t type)
{
	switch (type) {
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT: return shown->tasks;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2: return shown->mmaps;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE: return shown->switches;
	case PERF_RECORD_NAMESPACES: return shown->namespaces;
	case PERF_RECORD_CGROUP: return shown->cgroups;
	case PERF_RECORD_LOST: return shown->lost;
	case PERF_RECORD_KSYMBOL: return shown->bpf || shown->pokes; /* code that comes and goes */
	case PERF_RECORD_BPF_EVENT: return shown->bpf;
	case PERF_RECORD_TEXT_POKE: return shown->pokes;
	case USER_RECORD_FINISHED_ROUND: return shown->rounds;
	default: return false;
	}
}

/* Whom the record is about: most say so, the others are about whoever ran. */
static void take_subject(const struct perf_event_header *header, struct cursor *c, uint32_t *pid,
			 uint32_t *tid)
{
	switch (header->type) {
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		*pid = cursor_u32(c);
		cursor_u32(c); /* the parent's */
		*tid = cursor_u32(c);
		break;
	case PERF_RECORD_COMM:
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_NAMESPACES:
		*pid = cursor_u32(c);
		*tid = cursor_u32(c);
		break;
	default: break;
	}
}

void script_records_print(const struct script_shown *shown, const struct script_filter *filter,
			  struct script_text *text, const struct sorted_record *rec)
{
	const struct perf_event_header *header = rec->rec.header;
	const struct thread *thread = NULL;
	struct cursor c = cursor_of(header + 1, header->size - sizeof(*header));
	struct sample sample;
	uint32_t pid, tid;

	if (header->type == USER_RECORD_FINISHED_ROUND && shown->rounds) {
		out_text(text->out, "PERF_RECORD_FINISHED_ROUND\n");
		return;
	}
	if (!script_records_shows(shown, header->type) || !rec->attr ||
	    sample_id_parse(rec->attr, header, &sample))
		return;
	pid = sample.pid;
	tid = sample.tid;
	take_subject(header, &c, &pid, &tid);
	/* Before 2.6.39 records told nothing of when and where. */
	if (!rec->attr->trailer_size) {
		sample.pid = pid;
		sample.tid = tid;
		sample.cpu = 0;
		sample.time = 0;
	}
	if (!script_filter_takes_cpu(filter, sample.cpu))
		return;
	if (tid != UINT32_MAX)
		thread = machine_thread(text->machine, pid, tid);
	script_text_record(text, rec->attr, header, &sample, thread);
}
