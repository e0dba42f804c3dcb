// SPDX-License-Identifier: Apache-2.0
#include "render/script_dump.h"
#include "base/cursor.h"
#include "base/mem.h"
#include "base/outbuf.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

#define BYTES_A_ROW 16

static const char *const record_names[] = {
	[PERF_RECORD_MMAP] = "MMAP",
	[PERF_RECORD_LOST] = "LOST",
	[PERF_RECORD_COMM] = "COMM",
	[PERF_RECORD_EXIT] = "EXIT",
	[PERF_RECORD_THROTTLE] = "THROTTLE",
	[PERF_RECORD_UNTHROTTLE] = "UNTHROTTLE",
	[PERF_RECORD_FORK] = "FORK",
	[PERF_RECORD_READ] = "READ",
	[PERF_RECORD_SAMPLE] = "SAMPLE",
	[PERF_RECORD_MMAP2] = "MMAP2",
	[PERF_RECORD_AUX] = "AUX",
	[PERF_RECORD_ITRACE_START] = "ITRACE_START",
	[PERF_RECORD_LOST_SAMPLES] = "LOST_SAMPLES",
	[PERF_RECORD_SWITCH] = "SWITCH",
	[PERF_RECORD_SWITCH_CPU_WIDE] = "SWITCH_CPU_WIDE",
	[PERF_RECORD_NAMESPACES] = "NAMESPACES",
	[PERF_RECORD_KSYMBOL] = "KSYMBOL",
	[PERF_RECORD_BPF_EVENT] = "BPF_EVENT",
	[PERF_RECORD_CGROUP] = "CGROUP",
	[PERF_RECORD_TEXT_POKE] = "TEXT_POKE",
	[PERF_RECORD_AUX_OUTPUT_HW_ID] = "AUX_OUTPUT_HW_ID",
	[22] = "CALLCHAIN_DEFERRED",
	[USER_RECORD_ATTR] = "ATTR",
	[USER_RECORD_EVENT_TYPE] = "EVENT_TYPE",
	[USER_RECORD_TRACING_DATA] = "TRACING_DATA",
	[USER_RECORD_BUILD_ID] = "BUILD_ID",
	[USER_RECORD_FINISHED_ROUND] = "FINISHED_ROUND",
	[USER_RECORD_ID_INDEX] = "ID_INDEX",
	[USER_RECORD_AUXTRACE_INFO] = "AUXTRACE_INFO",
	[USER_RECORD_AUXTRACE] = "AUXTRACE",
	[USER_RECORD_AUXTRACE_ERROR] = "AUXTRACE_ERROR",
	[USER_RECORD_THREAD_MAP] = "THREAD_MAP",
	[USER_RECORD_CPU_MAP] = "CPU_MAP",
	[USER_RECORD_STAT_CONFIG] = "STAT_CONFIG",
	[USER_RECORD_STAT] = "STAT",
	[USER_RECORD_STAT_ROUND] = "STAT_ROUND",
	[USER_RECORD_EVENT_UPDATE] = "EVENT_UPDATE",
	[USER_RECORD_TIME_CONV] = "TIME_CONV",
	[USER_RECORD_FEATURE] = "FEATURE",
	[USER_RECORD_COMPRESSED] = "COMPRESSED",
	[USER_RECORD_FINISHED_INIT] = "FINISHED_INIT",
	[USER_RECORD_COMPRESSED2] = "COMPRESSED2",
};

const char *script_record_name(uint32_t type)
{
	return type < ARRAY_SIZE(record_names) && record_names[type] ? record_names[type]
								     : "UNKNOWN";
}

static void dump_row(struct outbuf *out, const unsigned char *bytes, size_t at, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	size_t count = size - at < BYTES_A_ROW ? size - at : BYTES_A_ROW;
	char row[5 * BYTES_A_ROW], *hex = row, *text = row + 3 * BYTES_A_ROW + 2;

	memset(row, ' ', sizeof(row));
	for (size_t i = 0; i < count; i++) {
		unsigned char byte = bytes[at + i];

		hex[1] = digits[byte >> 4];
		hex[2] = digits[byte & 15];
		hex += 3;
		text[i] = byte < 128 && isprint(byte) ? (char)byte : '.';
	}
	out_printf(out, ".  %04zx: ", at);
	out_bytes(out, row, 4 * BYTES_A_ROW + 2);
	out_char(out, '\n');
}

