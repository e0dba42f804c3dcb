// SPDX-License-Identifier: Apache-2.0
#include "unwind/object.h"
#include "symbol/elf.h"
#include "symbol/maker.h"
#include "test.h"
#include "unwind/maker.h"

#include <zlib.h>

#define TEXT MADE_TEXT_ADDR

/* Two functions with a gap of 0x10 bytes. */
static void make_two(struct made_frames *frames)
{
	make_usual_common(frames);
	make_entry(frames, TEXT + 0x30, 0x20, "\x41\x0e\x20", 3);
	make_entry(frames, TEXT, 0x20, "\x41\x0e\x10", 3);
}

static struct unwind_object *object_of(const struct made_elf *made, const struct made_elf *debug)
{
	struct elf_file code = { 0 }, other = { 0 };
	struct unwind_object *object;
	struct buf file = { 0 }, more = { 0 };

	make_elf(&file, made);
	EXPECT_INT(elf_file_open(&code, image_of(file.data, file.len)), 0);
	if (debug) {
		make_elf(&more, debug);
		EXPECT_INT(elf_file_open(&other, image_of(more.data, more.len)), 0);
	}
	object = unwind_object_new(&code, debug ? &other : NULL);
	elf_file_close(&code);
	elf_file_close(&other);
	buf_free(&file);
	buf_free(&more);
	return object;
}

static int value_at(struct unwind_object *object, uint64_t pc)
{
	const struct cfi_row *row = unwind_object_find(object, pc);

	return row ? row->value : -1;
}

static void expect_two(struct unwind_object *object)
{
	EXPECT(unwind_object_has_rules(object));
	for (int round = 0; round < 2; round++) { /* the second one out of what is kept */
		EXPECT_INT(value_at(object, TEXT), 8);
		EXPECT_INT(value_at(object, TEXT + 1), 16);
		EXPECT_INT(value_at(object, TEXT + 0x1f), 16);
		EXPECT_INT(value_at(object, TEXT + 0x20), -1);
		EXPECT_INT(value_at(object, TEXT + 0x31), 32);
		EXPECT_INT(value_at(object, TEXT + 0x50), -1);
		EXPECT_INT(value_at(object, TEXT - 1), -1);
		EXPECT_INT(value_at(object, UINT64_MAX), -1);
	}
	EXPECT_INT(unwind_object_rows(object)->list.len, 6);
}

TEST(object_finds_rows_without_a_header)
{
	struct made_frames frames = { 0 };
	struct unwind_object *object;

	make_two(&frames);
	object = object_of(
		&(struct made_elf){
			.extra = (struct made_section[]){ { ".eh_frame", SHT_PROGBITS, SHF_ALLOC,
							    MADE_FRAMES_ADDR, 0, frames.bytes.data,
							    frames.bytes.len },
							  { 0 } } },
		NULL);
	expect_two(object);
	EXPECT_INT(unwind_object_address(object, MADE_TEXT_OFF + 5), TEXT + 5);
	unwind_object_free(object);
	buf_free(&frames.bytes);
}

TEST(object_finds_rows_by_the_header)
{
	struct made_frames frames = { 0 };
	struct unwind_object *object;
	int32_t header[7] = { 0x3b031b01, 0, 2 };
	uint32_t at = 0x404000;

	make_two(&frames);
	header[1] = (int32_t)(MADE_FRAMES_ADDR - (at + 4));
	header[3] = (int32_t)(TEXT - at);
	header[5] = (int32_t)(TEXT + 0x30 - at);
	/* The second entry in the section is the first function. */
	header[6] = (int32_t)(MADE_FRAMES_ADDR + frames.common + 4 +
			      *(uint32_t *)(void *)frames.bytes.data - at);
	header[4] = header[6] + 4 +
		    *(int32_t *)(void *)(frames.bytes.data + 4 +
					 *(uint32_t *)(void *)frames.bytes.data);
	object = object_of(
		&(struct made_elf){
			.extra = (struct made_section[]){ { ".eh_frame", SHT_PROGBITS, SHF_ALLOC,
							    MADE_FRAMES_ADDR, 0, frames.bytes.data,
							    frames.bytes.len },
							  { ".eh_frame_hdr", SHT_PROGBITS,
							    SHF_ALLOC, at, 0, header,
							    sizeof(header) },
							  { 0 } } },
		NULL);
	expect_two(object);
	unwind_object_free(object);
	buf_free(&frames.bytes);
}

