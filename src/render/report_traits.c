// SPDX-License-Identifier: Apache-2.0
#include "render/report_traits.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/outbuf.h"
#include "dwarf/dwarf.h"
#include "machine/naming.h"
#include "perfdata/sample.h"
#include "perfdata/tracing.h"
#include "render/script_text.h"

#include <inttypes.h>
#include <stdio.h>

#define NAME_LIMIT 4096
#define CACHE_LINE 64

/* An address with what is known of it. */
struct spot {
	uint64_t address;
	bool kernel;
	const struct mapping *mapping; /* NULL: in none */
	struct place place;
};

/* It may be on either side, whatever the sample's was. */
static struct spot spot_at(const struct profile_subject *s, uint64_t address)
{
	struct spot spot = { .address = address };

	spot.mapping = naming_mapping(s->naming, s->thread, PERF_RECORD_MISC_USER, address);
	if (!spot.mapping) {
		spot.mapping = naming_mapping(s->naming, s->thread, PERF_RECORD_MISC_KERNEL,
					      address);
		spot.kernel = spot.mapping || (int64_t)address < 0;
	}
	spot.place = naming_place(s->naming, spot.mapping, s->thread, address);
	return spot;
}

static struct spot spot_of_sample(const struct profile_subject *s)
{
	struct spot spot = { .address = s->sample->ip };

	spot.kernel = s->sample->cpumode == PERF_RECORD_MISC_KERNEL;
	spot.mapping = naming_mapping(s->naming, s->thread, s->sample->cpumode, s->sample->ip);
	spot.place = naming_place(s->naming, spot.mapping, s->thread, s->sample->ip);
	return spot;
}

static void put_name(struct buf *into, const struct place *place)
{
	char *readable = symbol_demangle(place->symbol, DEMANGLE_NAME, NAME_LIMIT);

	buf_puts(into, readable ? readable : place->symbol);
	free(readable);
}

static void put_symbol(struct buf *into, const struct spot *spot, char nowhere)
{
	buf_printf(into, "[%c] ", spot->kernel ? 'k' : spot->mapping ? '.' : nowhere);
	if (spot->place.symbol)
		put_name(into, &spot->place);
	else
		buf_printf(into, "0x%016" PRIx64, spot->address);
}

static void put_address(struct buf *into, const struct spot *spot)
{
	put_symbol(into, spot, '.');
	if (spot->place.symbol && spot->place.offset)
		buf_printf(into, "+0x%" PRIx64, spot->place.offset);
}

static void put_object(struct buf *into, const struct spot *spot)
{
	const char *path = spot->place.object ? spot->place.object->name : UNKNOWN_NAME;
	const char *slash = strrchr(path, '/');

	buf_puts(into, slash && slash[1] && *path != '[' ? slash + 1 : path);
}

static void put_line(struct buf *into, const struct report_traits *t, const struct spot *spot)
{
	struct dwarf_frame frame;
	const char *slash;

	if (spot->place.dso && dso_frames(spot->place.dso, spot->place.address, &frame, 1) &&
	    frame.file && frame.line) {
		slash = t->full_paths ? NULL : strrchr(frame.file, '/');
		buf_printf(into, "%s:%u", slash ? slash + 1 : frame.file, frame.line);
	} else if (spot->place.symbol) {
		put_name(into, &spot->place);
		buf_printf(into, "+%" PRIu64, spot->place.offset);
	} else {
		put_object(into, spot);
		buf_printf(into, "[%" PRIx64 "]", spot->place.address);
	}
}

static void put_transaction(struct buf *into, uint64_t bits)
{
	static const char *const names[] = { "EL ",    "TX ",  "SYNC ",	     "ASYNC ",
					     "RETRY ", "CON ", "CAP-WRITE ", "CAP-READ " };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (bits >> i & 1)
			buf_puts(into, names[i]);
	if (bits && !(bits & (PERF_TXN_SYNC | PERF_TXN_ASYNC)))
		buf_puts(into, "NEITHER ");
	if (bits & PERF_TXN_ABORT_MASK)
		buf_printf(into, ":%" PRIx64,
			   (uint64_t)(bits & PERF_TXN_ABORT_MASK) >> PERF_TXN_ABORT_SHIFT);
}

static void put_page_size(struct buf *into, uint64_t size)
{
	size_t unit = 0;

	for (; size / 1024 > 0 && size % 1024 == 0 && unit < 3; unit++)
		size /= 1024;
	if (size)
		buf_printf(into, "%" PRIu64 "%c", size, "BKMG"[unit]);
	else
		buf_puts(into, "N/A");
}

