/* SPDX-License-Identifier: Apache-2.0 */
/* Writing samples in the formats that hold all events in one file. */
#ifndef CMD_EXPORT_OUTPUT_H
#define CMD_EXPORT_OUTPUT_H

#include "cmd/flame_output.h"

struct selection;

/* The samples that a job is about; selection_free() them. */
int export_select(struct selection *selection, const struct flame_job *job, struct err *err);

/* Writes every event, or the one that -e names; says what was written on stderr. */
int export_write(const struct flame_job *job, struct err *err);

#endif