static void dump_bytes(struct outbuf *out, const struct perf_event_header *header)
{
	out_printf(out, ".\n. ... raw event: size %d bytes\n", header->size);
	for (size_t at = 0; at < header->size; at += BYTES_A_ROW)
		dump_row(out, (const unsigned char *)header, at, header->size);
	out_char(out, '\n');
}

/* CPU and time, if any event has them; -1 for what has none. */
static void dump_stamp(struct script_dump *dump, const struct perf_event_header *header,
		       const struct sample *sample)
{
	/* An event that comes through a pipe is not known yet where it is shown. */
	size_t events = perf_reader_attr_count(dump->reader);
	uint64_t type = 0;

	events -= events && header->type == USER_RECORD_ATTR;
	for (size_t i = 0; i < events; i++)
		type |= perf_reader_attr(dump->reader, i)->attr.base.sample_type;
	if (header->type != PERF_RECORD_SAMPLE &&
	    !(events && perf_reader_attr(dump->reader, 0)->attr.base.sample_id_all)) {
		out_text(dump->out, "-1 -1 ");
		return;
	}
	if (type & PERF_SAMPLE_CPU)
		out_printf(dump->out, "%u ", sample->cpu);
	if (type & PERF_SAMPLE_TIME)
		out_printf(dump->out, "%" PRIu64 " ", sample->time);
}

/* A name that may not be ended. */
static void dump_name(struct outbuf *out, const struct cursor *c)
{
	size_t left = cursor_left(c);

	out_printf(out, "%.*s\n", (int)strnlen((const char *)c->at, left), (const char *)c->at);
}

static void dump_mmap(struct outbuf *out, const struct perf_event_header *header, struct cursor *c)
{
	int pid = (int)cursor_u32(c), tid = (int)cursor_u32(c);
	uint64_t start = cursor_u64(c), length = cursor_u64(c), offset = cursor_u64(c);

	out_printf(out, " %d/%d: [%#" PRIx64 "(%#" PRIx64 ") @ %#" PRIx64, pid, tid, start, length,
		   offset);
	if (header->type == PERF_RECORD_MMAP) {
		out_printf(out, "]: %c ", header->misc & PERF_RECORD_MISC_MMAP_DATA ? 'r' : 'x');
	} else {
		uint32_t prot, flags;

		if (header->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
			unsigned char id[24];

			cursor_read(c, id, sizeof(id));
			out_text(out, " <");
			for (unsigned i = 0; i < id[0] && i < 20; i++)
				out_printf(out, "%02x", id[4 + i]);
			out_char(out, '>');
		} else {
			uint32_t major = cursor_u32(c), minor = cursor_u32(c);
			uint64_t inode = cursor_u64(c), generation = cursor_u64(c);

			out_printf(out, " %02x:%02x %" PRIu64 " %" PRIu64, major, minor, inode,
				   generation);
		}
		prot = cursor_u32(c);
		flags = cursor_u32(c);
		out_printf(out, "]: %c%c%c%c ", prot & PROT_READ ? 'r' : '-',
			   prot & PROT_WRITE ? 'w' : '-', prot & PROT_EXEC ? 'x' : '-',
			   flags & MAP_SHARED ? 's' : 'p');
	}
	dump_name(out, c);
}

static void dump_comm(struct outbuf *out, const struct perf_event_header *header, struct cursor *c)
{
	int pid = (int)cursor_u32(c), tid = (int)cursor_u32(c);

	out_printf(
		out, "%s: %.*s:%d/%d\n", header->misc & PERF_RECORD_MISC_COMM_EXEC ? " exec" : "",
		(int)strnlen((const char *)c->at, cursor_left(c)), (const char *)c->at, pid, tid);
}

