// SPDX-License-Identifier: Apache-2.0
#include "symbol/store.h"
#include "symbol/table.h"

#include <elf.h>
#include <string.h>

static void read_it(struct object *object, struct reading *r)
{
	r->build_id = object->key.build_id;
	switch (object->key.kind) {
	case OBJECT_FILE: read_file_object(object, r); break;
	case OBJECT_KERNEL: read_kernel_object(object, r); break;
	case OBJECT_MODULE: read_module_object(object, r); break;
	case OBJECT_VDSO: read_vdso_object(object, r); break;
	case OBJECT_BPF: read_bpf_object(object, r); break;
	case OBJECT_JIT: read_jit_object(object, r); break;
	case OBJECT_NONE: r->state = OBJECT_STRIPPED; break;
	}
}

void object_read(struct object *object)
{
	struct reading reading = { .state = OBJECT_MISSING };

	pthread_mutex_lock(&object->lock);
	if (atomic_load_explicit(&object->state, memory_order_relaxed) == OBJECT_UNREAD) {
		/* What the recording itself told makes a BPF program whole. */
		if (object->key.kind == OBJECT_BPF && object->added.len)
			reading.state = OBJECT_FULL;
		else
			read_it(object, &reading);
		object->reading = reading;
		atomic_store_explicit(&object->state, reading.state, memory_order_release);
	}
	pthread_mutex_unlock(&object->lock);
}

static const struct reading *reading_of(struct object *object)
{
	if (atomic_load_explicit(&object->state, memory_order_acquire) == OBJECT_UNREAD)
		object_read(object);
	return &object->reading;
}

bool object_find(struct object *object, uint64_t address, struct symbol *symbol)
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

uint64_t object_address(struct object *object, uint64_t file_off)
{
	const struct reading *r = reading_of(object);

	return r->table ? table_address(r->table, file_off) : file_off;
}

void object_add_symbol(struct object *object, const char *name, uint64_t start, uint64_t end)
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

enum object_state object_state(const struct object *object)
{
	return (enum object_state)atomic_load_explicit(&object->state, memory_order_acquire);
}

enum object_kind object_kind(const struct object *object)
{
	return object->key.kind;
}

const char *object_path(const struct object *object)
{
	return object->key.path;
}

const char *object_source(const struct object *object)
{
	return object_state(object) == OBJECT_UNREAD ? NULL : object->reading.source;
}

const struct build_id *object_build_id(const struct object *object)
{
	return object_state(object) == OBJECT_UNREAD ? &object->key.build_id
						     : &object->reading.build_id;
}
