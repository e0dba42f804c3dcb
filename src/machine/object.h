/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What mappings are of: programs, libraries, the kernel and its modules, memory without a file.
 *
 * Objects are numbered from 0 and stay for as long as their list; each name has one, and one more
 * for every further build that the mappings tell of: a file that is replaced, or another
 * container's.  The host and each guest have a table of their own, since their names are not of the
 * same things; the numbers go through all of them.
 */
#ifndef MACHINE_OBJECT_H
#define MACHINE_OBJECT_H

#include "base/arena.h"
#include "base/interner.h"
#include "base/map.h"
#include "base/vec.h"
#include "symbol/symbol.h"
#include <stdbool.h>
#include <stdint.h>

enum object_kind {
	OBJECT_FILE,
	OBJECT_VDSO,
	OBJECT_ANON,	/* no file: a JIT's code, the heap */
	OBJECT_KERNEL,	/* the kernel itself */
	OBJECT_MODULE,	/* one of its modules */
	OBJECT_KSYMBOL, /* a piece of kernel code made at run time: a BPF program, a trampoline */
};

struct object {
	const char *name; /* as perf prints it */
	const char *path; /* of its file, where there is one */
	enum object_kind kind;
	bool ambiguous; /* the table of build-ids has several for this name: so it has none */
	uint32_t guest; /* GUEST_OF the process that it runs in; 0: the host's */
	/* One of several files of that name: which one; else 0.  build_id_size is 0 then, and its
	 * bytes tell them apart. */
	uint64_t inode;
	struct dso_mapped mapped; /* by the first mapping of its code */
	uint8_t build_id_size;
	uint8_t build_id[20];
	/* Where the kernel's were when recorded; names of another boot are moved by it. */
	const char *anchor; /* the kernel's symbol that `base` is the address of, or NULL */
	uint64_t base;	    /* of the anchor, of a module's start; 0: not known */
};

#define GUEST_OF(pid) ((pid) + 1) /* pid 0: of those that nobody told apart */

struct object_list { /* { 0 } is a ready, empty one */
	VEC(struct object) list;
};

struct object_table { /* zeros and the list are a ready, empty one */
	struct object_list *all;
	uint32_t guest; /* whose objects they are */
	struct interner names;
	struct map by_name;   /* name to index */
	struct map by_module; /* "[ext4]" to index, however the module's path was told */
	struct map by_build;  /* name and build-id, of the second build of a name and later ones */
	struct arena keys;
};

#define OBJECT_NONE UINT32_MAX

/* "[ext4]" out of "/lib/modules/6.1/kernel/fs/ext4/ext4.ko.xz"; false if it is no module. */
bool object_module_name(const char *path, char *into, size_t room);

/* The object of that name, new if need be. */
uint32_t object_add(struct object_table *table, const char *name, enum object_kind kind);
/* The same for a mapping that tells the build (size 0 if it does not). */
uint32_t object_add_build(struct object_table *table, const char *name, enum object_kind kind,
			  const uint8_t *id, uint8_t size);
/* One of the files of an ambiguous name. */
uint32_t object_add_inode(struct object_table *table, uint32_t ambiguous, uint64_t inode);
/* A kernel module by the path or the name in brackets under which it was told. */
uint32_t object_add_module(struct object_table *table, const char *path);
/* As the table of build-ids names it; `kernel` if its cpumode is the kernel's. */
uint32_t object_add_build_id(struct object_table *table, const char *path, bool kernel,
			     const uint8_t *bytes, uint8_t size);
/* Where it was, as its mapping tells; the first word counts. */
void object_set_base(struct object_table *table, uint32_t index, const char *anchor, uint64_t base);
/* How its code is mapped; the first word counts. */
void object_set_mapped(struct object_table *table, uint32_t index, const struct dso_mapped *mapped);
/* The build-id that a mapping tells, unless one is known. */
void object_set_build_id(struct object_table *table, uint32_t index, const uint8_t *bytes,
			 uint8_t size);
/* The first that is the kernel itself, or OBJECT_NONE. */
uint32_t object_find_kernel(const struct object_table *table);
void object_table_free(struct object_table *table);

static inline const struct object *object_at(const struct object_list *list, uint32_t index)
{
	return &list->list.data[index];
}

#endif