static void dump_task(struct outbuf *out, struct cursor *c)
{
	int pid = (int)cursor_u32(c), ppid = (int)cursor_u32(c);
	int tid = (int)cursor_u32(c), ptid = (int)cursor_u32(c);

	out_printf(out, "(%d:%d):(%d:%d)\n", pid, tid, ppid, ptid);
}

static void dump_namespaces(struct outbuf *out, struct cursor *c)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	int pid = (int)cursor_u32(c), tid = (int)cursor_u32(c);
	uint64_t count = cursor_u64(c);

	out_printf(out, " %d/%d - nr_namespaces: %u\n\t\t[", pid, tid, (unsigned)count);
	for (uint64_t i = 0; i < count && cursor_left(c); i++) {
		uint64_t device = cursor_u64(c), inode = cursor_u64(c);

		out_printf(out, "%s%" PRIu64 "/%s: %" PRIu64 "/%#" PRIx64 "%s",
			   i && i % 4 == 0 ? "\n\t\t " : "", i,
			   i < ARRAY_SIZE(names) ? names[i] : "unknown", device, inode,
			   i + 1 != count ? ", " : "]\n");
	}
}

static void dump_switch(struct outbuf *out, const struct perf_event_header *header,
			struct cursor *c)
{
	bool leaves = header->misc & PERF_RECORD_MISC_SWITCH_OUT;

	out_printf(out, " %s",
		   !leaves						? "IN         "
		   : header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? "OUT preempt"
									: "OUT        ");
	if (header->type == PERF_RECORD_SWITCH_CPU_WIDE) {
		int pid = (int)cursor_u32(c), tid = (int)cursor_u32(c);

		out_printf(out, "  %s pid/tid: %5d/%-5d", leaves ? "next" : "prev", pid, tid);
	}
	out_char(out, '\n');
}

static void dump_aux(struct outbuf *out, struct cursor *c)
{
	uint64_t offset = cursor_u64(c), size = cursor_u64(c), flags = cursor_u64(c);

	out_printf(out, " offset: %#" PRIx64 " size: %#" PRIx64 " flags: %#" PRIx64 " [%s%s%s]\n",
		   offset, size, flags, flags & PERF_AUX_FLAG_TRUNCATED ? "T" : "",
		   flags & PERF_AUX_FLAG_OVERWRITE ? "O" : "",
		   flags & PERF_AUX_FLAG_PARTIAL ? "P" : "");
}

static void dump_ksymbol(struct outbuf *out, struct cursor *c)
{
	uint64_t address = cursor_u64(c);
	uint32_t length = cursor_u32(c), rest = cursor_u32(c);

	out_printf(out, " addr %" PRIx64 " len %u type %u flags 0x%x name ", address, length,
		   rest & 0xffff, rest >> 16);
	dump_name(out, c);
}

static void dump_bpf(struct outbuf *out, struct cursor *c)
{
	uint32_t type_flags = cursor_u32(c), id = cursor_u32(c);

	out_printf(out, " type %u, flags %u, id %u\n", type_flags & 0xffff, type_flags >> 16, id);
}

static void dump_kernel_record(struct outbuf *out, const struct perf_event_header *header,
			       struct cursor *c, const struct sample *sample)
{
	switch (header->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2: dump_mmap(out, header, c); break;
	case PERF_RECORD_COMM: dump_comm(out, header, c); break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT: dump_task(out, c); break;
	case PERF_RECORD_LOST:
		cursor_u64(c); /* the event's id */
		out_printf(out, " lost %" PRIu64 "\n", cursor_u64(c));
		break;
	case PERF_RECORD_LOST_SAMPLES:
		out_printf(out, ": id:%" PRIu64 ": lost samples :%" PRIu64 "\n", sample->id,
			   cursor_u64(c));
		break;
	case PERF_RECORD_NAMESPACES: dump_namespaces(out, c); break;
	case PERF_RECORD_CGROUP:
		out_printf(out, " cgroup: %" PRIu64 " ", cursor_u64(c));
		dump_name(out, c);
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE: dump_switch(out, header, c); break;
	case PERF_RECORD_AUX: dump_aux(out, c); break;
	case PERF_RECORD_ITRACE_START: {
		uint32_t pid = cursor_u32(c), tid = cursor_u32(c);

		out_printf(out, " pid: %u tid: %u\n", pid, tid);
		break;
	}
	case PERF_RECORD_KSYMBOL: dump_ksymbol(out, c); break;
	case PERF_RECORD_BPF_EVENT: dump_bpf(out, c); break;
	case PERF_RECORD_AUX_OUTPUT_HW_ID:
		out_printf(out, " hw_id: %#" PRIx64 "\n", cursor_u64(c));
		break;
	default: out_text(out, ": unhandled!\n"); break;
	}
}

