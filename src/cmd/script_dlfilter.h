/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filters that somebody compiled: --dlfilter FILE.so, with the interface that perf-dlfilter(1)
 * describes.
 *
 * The library says of each sample whether it is shown; it may ask where the sample is.  It runs in
 * this process, as the user chose it.
 */
#ifndef CMD_SCRIPT_DLFILTER_H
#define CMD_SCRIPT_DLFILTER_H

#include "base/vec.h"
#include "machine/machine.h"
#include "perfdata/sample.h"
#include "render/script_symbol.h"

struct dlfilter;
struct err;

/* A file without a slash is looked for here and where perf keeps its own.  NULL on failure. */
struct dlfilter *dlfilter_open(const char *file, const struct strlist *args,
			       struct script_symbols *symbols, struct err *err);
/* 1: show it, 0: leave it out, -EIO: the filter failed. */
int dlfilter_takes(struct dlfilter *filter, const struct perf_attr *attr,
		   const struct sample *sample, const struct thread *thread, struct err *err);
void dlfilter_close(struct dlfilter *filter);

/* Prints the filters of the current folder and of perf's, with their descriptions. */
void dlfilter_list(void);

#endif
