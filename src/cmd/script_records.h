/* SPDX-License-Identifier: Apache-2.0 */
/* The records among the samples that `script` shows when asked to: --show-mmap-events and others.
 */
#ifndef CMD_SCRIPT_RECORDS_H
#define CMD_SCRIPT_RECORDS_H

#include "cmd/script_filter.h"
#include "perfdata/sort.h"
#include "render/script_text.h"

struct script_shown {
	bool tasks, mmaps, switches, namespaces, cgroups, lost, bpf, rounds, pokes;
};

/* Whether records of that type are among them. */
bool script_records_shows(const struct script_shown *shown, uint32_t type);

/* Prints the record if it is one of those. */
void script_records_print(const struct script_shown *shown, const struct script_filter *filter,
			  struct script_text *text, const struct sorted_record *rec);

#endif
