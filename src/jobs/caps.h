/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of root's capabilities each of the server's processes keeps: what it uses, and no other.
 *
 * docs/security.md has the same as a table, which tests/live/serve_processes.py compares with the
 * processes that really run.
 */
#ifndef JOBS_CAPS_H
#define JOBS_CAPS_H

#include <stdbool.h>
#include <stdint.h>

typedef uint64_t caps; /* bits 1 << CAP_... */

#define CAPS_NONE ((caps)0)
#define CAPS_ALL  (~(caps)0) /* as they are */

caps caps_guard(void);	    /* ends what was left */
caps caps_supervisor(void); /* starts all others */
caps caps_measuring(void);  /* stat, record, and what tries events out */
caps caps_doctor(void);	    /* tries all that can be measured */
caps caps_looking(void);    /* at other processes in /proc */
caps caps_owner(void);	    /* at the data folder, as its owner */
caps caps_analyser(void);   /* until it has become the run's account */
caps caps_sweeping(void);   /* removes others' files */

/* What it starts, and by an exec it itself, can't have others; between fork and exec. */
void caps_bound(caps kept);
/* The same at once, in all sets.  0 or a negative errno value. */
int caps_keep(caps kept);

#endif
