// SPDX-License-Identifier: Apache-2.0
#include "doctor/elf.h"
#include "symbol/elf.h"

_Static_assert(sizeof(((struct elf_facts *)0)->build_id) == BUILD_ID_TEXT, "room for any build-id");

bool elf_look(struct elf_facts *facts, struct image image)
{
	struct elf_file elf;
	struct build_id id;

	*facts = (struct elf_facts){ 0 };
	if (elf_file_open(&elf, image))
		return false;
	facts->symtab = elf_section_find(&elf, ".symtab");
	facts->mini_debug = elf_section_find(&elf, ".gnu_debugdata");
	facts->debug_info = elf_section_find(&elf, ".debug_info");
	elf_file_build_id(&elf, &id);
	build_id_text(facts->build_id, &id);
	elf_file_close(&elf);
	return true;
}
