// SPDX-License-Identifier: Apache-2.0
/* Names for events of which a file keeps only the numbers. */
#include "base/buf.h"
#include "perfdata/attrs.h"

#include <inttypes.h>
#include <linux/hw_breakpoint.h>

#define NAME_AT(names, index, otherwise) \
	((index) < ARRAY_SIZE(names) ? (names)[index] : (otherwise))

static void cache_name(struct buf *name, uint64_t config)
{
	static const char *const caches[] = { "L1-dcache", "L1-icache", "LLC", "dTLB",
					      "iTLB",	   "branch",	"node" };
	static const char *const ops[][2] = { { "loads", "load" },
					      { "stores", "store" },
					      { "prefetches", "prefetch" } };
	/* Which operations each of them has, as bits. */
	static const unsigned char valid[] = { 7, 5, 7, 7, 1, 1, 7 };
	uint64_t cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;

	if (cache >= ARRAY_SIZE(caches))
		buf_puts(name, "unknown-ext-hardware-cache-type");
	else if (op >= ARRAY_SIZE(ops))
		buf_puts(name, "unknown-ext-hardware-cache-op");
	else if (result > 1)
		buf_puts(name, "unknown-ext-hardware-cache-result");
	else if (!(valid[cache] >> op & 1))
		buf_puts(name, "invalid-cache");
	else if (result)
		buf_printf(name, "%s-%s-misses", caches[cache], ops[op][1]);
	else
		buf_printf(name, "%s-%s", caches[cache], ops[op][0]);
}

static void breakpoint_name(struct buf *name, const struct perf_event_attr *attr)
{
	buf_printf(name, "mem:0x%" PRIx64 ":", (uint64_t)attr->bp_addr);
	if (attr->bp_type & HW_BREAKPOINT_R)
		buf_putc(name, 'r');
	if (attr->bp_type & HW_BREAKPOINT_W)
		buf_putc(name, 'w');
	if (attr->bp_type & HW_BREAKPOINT_X)
		buf_putc(name, 'x');
}

/* Guests are left out as soon as another mode is chosen; only what differs from that is said. */
static void modifiers(struct buf *name, const struct perf_event_attr *attr)
{
	bool chosen = attr->exclude_kernel || attr->exclude_user || attr->exclude_hv;
	bool guest_default = chosen || attr->precise_ip;
	struct buf mods = { 0 };

	if (chosen) {
		buf_puts(&mods, attr->exclude_kernel ? "" : "k");
		buf_puts(&mods, attr->exclude_user ? "" : "u");
		buf_puts(&mods, attr->exclude_hv ? "" : "h");
	}
	for (unsigned i = 0; i < attr->precise_ip; i++)
		buf_putc(&mods, 'p');
	if (attr->exclude_host || attr->exclude_guest == guest_default) {
		buf_puts(&mods, attr->exclude_host ? "" : "H");
		buf_puts(&mods, attr->exclude_guest ? "" : "G");
	}
	if (mods.len)
		buf_printf(name, ":%s", mods.data);
	buf_free(&mods);
}

char *attr_name(struct arena *arena, const struct event_attr *event)
{
	static const char *const hardware[] = {
		"cycles",
		"instructions",
		"cache-references",
		"cache-misses",
		"branches",
		"branch-misses",
		"bus-cycles",
		"stalled-cycles-frontend",
		"stalled-cycles-backend",
		"ref-cycles",
	};
	static const char *const software[] = {
		"cpu-clock",	    "task-clock",   "page-faults",  "context-switches",
		"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
		"emulation-faults", "dummy",	    "bpf-output",   "cgroup-switches",
	};
	const struct perf_event_attr *attr = &event->base;
	uint32_t config = (uint32_t)attr->config; /* above it: which of a hybrid CPU's PMUs */
	struct buf name = { 0 };
	char *copy;

	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		buf_puts(&name, NAME_AT(hardware, config, "unknown-hardware"));
		break;
	case PERF_TYPE_SOFTWARE:
		buf_puts(&name, NAME_AT(software, config, "unknown-software"));
		break;
	case PERF_TYPE_HW_CACHE: cache_name(&name, config); break;
	case PERF_TYPE_RAW: buf_printf(&name, "raw 0x%" PRIx64, (uint64_t)attr->config); break;
	case PERF_TYPE_BREAKPOINT: breakpoint_name(&name, attr); break;
	case PERF_TYPE_TRACEPOINT: return arena_strdup(arena, NAMELESS_TRACEPOINT);
	default: return arena_printf(arena, "unknown attr type: %d", (int)attr->type);
	}
	modifiers(&name, attr);
	copy = arena_strdup(arena, name.data);
	buf_free(&name);
	return copy;
}