static void put_time(struct buf *into, const struct report_traits *t, uint64_t time)
{
	if (t->quantum_ns)
		time -= time % t->quantum_ns;
	buf_printf(into, "%llu.%0*llu", (unsigned long long)(time / NS_PER_SEC), t->ns ? 9 : 6,
		   (unsigned long long)(time % NS_PER_SEC / (t->ns ? 1 : 1000)));
}

static struct tracing *tracing_of(struct report_traits *t)
{
	if (!t->tracing_loaded)
		t->tracing = tracing_new(t->reader);
	t->tracing_loaded = true;
	return t->tracing;
}

static void put_trace(struct buf *into, struct report_traits *t, const struct profile_subject *s)
{
	uint64_t id = s->attr->attr.base.config;
	struct tracing *tracing = tracing_of(t);
	size_t before = into->len;
	struct outbuf out;

	if (s->attr->attr.base.type == PERF_TYPE_TRACEPOINT && tracing && s->sample->raw) {
		outbuf_init_memory(&out, into);
		if (t->raw_trace)
			tracing_print_fields(tracing, id, s->sample->raw, s->sample->raw_size,
					     &out);
		else
			tracing_print(tracing, id, s->sample->cpu, s->sample->raw,
				      s->sample->raw_size, &out);
		outbuf_fini(&out);
	}
	if (into->len == before)
		buf_puts(into, "N/A");
}

/* "field", or "system:event.field" for one event alone. */
static void put_trace_field(struct buf *into, struct report_traits *t,
			    const struct profile_subject *s, const char *name)
{
	uint64_t id = s->attr->attr.base.config;
	const char *dot = strrchr(name, '.');
	struct tracing *tracing = tracing_of(t);
	struct tracing_field field;
	char event[256], text[512];
	int64_t number;

	if (s->attr->attr.base.type != PERF_TYPE_TRACEPOINT || !tracing || !s->sample->raw)
		return;
	if (dot && (!tracing_event(tracing, id, event, sizeof(event)) ||
		    strlen(event) != (size_t)(dot - name) ||
		    strncmp(event, name, (size_t)(dot - name)) != 0))
		return;
	if (!tracing_field(tracing, id, dot ? dot + 1 : name, &field))
		return;
	if (field.is_text) {
		tracing_text(&field, s->sample->raw, s->sample->raw_size, text, sizeof(text));
		buf_puts(into, text);
	} else if (tracing_number(&field, s->sample->raw, s->sample->raw_size, &number)) {
		buf_printf(into, field.is_signed ? "%" PRId64 : "%" PRIu64, number);
	}
}

/* -1 if the recording does not tell. */
static int socket_of(struct report_traits *t, uint32_t cpu)
{
	if (!t->env_loaded)
		perf_env_load(&t->env, t->reader);
	t->env_loaded = true;
	return cpu < t->env.cpus.count ? (int)t->env.cpus.data[cpu].socket : -1;
}

static void put_branch(struct buf *into, struct report_traits *t, const struct profile_subject *s,
		       enum report_trait trait)
{
	const struct perf_branch_entry *branch = s->branch;
	struct spot spot;

	switch (trait) {
	case TRAIT_MISPREDICT:
		buf_puts(into, branch->predicted ? "N" : branch->mispred ? "Y" : "N/A");
		return;
	case TRAIT_ABORT: buf_puts(into, branch->abort ? "A" : "."); return;
	case TRAIT_IN_TX: buf_puts(into, branch->in_tx ? "T" : "."); return;
	case TRAIT_CYCLES:
		if (branch->cycles)
			buf_printf(into, "%u", (unsigned)branch->cycles);
		else
			buf_putc(into, '-');
		return;
	case TRAIT_FROM_OBJECT:
	case TRAIT_FROM_SYMBOL:
	case TRAIT_FROM_ADDRESS:
	case TRAIT_FROM_LINE: spot = spot_at(s, branch->from); break;
	default: spot = spot_at(s, branch->to); break;
	}
	switch (trait) {
	case TRAIT_FROM_OBJECT:
	case TRAIT_TO_OBJECT: put_object(into, &spot); break;
	case TRAIT_FROM_ADDRESS:
	case TRAIT_TO_ADDRESS: put_address(into, &spot); break;
	case TRAIT_FROM_LINE:
	case TRAIT_TO_LINE: put_line(into, t, &spot); break;
	default: put_symbol(into, &spot, '.'); break;
	}
}

