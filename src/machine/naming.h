/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of a machine's code: its mappings joined to the symbols of what they map.
 *
 * Ask as of now, like the machine itself.  Nothing is remembered but which object of the machine is
 * which of symbol/'s: who asks for the same address again and again keeps the answer, by the
 * address and machine_space().
 */
#ifndef MACHINE_NAMING_H
#define MACHINE_NAMING_H

#include "machine/machine.h"
#include "symbol/symbol.h"

struct naming_object {
	struct dso *dso; /* NULL: nothing names its code */
	uint32_t pid;	 /* of the process that its file was last looked for by */
	uint8_t tries;
	bool known;
};

struct naming {
	struct machine *machine;
	struct symbol_store *store;	   /* NULL: only what the recording tells */
	VEC(struct naming_object) objects; /* by the machine's index */
	struct mapping beyond;		   /* the kernel's code outside of its mapping */
};

struct place {
	const struct object *object; /* NULL: nothing is mapped there */
	struct dso *dso;	     /* NULL: nothing names its code */
	uint64_t address;	     /* in the object: see mapping_offset */
	const char *symbol;	     /* as it stands in the file; NULL if nothing names it */
	uint64_t offset;	     /* from where the symbol begins */
};

void naming_init(struct naming *naming, struct machine *machine, struct symbol_store *store);
void naming_fini(struct naming *naming);

enum dso_kind naming_kind(const struct object *object);

/*
 * As machine_find; and once the kernel's names are read, what they cover beyond its mapping is the
 * kernel too, as perf has it: its list knows of more than the recorded part.
 */
const struct mapping *naming_mapping(struct naming *naming, const struct thread *thread,
				     uint8_t cpumode, uint64_t address);

/* The mapping's object, not read yet; NULL if nothing names its code.  The thread is one of those
 * that have it mapped. */
struct dso *naming_dso(struct naming *naming, const struct mapping *mapping,
		       const struct thread *thread);

/* What is at an address of a mapping, or of none (NULL). */
struct place naming_place(struct naming *naming, const struct mapping *mapping,
			  const struct thread *thread, uint64_t address);

#endif
