// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/mem.h"
#include "symbol/store.h"
#include "symbol/table.h"

#include <elf.h>
#include <string.h>

#define LOOK_AGAIN_NS (NS_PER_SEC / 10)

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

static struct reading *read_now(struct dso *object)
{
	struct reading *r = mem_alloc(sizeof(*r));
	int64_t started = clock_now_ns();

	r->state = DSO_MISSING;
	/* What the recording itself told makes a BPF program whole. */
	if (object->key.kind == DSO_BPF && object->added.len)
		r->state = DSO_FULL;
	else
		read_it(object, r);
	r->took_ns = clock_now_ns() - started;
	return r;
}

void dso_read(struct dso *object)
{
	struct reading *former;

	pthread_mutex_lock(&object->lock);
	former = atomic_load_explicit(&object->reading, memory_order_relaxed);
	if (!former || object->again) {
		object->again = false;
		if (former)
			*vec_push(&object->past) = former;
		atomic_store_explicit(&object->reading, read_now(object), memory_order_release);
	}
	pthread_mutex_unlock(&object->lock);
}

static const struct reading *reading_of(struct dso *object)
{
	const struct reading *r = atomic_load_explicit(&object->reading, memory_order_acquire);

	if (r && !atomic_load_explicit(&object->again, memory_order_relaxed))
		return r;
	dso_read(object);
	return atomic_load_explicit(&object->reading, memory_order_acquire);
}

static bool find_in(const struct reading *r, uint64_t address, struct symbol *symbol)
{
	if (!r->table || !table_find(r->table, address + r->shift, symbol))
		return false;
	symbol->start -= r->shift;
	symbol->end -= r->shift;
	return true;
}

/*
 * A JIT goes on writing its list while we read live.  Looking costs some microseconds and reading
 * it again milliseconds, so neither is done often.
 */
static bool look_again(struct dso *object, const struct reading *r)
{
	int64_t now, pause = r->took_ns * 20;

	if (object->key.kind != DSO_JIT)
		return false;
	now = clock_now_ns();
	if (now < atomic_load_explicit(&object->look_again_ns, memory_order_relaxed))
		return false;
	object->look_again_ns = now + (pause > LOOK_AGAIN_NS ? pause : LOOK_AGAIN_NS);
	if (!jit_has_grown(object, r))
		return false;
	object->again = true;
	return true;
}

void dso_look_again(struct dso *object)
{
	atomic_store_explicit(&object->look_again_ns, 0, memory_order_relaxed);
}

bool dso_find(struct dso *object, uint64_t address, struct symbol *symbol)
{
	const struct reading *r = reading_of(object);
	const struct table *extra = atomic_load_explicit(&object->extra, memory_order_acquire);

	if (extra && table_find(extra, address, symbol))
		return true;
	return find_in(r, address, symbol) ||
	       (look_again(object, r) && find_in(reading_of(object), address, symbol));
}

bool dso_is_reused(struct dso *object, uint64_t address)
{
	const struct reading *r = reading_of(object);
	size_t low = 0, high = r->reused_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (r->reused[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < r->reused_count && r->reused[low].start <= address;
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

static const struct reading *published(const struct dso *object)
{
	return atomic_load_explicit(&object->reading, memory_order_acquire);
}

enum dso_state dso_state(const struct dso *object)
{
	const struct reading *r = published(object);

	return r ? r->state : DSO_UNREAD;
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
	const struct reading *r = published(object);

	return r ? r->source : NULL;
}

const struct build_id *dso_build_id(const struct dso *object)
{
	const struct reading *r = published(object);

	return r ? &r->build_id : &object->key.build_id;
}