TEST(object_takes_debug_frame_of_either_file)
{
	struct made_frames frames = { .debug = true };
	struct unwind_object *object;
	struct made_elf with = { 0 }, without = { 0 };
	struct made_section extra[2] = { { 0 } };

	make_two(&frames);
	extra[0] = (struct made_section){ ".debug_frame",    SHT_PROGBITS,    0, 0, 0,
					  frames.bytes.data, frames.bytes.len };
	with.extra = extra;
	object = object_of(&with, NULL);
	expect_two(object);
	unwind_object_free(object);
	object = object_of(&without, &with);
	expect_two(object);
	unwind_object_free(object);
	object = object_of(&without, NULL);
	EXPECT_BOOL(unwind_object_has_rules(object), false);
	EXPECT_INT(value_at(object, TEXT), -1);
	unwind_object_free(object);
	buf_free(&frames.bytes);
}

static size_t pack(unsigned char *into, size_t room, const struct buf *bytes)
{
	Elf64_Chdr head = { .ch_type = ELFCOMPRESS_ZLIB, .ch_size = bytes->len, .ch_addralign = 1 };
	uLongf size = room - sizeof(head);

	memcpy(into, &head, sizeof(head));
	EXPECT_INT(compress(into + sizeof(head), &size, (unsigned char *)bytes->data, bytes->len),
		   Z_OK);
	return size + sizeof(head);
}

TEST(object_unpacks_debug_frame)
{
	struct made_frames frames = { .debug = true };
	struct unwind_object *object;
	unsigned char packed[1000];
	struct made_section extra[2] = { { 0 } };
	size_t size;

	make_two(&frames);
	size = pack(packed, sizeof(packed), &frames.bytes);
	extra[0] = (struct made_section){ ".debug_frame", SHT_PROGBITS, SHF_COMPRESSED, 0, 0,
					  packed,	  size };
	object = object_of(&(struct made_elf){ .extra = extra }, NULL);
	expect_two(object);
	unwind_object_free(object);
	for (size_t cut = 0; cut < size; cut++) {
		extra[0].size = cut;
		object = object_of(&(struct made_elf){ .extra = extra }, NULL);
		EXPECT_INT(value_at(object, TEXT), -1);
		unwind_object_free(object);
	}
	buf_free(&frames.bytes);
}

/* "mov x8, #139; svc #0", as arm64's vdso has it without rules. */
/* Many entries that share one long beginning: each alone is sound. */
TEST(object_gives_up_endless_rules)
{
	enum { LENGTH = 1000, ENTRIES = 3000 };
	struct made_frames frames = { 0 };
	struct buf program = { 0 };
	struct unwind_object *object;
	int found = 0;

	buf_add(&program, "\x0c\x07\x08\x90\x01", 5);
	for (int i = 0; i < LENGTH; i++)
		buf_putc(&program, 0);
	make_common(&frames, &(struct made_common){ .letters = "zR",
						    .data = "\x1b",
						    .data_size = 1,
						    .program = program.data,
						    .size = program.len });
	for (uint64_t i = 0; i < ENTRIES; i++)
		make_entry(&frames, TEXT + i, 1, "", 0);
	object = object_of(
		&(struct made_elf){
			.extra = (struct made_section[]){ { ".eh_frame", SHT_PROGBITS, SHF_ALLOC,
							    MADE_FRAMES_ADDR, 0, frames.bytes.data,
							    frames.bytes.len },
							  { 0 } } },
		NULL);
	for (uint64_t i = 0; i < ENTRIES; i++)
		found += value_at(object, TEXT + i) == 8;
	EXPECT(found > ENTRIES / 3 && found < ENTRIES);
	EXPECT_INT(value_at(object, TEXT), 8); /* what was found stays */
	unwind_object_free(object);
	buf_free(&program);
	buf_free(&frames.bytes);
}

