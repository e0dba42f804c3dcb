// SPDX-License-Identifier: Apache-2.0
#include "symbol/cache.h"
#include "base/file.h"
#include "symbol/folder.h"
#include "symbol/image.h"
#include "symbol/symbol.h"
#include "symbol/table.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct build_id some_id = { .size = 4, .bytes = { 0xab, 0xcd, 0xef, 1 } };

static struct table *some_table(size_t padding)
{
	struct symbol_sheet sheet = { 0 };
	char *name = mem_alloc(padding + 1);

	memset(name, 'x', padding);
	sheet_add_named(&sheet, 0x100, 0x10, "found", 0);
	sheet_add_named(&sheet, 0x200, 0x10, name, 0);
	free(name);
	return table_build(&sheet, OVERLAP_INNERMOST);
}

static struct cache_identity identity_of(const struct build_id *id)
{
	struct cache_identity identity;

	cache_identity_init(&identity, CACHE_FILE, id, &(struct image_stamp){ .inode = 77 });
	identity.symbols_size = 1000;
	return identity;
}

static void save(const struct cache *cache, const struct cache_identity *identity, size_t padding)
{
	struct table *table = some_table(padding);

	cache_save(cache, identity, table,
		   &(struct cache_note){ .source = "/the/source", .text = 5, .state = 2 });
	table_free(table);
}

static bool has(const struct cache *cache, const struct cache_identity *identity, bool any)
{
	struct cache_note note;
	struct table *table = cache_load(cache, identity, any, &note);
	struct symbol symbol;

	if (!table)
		return false;
	EXPECT(table_find(table, 0x105, &symbol));
	EXPECT_TEXT(symbol.name, "found");
	EXPECT_TEXT(note.source, "/the/source");
	EXPECT_INT(note.text, 5);
	EXPECT_INT(note.state, 2);
	table_free(table);
	return true;
}

TEST(cache_keeps_by_identity)
{
	struct cache cache = { .dir = mem_printf("%s/a/b", folder_new()), .limit = 1 << 20 };
	struct cache_identity identity = identity_of(&some_id), other = identity;
	struct stat st;

	EXPECT(!has(&cache, &identity, false));
	save(&cache, &identity, 10);
	EXPECT(has(&cache, &identity, false));
	EXPECT_INT(stat(cache.dir, &st), 0);
	EXPECT_INT(st.st_mode & 0777, 0700);
	EXPECT(file_exists("%s/object-abcdef01", cache.dir));
	other.symbols_size++; /* the debug package was installed meanwhile */
	EXPECT(!has(&cache, &other, false));
	EXPECT(has(&cache, &other, true));
	other = identity;
	other.kind = CACHE_KALLSYMS;
	EXPECT(!has(&cache, &other, true));
	free(cache.dir);
	folder_remove();
}

TEST(cache_without_a_build_id_goes_by_the_file)
{
	struct cache cache = { .dir = folder_new(), .limit = 1 << 20 };
	struct cache_identity identity = identity_of(&(struct build_id){ 0 }), other = identity;

	save(&cache, &identity, 10);
	EXPECT(has(&cache, &identity, false));
	EXPECT(!has(&cache, &identity, true)); /* any file at all would do */
	other.mtime_ns++;
	EXPECT(!has(&cache, &other, false));
	folder_remove();
}

TEST(cache_none)
{
	struct cache cache = { 0 };
	struct cache_identity identity = identity_of(&some_id);

	save(&cache, &identity, 10);
	EXPECT(!has(&cache, &identity, false));
}

/* Every bit counts: a file with one changed, or cut, is as good as none. */
TEST(cache_damage)
{
	struct cache cache = { .dir = folder_new(), .limit = 1 << 20 };
	struct cache_identity identity = identity_of(&some_id);
	struct cache_note note;
	size_t size;
	char *bytes;

	save(&cache, &identity, 10);
	bytes = file_read(folder_path("object-abcdef01"), &size, NULL);
	EXPECT(bytes);
	for (size_t at = 0; at < size; at++) {
		struct table *table;

		test_case("byte %zu", at);
		bytes[at] ^= 0x10;
		table = cache_parse(bytes, size, &identity, false, &note);
		EXPECT(!table);
		bytes[at] ^= 0x10;
		test_case("cut at %zu", at);
		EXPECT(!cache_parse(bytes, at, &identity, false, &note));
	}
	free(bytes);
	folder_remove();
}

TEST(cache_of_somebody_else_is_not_believed)
{
	struct cache cache = { .dir = folder_new(), .limit = 1 << 20 };
	struct cache_identity identity = identity_of(&some_id);

	save(&cache, &identity, 10);
	if (geteuid() == 0) {
		EXPECT_INT(chown(folder_path("object-abcdef01"), 12345, 12345), 0);
		EXPECT(!has(&cache, &identity, false));
	}
	folder_remove();
}

TEST(cache_limit)
{
	struct cache cache = { .dir = folder_new(), .limit = 10000 };
	struct strlist names = { 0 };
	uint64_t total = 0;

	for (uint8_t i = 0; i < 20; i++) {
		struct build_id id = { .size = 2, .bytes = { i, i } };
		struct cache_identity identity = identity_of(&id);
		struct timespec times[2] = { { .tv_sec = 1000 + i }, { .tv_sec = 1000 + i } };
		char name[32];

		save(&cache, &identity, 2000);
		EXPECT(has(&cache, &identity, false)); /* the new one stays */
		snprintf(name, sizeof(name), "object-%02x%02x", i, i);
		utimensat(AT_FDCWD, folder_path(name), times, 0);
	}
	dir_names(cache.dir, &names, NULL);
	vec_each (name, &names) {
		struct stat st;

		EXPECT_INT(stat(folder_path(*name), &st), 0);
		total += (uint64_t)st.st_size;
		EXPECT(strcmp(*name, "object-0e0e") > 0); /* the oldest went */
	}
	EXPECT(total <= 10000);
	EXPECT(names.len >= 2);
	strlist_free(&names);
	folder_remove();
}
