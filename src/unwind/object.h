/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The unwinding rules of one program or library, found by pc.
 *
 * An entry's program is run when its code is first asked for, and its rows are kept; a pc that was
 * asked for before costs one look into a hash table.  .eh_frame comes first, .debug_frame (of the
 * file itself, then of its debug file) is opened when something is not in there.  Addresses are the
 * object's own.
 *
 * Belongs to one thread.  Another one can have an object of its own over the same tables, which are
 * never changed: it follows the first, which alone opens files.
 */
#ifndef UNWIND_OBJECT_H
#define UNWIND_OBJECT_H

#include "unwind/rows.h"

struct dso;
struct elf_file;
struct unwind_object;
struct unwind_tables;

/* Of an object of the symbol store, which must outlive it; NULL if its file is not found. */
struct unwind_object *unwind_object_open(struct dso *dso);

/* Of open files, of which copies are made; debug may be NULL. */
struct unwind_object *unwind_object_new(const struct elf_file *code, const struct elf_file *debug);
void unwind_object_free(struct unwind_object *object);

/* What another thread may know of an object; a copy, to be handed over with a lock in between. */
struct unwind_share {
	const struct unwind_tables *tables;
	uint8_t count; /* of them, as of now */
	bool more;     /* there are files that were not looked into */
};

struct unwind_share unwind_object_share(const struct unwind_object *object);
/* One that follows it, and must not outlive it. */
struct unwind_object *unwind_object_follow(const struct unwind_share *share);
/* A later share of the same one. */
void unwind_object_catch_up(struct unwind_object *object, const struct unwind_share *share);
/* Whether what was not found may yet be in a file that it may not open itself. */
bool unwind_object_is_behind(const struct unwind_object *object);

/* Whether it has any rules; a file without is one that was built or stripped so. */
bool unwind_object_has_rules(struct unwind_object *object);

/* EM_X86_64 and the like. */
uint16_t unwind_object_machine(const struct unwind_object *object);

/* Where a byte of the file is loaded, by its segments. */
uint64_t unwind_object_address(const struct unwind_object *object, uint64_t file_off);

/*
 * A word of what the file holds there, if it is mapped so that nobody can have changed it; false if
 * not.  Only of one that was opened by its dso.
 */
bool unwind_object_read(struct unwind_object *object, uint64_t file_off, size_t size,
			uint64_t *value);

/* The row that holds at pc, until the next call; NULL if there is none. */
const struct cfi_row *unwind_object_find(struct unwind_object *object, uint64_t pc);

/* What the rows that were found refer to. */
const struct cfi_rows *unwind_object_rows(const struct unwind_object *object);

/* Every row of the object in order of addresses, for who wants a whole table. */
void unwind_object_compile(struct unwind_object *object, struct cfi_rows *all);

#endif
