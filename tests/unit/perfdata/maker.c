// SPDX-License-Identifier: Apache-2.0
#include "perfdata/maker.h"
#include "base/mem.h"

#include <linux/perf_event.h>
#include <string.h>

static void make_number(struct maker *maker, uint64_t value, unsigned width)
{
	for (unsigned i = 0; i < width; i++)
		buf_putc(&maker->out, (char)(value >> 8 * (maker->big ? width - 1 - i : i)));
}

void make_u16(struct maker *maker, uint16_t value)
{
	make_number(maker, value, 2);
}

void make_u32(struct maker *maker, uint32_t value)
{
	make_number(maker, value, 4);
}

void make_u64(struct maker *maker, uint64_t value)
{
	make_number(maker, value, 8);
}

void make_bytes(struct maker *maker, const void *bytes, size_t size)
{
	buf_add(&maker->out, bytes, size);
}

void make_name(struct maker *maker, const char *name)
{
	size_t size = strlen(name) + 1;

	make_bytes(maker, name, size);
	make_bytes(maker, "\0\0\0\0\0\0\0", -size & 7);
}

void make_text(struct maker *maker, const char *text)
{
	size_t size = strlen(text) + 1;

	make_u32(maker, (uint32_t)(size + 3));
	make_bytes(maker, text, size);
	make_bytes(maker, "\0\0\0", 3);
}

uint64_t made_bits(const struct maker *maker, unsigned at, unsigned width, uint64_t value)
{
	return value << (maker->big ? 64 - at - width : at);
}

/* Overwrites what stands at `at`. */
static void patch(struct maker *maker, size_t at, uint64_t value, unsigned width)
{
	struct maker piece = { .big = maker->big };

	make_number(&piece, value, width);
	memcpy(maker->out.data + at, piece.out.data, width);
	buf_free(&piece.out);
}

static void make_attr(struct maker *maker, const struct made_attr *attr)
{
	uint32_t size = attr->size ? attr->size : 136;
	size_t start = maker->out.len;

	make_u32(maker, attr->type);
	make_u32(maker, size);
	make_u64(maker, attr->config);
	make_u64(maker, attr->sample_period);
	make_u64(maker, attr->sample_type);
	make_u64(maker, attr->read_format);
	make_u64(maker, made_bits(maker, 0, 1, 1) | made_bits(maker, 5, 1, attr->exclude_kernel) |
				made_bits(maker, 15, 2, attr->precise_ip) |
				made_bits(maker, 18, 1, !attr->no_id_all));
	make_u32(maker, 0); /* wakeup_events */
	make_u32(maker, 0); /* bp_type */
	make_u64(maker, 0); /* config1 */
	make_u64(maker, 0); /* config2 */
	make_u64(maker, attr->branch_sample_type);
	make_u64(maker, attr->regs_user);
	make_u32(maker, 0); /* sample_stack_user */
	make_u32(maker, 0); /* clockid */
	make_u64(maker, attr->regs_intr);
	make_u32(maker, 0);  /* aux_watermark */
	make_u16(maker, 77); /* sample_max_stack */
	make_u16(maker, 0);
	make_u64(maker, 0); /* aux_sample_size and a reserved half */
	make_u64(maker, 0); /* sig_data */
	make_u64(maker, 3); /* config3 */
	while (maker->out.len < start + size)
		buf_putc(&maker->out, 0);
	maker->out.len = start + size;
}

static void make_ids(struct maker *maker, const struct made_attr *attr)
{
	for (size_t i = 0; i < attr->ids_count; i++)
		make_u64(maker, attr->ids[i]);
}

static void start_pipe(struct maker *maker, const struct made_attr *attrs, size_t count)
{
	make_u64(maker, 0x32454c4946524550);
	make_u64(maker, 16);
	maker->data = maker->out.len;
	for (size_t i = 0; i < count; i++) {
		make_record(maker, 64, 0);
		make_attr(maker, &attrs[i]);
		make_ids(maker, &attrs[i]);
		make_record_end(maker);
	}
}

