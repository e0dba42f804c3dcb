// SPDX-License-Identifier: Apache-2.0
#include "doctor/elf.h"

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* [off, off + size) if it lies inside the file, else NULL. */
static const char *inside(const char *bytes, size_t all, uint64_t off, uint64_t size)
{
	return off <= all && size <= all - off ? bytes + off : NULL;
}

static void read_build_id(struct elf_facts *facts, const char *note, size_t size)
{
	Elf64_Nhdr head;
	size_t name_size;

	if (size < sizeof(head))
		return;
	memcpy(&head, note, sizeof(head));
	name_size = (head.n_namesz + 3ul) & ~3ul;
	if (head.n_type != NT_GNU_BUILD_ID || name_size > size - sizeof(head) ||
	    head.n_descsz > size - sizeof(head) - name_size || head.n_descsz > 64)
		return;
	note += sizeof(head) + name_size;
	for (size_t i = 0; i < head.n_descsz; i++)
		snprintf(facts->build_id + 2 * i, 3, "%02x", (unsigned char)note[i]);
}

static void look_at_section(struct elf_facts *facts, const char *name, const char *data,
			    size_t size)
{
	if (!strcmp(name, ".symtab"))
		facts->symtab = true;
	else if (!strcmp(name, ".gnu_debugdata"))
		facts->mini_debug = true;
	else if (!strcmp(name, ".debug_info"))
		facts->debug_info = true;
	else if (!strcmp(name, ".note.gnu.build-id") && data)
		read_build_id(facts, data, size);
}

bool elf_look(struct elf_facts *facts, const void *bytes, size_t size)
{
	const char *table, *names;
	Elf64_Shdr names_head;
	Elf64_Ehdr head;

	*facts = (struct elf_facts){ 0 };
	if (size < sizeof(head))
		return false;
	memcpy(&head, bytes, sizeof(head));
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    head.e_ident[EI_DATA] !=
		(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB) ||
	    head.e_shentsize != sizeof(Elf64_Shdr) || head.e_shstrndx >= head.e_shnum)
		return false;
	table = inside(bytes, size, head.e_shoff, (uint64_t)head.e_shnum * sizeof(Elf64_Shdr));
	if (!table)
		return false;
	memcpy(&names_head, table + head.e_shstrndx * sizeof(names_head), sizeof(names_head));
	names = inside(bytes, size, names_head.sh_offset, names_head.sh_size);
	if (!names || !names_head.sh_size || names[names_head.sh_size - 1])
		return false;
	for (unsigned i = 0; i < head.e_shnum; i++) {
		Elf64_Shdr section;

		memcpy(&section, table + i * sizeof(section), sizeof(section));
		if (section.sh_name < names_head.sh_size)
			look_at_section(facts, names + section.sh_name,
					inside(bytes, size, section.sh_offset, section.sh_size),
					section.sh_size);
	}
	return true;
}
