// SPDX-License-Identifier: Apache-2.0
#include "perfdata/bpfinfo.h"
#include "base/mem.h"
#include "perfdata/feature.h"

#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct btf_blob {
	uint32_t id;
	const unsigned char *data;
	uint32_t size;
};

struct blobs VEC_OF(struct btf_blob);

static void load_blobs(struct blobs *blobs, struct perf_reader *reader)
{
	struct feature_bytes bytes;

	if (!feature_open(&bytes, reader, FEATURE_BPF_BTF))
		return;
	for (uint32_t count = feature_u32(&bytes); count && !bytes.c.broken; count--) {
		struct btf_blob blob = { .id = feature_u32(&bytes) };

		blob.size = feature_u32(&bytes);
		blob.data = cursor_bytes(&bytes.c, blob.size);
		if (blob.data)
			*vec_push(blobs) = blob;
	}
}

/* Bytes that follow a type's fixed part. */
static size_t btf_tail(const struct btf_type *type)
{
	size_t count = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG: return sizeof(uint32_t);
	case BTF_KIND_ARRAY: return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION: return count * sizeof(struct btf_member);
	case BTF_KIND_ENUM: return count * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64: return count * 3 * sizeof(uint32_t);
	case BTF_KIND_FUNC_PROTO: return count * sizeof(struct btf_param);
	case BTF_KIND_DATASEC: return count * sizeof(struct btf_var_secinfo);
	default: return 0;
	}
}

/* The name of a type by its number; NULL if there is none. */
static const char *btf_name(const struct btf_blob *blob, uint32_t id)
{
	struct cursor types = cursor_of(blob->data, blob->size), strings;
	struct btf_header header;
	struct btf_type type = { 0 };

	cursor_read(&types, &header, sizeof(header));
	if (types.broken || header.magic != BTF_MAGIC || header.hdr_len > blob->size)
		return NULL;
	types = strings = cursor_of(blob->data + header.hdr_len, blob->size - header.hdr_len);
	cursor_bytes(&types, header.type_off);
	cursor_bytes(&strings, header.str_off);
	for (uint32_t at = 0; at < id && !types.broken; at++) { /* numbers begin with 1 */
		cursor_read(&types, &type, sizeof(type));
		cursor_bytes(&types, btf_tail(&type));
	}
	cursor_bytes(&strings, type.name_off);
	if (types.broken || strings.broken || !cursor_left(&strings) ||
	    !memchr(strings.at, 0, cursor_left(&strings)))
		return NULL;
	return (const char *)strings.at;
}

/* What lies in a program's data at an offset; NULL if it does not fit. */
static const void *array_at(const unsigned char *data, uint32_t size, uint64_t offset,
			    uint64_t count, size_t each)
{
	if (offset > size || count > (size - offset) / each)
		return NULL;
	return data + offset;
}

/* bpf_prog_TAG and, where it is known, _NAME. */
static const char *function_name(struct arena *arena, const struct bpf_prog_info *info,
				 const struct blobs *blobs, const unsigned char *data,
				 uint32_t size, uint32_t index, const unsigned char *tag)
{
	const char *own = NULL;
	const unsigned char *functions = array_at(data, size, info->func_info, info->nr_func_info,
						  info->func_info_rec_size);
	uint32_t type;

	for (size_t i = 0; i < blobs->len && info->btf_id; i++) {
		if (blobs->data[i].id != info->btf_id || !functions ||
		    index >= info->nr_func_info || info->func_info_rec_size < 2 * sizeof(type))
			continue;
		memcpy(&type, functions + (size_t)index * info->func_info_rec_size + sizeof(type),
		       sizeof(type));
		own = btf_name(&blobs->data[i], type);
	}
	if (!own && info->nr_jited_ksyms > 1)
		own = "F";
	else if (!own && info->name[0])
		own = info->name;
	return arena_printf(arena, "bpf_prog_%02x%02x%02x%02x%02x%02x%02x%02x%s%.*s", tag[0],
			    tag[1], tag[2], tag[3], tag[4], tag[5], tag[6], tag[7], own ? "_" : "",
			    own == info->name ? (int)strnlen(own, sizeof(info->name)) : 512,
			    own ? own : "");
}