void make_start(struct maker *maker, const struct made_attr *attrs, size_t count)
{
	size_t entry = (count && attrs[0].size ? attrs[0].size : 136) + 16;
	size_t at_ids = 104, at_attrs;

	if (maker->pipe) {
		start_pipe(maker, attrs, count);
		return;
	}
	for (size_t i = 0; i < 13; i++)
		make_u64(maker, 0);
	for (size_t i = 0; i < count; i++)
		make_ids(maker, &attrs[i]);
	at_attrs = maker->out.len;
	for (size_t i = 0; i < count; i++) {
		make_attr(maker, &attrs[i]);
		make_u64(maker, at_ids);
		make_u64(maker, attrs[i].ids_count * 8);
		at_ids += attrs[i].ids_count * 8;
	}
	maker->data = maker->out.len;
	patch(maker, 0, 0x32454c4946524550, 8);
	patch(maker, 8, 104, 8);
	patch(maker, 16, entry, 8);
	patch(maker, 24, at_attrs, 8);
	patch(maker, 32, entry * count, 8);
	patch(maker, 40, maker->data, 8);
}

void make_record(struct maker *maker, uint32_t type, uint16_t misc)
{
	maker->record = maker->out.len;
	make_u32(maker, type);
	make_u16(maker, misc);
	make_u16(maker, 0);
}

void make_record_end(struct maker *maker)
{
	patch(maker, maker->record + 6, maker->out.len - maker->record, 2);
}

void make_comm(struct maker *maker, uint32_t pid, const char *comm, uint64_t time, uint64_t id)
{
	make_record(maker, PERF_RECORD_COMM, 0);
	make_u32(maker, pid);
	make_u32(maker, pid);
	make_name(maker, comm);
	make_u32(maker, 7);
	make_u32(maker, 8);
	make_u64(maker, time);
	make_u64(maker, id);
	make_record_end(maker);
}

void make_sample_start(struct maker *maker, uint64_t ip, uint64_t time, uint64_t id)
{
	make_record(maker, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	make_u64(maker, ip);
	make_u32(maker, 7);
	make_u32(maker, 8);
	make_u64(maker, time);
	make_u64(maker, id);
}

void make_round(struct maker *maker)
{
	make_record(maker, 68, 0);
	make_record_end(maker);
}

/* Features collect in the same buffer as the records and are moved aside when they end. */
void make_feature(struct maker *maker, int feature)
{
	maker->record = maker->out.len;
	maker->features[maker->feature_count].feature = feature;
}

void make_feature_end(struct maker *maker)
{
	struct buf *bytes = &maker->features[maker->feature_count++].bytes;

	buf_add(bytes, maker->out.data + maker->record, maker->out.len - maker->record);
	maker->out.len = maker->record;
}

void make_finish(struct maker *maker)
{
	size_t payload = maker->out.len + 16 * maker->feature_count;

	patch(maker, 48, maker->out.len - maker->data, 8);
	for (size_t i = 0; i < maker->feature_count; i++) {
		int feature = maker->features[i].feature;

		maker->feature_bits[feature / 64] |= 1ull << (feature % 64);
		make_u64(maker, payload);
		make_u64(maker, maker->features[i].bytes.len);
		payload += maker->features[i].bytes.len;
	}
	for (size_t i = 0; i < maker->feature_count; i++)
		make_bytes(maker, maker->features[i].bytes.data, maker->features[i].bytes.len);
	for (size_t i = 0; i < 4; i++)
		patch(maker, 72 + 8 * i, maker->feature_bits[i], 8);
}

void make_free(struct maker *maker)
{
	for (size_t i = 0; i < maker->feature_count; i++)
		buf_free(&maker->features[i].bytes);
	buf_free(&maker->out);
	*maker = (struct maker){ 0 };
}

static void make_sized(struct maker *maker, const char *text)
{
	make_u64(maker, strlen(text));
	make_bytes(maker, text, strlen(text));
}

void make_formats(struct maker *maker, const char *system, const char *const *formats, size_t count)
{
	uint32_t there = 0;

	for (size_t i = 0; i < count; i++)
		there += formats[i] != NULL;
	make_feature(maker, 1);
	make_bytes(maker, "\x17\x08\x44tracing0.6", 14);
	make_bytes(maker, maker->big ? "\1\x8" : "\0\x8", 2);
	make_u32(maker, 4096);
	make_bytes(maker, "header_page", 12);
	make_sized(maker, "");
	make_bytes(maker, "header_event", 13);
	make_sized(maker, "");
	make_u32(maker, 0); /* ftrace's own */
	make_u32(maker, 1);
	make_bytes(maker, system, strlen(system) + 1);
	make_u32(maker, there);
	for (size_t i = 0; i < count; i++)
		if (formats[i])
			make_sized(maker, formats[i]);
	make_u32(maker, 0); /* kallsyms */
	make_u32(maker, 0); /* printk */
	make_feature_end(maker);
	make_feature(maker, 3); /* HOSTNAME, by which readers guess the byte order of the bits */
	make_text(maker, "host");
	make_feature_end(maker);
}
