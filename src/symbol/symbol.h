/* SPDX-License-Identifier: Apache-2.0 */
/*
 * (object, address) to function: the only door to names.
 *
 * An object is anything that code runs from: a file, the kernel, a module, the vdso, a BPF program,
 * a JIT's code.  Each is read once, at the first question; answers are borrowed from the store and
 * live as long as it does.  An address without a name can have one later, where a JIT's list grows
 * or where a file that was missing is asked for again by way of another process.  Reading files
 * goes by candidates (build-id folders, debug links, the path under symfs or under /proc/PID/root),
 * each checked against the recording's build-id: a name from another build is worse than none.
 *
 * Any thread may ask; two that ask for the same unread object wait for one reading.
 */
#ifndef SYMBOL_SYMBOL_H
#define SYMBOL_SYMBOL_H

#include "perfdata/buildid.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct dso;
struct dwarf_frame;
struct elf_file;
struct symbol_store;

enum dso_kind {
	DSO_FILE,
	DSO_KERNEL,
	DSO_MODULE,
	DSO_VDSO,
	DSO_BPF,
	DSO_JIT,  /* anonymous memory of a process: /tmp/perf-PID.map, jitdump */
	DSO_NONE, /* [stack], [heap], //anon without a map, unmapped addresses */
};

/* How reading an object went; what the trust line is made from. */
enum dso_state {
	DSO_UNREAD,
	DSO_FULL,	/* .symtab, debug file or kallsyms */
	DSO_PARTIAL,	/* only .dynsym or mini debug info */
	DSO_STRIPPED,	/* read, but nothing names its code */
	DSO_MISSING,	/* no file */
	DSO_MISMATCH,	/* a file, but of another build */
	DSO_HIDDEN,	/* the kernel does not show its addresses (kptr_restrict) */
	DSO_UNREADABLE, /* permission, damage */
	DSO_NEWER, /* it has names, but may have changed since the recording, and no build-id tells
		    */
	DSO_DISTRUSTED, /* a JIT's list that somebody else may have written */
};

/* Whose frames are expanded to the functions that were inlined there. */
enum inlining {
	INLINE_UNWOUND, /* those of copied stacks, as perf does it */
	INLINE_NONE,
	INLINE_ALL,
};

/* What is known of virtual machines that ran in processes of the recorded one. */
struct guest_sources {
	const char *kallsyms, *vmlinux, *modules; /* of all that have no folder of their own */
	const char *mount; /* folder with a guest's files below PID/, its process's number */
	bool code;	   /* it runs code of that process, and no system of its own */
};

static inline bool guest_sources_given(const struct guest_sources *from)
{
	return from->kallsyms || from->vmlinux || from->modules || from->mount || from->code;
}

#define FETCH_LIMIT_NS (120 * 1000000000ll)

/*
 * Called several times a second while a server is waited for: what is fetched, and how many of how
 * many bytes are here, 0 if that is not known.  At the end with a path of NULL.
 */
typedef void symbol_fetching(void *context, const char *path, uint64_t done, uint64_t total);

struct symbol_options {
	const char *symfs;    /* folder that stands for / */
	const char *kallsyms; /* instead of /proc/kallsyms */
	const char *vmlinux;
	struct guest_sources guest;
	const char *buildid_dir; /* NULL: ~/.debug */
	const char *cache_dir;	 /* NULL: the user's; "" for none */
	uint64_t cache_limit;	 /* bytes; 0 for 1 GiB */
	const char *release; /* of the recorded kernel: "6.1.0-9-amd64"; NULL: the running one's */
	enum inlining inlining;
	bool no_modules;     /* nothing names the code of the kernel's modules */
	bool ignore_vmlinux; /* the kernel's list only, whatever images there are */
	bool full_paths;     /* of source files, not their names alone */
	bool lines;	     /* the source lines of samples will be asked for */
	bool debuginfod;     /* ask servers (DEBUGINFOD_URLS) for what is missing */
	/* For these only; NULL: for any. */
	const struct build_id *hot;
	size_t hot_count;
	int64_t fetch_limit_ns; /* for all that they are asked for; 0: FETCH_LIMIT_NS */
	symbol_fetching *fetching;
	void *fetching_context; /* freed with the store */
	int64_t recorded_ns;	/* end of the recording, since 1970: what can't be checked by a
				   build-id must not be newer; 0: not known */
	bool has_owner; /* the recording is a file of this user, whose lists are believed as it is
			 */
	uid_t owner;
	bool other_machine; /* the recording is not of this machine: /proc, the running kernel and
			       files without a build-id say nothing about it */
};

/*
 * From now on the running kernel's list of symbols is read from this descriptor: for a process that
 * may not see addresses there, from one that may.  Before there are threads.
 *
 * strangers: what is read came from outside.  Then the list names only what a recording of this
 * very kernel can ask for, one that has its build-id and knows where it lay: addresses that were
 * made up must not tell where this kernel lies.
 */
void symbol_kernel_list(int fd, bool strangers);

