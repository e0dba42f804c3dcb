// SPDX-License-Identifier: Apache-2.0
#include "symbol/store.h"
#include "symbol/table.h"

#include <elf.h>
#include <string.h>

static void read_it(struct dso *object, struct reading *r)
{
	r->build_id = object->key.build_id;
	switch (object->key.kind) {
	case DSO_FILE: read_file_object(object, r); break;
	case DSO_KERNEL: read_kernel_object(object, r); break;
	case DSO_MODULE: read_module_object(object, r); break;
	case DSO_VDSO: read_vdso_object(object, r); break;
	case DSO_BPF: read_bpf_object(object, r); break;
	case DSO_JIT: read_jit_object(object, r); break;
	case DSO_NONE: r->state = DSO_STRIPPED; break;
	}
}

void dso_read(struct dso *object)
{
	struct reading reading = { .state = DSO_MISSING };

	pthread_mutex_lock(&object->lock);
	if (atomic_load_explicit(&object->state, memory_order_relaxed) == DSO_UNREAD) {
		/* What the recording itself told makes a BPF program whole. */
		if (object->key.kind == DSO_BPF && object->added.len)
			reading.state = DSO_FULL;
		else
			read_it(object, &reading);
		object->reading = reading;
		atomic_store_explicit(&object->state, reading.state, memory_order_release);
	}
	pthread_mutex_unlock(&object->lock);
}

static const struct reading *reading_of(struct dso *object)
{
	if (atomic_load_explicit(&object->state, memory_order_acquire) == DSO_UNREAD)
		dso_read(object);
	return &object->reading;
}

bool dso_find(struct dso *object, uint64_t address, struct symbol *symbol)
{
	const struct reading *r = reading_of(object);
	const struct table *extra = atomic_load_explicit(&object->extra, memory_order_acquire);

	if (extra && table_find(extra, address, symbol))
		return true;
	if (!r->table || !table_find(r->table, address + r->shift, symbol))
		return false;
	symbol->start -= r->shift;
	symbol->end -= r->shift;
	return true;
}

uint64_t dso_address(struct dso *object, uint64_t file_off)
{
	const struct reading *r = reading_of(object);

	return r->table ? table_address(r->table, file_off) : file_off;
}

void dso_add_symbol(struct dso *object, const char *name, uint64_t start, uint64_t end)
{
	struct symbol_sheet sheet = { 0 };
	struct table *former;

	pthread_mutex_lock(&object->lock);
	*vec_push(&object->added) =
		(struct added_symbol){ .name = arena_strdup(&object->arena, name),
				       .start = start,
				       .size = end > start ? end - start : 0 };
	vec_each (added, &object->added)
		sheet_add_named(&sheet, added->start, added->size, added->name, STB_GLOBAL);
	sheet_sort(&sheet);
	former = atomic_exchange_explicit(&object->extra, table_build(&sheet, OVERLAP_NEWEST),
					  memory_order_acq_rel);
	if (former)
		*vec_push(&object->retired) = former;
	pthread_mutex_unlock(&object->lock);
}

enum dso_state dso_state(const struct dso *object)
{
	return (enum dso_state)atomic_load_explicit(&object->state, memory_order_acquire);
}

enum dso_kind dso_kind(const struct dso *object)
{
	return object->key.kind;
}

const char *dso_path(const struct dso *object)
{
	return object->key.path;
}

const char *dso_source(const struct dso *object)
{
	return dso_state(object) == DSO_UNREAD ? NULL : object->reading.source;
}

const struct build_id *dso_build_id(const struct dso *object)
{
	return dso_state(object) == DSO_UNREAD ? &object->key.build_id : &object->reading.build_id;
}