TEST(object_knows_arms_trampoline)
{
	static const unsigned char code[] = { 0x1f, 0x20, 0x03, 0xd5, 0x68, 0x11, 0x80, 0xd2,
					      0x01, 0x00, 0x00, 0xd4, 0x1f, 0x20, 0x03, 0xd5 };
	struct made_section extra[2] = {
		{ ".tail", SHT_PROGBITS, SHF_ALLOC, 0, 0, code, sizeof(code) },
	};
	struct unwind_object *object =
		object_of(&(struct made_elf){ .machine = EM_AARCH64, .extra = extra }, NULL);
	uint64_t at = 0;

	while (at < 0x10000 && !unwind_object_find(object, at))
		at++;
	EXPECT(unwind_object_find(object, at));
	EXPECT(unwind_object_find(object, at)->signal);
	EXPECT(unwind_object_find(object, at + 7)->signal);
	EXPECT(!unwind_object_find(object, at + 8));
	unwind_object_free(object);
	object = object_of(&(struct made_elf){ .extra = extra }, NULL); /* x86_64 */
	EXPECT(!unwind_object_find(object, at));
	unwind_object_free(object);
}

TEST(object_compiles_all_rows_in_order)
{
	struct made_frames frames = { 0 };
	struct cfi_rows all = { 0 };
	struct unwind_object *object;

	make_two(&frames);
	make_entry(&frames, TEXT + 0x10, 0x30, "\x41\x0e\x30", 3); /* overlaps: not taken */
	object = object_of(
		&(struct made_elf){
			.extra = (struct made_section[]){ { ".eh_frame", SHT_PROGBITS, SHF_ALLOC,
							    MADE_FRAMES_ADDR, 0, frames.bytes.data,
							    frames.bytes.len },
							  { 0 } } },
		NULL);
	unwind_object_compile(object, &all);
	EXPECT_INT(all.list.len, 6);
	for (size_t i = 1; i < all.list.len; i++)
		EXPECT(all.list.data[i - 1].start <= all.list.data[i].start);
	EXPECT_INT(cfi_rows_find(all.list.data, 6, TEXT + 0x25)->frame, CFI_NO_FRAME);
	EXPECT_INT(cfi_rows_find(all.list.data, 6, TEXT + 0x35)->value, 32);
	cfi_rows_free(&all);
	unwind_object_free(object);
	buf_free(&frames.bytes);
}

/* What another thread has of it: the same rows, and no guess about files that are not opened. */
TEST(object_is_followed)
{
	struct made_frames frames = { 0 };
	struct unwind_object *object, *follower;
	struct made_section extra[2] = { { 0 } };
	struct unwind_share share;

	make_two(&frames);
	extra[0] = (struct made_section){
		".eh_frame", SHT_PROGBITS,	SHF_ALLOC,	 MADE_FRAMES_ADDR,
		0,	     frames.bytes.data, frames.bytes.len
	};
	object = object_of(&(struct made_elf){ .extra = extra }, NULL);
	share = unwind_object_share(object);
	EXPECT_BOOL(share.more, false);
	share.more = true;
	follower = unwind_object_follow(&share);
	expect_two(follower);
	EXPECT_INT(value_at(follower, TEXT + 0x25), -1);
	EXPECT(unwind_object_is_behind(follower));
	share.more = false;
	share.count = 0;
	unwind_object_catch_up(follower, &share);
	EXPECT_BOOL(unwind_object_is_behind(follower), false);
	EXPECT_INT(value_at(follower, TEXT + 0x25), -1);
	unwind_object_free(follower);
	expect_two(object);
	unwind_object_free(object);
	buf_free(&frames.bytes);
}