struct function_list VEC_OF(struct bpf_function);

static void add_program(struct bpf_functions *functions, struct function_list *list,
			const struct blobs *blobs, const struct bpf_prog_info *info,
			const unsigned char *data, uint32_t size)
{
	uint32_t count = info->nr_jited_ksyms;
	const unsigned char *tags = array_at(data, size, info->prog_tags, info->nr_prog_tags,
					     BPF_TAG_SIZE);
	const unsigned char *addresses = array_at(data, size, info->jited_ksyms, count,
						  sizeof(uint64_t));
	const unsigned char *sizes = array_at(data, size, info->jited_func_lens,
					      info->nr_jited_func_lens, sizeof(uint32_t));

	if (!tags || !addresses || !sizes || count != info->nr_prog_tags ||
	    count != info->nr_jited_func_lens)
		return;
	for (uint32_t i = 0; i < count; i++) {
		struct bpf_function *function = vec_push(list);

		function->program = info->id;
		function->index = i;
		function->count = count;
		memcpy(&function->address, addresses + i * sizeof(uint64_t), sizeof(uint64_t));
		memcpy(&function->size, sizes + i * sizeof(uint32_t), sizeof(uint32_t));
		function->name = function_name(&functions->arena, info, blobs, data, size, i,
					       tags + (size_t)i * BPF_TAG_SIZE);
	}
}

static void load_programs(struct bpf_functions *functions, struct function_list *list,
			  const struct blobs *blobs, struct perf_reader *reader)
{
	struct feature_bytes bytes;

	/* The kernel's own structures stand in it: of no use in the other byte order. */
	if (!feature_open(&bytes, reader, FEATURE_BPF_PROG_INFO) || bytes.swapped)
		return;
	for (uint32_t count = feature_u32(&bytes); count && !bytes.c.broken; count--) {
		uint32_t info_size = feature_u32(&bytes), data_size = feature_u32(&bytes);
		struct bpf_prog_info info = { 0 };
		const void *head, *data;

		feature_u64(&bytes); /* which arrays there are: those that are not have no length */
		head = cursor_bytes(&bytes.c, info_size);
		data = cursor_bytes(&bytes.c, data_size);
		if (!head || !data)
			break;
		memcpy(&info, head, info_size < sizeof(info) ? info_size : sizeof(info));
		if (!info.func_info_rec_size)
			info.func_info_rec_size = 2 * sizeof(uint32_t);
		add_program(functions, list, blobs, &info, data, data_size);
	}
}

static int by_program(const void *a, const void *b)
{
	const struct bpf_function *x = a, *y = b;

	if (x->program != y->program)
		return x->program < y->program ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

void bpf_functions_load(struct bpf_functions *functions, struct perf_reader *reader)
{
	struct function_list list = { 0 };
	struct blobs blobs = { 0 };
	uint32_t *ids;

	*functions = (struct bpf_functions){ 0 };
	load_blobs(&blobs, reader);
	load_programs(functions, &list, &blobs, reader);
	functions->count = (uint32_t)list.len;
	functions->data = arena_alloc(&functions->arena, (list.len + 1) * sizeof(*list.data));
	if (list.len) {
		memcpy(functions->data, list.data, list.len * sizeof(*list.data));
		qsort(functions->data, list.len, sizeof(*list.data), by_program);
	}
	ids = arena_alloc(&functions->arena, (blobs.len + 1) * sizeof(*ids));
	for (size_t i = 0; i < blobs.len; i++)
		ids[i] = blobs.data[i].id;
	qsort(ids, blobs.len, sizeof(*ids), by_value);
	functions->btf_ids = ids;
	functions->btf_count = (uint32_t)blobs.len;
	vec_free(&list);
	vec_free(&blobs);
}

void bpf_functions_free(struct bpf_functions *functions)
{
	arena_free(&functions->arena);
}
