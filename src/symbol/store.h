/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of symbol/ share: the store, its objects, and how one is read.
 *
 * An object's reading happens under its lock; what it found is published by a pointer and never
 * changes.  Where a later look can find more (a JIT's list has grown, another process reaches the
 * file), a new reading takes its place and the old one stays until the store is freed.
 *
 * Locks are taken in this order: one object's, then the store's kernel_lock or its lock.  Never two
 * objects' at once, and nothing that takes another lock is called under the store's.
 */
#ifndef SYMBOL_STORE_H
#define SYMBOL_STORE_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "symbol/cache.h"
#include "symbol/debuginfod.h"
#include "symbol/sheet.h"
#include "symbol/symbol.h"
#include <pthread.h>
#include <stdatomic.h>

struct source_lines;
struct table;

/* The names of a kernel, shared by its object and those of its modules. */
struct kernel_names {
	struct table *table; /* NULL: state tells why */
	enum dso_state state;
	uint64_t text, stext; /* where these symbols are in the table's terms; 0: not known */
	char *source;
};

/* A guest's kernel, under the store's lock but for the names. */
struct guest_kernel {
	uint32_t guest;		    /* as in struct dso_key */
	struct dso_key recorded;    /* its object's; the path is NULL until that is known */
	struct kernel_names *names; /* NULL: not read yet */
};

struct process_note {
	pid_t pid;
	bool apart;
	int64_t looked_ns; /* it may have gone into a container since */
};

struct symbol_store {
	struct symbol_options options; /* its strings in the arena */
	const char *buildid_dir;       /* NULL: there is none */
	struct cache cache;
	struct debuginfod_asking asking;
	pthread_mutex_t lock; /* guards what follows */
	struct arena arena;
	struct map by_key;
	VEC(struct dso *) objects;
	VEC(struct process_note) processes;
	VEC(struct guest_kernel *) guests;
	pthread_mutex_t kernel_lock; /* held while these are read */
	struct build_id running;     /* kernel's; size 0 if not known */
	struct dso_key recorded;     /* the first kernel object that is not a guest's */
	struct kernel_names *listed; /* from kallsyms, of the recorded kernel */
	struct kernel_names *bpf;    /* BPF programs of the running kernel */
	bool listed_is_running;
};

/* What reading an object came to. */
struct stretch {
	uint64_t start, end;
};

struct reading {
	struct table *table;
	bool shared;	/* with others: not freed with the object */
	uint64_t shift; /* the table's address is the one asked for plus this */
	enum dso_state state;
	char *source;
	struct build_id build_id;
	uint64_t size;		/* of a JIT's list */
	struct stretch *reused; /* of addresses that have several names there, in order */
	size_t reused_count;
	int64_t took_ns;
};

/* A symbol that the recording told of. */
struct added_symbol {
	const char *name;
	uint64_t start, size;
};

struct dso {
	struct symbol_store *store;
	struct dso_key key;
	pthread_mutex_t lock;
	VEC(pid_t) pids;
	_Atomic(struct reading *) reading; /* NULL: not read yet */
	VEC(struct reading *) past;
	atomic_bool again;	       /* look again before the next answer */
	_Atomic int64_t look_again_ns; /* not before this time: for what grows */
	_Atomic(struct table *) extra; /* added by dso_add_symbol */
	VEC(struct added_symbol) added;
	VEC(struct table *) retired; /* former ones of extra, which somebody may still look at */
	struct arena arena;
	struct source_lines *lines; /* under the lock, as all of its questions */
	bool lines_tried;
	atomic_bool rules_tired; /* its unwinding rules were given up */
	uint64_t lines_shift;	 /* the kernel's: from the address asked for to that of the lines */
};

/* Its objects by number, NULL past the last: to ask each of them without the store's lock. */
struct dso *store_object(struct symbol_store *store, size_t number);

/* "/proc/PID/root" for a process that sees other files than we do; false for one that does not. */
bool store_root_of(struct symbol_store *store, pid_t pid, char *into, size_t room);

/* What is known of a guest's kernel; made if need be, and stays where it is. */
struct guest_kernel *store_guest(struct symbol_store *store, uint32_t guest);

/* One a kind of object. */
void read_file_object(struct dso *object, struct reading *reading);
void read_vdso_object(struct dso *object, struct reading *reading);
void read_kernel_object(struct dso *object, struct reading *reading);
void read_module_object(struct dso *object, struct reading *reading);
void read_bpf_object(struct dso *object, struct reading *reading);
void read_jit_object(struct dso *object, struct reading *reading);

/* Whether a JIT's list is longer than when it was read. */
bool jit_has_grown(struct dso *object, const struct reading *reading);

void kernel_names_free(struct kernel_names *names);
struct kernel_names *kernel_names_kept(const struct symbol_store *store,
				       const struct cache_identity *identity, bool any_source);
void kernel_names_keep(const struct symbol_store *store, const struct cache_identity *identity,
		       const struct kernel_names *names);

/* By how much the addresses of a list are above those of the recording; 0 if that is not known. */
uint64_t kernel_shift(const struct dso_key *key, uint64_t text, uint64_t stext);

/* Whether a recorded kernel is the one that runs here. */
bool store_is_running_kernel(const struct symbol_store *store, const struct build_id *id);

/* The kernel's image: where it is installed, where the user says, from a server. */
bool vmlinux_find(struct dso *object, struct reading *reading);
void vmlinux_read_given(struct dso *object, const char *path, struct reading *reading);
void vmlinux_find_afar(struct dso *object, struct reading *reading);

struct elf_file;
struct finder;

/* Keeps what was read of them. */
void source_lines_close(struct source_lines *lines, const struct cache *cache);

/* The file that a user's object runs from. */
bool read_find_code(struct finder *finder, enum dso_kind kind, struct elf_file *code);

/* The image with the kernel's lines; *shift is from the recorded addresses to its own. */
bool vmlinux_find_lines(struct dso *object, struct finder *finder, struct elf_file *elf,
			uint64_t *shift);

#endif
