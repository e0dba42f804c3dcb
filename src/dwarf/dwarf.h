/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Address to source: the functions that were inlined there, one in another, each with file and
 * line.
 *
 * Reads DWARF 2 to 5 out of the bytes of sections: units in the file itself, split off into .dwo
 * files or packages of them, with parts moved into a file shared by many (dwz).  A compile unit is
 * read when an address in it is asked for the first time, into sorted arrays; everything later is a
 * binary search.
 *
 * Our own reader and not libdw: recordings name any file of a machine, so the bytes may be hostile.
 * Every read is checked, references are followed a bounded number of times, and the work spent on
 * an object has a limit that grows with its size (DWARF_WORK); past it the object answers no more
 * and says so.
 *
 * Belongs to one thread at a time.
 */
#ifndef DWARF_DWARF_H
#define DWARF_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dwarf;

enum dwarf_section {
	DWARF_INFO,
	DWARF_ABBREV,
	DWARF_STR,
	DWARF_LINE,
	DWARF_LINE_STR,
	DWARF_STR_OFFSETS,
	DWARF_ADDR,
	DWARF_RANGES,
	DWARF_RNGLISTS,
	DWARF_ARANGES,
	DWARF_CU_INDEX,
	DWARF_SECTIONS,
};

/*
 * Where the bytes come from.  Sections are asked for when needed, once each, and stay until close;
 * the last three may be NULL.
 */
struct dwarf_source {
	void *context;
	bool swapped; /* the file's byte order is not ours */
	/* The bytes and their number; NULL if there is no such section. */
	const unsigned char *(*load)(void *context, enum dwarf_section section, size_t *size);
	/* The file that dwz has moved common parts to. */
	bool (*open_shared)(void *context, struct dwarf_source *shared);
	/* A .dwo file, by the unit's folder and the name in it, or the package that holds it. */
	bool (*open_split)(void *context, const char *folder, const char *name, uint64_t id,
			   struct dwarf_source *split);
	void (*close)(void *context);
};

struct dwarf_frame {
	const char *name; /* mangled where the file has that; NULL: not known */
	const char *file; /* the whole path; NULL: not known */
	uint32_t line;	  /* 0: not known */
	bool inlined;	  /* into the next frame */
};

enum dwarf_state {
	DWARF_GOOD,
	DWARF_DAMAGED, /* some of it can't be read */
	DWARF_TIRED,   /* more work than its size explains: given up */
};

#define DWARF_DEPTH 128 /* frames at one address; what is further out is left off */
#define DWARF_WORK  8	/* steps for each byte of the sections, beyond some millions for all */

/* Takes the source over. */
struct dwarf *dwarf_new(const struct dwarf_source *source);
void dwarf_free(struct dwarf *dwarf);

/*
 * The frames at an address as the file itself counts them, the innermost first; 0 if nothing is
 * known of it.  What frames point to lives as long as the object.
 */
size_t dwarf_find(struct dwarf *dwarf, uint64_t address, struct dwarf_frame *frames, size_t room);

enum dwarf_state dwarf_state(const struct dwarf *dwarf);

#endif