static void put_memory(struct buf *into, const struct profile_subject *s, enum report_trait trait)
{
	const struct sample *sample = s->sample;
	union perf_mem_data_src src = { .val = sample->data_src };
	struct spot spot;

	switch (trait) {
	case TRAIT_DATA_SYMBOL:
		spot = spot_at(s, sample->addr);
		put_symbol(into, &spot, '.');
		break;
	case TRAIT_DATA_OBJECT:
		spot = spot_at(s, sample->addr);
		put_object(into, &spot);
		break;
	case TRAIT_DATA_LINE:
		spot = spot_at(s, sample->addr);
		spot.address -= spot.address % CACHE_LINE;
		put_symbol(into, &spot, 'X');
		break;
	case TRAIT_CODE_SYMBOL:
		spot = spot_of_sample(s);
		put_symbol(into, &spot, '.');
		break;
	case TRAIT_DATA_PHYSICAL:
		buf_printf(into, "[%c] 0x%016" PRIx64, (int64_t)sample->addr < 0 ? 'k' : '.',
			   sample->phys_addr);
		break;
	case TRAIT_DATA_PAGE: put_page_size(into, sample->data_page_size); break;
	case TRAIT_LOCKED:
		buf_puts(into, src.mem_lock & PERF_MEM_LOCK_NA	     ? "N/A"
			       : src.mem_lock & PERF_MEM_LOCK_LOCKED ? "Yes"
								     : "No");
		break;
	case TRAIT_TLB: script_mem_tlb(into, sample->data_src); break;
	case TRAIT_LEVEL: script_mem_level(into, sample->data_src); break;
	case TRAIT_SNOOP: script_mem_snoop(into, sample->data_src); break;
	default:
		if (!src.mem_blk || src.mem_blk & PERF_MEM_BLK_NA)
			buf_puts(into, " N/A");
		else
			buf_printf(into, "%s%s", src.mem_blk & PERF_MEM_BLK_DATA ? " Data" : "",
				   src.mem_blk & PERF_MEM_BLK_ADDR ? " Addr" : "");
	}
}

static void put_cgroup(struct buf *into, const struct profile_subject *s)
{
	const char *path = s->sample->cgroup ? machine_cgroup(s->naming->machine, s->sample->cgroup)
					     : "N/A";

	buf_puts(into, path ? path : "unknown");
}

static void put_symbol_size(struct buf *into, const struct profile_subject *s)
{
	struct spot spot = spot_of_sample(s);
	struct symbol symbol;

	if (spot.place.dso && dso_find(spot.place.dso, spot.place.address, &symbol))
		buf_printf(into, "%" PRIu64, symbol.end - symbol.start);
	else
		buf_puts(into, "unknown");
}

static void put_trait(struct buf *into, struct report_traits *t, const struct profile_subject *s,
		      const struct report_column *column)
{
	const struct sample *sample = s->sample;
	struct spot spot;

	switch (column->key->trait) {
	case TRAIT_ADDRESS: buf_printf(into, "0x%" PRIx64, sample->ip); break;
	case TRAIT_SYMBOL_SIZE: put_symbol_size(into, s); break;
	case TRAIT_OBJECT_SIZE:
		spot = spot_of_sample(s);
		if (spot.mapping)
			buf_printf(into, "%" PRIu64, spot.mapping->end - spot.mapping->start);
		else
			buf_puts(into, "unknown");
		break;
	case TRAIT_SOCKET: buf_printf(into, "%.3d", socket_of(t, sample->cpu)); break;
	case TRAIT_TIME: put_time(into, t, sample->time); break;
	case TRAIT_TRACE: put_trace(into, t, s); break;
	case TRAIT_TRACE_FIELD: put_trace_field(into, t, s, column->name); break;
	case TRAIT_CGROUP: put_cgroup(into, s); break;
	case TRAIT_WEIGHT: buf_printf(into, "%" PRIu64, sample->weight); break;
	case TRAIT_LATENCY: buf_printf(into, "%u", (unsigned)sample->weight_ins_lat); break;
	case TRAIT_STAGE: buf_printf(into, "%u", (unsigned)sample->weight_retire_lat); break;
	case TRAIT_TRANSACTION: put_transaction(into, sample->transaction); break;
	case TRAIT_CODE_PAGE: put_page_size(into, sample->code_page_size); break;
	default:
		if (column->key->mode == MODE_MEMORY)
			put_memory(into, s, column->key->trait);
		else if (s->branch)
			put_branch(into, t, s, column->key->trait);
	}
}

void report_traits_fill(void *user, const struct profile_subject *subject, uint32_t *values)
{
	struct report_traits *t = user;
	struct buf text = { 0 };

	for (size_t i = 0; i < t->count; i++) {
		buf_clear(&text);
		put_trait(&text, t, subject, &t->wanted[i]);
		values[i] = interner_add(&subject->profile->strings, buf_text(&text));
	}
	buf_free(&text);
}

void report_traits_free(struct report_traits *t)
{
	if (t->env_loaded)
		perf_env_free(&t->env);
	tracing_free(t->tracing);
}
