/* SPDX-License-Identifier: Apache-2.0 */
/* Environment and folder that a workload is started with. */
#ifndef JOBS_WORKLOAD_SPEC_H
#define JOBS_WORKLOAD_SPEC_H

#include "base/vec.h"
#include <stdint.h>

struct child_failure;
struct err;
struct policy;
struct wordlist;

/* A small standard one, and over it what was asked for; NULL at the end, strlist_free() it. */
struct strlist workload_environment(const struct policy *policy, uint64_t run, const char *tag,
				    const struct wordlist *more);
/* What was asked for, else the user's home, else /. */
const char *workload_folder(const struct policy *policy, const char *asked);

/* Why it could not be started, for people. */
void workload_failure(const struct child_failure *failure, const char *program, const char *folder,
		      const char *cpus, struct err *err);

#endif
