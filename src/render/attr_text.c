// SPDX-License-Identifier: Apache-2.0
#include "render/attr_text.h"
#include "base/mem.h"
#include "base/outbuf.h"
#include "event/event.h"

#include <inttypes.h>

struct bit_name {
	uint64_t bit;
	const char *name;
};

struct writer {
	struct outbuf *out;
	const char *before, *between;
};

static void put_name(struct writer *w, const char *name)
{
	out_text(w->out, w->before);
	w->before = ", ";
	out_text(w->out, name);
	out_text(w->out, w->between);
}

static void put_number(struct writer *w, const char *name, uint64_t value)
{
	if (!value)
		return;
	put_name(w, name);
	out_u64(w->out, value, 0);
}

static void put_hex(struct writer *w, const char *name, uint64_t value)
{
	if (!value)
		return;
	put_name(w, name);
	out_printf(w->out, "0x%" PRIx64, value);
}

static void put_bits(struct writer *w, const char *name, uint64_t value,
		     const struct bit_name *bits, size_t count)
{
	const char *separator = "";

	if (!value)
		return;
	put_name(w, name);
	for (size_t i = 0; i < count; i++) {
		if (!(value & bits[i].bit))
			continue;
		out_text(w->out, separator);
		out_text(w->out, bits[i].name);
		separator = "|";
	}
}

#define BIT(prefix, name)           \
	{                           \
		prefix##name, #name \
	}

/* Their order is perf's, not the bits'. */
static const struct bit_name sample_bits[] = {
	BIT(PERF_SAMPLE_, IP),
	BIT(PERF_SAMPLE_, TID),
	BIT(PERF_SAMPLE_, TIME),
	BIT(PERF_SAMPLE_, ADDR),
	BIT(PERF_SAMPLE_, READ),
	BIT(PERF_SAMPLE_, CALLCHAIN),
	BIT(PERF_SAMPLE_, ID),
	BIT(PERF_SAMPLE_, CPU),
	BIT(PERF_SAMPLE_, PERIOD),
	BIT(PERF_SAMPLE_, STREAM_ID),
	BIT(PERF_SAMPLE_, RAW),
	BIT(PERF_SAMPLE_, BRANCH_STACK),
	BIT(PERF_SAMPLE_, REGS_USER),
	BIT(PERF_SAMPLE_, STACK_USER),
	BIT(PERF_SAMPLE_, IDENTIFIER),
	BIT(PERF_SAMPLE_, REGS_INTR),
	BIT(PERF_SAMPLE_, DATA_SRC),
	BIT(PERF_SAMPLE_, WEIGHT),
	BIT(PERF_SAMPLE_, PHYS_ADDR),
	BIT(PERF_SAMPLE_, AUX),
	BIT(PERF_SAMPLE_, CGROUP),
	BIT(PERF_SAMPLE_, DATA_PAGE_SIZE),
	BIT(PERF_SAMPLE_, CODE_PAGE_SIZE),
	BIT(PERF_SAMPLE_, WEIGHT_STRUCT),
};
static const struct bit_name read_bits[] = {
	BIT(PERF_FORMAT_, TOTAL_TIME_ENABLED),
	BIT(PERF_FORMAT_, TOTAL_TIME_RUNNING),
	BIT(PERF_FORMAT_, ID),
	BIT(PERF_FORMAT_, GROUP),
	BIT(PERF_FORMAT_, LOST),
};
static const struct bit_name branch_bits[] = {
	BIT(PERF_SAMPLE_BRANCH_, USER),	     BIT(PERF_SAMPLE_BRANCH_, KERNEL),
	BIT(PERF_SAMPLE_BRANCH_, HV),	     BIT(PERF_SAMPLE_BRANCH_, ANY),
	BIT(PERF_SAMPLE_BRANCH_, ANY_CALL),  BIT(PERF_SAMPLE_BRANCH_, ANY_RETURN),
	BIT(PERF_SAMPLE_BRANCH_, IND_CALL),  BIT(PERF_SAMPLE_BRANCH_, ABORT_TX),
	BIT(PERF_SAMPLE_BRANCH_, IN_TX),     BIT(PERF_SAMPLE_BRANCH_, NO_TX),
	BIT(PERF_SAMPLE_BRANCH_, COND),	     BIT(PERF_SAMPLE_BRANCH_, CALL_STACK),
	BIT(PERF_SAMPLE_BRANCH_, IND_JUMP),  BIT(PERF_SAMPLE_BRANCH_, CALL),
	BIT(PERF_SAMPLE_BRANCH_, NO_FLAGS),  BIT(PERF_SAMPLE_BRANCH_, NO_CYCLES),
	BIT(PERF_SAMPLE_BRANCH_, TYPE_SAVE), BIT(PERF_SAMPLE_BRANCH_, HW_INDEX),
	BIT(PERF_SAMPLE_BRANCH_, PRIV_SAVE),
};

