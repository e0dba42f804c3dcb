/* SPDX-License-Identifier: Apache-2.0 */
/* A folder for one test; one at a time. */
#ifndef UNIT_SYMBOL_FOLDER_H
#define UNIT_SYMBOL_FOLDER_H

#include <fcntl.h>
#include <stddef.h>

char *folder_new(void);			   /* its path, which the folder keeps */
const char *folder_path(const char *name); /* holds until the next call but seven */
void folder_put(const char *name, const void *bytes, size_t size); /* folders are made */
void folder_link(const char *name, const char *to);
void folder_remove(void);

#endif
