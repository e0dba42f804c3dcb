/* SPDX-License-Identifier: Apache-2.0 */
/* Environment and folder that a workload is started with. */
#ifndef JOBS_WORKLOAD_SPEC_H
#define JOBS_WORKLOAD_SPEC_H

#include "base/vec.h"
#include <stdint.h>

struct child_failure;
struct err;
struct identity;
struct wordlist;

/* A small standard one, and over it what was asked for; NULL at the end, strlist_free() it. */
struct strlist workload_environment(const struct identity *who, uint64_t run, const char *tag,
				    const struct wordlist *more);
/* What was asked for, else the user's home, else /. */
const char *workload_folder(const struct identity *who, const char *asked);

/* Where its program is looked for unless its environment says else. */
const char *workload_path(const struct identity *who);

struct workload_names {
	const char *program, *folder, *cpus, *user; /* user: who it runs as */
};

/* Why it could not be started, for people: "the reason; what to do about it". */
void workload_failure(const struct child_failure *failure, const struct workload_names *names,
		      struct err *err);

#endif
