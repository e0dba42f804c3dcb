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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct err;
struct object;
struct symbol_store;

#define BUILD_ID_MAX 20

struct build_id {
	uint8_t size; /* 0: not known */
	uint8_t bytes[BUILD_ID_MAX];
};

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
	const char *buildid_dir; /* NULL: ~/.debug */
	const char *cache_dir;	 /* NULL: the user's; "" for none */
	bool debuginfod;	 /* ask servers (DEBUGINFOD_URLS) for what is missing */
	bool other_machine;	 /* the recording is not of this machine: /proc and the running
				    kernel say nothing about it */
};

struct symbol_store *symbol_store_new(const struct symbol_options *options);
void symbol_store_free(struct symbol_store *store);

struct object_key {
	enum object_kind kind;
	const char *path; /* as the mapping says: "/usr/lib/libc.so.6", "[kernel.kallsyms]" */
	struct build_id build_id;
	pid_t pid; /* whose root, mount namespace or JIT map; 0: ours */
};

/* The object of a key, made known but not read.  The same key gives the same object. */
struct object *symbol_object(struct symbol_store *store, const struct object_key *key);

struct symbol {
	const char *name;    /* as it stands in the file: mangled */
	uint64_t start, end; /* in the object's own addresses */
};

/*
 * The function at an address of the object: for a file the offset in the file, for the kernel,
 * modules, BPF and JITs the address itself.  False if nothing covers it.
 */
bool object_find(struct object *object, uint64_t address, struct symbol *symbol);

/* The object's own address (as in `nm`, addr2line) for a file offset. */
uint64_t object_address(struct object *object, uint64_t file_off);

/* For kernel symbols learned from KSYMBOL and module records of a recording. */
void object_add_symbol(struct object *object, const char *name, uint64_t start, uint64_t end);

enum object_state object_state(const struct object *object);
const char *object_path(const struct object *object);
const char *object_source(
    const struct object *object); /* the file that the names came from, or NULL */
const struct build_id *object_build_id(const struct object *object);
enum object_kind object_kind(const struct object *object);

/*
 * The readable form of a mangled name (C++, Rust, D), or the name itself; at most `limit` bytes.
 * Costs microseconds: ask for what is shown, and once.
 */
char *symbol_demangle(const char *name, size_t limit);

#endif
