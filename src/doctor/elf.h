/* SPDX-License-Identifier: Apache-2.0 */
/* Which names and debug information a file brings along. */
#ifndef DOCTOR_ELF_H
#define DOCTOR_ELF_H

#include "symbol/image.h"
#include <stdbool.h>

struct elf_facts {
	bool symtab;	   /* .symtab: the names of all its functions */
	bool mini_debug;   /* .gnu_debugdata: the same, packed */
	bool debug_info;   /* .debug_info: source lines */
	char build_id[41]; /* in hexadecimal, "" if there is none */
};

/* False if it is no ELF file, or is cut.  Takes the image over. */
bool elf_look(struct elf_facts *facts, struct image image);

#endif
