/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Build-ids: the name that the linker gives a program's contents, as a note in the file.
 *
 * Only what recording needs: finding the note by the program headers, without libelf, on
 * descriptors of files that may change or end under us.
 */
#ifndef PERFDATA_BUILDID_H
#define PERFDATA_BUILDID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUILD_ID_SIZE 20 /* what a record has room for; longer ids are cut, as perf cuts them */

struct build_id {
	uint8_t size; /* 0: there is none */
	uint8_t bytes[BUILD_ID_SIZE];
};

/* In the contents of a note section; 0, -ENOENT if there is none, -EBADMSG if it is damaged. */
int build_id_of_notes(struct build_id *id, const void *notes, size_t size, size_t align);

/* In an ELF file of this machine's byte order; -ENOEXEC if it is none. */
int build_id_of_fd(struct build_id *id, int fd);

/* Of the running kernel, and of one of its modules. */
int build_id_of_kernel(struct build_id *id);
int build_id_of_module(struct build_id *id, const char *module);

#endif
