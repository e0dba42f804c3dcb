// SPDX-License-Identifier: Apache-2.0
#include "perfdata/buildid.h"
#include "base/cursor.h"
#include "base/file.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NOTES_MAX    (256 * 1024) /* vendors put much into notes, but not more */
#define PROGRAMS_MAX 512

#if __BYTE_ORDER == __LITTLE_ENDIAN
#define ELF_ORDER ELFDATA2LSB
#else
#define ELF_ORDER ELFDATA2MSB
#endif

static size_t padding(size_t size, size_t align)
{
	return (align - size % align) % align;
}

static uint32_t note_u32(struct cursor *c, bool swapped)
{
	uint32_t value = cursor_u32(c);

	return swapped ? __builtin_bswap32(value) : value;
}

int build_id_of_notes(struct build_id *id, const void *notes, size_t size, size_t align,
		      bool swapped)
{
	struct cursor c = cursor_of(notes, size);

	align = align == 8 ? 8 : 4;
	while (cursor_left(&c) >= 3 * sizeof(uint32_t)) {
		uint32_t name_size = note_u32(&c, swapped), text_size = note_u32(&c, swapped);
		uint32_t type = note_u32(&c, swapped);
		const char *name = cursor_bytes(&c, name_size);
		const void *text;

		cursor_bytes(&c, padding(name_size, align));
		text = cursor_bytes(&c, text_size);
		if (c.broken)
			return -EBADMSG;
		if (type == NT_GNU_BUILD_ID && name_size == 4 && !memcmp(name, "GNU", 4) &&
		    text_size) {
			id->size = text_size < BUILD_ID_SIZE ? (uint8_t)text_size : BUILD_ID_SIZE;
			memcpy(id->bytes, text, id->size);
			return 0;
		}
		/* The last note's padding may be missing. */
		if (cursor_left(&c) < padding(text_size, align))
			break;
		cursor_bytes(&c, padding(text_size, align));
	}
	return -ENOENT;
}

/* Old recordings have no size and fill up with zeros what is shorter than 20 bytes. */
bool build_id_same(const struct build_id *a, const struct build_id *b)
{
	static const uint8_t zeros[BUILD_ID_SIZE];
	const struct build_id *shorter = a->size < b->size ? a : b, *longer = shorter == a ? b : a;

	return !memcmp(a->bytes, b->bytes, shorter->size) &&
	       !memcmp(longer->bytes + shorter->size, zeros, longer->size - shorter->size) &&
	       (shorter->size || !longer->size);
}

char *build_id_text(char into[static BUILD_ID_TEXT], const struct build_id *id)
{
	into[0] = '\0';
	for (size_t i = 0; i < id->size && i < BUILD_ID_SIZE; i++)
		snprintf(into + 2 * i, 3, "%02x", id->bytes[i]);
	return into;
}

/* The part of a program header that we need, from either class. */
struct note_segment {
	uint64_t offset, size, align;
	uint32_t type;
};

static struct note_segment segment_of(const unsigned char *at, bool wide)
{
	if (wide) {
		Elf64_Phdr phdr;

		memcpy(&phdr, at, sizeof(phdr));
		return (struct note_segment){ phdr.p_offset, phdr.p_filesz, phdr.p_align,
					      phdr.p_type };
	} else {
		Elf32_Phdr phdr;

		memcpy(&phdr, at, sizeof(phdr));
		return (struct note_segment){ phdr.p_offset, phdr.p_filesz, phdr.p_align,
					      phdr.p_type };
	}
}

static int search_segment(struct build_id *id, int fd, const struct note_segment *segment)
{
	void *notes;
	ssize_t got;
	int rc;

	if (segment->type != PT_NOTE || !segment->size || segment->size > NOTES_MAX ||
	    segment->offset > INT64_MAX)
		return -ENOENT;
	notes = mem_alloc(segment->size);
	got = pread(fd, notes, segment->size, (off_t)segment->offset);
	rc = got < 0 ? -errno : build_id_of_notes(id, notes, (size_t)got, segment->align, false);
	free(notes);
	return rc;
}

static int search_segments(struct build_id *id, int fd, uint64_t offset, size_t count, bool wide)
{
	size_t each = wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	unsigned char table[PROGRAMS_MAX / 8 * sizeof(Elf64_Phdr)];
	size_t room = sizeof(table) / each;
	ssize_t got;

	if (count > PROGRAMS_MAX || offset > INT64_MAX)
		return -ENOENT;
	for (size_t first = 0; first < count; first += room) {
		size_t n = count - first < room ? count - first : room;

		got = pread(fd, table, n * each, (off_t)(offset + first * each));
		if (got < 0)
			return -errno;
		for (size_t i = 0; i < (size_t)got / each; i++) {
			struct note_segment segment = segment_of(table + i * each, wide);

			if (!search_segment(id, fd, &segment))
				return 0;
		}
	}
	return -ENOENT;
}

int build_id_of_fd(struct build_id *id, int fd)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr narrow;
		Elf64_Ehdr wide;
	} head = { 0 };
	ssize_t got = pread(fd, &head, sizeof(head), 0);
	bool wide;

	*id = (struct build_id){ 0 };
	if (got < 0)
		return -errno;
	if (got < (ssize_t)sizeof(Elf32_Ehdr) || memcmp(head.ident, ELFMAG, SELFMAG) ||
	    head.ident[EI_DATA] != ELF_ORDER)
		return -ENOEXEC;
	wide = head.ident[EI_CLASS] == ELFCLASS64;
	if (wide)
		return search_segments(id, fd, head.wide.e_phoff, head.wide.e_phnum, true);
	return search_segments(id, fd, head.narrow.e_phoff, head.narrow.e_phnum, false);
}

static int id_of_note_file(struct build_id *id, const char *path)
{
	size_t size;
	char *notes = file_read(path, &size, NULL);
	int rc;

	*id = (struct build_id){ 0 };
	if (!notes)
		return -errno;
	rc = build_id_of_notes(id, notes, size, 4, false);
	free(notes);
	return rc;
}

int build_id_of_kernel(struct build_id *id)
{
	return id_of_note_file(id, "/sys/kernel/notes");
}

int build_id_of_module(struct build_id *id, const char *module)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", module);
	return id_of_note_file(id, path);
}
