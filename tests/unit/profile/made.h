/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles made by hand: "main;work;sort" is a stack, from the root. */
#ifndef UNIT_PROFILE_MADE_H
#define UNIT_PROFILE_MADE_H

#include "profile/profile.h"

/* An empty profile with one event and one object, "/bin/prog". */
struct profile *made_profile(void);
uint32_t made_stack(struct profile *profile, const char *frames);
uint32_t made_thread(struct profile *profile, uint32_t pid, uint32_t tid, const char *comm);
/* A sample at `time` of thread 0 on CPU 0. */
void made_sample(struct profile *profile, uint64_t time, const char *frames, uint64_t weight);

#endif
