/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding the files of an object: the one that ran, and the one that has its names.
 *
 * A file is taken if it has the build-id of the recording; a candidate that has another one is
 * remembered as trouble.  Without a build-id in the recording the path must do, on this machine: a
 * file that can't be mapped as the recording tells is another one, and one that has changed since
 * the recording, or is mapped in other pieces, may be.
 */
#ifndef SYMBOL_FIND_H
#define SYMBOL_FIND_H

#include "base/buf.h"
#include "symbol/debuginfod.h"
#include "symbol/elf.h"
#include "symbol/store.h"
#include "symbol/symbol.h"

enum finder_wish { FIND_NAMES, FIND_LINES }; /* .symtab, .debug_info */

struct finder {
	struct symbol_store *store;
	const char *path;
	struct build_id wanted; /* once a file is found: its own, if the recording had none */
	uint64_t inode;		/* until a file is found: it must have this one; 0: any */
	struct dso_mapped mapped;
	bool by_path;	/* a file is taken by its path on this machine, if no build-id tells it */
	bool doubted;	/* so the one that was found was, and it may be another one */
	uint32_t guest; /* that it is of, as in struct dso_key */
	const pid_t *pids; /* of those that mapped it */
	size_t pid_count;
	enum dso_state trouble; /* DSO_MISSING, or worse as candidates are tried */
	enum finder_wish wish;	/* what a file of debug information must have */
	struct buf source;	/* path of the file opened last */
};

/* The program or library itself.  False if it is not found. */
bool find_code(struct finder *finder, struct elf_file *code);

/* A file of debug information for it, as wished; code may be NULL if that is missing. */
bool find_debug(struct finder *finder, const struct elf_file *code, struct elf_file *debug);

/* The file that was found, if it has what is wished for; else it is closed. */
bool find_useful(const struct finder *finder, struct elf_file *elf, bool found);

/* By the key of an object; free its source. */
struct finder finder_of(struct dso *object);

/* A candidate by its place; ok only with the right build-id. */
bool find_try(struct finder *finder, const char *root, const char *path, struct elf_file *elf);

/* The same by its path on the recorded machine: below symfs, in the process' root, here. */
bool find_place(struct finder *finder, const char *path, struct elf_file *elf);

/* NAME in the folder of the build-id below the build-id folder: "elf", "debug", "vdso". */
bool find_try_cached(struct finder *finder, const char *name, struct elf_file *elf);

/* What a server has of the wanted build, if we may ask. */
bool find_try_debuginfod(struct finder *finder, enum debuginfod_kind kind, struct elf_file *elf);

#endif
