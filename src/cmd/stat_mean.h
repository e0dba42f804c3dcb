/* SPDX-License-Identifier: Apache-2.0 */
/* Several runs' tables as one: every cell a mean with its standard error. */
#ifndef CMD_STAT_MEAN_H
#define CMD_STAT_MEAN_H

#include "render/stat.h"

struct stat_mean;

struct stat_mean *stat_mean_new(void);
void stat_mean_free(struct stat_mean *mean);

/* Adds one run.  The columns must be the same every time; places may come and go (threads). */
void stat_mean_add(struct stat_mean *mean, const struct stat_table *table);

/* The mean of all that were added; its columns are borrowed from the last one. */
const struct stat_table *stat_mean_table(struct stat_mean *mean);

#endif
