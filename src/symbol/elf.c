// SPDX-License-Identifier: Apache-2.0
#include "symbol/elf.h"
#include "base/mem.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#if __BYTE_ORDER == __LITTLE_ENDIAN
#define OUR_ORDER ELFDATA2LSB
#else
#define OUR_ORDER ELFDATA2MSB
#endif

#define NOTES_MAX    (1 << 20)
#define SEGMENTS_MAX 1024 /* programs have a dozen; each address is looked for in all of them */

/* Fields of a header in their order; those of type Word, Off and Addr depend on the class. */
struct fields {
	const struct elf_file *elf;
	const unsigned char *at;
};

static uint16_t take16(struct fields *f)
{
	f->at += 2;
	return elf_u16(f->elf, f->at - 2);
}

static uint32_t take32(struct fields *f)
{
	f->at += 4;
	return elf_u32(f->elf, f->at - 4);
}

static uint64_t take_word(struct fields *f)
{
	f->at += f->elf->wide ? 8 : 4;
	return elf_word(f->elf, f->at - (f->elf->wide ? 8 : 4));
}

/* Where the tables are and how long, from the file's header. */
struct tables {
	uint64_t segments, sections;
	uint32_t segment_count, section_count, names;
	uint16_t segment_size, section_size;
};

static struct tables read_header(struct elf_file *elf, const unsigned char *header)
{
	struct fields f = { elf, header + EI_NIDENT };
	struct tables t;

	elf->type = take16(&f);
	elf->machine = take16(&f);
	take32(&f);    /* version */
	take_word(&f); /* entry */
	t.segments = take_word(&f);
	t.sections = take_word(&f);
	take32(&f); /* flags */
	take16(&f); /* its own size */
	t.segment_size = take16(&f);
	t.segment_count = take16(&f);
	t.section_size = take16(&f);
	t.section_count = take16(&f);
	t.names = take16(&f);
	return t;
}

static struct elf_section read_section(const struct elf_file *elf, const unsigned char *at)
{
	struct fields f = { elf, at };
	struct elf_section s;

	s.name = take32(&f);
	s.type = take32(&f);
	s.flags = take_word(&f);
	s.addr = take_word(&f);
	s.offset = take_word(&f);
	s.size = take_word(&f);
	s.link = take32(&f);
	s.info = take32(&f);
	s.align = take_word(&f);
	s.entry_size = take_word(&f);
	return s;
}

static struct elf_segment read_segment(const struct elf_file *elf, const unsigned char *at)
{
	struct fields f = { elf, at };
	struct elf_segment s;

	s.type = take32(&f);
	if (elf->wide)
		s.flags = take32(&f);
	s.offset = take_word(&f);
	s.addr = take_word(&f);
	take_word(&f); /* the physical address */
	s.file_size = take_word(&f);
	s.memory_size = take_word(&f);
	if (!elf->wide)
		s.flags = take32(&f);
	s.align = take_word(&f);
	return s;
}

/* More than 65,279 sections or segments: section 0 holds the true numbers. */
static void read_long_counts(const struct elf_file *elf, struct tables *t)
{
	unsigned char bytes[sizeof(Elf64_Shdr)];
	struct elf_section first;

	if (!t->sections ||
	    (t->section_count && t->names != SHN_XINDEX && t->segment_count != PN_XNUM))
		return;
	if (!image_read(&elf->image, t->sections, bytes, t->section_size))
		return;
	first = read_section(elf, bytes);
	if (!t->section_count && first.size <= UINT32_MAX)
		t->section_count = (uint32_t)first.size;
	if (t->names == SHN_XINDEX)
		t->names = first.link;
	if (t->segment_count == PN_XNUM)
		t->segment_count = first.info;
}

static int load_sections(struct elf_file *elf, const struct tables *t)
{
	unsigned char *bytes;

	if (!t->sections || !t->section_count)
		return 0;
	bytes = image_load(&elf->image, t->sections, (uint64_t)t->section_count * t->section_size);
	if (!bytes)
		return -EBADMSG;
	elf->sections = mem_resize(NULL, t->section_count, sizeof(*elf->sections));
	elf->section_count = t->section_count;
	for (uint32_t i = 0; i < t->section_count; i++)
		elf->sections[i] = read_section(elf, bytes + (size_t)i * t->section_size);
	free(bytes);
	if (t->names < elf->section_count) {
		elf->names = (char *)elf_section_load(elf, &elf->sections[t->names]);
		elf->names_size = elf->names ? elf->sections[t->names].size : 0;
	}
	return 0;
}

