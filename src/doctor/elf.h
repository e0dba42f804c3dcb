/* SPDX-License-Identifier: Apache-2.0 */
/* Just enough of ELF to tell which names and debug information a file brings along. */
#ifndef DOCTOR_ELF_H
#define DOCTOR_ELF_H

#include <stdbool.h>
#include <stddef.h>

struct elf_facts {
	bool symtab;	    /* .symtab: the names of all its functions */
	bool mini_debug;    /* .gnu_debugdata: the same, packed */
	bool debug_info;    /* .debug_info: source lines */
	char build_id[130]; /* in hexadecimal, "" if there is none */
};

/* False if it is no 64-bit ELF file of this byte order, or is cut. */
bool elf_look(struct elf_facts *facts, const void *bytes, size_t size);

#endif
