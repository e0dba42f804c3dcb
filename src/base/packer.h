/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text on its way to a file, packed as gzip or zstd.  Both are set to be quick rather than small:
 * what is written here is repetitive and shrinks to a tenth either way.
 */
#ifndef BASE_PACKER_H
#define BASE_PACKER_H

#include <stddef.h>

enum packing { PACK_NOT, PACK_GZIP, PACK_ZSTD };

/* What the end of a file's name says: ".gz" or ".zst". */
enum packing packing_of_name(const char *name);
/* ".gz", ".zst" or "". */
const char *packing_suffix(enum packing packing);

struct packer;

struct packer *packer_new(int fd, enum packing packing);
/* 0 or a negative errno value. */
int packer_write(struct packer *packer, const void *bytes, size_t size);
/* Ends the packed stream, and the packer; the descriptor stays open. */
int packer_end(struct packer *packer);

#endif