/* The options' strings are copied. */
struct symbol_store *symbol_store_new(const struct symbol_options *options);
void symbol_store_free(struct symbol_store *store);
enum inlining symbol_store_inlining(const struct symbol_store *store);	    /* none of NULL */
struct guest_sources symbol_store_guests(const struct symbol_store *store); /* none of NULL */
bool symbol_store_wants_lines(const struct symbol_store *store);
bool symbol_store_wants_modules(const struct symbol_store *store); /* named */
bool symbol_store_wants_paths(const struct symbol_store *store);   /* of their files */

/* How a program had its code mapped from a file; all 0: not known. */
struct dso_mapped {
	uint64_t offset, size; /* of the mapping in the file */
	uint64_t inode;
	uint32_t major, minor; /* of the device; with the inode */
	uint64_t generation;   /* of the inode, whose number is used again; 0: not known */
};

struct dso_key {
	enum dso_kind kind;
	const char *path; /* as the mapping says: "/usr/lib/libc.so.6", "[kernel.kallsyms]" */
	struct build_id build_id;
	uint64_t inode; /* a file must have this one if it is not known by its build-id; 0: any */
	struct dso_mapped mapped; /* tells another file of that path, without a build-id */
	pid_t pid; /* who mapped it: its root, mount namespace, JIT map; 0: not known */
	/* Not of the recorded machine, but of one that ran in its process of this number less 1; 0
	 * if it is, 1 for all guests that have no folder of their own. */
	uint32_t guest;
	/* The kernel and its modules move at every boot. */
	const char *anchor; /* kernel: the symbol that its mapping names ("_text"), or NULL */
	uint64_t base;	    /* where the anchor or the module was when recorded; 0: not known */
};

/*
 * The object of a key, made known but not read.  The same key gives the same object, and so do keys
 * of two processes for what is the same file to both.
 */
struct dso *symbol_dso(struct symbol_store *store, const struct dso_key *key);

struct symbol {
	const char *name;    /* as it stands in the file: mangled */
	uint64_t start, end; /* in the terms of the address that was asked for */
};

/*
 * The function at an address of the object: for a file and the vdso the offset in the file, for the
 * kernel, modules, BPF and JITs the address itself, as it was when recorded.  False if nothing
 * covers it.
 */
bool dso_find(struct dso *object, uint64_t address, struct symbol *symbol);

/* Whether a JIT's list has several names for an address: it replaced its code. */
bool dso_is_reused(struct dso *object, uint64_t address);

/* The next question looks whether a JIT's list has grown, however short ago the last one did. */
void dso_look_again(struct dso *object);

/* The object's own address (as in `nm`, addr2line) for a file offset. */
uint64_t dso_address(struct dso *object, uint64_t file_off);

/*
 * The functions at an address as the object's debug information tells them (dwarf/dwarf.h), the
 * innermost inlined one first; 0 if there is none.  Costs a microsecond and more, and milliseconds
 * for the first in a compile unit: ask once.
 */
size_t dso_frames(struct dso *object, uint64_t address, struct dwarf_frame *frames, size_t room);

/* How reading that information went. */
enum lines_state {
	LINES_UNREAD,
	LINES_NONE, /* no file has any */
	LINES_GOOD,
	LINES_DAMAGED, /* some of it can't be read */
	LINES_TIRED,   /* it would cost more than its size explains: given up */
};
enum lines_state dso_lines_state(struct dso *object);

/* What would cost more work than its size explains is given up. */
enum given_up {
	GIVEN_UP_LINES, /* debug information: LINES_TIRED */
	GIVEN_UP_RULES, /* of unwinding, whose reader says so by dso_give_up_rules() */
};
void dso_give_up_rules(struct dso *object);
/* The path of an object of which that was given up; NULL if there is none. */
const char *symbol_store_given_up(struct symbol_store *store, enum given_up what);

/* Reads it now, for those that read many at once; else the first question does. */
void dso_read(struct dso *object);

/*
 * The files themselves, for what else they hold than names: the one that ran, and the one of its
 * debug information.  False if it is not found; close what was opened.
 */
bool dso_open_code(struct dso *object, struct elf_file *code);
bool dso_open_debug(struct dso *object, struct elf_file *debug);

/* A symbol that the recording itself tells of (KSYMBOL); it goes before those that are read. */
void dso_add_symbol(struct dso *object, const char *name, uint64_t start, uint64_t end);

enum dso_state dso_state(const struct dso *object);
enum dso_kind dso_kind(const struct dso *object);
const char *dso_path(const struct dso *object);
const char *dso_source(const struct dso *object); /* the file of its names, or NULL */

/* The recording's; where that has none, the file's own once it is read. */
const struct build_id *dso_build_id(const struct dso *object);

enum demangle {
	DEMANGLE_NAME,	 /* "ns::Box<int>::get", as perf shows it */
	DEMANGLE_PARAMS, /* "ns::Box<int>::get(long) const", as c++filt does */
};

/*
 * The readable form of a mangled name (C++, Rust, D, OCaml, Java), at most `limit` bytes of it;
 * NULL for a name that is readable as it is.  What stands behind an @ (@plt, @@GLIBC_2.14) is kept.
 * Costs microseconds: ask for what is shown, and once.
 */
char *symbol_demangle(const char *name, enum demangle form, size_t limit);

#endif
