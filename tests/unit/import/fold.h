/* SPDX-License-Identifier: Apache-2.0 */
/* Texts imported and written as folded lines: what an importer has understood, in one string. */
#ifndef UNIT_IMPORT_FOLD_H
#define UNIT_IMPORT_FOLD_H

#include "import/import.h"

/* Free it.  The profile is freed too; the rest of *result can be looked at. */
char *fold_bytes(const void *bytes, size_t size, const struct import_options *options,
		 struct import_result *result);
char *fold_text(const char *text, struct import_result *result);

#endif
