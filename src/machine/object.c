// SPDX-License-Identifier: Apache-2.0
#include "machine/object.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

static bool starts_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

bool object_module_name(const char *path, char *into, size_t room)
{
	static const char *const not_modules[] = {
		"[kernel.kallsyms]", "[guest.kernel.kallsyms", "[vdso]", "[vdso32]", "[vdsox32]",
		"[vsyscall]"
	};
	const char *base = strrchr(path, '/');
	const char *end;

	base = base ? base + 1 : path;
	if (*base == '[') {
		for (size_t i = 0; i < ARRAY_SIZE(not_modules); i++)
			if (starts_with(base, not_modules[i]))
				return false;
		snprintf(into, room, "%s", base);
		return true;
	}
	end = strstr(base, ".ko");
	if (!end || end == base || (end[3] && end[3] != '.'))
		return false;
	snprintf(into, room, "[%.*s]", (int)(end - base), base);
	for (char *at = into; *at; at++)
		if (*at == '-')
			*at = '_';
	return true;
}

uint32_t object_add(struct object_table *table, const char *name, enum object_kind kind)
{
	uint32_t index = map_find(&table->by_name, name, strlen(name));
	struct object *object;

	if (index != MAP_NONE)
		return index;
	index = (uint32_t)table->all->list.len;
	object = vec_push(&table->all->list);
	object->name = interner_text(&table->names, interner_add(&table->names, name));
	object->path = object->name;
	object->kind = kind;
	object->guest = table->guest;
	return map_add(&table->by_name, object->name, strlen(object->name), index);
}

static bool is_build(const struct object *object, const uint8_t *id, uint8_t size)
{
	return object->build_id_size == size && !memcmp(object->build_id, id, size);
}

/* An object that shares its name with another one, found again by what tells them apart. */
static uint32_t add_another(struct object_table *table, uint32_t first, const uint8_t *apart,
			    uint8_t size)
{
	struct object object = table->all->list.data[first];
	char key[24] = { 0 };
	const char *kept;
	uint32_t name = interner_add(&table->names, object.name), index;

	memcpy(key, &name, sizeof(name));
	memcpy(key + sizeof(name), apart, size);
	index = map_find(&table->by_build, key, sizeof(key));
	if (index != MAP_NONE)
		return index;
	index = (uint32_t)table->all->list.len;
	object.build_id_size = 0;
	object.ambiguous = false;
	object.mapped = (struct dso_mapped){ 0 };
	*vec_push(&table->all->list) = object;
	kept = memcpy(arena_alloc(&table->keys, sizeof(key)), key, sizeof(key));
	return map_add(&table->by_build, kept, sizeof(key), index);
}

uint32_t object_add_inode(struct object_table *table, uint32_t ambiguous, uint64_t inode)
{
	uint32_t index = add_another(table, ambiguous, (const uint8_t *)&inode, sizeof(inode));
	struct object *object = &table->all->list.data[index];

	object->inode = inode;
	memcpy(object->build_id, &inode, sizeof(inode));
	return index;
}

uint32_t object_add_build(struct object_table *table, const char *name, enum object_kind kind,
			  const uint8_t *id, uint8_t size)
{
	uint32_t index = object_add(table, name, kind);
	const struct object *object = &table->all->list.data[index];

	if (!size || size > sizeof(object->build_id))
		return index;
	if (object->ambiguous || (object->build_id_size && !is_build(object, id, size)))
		index = add_another(table, index, id, size);
	object_set_build_id(table, index, id, size);
	return index;
}

uint32_t object_add_module(struct object_table *table, const char *path)
{
	char name[256];
	const char *kept;
	uint32_t index;

	if (!object_module_name(path, name, sizeof(name)))
		snprintf(name, sizeof(name), "%s", path);
	index = map_find(&table->by_module, name, strlen(name));
	if (index != MAP_NONE)
		return index;
	index = object_add(table, name, OBJECT_MODULE);
	table->all->list.data[index].path = interner_text(&table->names,
							  interner_add(&table->names, path));
	kept = table->all->list.data[index].name;
	return map_add(&table->by_module, kept, strlen(kept), index);
}

uint32_t object_add_build_id(struct object_table *table, const char *path, bool kernel,
			     const uint8_t *bytes, uint8_t size)
{
	uint32_t index = object_add(table, path,
				    strcmp(path, "[vdso]") ? OBJECT_FILE : OBJECT_VDSO);
	struct object *object = &table->all->list.data[index];
	const char *kept;
	char name[256];

	if (size > sizeof(object->build_id))
		size = sizeof(object->build_id);
	object->ambiguous |= !kernel && object->build_id_size && !is_build(object, bytes, size);
	memset(object->build_id, 0, sizeof(object->build_id));
	object->build_id_size = object->ambiguous ? 0 : size;
	memcpy(object->build_id, bytes, object->build_id_size);
	if (!kernel)
		return index;
	object->kind = OBJECT_KERNEL;
	if (object_module_name(path, name, sizeof(name))) {
		object->kind = OBJECT_MODULE;
		kept = interner_text(&table->names, interner_add(&table->names, name));
		map_add(&table->by_module, kept, strlen(kept), index);
	}
	return index;
}

void object_set_base(struct object_table *table, uint32_t index, const char *anchor, uint64_t base)
{
	struct object *object = &table->all->list.data[index];

	if (object->base)
		return;
	object->base = base;
	if (anchor && *anchor)
		object->anchor = interner_text(&table->names, interner_add(&table->names, anchor));
}

void object_set_mapped(struct object_table *table, uint32_t index, const struct dso_mapped *mapped)
{
	struct object *object = &table->all->list.data[index];

	if (!object->mapped.size)
		object->mapped = *mapped;
}

void object_set_build_id(struct object_table *table, uint32_t index, const uint8_t *bytes,
			 uint8_t size)
{
	struct object *object = &table->all->list.data[index];

	if (object->build_id_size || !size || size > sizeof(object->build_id))
		return;
	object->build_id_size = size;
	memcpy(object->build_id, bytes, size);
}

uint32_t object_find_kernel(const struct object_table *table)
{
	for (uint32_t i = 0; i < table->all->list.len; i++)
		if (table->all->list.data[i].kind == OBJECT_KERNEL &&
		    table->all->list.data[i].guest == table->guest)
			return i;
	return OBJECT_NONE;
}

void object_table_free(struct object_table *table)
{
	interner_free(&table->names);
	map_free(&table->by_name);
	map_free(&table->by_module);
	map_free(&table->by_build);
	arena_free(&table->keys);
}
