// SPDX-License-Identifier: Apache-2.0
/* The records that perf itself writes. */
#include "base/buf.h"
#include "base/cursor.h"
#include "base/mem.h"
#include "base/outbuf.h"
#include "render/script_dump.h"

#include <inttypes.h>
#include <string.h>

static void dump_id_index(struct outbuf *out, struct cursor *c)
{
	uint64_t count = cursor_u64(c);
	size_t first = 4 * sizeof(uint64_t);
	struct cursor more = *c; /* since 6.0 a second list follows: whose virtual machine */

	if (count > cursor_left(c) / first)
		return;
	out_printf(out, " nr: %" PRIu64 "\n", count);
	cursor_bytes(&more, (size_t)count * first);
	for (; count; count--) {
		uint64_t id = cursor_u64(c), index = cursor_u64(c);
		int64_t cpu = (int64_t)cursor_u64(c), tid = (int64_t)cursor_u64(c);

		out_printf(out,
			   " ... id: %" PRIu64 "  idx: %" PRIu64 "  cpu: %" PRId64
			   "  tid: %" PRId64,
			   id, index, cpu, tid);
		if (cursor_left(&more) >= 2 * sizeof(uint64_t)) {
			int64_t machine = (int64_t)cursor_u64(&more);

			out_printf(out, "  machine_pid: %" PRId64 "  vcpu: %" PRIu64, machine,
				   cursor_u64(&more));
		}
		out_char(out, '\n');
	}
}

static void dump_thread_map(struct outbuf *out, struct cursor *c)
{
	uint64_t count = cursor_u64(c);

	out_printf(out, " nr: %" PRIu64 " thread%s: ", count, count > 1 ? "s" : "");
	for (uint64_t i = 0; i < count && cursor_left(c); i++) {
		out_printf(out, "%s%d", i ? ", " : "", (int)cursor_u64(c));
		cursor_bytes(c, 16); /* its name */
	}
	out_text(out, "\n: unhandled!\n");
}

static uint16_t take_u16(struct cursor *c)
{
	uint16_t value;

	cursor_read(c, &value, sizeof(value));
	return value;
}

/* Adds a CPU to "0-3,5"; they come in order. */
static void add_cpu(struct buf *into, unsigned cpu, long *start, long *last)
{
	if (*last >= 0 && (long)cpu == *last + 1) {
		*last = cpu;
		return;
	}
	if (*last > *start)
		buf_printf(into, "-%ld", *last);
	buf_printf(into, "%s%u", into->len ? "," : "", cpu);
	*start = *last = cpu;
}

static void add_mask(struct buf *into, struct cursor *c, unsigned words, unsigned width,
		     long *start, long *last)
{
	for (unsigned i = 0; i < words && cursor_left(c) >= width; i++) {
		uint64_t mask = width == 8 ? cursor_u64(c) : cursor_u32(c);

		for (unsigned bit = 0; bit < width * 8; bit++)
			if (mask >> bit & 1)
				add_cpu(into, i * width * 8 + bit, start, last);
	}
}

static void dump_cpus(struct outbuf *out, struct cursor *c)
{
	uint16_t kind = take_u16(c), count, width;
	struct buf list = { 0 };
	long start = -1, last = -1;

	if (kind == CPU_MAP_RANGE) {
		cursor_bytes(c, 2);
		start = take_u16(c);
		last = take_u16(c);
		buf_printf(&list, "%ld", start);
	} else if (kind == CPU_MAP_LIST) {
		for (count = take_u16(c); count && cursor_left(c) >= 2; count--)
			add_cpu(&list, take_u16(c), &start, &last);
	} else {
		count = take_u16(c);
		width = take_u16(c) == 8 ? 8 : 4;
		cursor_bytes(c, width == 8 ? 4 : 0);
		add_mask(&list, c, count, width, &start, &last);
	}
	if (last > start)
		buf_printf(&list, "-%ld", last);
	out_printf(out, "%s\n", buf_text(&list));
	buf_free(&list);
}

