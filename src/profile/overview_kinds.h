/* SPDX-License-Identifier: Apache-2.0 */
/* What functions of the kernel tell of the stacks that they are in. */
#ifndef PROFILE_OVERVIEW_KINDS_H
#define PROFILE_OVERVIEW_KINDS_H

#include "profile/overview.h"

/* The first that a stack holds, in this order, is what it belongs to. */
enum work { WORK_PROCESS, WORK_FAULT, WORK_CALL, WORK_KINDS };

#define SIGN_WORK(work) (1u << (work))
#define SIGN_WAIT(wait) (1u << (8 + (wait)))
#define SIGN_SWITCH	(1u << 7) /* it leaves its CPU or comes back to it */

/* Of a function of the kernel, by its name. */
uint32_t signs_of(const char *name);

#endif
