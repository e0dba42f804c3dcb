/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of CPU models, by libpfm.
 *
 * libpfm brings a perf_event.h of its own that clashes with the kernel's, so this header has
 * neither, and model.c is the only file that includes libpfm's.  The library keeps its state in
 * globals: it is set up once, by whoever asks first, and only read afterwards.
 */
#ifndef EVENT_MODEL_H
#define EVENT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

struct model_pmu {
	const char *name;  /* "bdw_ep" */
	const char *title; /* "Intel Broadwell EP" */
	int id;
	bool core;    /* else uncore */
	bool present; /* this machine's */
};

/* Gives the PMU at *next and moves on; false after the last.  *next starts as 0. */
bool model_next_pmu(int *next, struct model_pmu *pmu);

/* One name: an event, or an event with one of its unit masks. */
struct model_event {
	const char *event, *umask; /* umask is NULL for an event that has none */
	const char *about, *umask_about;
};

typedef int model_visit(const struct model_event *event, void *user);

int model_each(const struct model_pmu *pmu, model_visit *visit, void *user);

#define MODEL_ELSEWHERE UINT32_MAX /* a type that no kernel gives: it can't be opened here */

struct model_code {
	uint32_t type; /* of perf_event_attr */
	uint64_t config, config1, config2;
	bool no_user, no_kernel; /* u or k stood among the event's attributes */
};

/*
 * Encodes "EVENT:UMASK:c=1" (or with dots) for a PMU.  -ENOENT if it has no such event; any other
 * negative value is an event with something wrong behind it, which *err explains.
 */
int model_encode(const struct model_pmu *pmu, const char *text, struct model_code *code,
		 struct err *err);

/* Whether `word` is a unit mask of the event that text begins with. */
bool model_has_umask(const struct model_pmu *pmu, const char *text, const char *word);

#endif