static int load_segments(struct elf_file *elf, const struct tables *t)
{
	uint32_t count = t->segment_count < SEGMENTS_MAX ? t->segment_count : SEGMENTS_MAX;
	unsigned char *bytes;

	if (!t->segments || !count)
		return 0;
	bytes = image_load(&elf->image, t->segments, (uint64_t)count * t->segment_size);
	if (!bytes)
		return -EBADMSG;
	elf->segments = mem_resize(NULL, count, sizeof(*elf->segments));
	elf->segment_count = count;
	for (uint32_t i = 0; i < count; i++)
		elf->segments[i] = read_segment(elf, bytes + (size_t)i * t->segment_size);
	free(bytes);
	return 0;
}

static int open_tables(struct elf_file *elf)
{
	unsigned char header[sizeof(Elf64_Ehdr)] = { 0 };
	struct tables t;
	int rc;

	if (!image_read(&elf->image, 0, header, sizeof(Elf32_Ehdr)) ||
	    memcmp(header, ELFMAG, SELFMAG))
		return -ENOEXEC;
	if ((header[EI_CLASS] != ELFCLASS32 && header[EI_CLASS] != ELFCLASS64) ||
	    (header[EI_DATA] != ELFDATA2LSB && header[EI_DATA] != ELFDATA2MSB))
		return -ENOEXEC;
	elf->wide = header[EI_CLASS] == ELFCLASS64;
	elf->swapped = header[EI_DATA] != OUR_ORDER;
	if (elf->wide && !image_read(&elf->image, 0, header, sizeof(header)))
		return -EBADMSG;
	t = read_header(elf, header);
	if ((t.sections &&
	     t.section_size != (elf->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr))) ||
	    (t.segments && t.segment_count &&
	     t.segment_size != (elf->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr))))
		return -EBADMSG;
	read_long_counts(elf, &t);
	rc = load_segments(elf, &t);
	return rc ? rc : load_sections(elf, &t);
}

int elf_file_open(struct elf_file *elf, struct image image)
{
	int rc;

	*elf = (struct elf_file){ .image = image };
	rc = open_tables(elf);
	if (rc)
		elf_file_close(elf);
	return rc;
}

void elf_file_close(struct elf_file *elf)
{
	image_close(&elf->image);
	free(elf->sections);
	free(elf->segments);
	free(elf->names);
	*elf = (struct elf_file){ 0 };
}

const char *elf_section_name(const struct elf_file *elf, const struct elf_section *section)
{
	return section->name < elf->names_size ? elf->names + section->name : "";
}

const struct elf_section *elf_section_find(const struct elf_file *elf, const char *name)
{
	for (uint32_t i = 1; i < elf->section_count; i++)
		if (!strcmp(elf_section_name(elf, &elf->sections[i]), name))
			return &elf->sections[i];
	return NULL;
}

unsigned char *elf_section_load(const struct elf_file *elf, const struct elf_section *section)
{
	if (section->type == SHT_NOBITS)
		return NULL;
	return image_load(&elf->image, section->offset, section->size);
}

static bool search_notes(const struct elf_file *elf, uint64_t offset, uint64_t size, uint64_t align,
			 struct build_id *id)
{
	unsigned char *notes;
	int rc;

	if (!size || size > NOTES_MAX)
		return false;
	notes = image_load(&elf->image, offset, size);
	if (!notes)
		return false;
	rc = build_id_of_notes(id, notes, size, align, elf->swapped);
	free(notes);
	return rc == 0;
}

/*
 * By sections first: in a file that holds only debug information the segments' offsets are those of
 * the program it was taken from.  The vdso and sstripped programs have no sections.
 */
bool elf_file_build_id(const struct elf_file *elf, struct build_id *id)
{
	*id = (struct build_id){ 0 };
	for (uint32_t i = 1; i < elf->section_count; i++) {
		const struct elf_section *s = &elf->sections[i];

		/* Files that dwz makes load nothing. */
		if (s->type == SHT_NOTE &&
		    (s->flags & SHF_ALLOC ||
		     !strcmp(elf_section_name(elf, s), ".note.gnu.build-id")) &&
		    search_notes(elf, s->offset, s->size, s->align, id))
			return true;
	}
	for (uint32_t i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *s = &elf->segments[i];

		if (s->type == PT_NOTE && search_notes(elf, s->offset, s->file_size, s->align, id))
			return true;
	}
	return false;
}

const struct elf_segment *elf_segment_of(const struct elf_file *elf, uint64_t addr)
{
	for (uint32_t i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *s = &elf->segments[i];
		uint64_t size = s->memory_size > s->file_size ? s->memory_size : s->file_size;

		if (s->type == PT_LOAD && addr >= s->addr && addr - s->addr < size)
			return s;
	}
	return NULL;
}
