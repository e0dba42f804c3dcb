/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records that describe what is there already when a recording begins: processes, threads, their
 * mappings and namespaces, the kernel and its modules, BPF programs, cgroups.
 *
 * They are as the kernel would have written them, with a time of 0, so that a reader takes them
 * first.  Processes are read by several threads at once; one that ends meanwhile is left out.
 */
#ifndef RECORD_SYNTH_H
#define RECORD_SYNTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct err;
struct owner;

struct synth {
	/*
	 * Takes whole records, called by one thread at a time.  Not 0 ends the work, which then
	 * gives that value.
	 */
	int (*take)(void *user, const void *records, size_t size, struct err *err);
	void *user;

	size_t id_bytes; /* zeroed ids at the end of each record */
	bool build_ids;	 /* in MMAP2, in the place of the file's numbers */
	bool data_maps;	 /* also mappings that are not executable */
	bool namespaces;
	const struct owner *owner; /* of others only what everybody sees: their names */
	bool no_maps;		   /* of processes */
	int64_t map_limit_ns; /* so long may the mappings of a process take to read; 0: any time */
	size_t threads;	      /* that read at once; 0: one a CPU, 8 at most */
};

/* Processes by their ids, or all there are when count is 0. */
int synth_processes(const struct synth *synth, const pid_t *pids, size_t count, struct err *err);

/* Only the name of a process that is about to exec. */
int synth_command(const struct synth *synth, pid_t pid, struct err *err);

/*
 * The kernel's text and its modules.  -EACCES if kallsyms hides the addresses (kptr_restrict):
 * then kernel samples get no names.
 */
int synth_kernel(const struct synth *synth, struct err *err);
int synth_bpf(const struct synth *synth, struct err *err);
int synth_cgroups(const struct synth *synth, const char *mount, struct err *err);

#endif
