/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The PMUs that the kernel shows under /sys/bus/event_source/devices.
 *
 * A PMU has a type, a format (which bits of which config word a term fills), named events with
 * scale and unit, and CPUs on which it can be opened.  The folder is listed once; what is inside a
 * PMU is read when it is first named.
 */
#ifndef EVENT_PMU_H
#define EVENT_PMU_H

#include "event/event.h"
#include "event/term.h"

struct catalog;
struct err;

#define PMU_WORDS 4 /* config, config1, config2, config3 */

struct pmu_format {
	const char *name;
	int word;
	uint64_t mask; /* its bits in that word; they may lie apart */
};

struct pmu_event {
	const char *name, *terms, *unit;
	double scale;
	bool snapshot;
};

struct pmu {
	const char *name;
	uint32_t type;
	bool loaded;
	bool core;	    /* counts what the CPUs themselves do */
	bool cpu_wide_only; /* has a cpumask */
	struct cpuset cpus; /* of cpumask or cpus; empty: everywhere */
	const char *caps;   /* "branches=32 max_precise=3", "" if it has none */
	VEC(struct pmu_format) formats;
	VEC(struct pmu_event) events;
};

struct pmus VEC_OF(struct pmu);

extern const struct event_source source_pmu;

/* The PMUs of the machine, sorted by name; never NULL. */
struct pmus *pmus_get(struct catalog *catalog);
void pmus_free(struct pmus *pmus);

/* The PMU with exactly this name, with its insides read; NULL if there is none. */
struct pmu *pmu_get(struct catalog *catalog, const char *name);

/*
 * Whether `given` means this PMU: its name, a pattern, or the name without a number at its end
 * (uncore_imc for uncore_imc_0, and imc too).
 */
bool pmu_matches(const char *given, const char *name);

/*
 * Adds one event for each PMU that `given` means, encoded by its format.  Gives how many, 0 if
 * there is no such PMU; on failure *bad is the index of the term that is wrong.
 */
int pmu_add(struct catalog *catalog, const char *given, const struct terms *terms,
	    struct event_list *list, size_t *bad, struct err *err);

/* Encodes terms into an event that has the PMU's type; *bad as above. */
int pmu_encode(struct catalog *catalog, const struct pmu *pmu, const struct terms *terms,
	       struct event *event, size_t *bad, struct err *err);

/*
 * Adds a generic hardware, cache or raw event: one, or one for each kind of core where the machine
 * has several, named "cpu_core/NAME/".
 */
void pmu_add_core(struct catalog *catalog, struct event_list *list, enum event_kind kind,
		  uint32_t type, uint64_t config, const char *name, size_t length);

#endif
