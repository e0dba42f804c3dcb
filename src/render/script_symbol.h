/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions and objects in the text of `script`: " f+0x12 (/bin/prog)".
 *
 * An address is looked up and put into words once for as long as it is remembered, which makes the
 * line of a frame a copy of bytes.  What is remembered has a fixed size: the memory for a recording
 * does not grow with its length.
 */
#ifndef RENDER_SCRIPT_SYMBOL_H
#define RENDER_SCRIPT_SYMBOL_H

#include "base/idmap.h"
#include "base/vec.h"
#include "machine/naming.h"

struct outbuf;

/* What is told of a place. */
enum script_show {
	SHOW_SYM = 1,
	SHOW_SYMOFF = 2, /* only with SHOW_SYM */
	SHOW_DSO = 4,
	SHOW_SRCLINE = 8,
	SHOW_INLINED = 16, /* a line for each function that was inlined there too */
	SHOW_BEFORE = 32,  /* of these the address is where a call returns to */
	SHOW_SPLICED = 64, /* marked: from here on outwards by frame pointers */
};

struct kept_line;

struct script_symbols {
	struct naming naming;
	struct kept_line *lines;    /* by a hash of space and address */
	char *texts;		    /* theirs, a ring */
	uint64_t written;	    /* bytes that the ring ever took */
	bool raw_names;		    /* not demangled */
	bool demangle_kernel;	    /* its names, too */
	bool full_paths;	    /* of source files */
	bool kernel_paths;	    /* of the kernel and its modules, instead of [NAME] */
	struct idmap readable;	    /* by the address of a name: its index in readable_names */
	VEC(char *) readable_names; /* NULL: the name is readable as it is */
};

void script_symbols_init(struct script_symbols *symbols, struct machine *machine);
void script_symbols_fini(struct script_symbols *symbols);

/* Demangled as perf does. */
const char *script_symbols_name(struct script_symbols *symbols, const struct place *place);

struct place script_symbols_find(struct script_symbols *symbols, const struct thread *thread,
				 uint8_t cpumode, uint64_t address);
/* Data and branches may belong to the other mode than the sample: what is not found is tried there.
 */
struct place script_symbols_find_any(struct script_symbols *symbols, const struct thread *thread,
				     uint8_t cpumode, uint64_t address);

/* " f+0x12 (/bin/prog)" as far as it is wanted. */
void script_symbols_print(struct script_symbols *symbols, struct outbuf *out, unsigned show,
			  const struct place *place);

/* "\n  file.c:12", or nothing where that is not known. */
void script_symbols_srcline(const struct script_symbols *symbols, struct outbuf *out,
			    const struct place *place);

/* The line of a frame, or the lines. */
void script_symbols_frame(struct script_symbols *symbols, struct outbuf *out, unsigned show,
			  const struct thread *thread, uint8_t cpumode, uint64_t address);

#endif
