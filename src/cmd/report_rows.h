/* SPDX-License-Identifier: Apache-2.0 */
/* The samples that -U, several times and --switch-on leave. */
#ifndef CMD_REPORT_ROWS_H
#define CMD_REPORT_ROWS_H

#include "cmd/report_options.h"

/* A byte for each row of the profile, to be freed; NULL if all are taken. */
int report_choose_rows(const struct report_args *args, const struct profile *profile,
		       uint8_t **rows, struct err *err);

#endif
