/* SPDX-License-Identifier: Apache-2.0 */
/* Files from debuginfod servers, by way of libdebuginfod if that is installed. */
#ifndef SYMBOL_DEBUGINFOD_H
#define SYMBOL_DEBUGINFOD_H

#include "perfdata/buildid.h"
#include <stdatomic.h>

enum debuginfod_kind { DEBUGINFOD_EXECUTABLE, DEBUGINFOD_DEBUGINFO };

/*
 * The path of the file in libdebuginfod's own cache, asking the servers of DEBUGINFOD_URLS if need
 * be; NULL if they do not have it, or are not done within DEBUGINFOD_LIMIT_S.  Free it.  *failures
 * counts those without an answer; after DEBUGINFOD_PATIENCE of them nobody is asked any more.
 */
#define DEBUGINFOD_LIMIT_S  30
#define DEBUGINFOD_PATIENCE 2
char *debuginfod_find(const struct build_id *id, enum debuginfod_kind kind, atomic_int *failures);

#endif