static void dump_read_record(struct outbuf *out, const struct perf_attr *attr, struct cursor *c)
{
	uint64_t format = attr->attr.base.read_format;
	int pid = (int)cursor_u32(c), tid = (int)cursor_u32(c);

	out_printf(out, ": %d %d %s %" PRIu64 "\n", pid, tid, attr->name, cursor_u64(c));
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		out_printf(out, "... time enabled : %" PRIu64 "\n", cursor_u64(c));
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		out_printf(out, "... time running : %" PRIu64 "\n", cursor_u64(c));
	if (format & PERF_FORMAT_ID)
		out_printf(out, "... id           : %" PRIu64 "\n", cursor_u64(c));
	if (format & PERF_FORMAT_LOST)
		out_printf(out, "... lost         : %" PRIu64 "\n", cursor_u64(c));
}

/* A record without the id fields at its end. */
static struct cursor body_of(const struct perf_attr *attr, const struct perf_event_header *header)
{
	size_t size = header->size - sizeof(*header);

	if (attr && attr->trailer_size <= size)
		size -= attr->trailer_size;
	return cursor_of(header + 1, size);
}

void script_dump_record(struct outbuf *out, const struct perf_attr *attr,
			const struct perf_event_header *header, const struct sample *sample)
{
	struct cursor c = body_of(attr, header);

	out_printf(out, "PERF_RECORD_%s", script_record_name(header->type));
	dump_kernel_record(out, header, &c, sample);
}

static void dump_kernel(struct script_dump *dump, const struct sorted_record *rec,
			const struct sample *sample, bool broken)
{
	const struct perf_event_header *header = rec->rec.header;
	struct cursor c = body_of(rec->attr, header);

	if (header->type == PERF_RECORD_SAMPLE) {
		if (rec->attr && !broken)
			script_dump_sample(dump, rec->attr, sample);
		else
			out_char(dump->out, '\n');
	} else if (header->type == PERF_RECORD_READ && rec->attr) {
		dump_read_record(dump->out, rec->attr, &c);
	} else {
		dump_kernel_record(dump->out, header, &c, sample);
	}
}

static void dump_head(struct script_dump *dump, const struct sorted_record *rec,
		      const struct sample *sample)
{
	const struct perf_event_header *header = rec->rec.header;
	bool pipe = perf_reader_is_pipe(dump->reader);
	/* perf counts a pipe's offsets from behind its header. */
	uint64_t offset = rec->rec.file_off - (pipe ? PERF_PIPE_HEADER_SIZE : 0);

	out_printf(dump->out, "\n%#" PRIx64 "@%s [%#x]: event: %u\n", offset,
		   pipe ? "pipe" : dump->path, header->size, header->type);
	dump_bytes(dump->out, header);
	dump_stamp(dump, header, sample);
	out_printf(dump->out, "%#" PRIx64 " [%#x]: PERF_RECORD_%s", offset, header->size,
		   script_record_name(header->type));
}

void script_dump(struct script_dump *dump, const struct sorted_record *rec)
{
	const struct perf_event_header *header = rec->rec.header;
	struct sample sample = { 0 };
	bool broken = false;

	if (header->type < USER_RECORD_FIRST && rec->attr)
		broken = header->type == PERF_RECORD_SAMPLE
				 ? sample_parse(rec->attr, header, &sample)
				 : sample_id_parse(rec->attr, header, &sample);
	dump_head(dump, rec, &sample);
	if (header->type < USER_RECORD_FIRST)
		dump_kernel(dump, rec, &sample, broken);
	else
		script_dump_user(dump, &rec->rec);
}
