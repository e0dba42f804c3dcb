/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The role of the server that reads what strangers made: recordings, imports, the files they name.
 *
 * One process a job.  It fences itself in, is told over its channel (analysis_protocol) what to do
 * and gets every file as a descriptor; whatever becomes of it, a run has failed and nothing else.
 */
#ifndef CMD_ANALYSER_H
#define CMD_ANALYSER_H

#include <stdbool.h>
#include <stdint.h>

struct analyser_start {
	int channel;
	int kallsyms;  /* /proc/kallsyms, opened by one who sees addresses in it; -1: none.  What is
			  imported gets names from it only if it is of this kernel: symbol/symbol.h
			*/
	bool imported; /* what came from outside; unless it is a recording that says to be of this
			  host, no file of this host is read for it */
	uint64_t memory;  /* bytes of address space; 0: half of the machine's memory */
	uint64_t cpu_s;	  /* of CPU; 0: ten minutes */
	const char *user; /* "UID:GID:SHIELD" of jobs/sandbox.h; NULL or "": who we are */
};

/* With no descriptors but its channel.  Ends the process. */
_Noreturn void analyser_main(const struct analyser_start *start);

#endif