#define PUT_FLAG(w, attr, field) put_number((w), #field, (attr)->field)

static void put_flags(struct writer *w, const struct perf_event_attr *a)
{
	PUT_FLAG(w, a, disabled);
	PUT_FLAG(w, a, inherit);
	PUT_FLAG(w, a, pinned);
	PUT_FLAG(w, a, exclusive);
	PUT_FLAG(w, a, exclude_user);
	PUT_FLAG(w, a, exclude_kernel);
	PUT_FLAG(w, a, exclude_hv);
	PUT_FLAG(w, a, exclude_idle);
	PUT_FLAG(w, a, mmap);
	PUT_FLAG(w, a, comm);
	PUT_FLAG(w, a, freq);
	PUT_FLAG(w, a, inherit_stat);
	PUT_FLAG(w, a, enable_on_exec);
	PUT_FLAG(w, a, task);
	PUT_FLAG(w, a, watermark);
	PUT_FLAG(w, a, precise_ip);
	PUT_FLAG(w, a, mmap_data);
	PUT_FLAG(w, a, sample_id_all);
	PUT_FLAG(w, a, exclude_host);
	PUT_FLAG(w, a, exclude_guest);
	PUT_FLAG(w, a, exclude_callchain_kernel);
	PUT_FLAG(w, a, exclude_callchain_user);
	PUT_FLAG(w, a, mmap2);
	PUT_FLAG(w, a, comm_exec);
	PUT_FLAG(w, a, use_clockid);
	PUT_FLAG(w, a, context_switch);
	PUT_FLAG(w, a, write_backward);
	PUT_FLAG(w, a, namespaces);
	PUT_FLAG(w, a, ksymbol);
	PUT_FLAG(w, a, bpf_event);
	PUT_FLAG(w, a, aux_output);
	PUT_FLAG(w, a, cgroup);
	PUT_FLAG(w, a, text_poke);
	PUT_FLAG(w, a, build_id);
	PUT_FLAG(w, a, inherit_thread);
	PUT_FLAG(w, a, remove_on_exec);
	PUT_FLAG(w, a, sigtrap);
}

void attr_text(struct outbuf *out, const struct event_attr *attr, const char *before,
	       const char *between)
{
	struct writer w = { out, before, between };
	const struct perf_event_attr *a = &attr->base;

	put_number(&w, "type", a->type);
	put_number(&w, "size", a->size);
	put_hex(&w, "config", a->config);
	put_number(&w, "{ sample_period, sample_freq }", a->sample_period);
	put_bits(&w, "sample_type", a->sample_type, sample_bits, ARRAY_SIZE(sample_bits));
	put_bits(&w, "read_format", a->read_format, read_bits, ARRAY_SIZE(read_bits));
	put_flags(&w, a);
	put_number(&w, "{ wakeup_events, wakeup_watermark }", a->wakeup_events);
	put_number(&w, "bp_type", a->bp_type);
	put_hex(&w, "{ bp_addr, config1 }", a->bp_addr);
	put_hex(&w, "{ bp_len, config2 }", a->bp_len);
	put_bits(&w, "branch_sample_type", a->branch_sample_type, branch_bits,
		 ARRAY_SIZE(branch_bits));
	put_hex(&w, "sample_regs_user", a->sample_regs_user);
	put_number(&w, "sample_stack_user", a->sample_stack_user);
	if (a->clockid) {
		put_name(&w, "clockid");
		out_int(out, a->clockid, 0);
	}
	put_hex(&w, "sample_regs_intr", a->sample_regs_intr);
	put_number(&w, "aux_watermark", a->aux_watermark);
	put_number(&w, "sample_max_stack", a->sample_max_stack);
	put_number(&w, "aux_sample_size", a->aux_sample_size);
	put_number(&w, "sig_data", a->sig_data);
	put_hex(&w, "config3", attr->config3);
}
