/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a process does to its files, step by step: the test program's own write, fsync, rename and
 * the like take the place of libc's, for the store and for SQLite.  They can be counted, and one of
 * them can be the last that a process does, or the first that finds no space.  Nothing is ever
 * synced: tests are to be quick, and none of them cuts the power.
 */
#ifndef UNIT_STORE_STEPS_H
#define UNIT_STORE_STEPS_H

enum steps_what {
	STEPS_COUNT,
	STEPS_KILL, /* SIGKILL instead of step `at` */
	STEPS_FULL, /* from step `at` on nothing can be written: ENOSPC */
};

void steps_begin(enum steps_what what, long at);
long steps_end(void); /* steps since then */

#endif
