/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine that was recorded, as its records tell it: processes, threads, their names and
 * mappings, in order of time.
 *
 * Give it the records that perfdata/sort.h hands out; ask between two of them, and the answer is as
 * of then.  A process is (pid, generation): a pid that is used again, and a process after exec, are
 * new generations with an id of their own, by which anything that was remembered of addresses is to
 * be keyed.
 */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include "machine/maps.h"
#include "machine/object.h"
#include "machine/thread.h"
#include <linux/perf_event.h>

struct guest_sources;
struct perf_reader;
struct sample;

struct machine;

struct machine *machine_new(void);
void machine_free(struct machine *machine);

/* What ran in guests is wanted too, if any of these is given; before anything else is taken.
 * Records of guests that were merged into the host's want it as well. */
void machine_use_guests(struct machine *machine, const struct guest_sources *from);

/* Takes the build-ids of the file's table, which also say how the kernel's image is called. */
void machine_take_build_ids(struct machine *machine, struct perf_reader *reader);

/*
 * Takes MMAP, MMAP2, COMM, FORK, EXIT, KSYMBOL, CGROUP, BUILD_ID and ID_INDEX records, passes over
 * all others. `size` is the record's without the id fields at its end.
 */
void machine_take(struct machine *machine, const struct perf_event_header *header, size_t size);

/* Whether records of that type change nothing, neither here nor in what is known of events. */
bool machine_passes_over(uint32_t type);

/* The host's thread, made if no record has told of it yet. */
struct thread *machine_thread(struct machine *machine, uint32_t pid, uint32_t tid);
/* The one that a sample is of; NULL if it ran in a guest and those are not wanted. */
struct thread *machine_sample_thread(struct machine *machine, const struct sample *sample);

/* Of an event that was recorded in a guest: the process that this runs in, and which CPU it is. */
bool machine_guest(const struct machine *machine, uint64_t id, uint32_t *pid, uint32_t *vcpu);

/* What an address belongs to in a mode (PERF_RECORD_MISC_USER, _KERNEL ...); NULL if unknown. */
const struct mapping *machine_find(struct machine *machine, const struct thread *thread,
				   uint8_t cpumode, uint64_t address);

/*
 * A number for the mappings that machine_find looks at: another one after every change of them, the
 * same for a process and its forks that have changed nothing yet.  0: there are none in that mode.
 */
uint32_t machine_space(const struct machine *machine, const struct thread *thread, uint8_t cpumode);

/* The kernel that a thread runs on, or OBJECT_NONE if nothing told of it yet. */
uint32_t machine_kernel(const struct thread *thread);

/* A cgroup's path by the id that samples carry; NULL if no record told it. */
const char *machine_cgroup(const struct machine *machine, uint64_t id);

const struct object *machine_object(const struct machine *machine, uint32_t index);
size_t machine_object_count(const struct machine *machine);

#endif
