/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Build-ids: the name that the linker gives a program's contents, as a note in the file.
 *
 * build_id_of_fd is what recording needs: it finds the note by the program headers alone, on
 * descriptors of files that may change or end under us.  symbol/elf.h looks at sections too.
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

/*
 * In the contents of a note section, whose numbers may be of the other byte order; 0, -ENOENT if
 * there is none, -EBADMSG if it is damaged.
 */
int build_id_of_notes(struct build_id *id, const void *notes, size_t size, size_t align,
		      bool swapped);

/* Two that are not known are the same. */
bool build_id_same(const struct build_id *a, const struct build_id *b);

/* In hexadecimal; "" for none. */
#define BUILD_ID_TEXT (2 * BUILD_ID_SIZE + 1)
char *build_id_text(char into[static BUILD_ID_TEXT], const struct build_id *id);

/* In an ELF file of this machine's byte order; -ENOEXEC if it is none. */
int build_id_of_fd(struct build_id *id, int fd);

/* Of the running kernel, and of one of its modules. */
int build_id_of_kernel(struct build_id *id);
int build_id_of_module(struct build_id *id, const char *module);

#endif
