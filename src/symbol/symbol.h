/* SPDX-License-Identifier: Apache-2.0 */
/*
 * (object, address) to function: the only door to names.
 *
 * An object is anything that code runs from: a file, the kernel, a module, the vdso, a BPF program,
 * a JIT's code.  Each is read once, at the first question, and is immutable from then on; answers
 * are borrowed from the store and live as long as it does.  Reading files goes by candidates
 * (build-id folders, debug links, the path under symfs or under /proc/PID/root), each checked
 * against the recording's build-id: a name from another build is worse than none.
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

struct object;
struct symbol_store;

enum object_kind {
	OBJECT_FILE,
	OBJECT_KERNEL,
	OBJECT_MODULE,
	OBJECT_VDSO,
	OBJECT_BPF,
	OBJECT_JIT,  /* anonymous memory of a process: /tmp/perf-PID.map, jitdump */
	OBJECT_NONE, /* [stack], [heap], //anon without a map, unmapped addresses */
};

/* How reading an object went; what the trust line is made from. */
enum object_state {
	OBJECT_UNREAD,
	OBJECT_FULL,	   /* .symtab, debug file or kallsyms */
	OBJECT_PARTIAL,	   /* only .dynsym or mini debug info */
	OBJECT_STRIPPED,   /* read, but nothing names its code */
	OBJECT_MISSING,	   /* no file */
	OBJECT_MISMATCH,   /* a file, but of another build */
	OBJECT_HIDDEN,	   /* the kernel does not show its addresses (kptr_restrict) */
	OBJECT_UNREADABLE, /* permission, damage */
};

struct symbol_options {
	const char *symfs;    /* folder that stands for / */
	const char *kallsyms; /* instead of /proc/kallsyms */
	const char *vmlinux;
	const char *guest_kallsyms, *guest_vmlinux; /* of virtual machines */
	const char *buildid_dir;		    /* NULL: ~/.debug */
	const char *cache_dir;			    /* NULL: the user's; "" for none */
	uint64_t cache_limit;			    /* bytes; 0 for 1 GiB */
	const char *release; /* of the recorded kernel: "6.1.0-9-amd64"; NULL: the running one's */
	bool debuginfod;     /* ask servers (DEBUGINFOD_URLS) for what is missing */
	bool other_machine;  /* the recording is not of this machine: /proc, the running kernel and
				files without a build-id say nothing about it */
};

/* The options' strings are copied. */
struct symbol_store *symbol_store_new(const struct symbol_options *options);
void symbol_store_free(struct symbol_store *store);

struct object_key {
	enum object_kind kind;
	const char *path; /* as the mapping says: "/usr/lib/libc.so.6", "[kernel.kallsyms]" */
	struct build_id build_id;
	pid_t pid; /* who mapped it: its root, mount namespace, JIT map; 0: not known */
	/* The kernel and its modules move at every boot. */
	const char *anchor; /* kernel: the symbol that its mapping names ("_text"), or NULL */
	uint64_t base;	    /* where the anchor or the module was when recorded; 0: not known */
};

/*
 * The object of a key, made known but not read.  The same key gives the same object, and so do keys
 * of two processes for what is the same file to both.
 */
struct object *symbol_object(struct symbol_store *store, const struct object_key *key);

struct symbol {
	const char *name;    /* as it stands in the file: mangled */
	uint64_t start, end; /* in the terms of the address that was asked for */
};

/*
 * The function at an address of the object: for a file and the vdso the offset in the file, for the
 * kernel, modules, BPF and JITs the address itself, as it was when recorded.  False if nothing
 * covers it.
 */
bool object_find(struct object *object, uint64_t address, struct symbol *symbol);

/* The object's own address (as in `nm`, addr2line) for a file offset. */
uint64_t object_address(struct object *object, uint64_t file_off);

/* Reads it now, for those that read many at once; else the first question does. */
void object_read(struct object *object);

/* A symbol that the recording itself tells of (KSYMBOL); it goes before those that are read. */
void object_add_symbol(struct object *object, const char *name, uint64_t start, uint64_t end);

enum object_state object_state(const struct object *object);
enum object_kind object_kind(const struct object *object);
const char *object_path(const struct object *object);
const char *object_source(const struct object *object); /* the file of its names, or NULL */

/* The recording's; where that has none, the file's own once it is read. */
const struct build_id *object_build_id(const struct object *object);

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