static void dump_update(struct outbuf *out, struct cursor *c)
{
	uint64_t kind = cursor_u64(c);
	double scale;

	out_printf(out, "\n... id:    %" PRIu64 "\n", cursor_u64(c));
	switch (kind) {
	case EVENT_UPDATE_SCALE:
		cursor_read(c, &scale, sizeof(scale));
		out_printf(out, "... scale: %f\n", scale);
		break;
	case EVENT_UPDATE_UNIT:
	case EVENT_UPDATE_NAME:
		out_printf(out, "... %s:  %.*s\n", kind == EVENT_UPDATE_UNIT ? "unit" : "name",
			   (int)strnlen((const char *)c->at, cursor_left(c)), (const char *)c->at);
		break;
	case EVENT_UPDATE_CPUS:
		out_text(out, "... ");
		dump_cpus(out, c);
		break;
	default: out_text(out, "... unknown type\n"); break;
	}
}

static void dump_time_conv(struct outbuf *out, struct cursor *c)
{
	static const char *const names[] = { "Time Shift     ", "Time Muliplier ",
					     "Time Zero      ", "Time Cycles    " };

	out_char(out, '\n');
	for (size_t i = 0; i < ARRAY_SIZE(names) && cursor_left(c); i++)
		out_printf(out, "... %s %" PRIu64 "\n", names[i], cursor_u64(c));
	if (cursor_left(c)) {
		uint8_t caps[2];

		out_printf(out, "... Time Mask       %#" PRIx64 "\n", cursor_u64(c));
		cursor_read(c, caps, sizeof(caps));
		out_printf(out, "... Cap Time Zero   %d\n... Cap Time Short  %d\n", caps[0],
			   caps[1]);
	}
	out_text(out, ": unhandled!\n");
}

static void dump_auxtrace(struct outbuf *out, struct cursor *c)
{
	uint64_t size = cursor_u64(c), offset = cursor_u64(c), reference = cursor_u64(c);
	uint32_t index = cursor_u32(c), tid = cursor_u32(c), cpu = cursor_u32(c);

	out_printf(out,
		   " size: %#" PRIx64 "  offset: %#" PRIx64 "  ref: %#" PRIx64
		   "  idx: %u  tid: %d  cpu: %d\n",
		   size, offset, reference, index, (int)tid, (int)cpu);
}

static void dump_stat(struct outbuf *out, struct cursor *c)
{
	uint64_t id = cursor_u64(c);
	uint32_t cpu = cursor_u32(c), thread = cursor_u32(c);
	uint64_t value = cursor_u64(c), enabled = cursor_u64(c), running = cursor_u64(c);

	out_printf(out, "\n... id %" PRIu64 ", cpu %d, thread %d\n", id, (int)cpu, (int)thread);
	out_printf(out,
		   "... value %" PRIu64 ", enabled %" PRIu64 ", running %" PRIu64
		   "\n: unhandled!\n",
		   value, enabled, running);
}

void script_dump_user(struct script_dump *dump, const struct record *rec)
{
	struct cursor c = cursor_of(rec->header + 1, rec->header->size - sizeof(*rec->header));
	struct outbuf *out = dump->out;

	switch (rec->header->type) {
	case USER_RECORD_ID_INDEX: dump_id_index(out, &c); break;
	case USER_RECORD_THREAD_MAP: dump_thread_map(out, &c); break;
	case USER_RECORD_CPU_MAP:
		out_text(out, ": ");
		dump_cpus(out, &c);
		out_text(out, ": unhandled!\n");
		break;
	case USER_RECORD_EVENT_UPDATE: dump_update(out, &c); break;
	case USER_RECORD_TIME_CONV: dump_time_conv(out, &c); break;
	case USER_RECORD_AUXTRACE_INFO: out_printf(out, " type: %u\n", cursor_u32(&c)); break;
	case USER_RECORD_AUXTRACE: dump_auxtrace(out, &c); break;
	case USER_RECORD_STAT: dump_stat(out, &c); break;
	case USER_RECORD_FINISHED_ROUND: out_char(out, '\n'); break;
	case USER_RECORD_FEATURE:
	case USER_RECORD_ATTR:
	case USER_RECORD_BUILD_ID:
	case USER_RECORD_EVENT_TYPE:
	case USER_RECORD_TRACING_DATA: break;
	default: out_text(out, ": unhandled!\n"); break;
	}
}
