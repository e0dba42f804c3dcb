// SPDX-License-Identifier: Apache-2.0
/* The door as a whole, on made files in a folder that stands for /. */
#include "symbol/folder.h"
#include "symbol/maker.h"
#include "symbol/symbol.h"
#include "test.h"

#include <elf.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <lzma.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <zstd.h>

#define AT(offset)  (MADE_TEXT_ADDR + (offset))
#define OFF(offset) (MADE_TEXT_OFF + (offset))
#define ID	    "0123456789abcdef0123"
#define OTHER_ID    "another id, 20 bytes"
#define ID_PATH	    "30/31323334353637383961626364656630313233"

static const struct made_symbol full[] = {
	{ "internal", AT(0x100), 0x10, STT_FUNC, STB_LOCAL },
	{ "exported", AT(0x200), 0x10, STT_FUNC, STB_GLOBAL },
	{ 0 },
};
static const struct made_symbol internal[] = {
	{ "internal", AT(0x100), 0x10, STT_FUNC, STB_LOCAL },
	{ 0 },
};
static const struct made_symbol exported[] = {
	{ "exported", AT(0x200), 0x10, STT_FUNC, STB_GLOBAL },
	{ 0 },
};

static struct build_id id_of(const char *text)
{
	struct build_id id = { 0 };

	if (text) {
		id.size = (uint8_t)strlen(text);
		memcpy(id.bytes, text, id.size);
	}
	return id;
}

static void put_elf(const char *name, const struct made_elf *made)
{
	struct buf file = { 0 };

	make_elf(&file, made);
	folder_put(name, file.data, file.len);
	buf_free(&file);
}

/* What a store with the folder as symfs says of a file. */
static void expect_file(const char *path, const char *id, enum dso_state state,
			const char *internal_name, const char *exported_name, const char *source)
{
	struct symbol_options options = { .symfs = folder_path(""),
					  .buildid_dir = folder_path("debug-cache"),
					  .cache_dir = "" };
	struct symbol_store *store = symbol_store_new(&options);
	struct dso_key key = { .kind = DSO_FILE, .path = path, .build_id = id_of(id) };
	struct dso *object = symbol_dso(store, &key);
	struct symbol symbol;

	EXPECT_INT(dso_state(object), DSO_UNREAD);
	EXPECT(!dso_source(object));
	EXPECT_TEXT(dso_find(object, OFF(0x108), &symbol) ? symbol.name : "-", internal_name);
	EXPECT_TEXT(dso_find(object, OFF(0x208), &symbol) ? symbol.name : "-", exported_name);
	EXPECT_INT(dso_state(object), state);
	if (source)
		EXPECT_CONTAINS(dso_source(object), source);
	else
		EXPECT(!dso_source(object));
	EXPECT_TEXT(dso_path(object), path);
	symbol_store_free(store);
}

TEST(store_full)
{
	folder_new();
	put_elf("bin/prog", &(struct made_elf){ .build_id = ID, .symtab = full });
	expect_file("/bin/prog", ID, DSO_FULL, "internal", "exported", "/bin/prog");
	expect_file("/bin/prog", NULL, DSO_FULL, "internal", "exported", "/bin/prog");
	folder_remove();
}

TEST(store_partial_and_stripped)
{
	folder_new();
	put_elf("bin/partial", &(struct made_elf){ .build_id = ID, .dynsym = exported });
	put_elf("bin/stripped", &(struct made_elf){ .build_id = ID });
	expect_file("/bin/partial", ID, DSO_PARTIAL, "-", "exported", "/bin/partial");
	expect_file("/bin/stripped", ID, DSO_STRIPPED, "-", "-", "/bin/stripped");
	folder_remove();
}

static enum dso_state state_by_path(const char *path, const struct dso_mapped *mapped,
				    int64_t recorded_ns)
{
	struct symbol_options options = { .cache_dir = "", .recorded_ns = recorded_ns };
	struct symbol_store *store = symbol_store_new(&options);
	struct dso_key key = { .kind = DSO_FILE, .path = path, .mapped = *mapped };
	struct dso *object = symbol_dso(store, &key);
	enum dso_state state;
	struct symbol symbol;

	dso_find(object, OFF(0x108), &symbol);
	state = dso_state(object);
	symbol_store_free(store);
	return state;
}

/* Where no build-id tells, how its code was mapped may. */
TEST(store_knows_another_file_by_its_mapping)
{
	static const struct {
		uint64_t offset, size;
		enum dso_state state;
	} cases[] = {
		{ 0, 0, DSO_FULL }, /* not told */
		{ MADE_TEXT_OFF, MADE_TEXT_SIZE, DSO_FULL },
		{ MADE_TEXT_OFF, 0x1000, DSO_NEWER }, /* a part of it may have had other rights */
		{ MADE_TEXT_OFF + 0x1000, 0x1000, DSO_NEWER },
		{ MADE_TEXT_OFF, MADE_TEXT_SIZE + 0x1000, DSO_MISMATCH },
		{ MADE_TEXT_OFF + 0x1000, MADE_TEXT_SIZE, DSO_MISMATCH },
		{ 0, 0x1000, DSO_MISMATCH },
		{ 0, 0x10000, DSO_FULL },  /* by pages of 64 KB */
		{ 0x80, 0x345, DSO_FULL }, /* by no pages: made up */
		{ UINT64_MAX - 0xfff, 0x1000, DSO_MISMATCH },
	};

	folder_new();
	put_elf("bin/prog", &(struct made_elf){ .symtab = full });
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct dso_mapped mapped = { .offset = cases[i].offset, .size = cases[i].size };

		test_case("%zu", i);
		EXPECT_INT(state_by_path(folder_path("bin/prog"), &mapped, 0), cases[i].state);
	}
	folder_remove();
}

static uint64_t generation_of(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint32_t generation[2] = { 0 };
	int rc = ioctl(fd, FS_IOC_GETVERSION, generation);

	close(fd);
	return rc ? 0 : generation[0];
}

/* What is newer, or another inode of the same device, may be another file; any time can be set. */
TEST(store_doubts_a_file_that_has_changed)
{
	struct dso_mapped mapped = { 0 };
	struct timespec old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	struct stat st;
	int64_t now;

	folder_new();
	put_elf("bin/prog", &(struct made_elf){ .symtab = full });
	EXPECT(!utimensat(AT_FDCWD, folder_path("bin/prog"), old, 0));
	EXPECT(!stat(folder_path("bin/prog"), &st));
	now = st.st_ctim.tv_sec * INT64_C(1000000000) + st.st_ctim.tv_nsec;
	EXPECT_INT(state_by_path(folder_path("bin/prog"), &mapped, now), DSO_FULL);
	EXPECT_INT(state_by_path(folder_path("bin/prog"), &mapped, now - 1), DSO_NEWER);
	mapped = (struct dso_mapped){ .inode = st.st_ino,
				      .major = major(st.st_dev),
				      .minor = minor(st.st_dev) };
	EXPECT_INT(state_by_path(folder_path("bin/prog"), &mapped, now), DSO_FULL);
	/* the same number, given to another file later; not every file system counts them */
	mapped.generation = generation_of(folder_path("bin/prog"));
	EXPECT_INT(state_by_path(folder_path("bin/prog"), &mapped, now), DSO_FULL);
	if (mapped.generation) {
		mapped.generation++;
		EXPECT_INT(state_by_path(folder_path("bin/prog"), &mapped, now), DSO_NEWER);
		mapped.generation = 0;
	}
	mapped.inode++;
	EXPECT_INT(state_by_path(folder_path("bin/prog"), &mapped, now), DSO_NEWER);
	mapped.minor++; /* a layered file system's: says nothing */
	EXPECT_INT(state_by_path(folder_path("bin/prog"), &mapped, now), DSO_FULL);
	folder_remove();
}

/* A name from another build is worse than none. */
TEST(store_mismatch)
{
	folder_new();
	put_elf("bin/prog", &(struct made_elf){ .build_id = OTHER_ID, .symtab = full });
	put_elf("bin/none", &(struct made_elf){ .symtab = full });
	folder_put("bin/script", "#!/bin/sh\n", 10);
	expect_file("/bin/prog", ID, DSO_MISMATCH, "-", "-", NULL);
	expect_file("/bin/none", ID, DSO_MISMATCH, "-", "-", NULL);
	expect_file("/bin/absent", ID, DSO_MISSING, "-", "-", NULL);
	expect_file("/bin/script", NULL, DSO_UNREADABLE, "-", "-", NULL);
	expect_file("/bin", NULL, DSO_MISSING, "-", "-", NULL);
	expect_file("//anon", NULL, DSO_MISSING, "-", "-", NULL);
	expect_file("relative", NULL, DSO_MISSING, "-", "-", NULL);
	folder_remove();
}

/* Ids that were filled up with zeros, as old recordings have them. */
TEST(store_short_build_id)
{
	struct symbol_options options = { .cache_dir = "" };
	struct dso_key key = { .kind = DSO_FILE, .path = "/prog", .build_id.size = 20 };
	struct symbol_store *store;

	folder_new();
	options.symfs = folder_path("");
	memcpy(key.build_id.bytes, "short id", 8);
	put_elf("prog", &(struct made_elf){ .build_id = "short id", .symtab = full });
	store = symbol_store_new(&options);
	dso_read(symbol_dso(store, &key));
	EXPECT_INT(dso_state(symbol_dso(store, &key)), DSO_FULL);
	symbol_store_free(store);
	folder_remove();
}

/* A sysroot is full of links that mean its own root. */
TEST(store_links_below_symfs)
{
	folder_new();
	put_elf("usr/lib/libx.so.1.2", &(struct made_elf){ .build_id = ID, .symtab = full });
	folder_link("usr/lib/libx.so.1", "/usr/lib/libx.so.1.2");
	folder_link("lib", "/usr/lib");
	folder_link("escape", "/../../../../../../etc/passwd");
	expect_file("/lib/libx.so.1", ID, DSO_FULL, "internal", "exported", "/lib/libx.so.1");
	expect_file("/escape", NULL, DSO_MISSING, "-", "-", NULL);
	folder_remove();
}

TEST(store_debug_file_by_build_id)
{
	static const char *const places[] = {
		"usr/lib/debug/.build-id/" ID_PATH ".debug",
		"debug-cache/.build-id/" ID_PATH "/debug",
		"usr/lib/debug/bin/prog.debug",
		"usr/lib/debug/bin/prog",
	};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		test_case("%s", places[i]);
		folder_new();
		put_elf("bin/prog", &(struct made_elf){ .build_id = ID, .dynsym = exported });
		put_elf(places[i], &(struct made_elf){ .build_id = ID,
						       .symtab = full,
						       .dynsym = exported,
						       .only_debug = true });
		expect_file("/bin/prog", ID, DSO_FULL, "internal", "exported", places[i]);
		expect_file("/bin/prog", NULL, DSO_FULL, "internal", "exported", places[i]);
		put_elf(places[i], &(struct made_elf){ .build_id = OTHER_ID,
						       .symtab = full,
						       .only_debug = true });
		expect_file("/bin/prog", ID, DSO_PARTIAL, "-", "exported", "/bin/prog");
		folder_remove();
	}
}

/* The program itself, as perf keeps it; before 2016 without the last part. */
TEST(store_program_in_the_build_id_folder)
{
	static const char *const places[] = { "debug-cache/.build-id/" ID_PATH "/elf",
					      "debug-cache/.build-id/" ID_PATH };

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		test_case("%s", places[i]);
		folder_new();
		put_elf(places[i], &(struct made_elf){ .build_id = ID, .symtab = full });
		expect_file("/gone/prog", ID, DSO_FULL, "internal", "exported", ".build-id");
		expect_file("/gone/prog", NULL, DSO_MISSING, "-", "-", NULL);
		expect_file("/gone/prog", OTHER_ID, DSO_MISSING, "-", "-", NULL);
		folder_remove();
	}
}

static uint32_t crc32_of(const struct buf *file)
{
	return lzma_crc32((const uint8_t *)file->data, file->len, 0);
}

/* Without a build-id only the link's checksum tells the right file. */
TEST(store_debug_link)
{
	static const char *const places[] = { "bin/prog.dbg", "bin/.debug/prog.dbg",
					      "usr/lib/debug/bin/prog.dbg" };
	struct made_elf debug = { .symtab = full, .dynsym = exported, .only_debug = true };

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		char link[16] = "prog.dbg";
		struct made_section sections[] = {
			{ ".gnu_debuglink", SHT_PROGBITS, 0, 0, 0, link, sizeof(link) }, { 0 }
		};
		struct buf file = { 0 };
		uint32_t crc;

		test_case("%s", places[i]);
		make_elf(&file, &debug);
		crc = crc32_of(&file);
		memcpy(link + 12, &crc, 4);
		folder_new();
		folder_put(places[i], file.data, file.len);
		put_elf("bin/prog", &(struct made_elf){ .dynsym = exported, .extra = sections });
		expect_file("/bin/prog", NULL, DSO_FULL, "internal", "exported", places[i]);
		file.data[40]++; /* one byte that says nothing */
		folder_put(places[i], file.data, file.len);
		expect_file("/bin/prog", NULL, DSO_PARTIAL, "-", "exported", "/bin/prog");
		buf_free(&file);
		folder_remove();
	}
}

static size_t pack_xz(const struct buf *file, uint8_t *into, size_t room)
{
	size_t size = 0;

	EXPECT_INT(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, (const uint8_t *)file->data,
					   file->len, into, &size, room),
		   LZMA_OK);
	return size;
}

TEST(store_mini_debug_info)
{
	struct buf mini = { 0 };
	uint8_t packed[4096];
	struct made_section sections[] = { { ".gnu_debugdata", SHT_PROGBITS, 0, 0, 0, packed },
					   { 0 } };

	make_elf(&mini, &(struct made_elf){ .symtab = internal, .only_debug = true });
	sections[0].size = pack_xz(&mini, packed, sizeof(packed));
	folder_new();
	put_elf("bin/prog", &(struct made_elf){ .dynsym = exported, .extra = sections });
	expect_file("/bin/prog", NULL, DSO_PARTIAL, "internal", "exported", "/bin/prog");
	packed[sections[0].size / 2] ^= 0x55; /* damaged: what remains is used */
	put_elf("bin/prog", &(struct made_elf){ .dynsym = exported, .extra = sections });
	expect_file("/bin/prog", NULL, DSO_PARTIAL, "-", "exported", "/bin/prog");
	buf_free(&mini);
	folder_remove();
}

/* The names live on in the cache when the file is gone. */
TEST(store_cache_outlives_the_file)
{
	struct dso_key key = { .kind = DSO_FILE, .path = "/prog", .build_id = id_of(ID) };
	struct made_symbol *many = mem_alloc(6001 * sizeof(*many));
	struct symbol_options options = { 0 };
	char *names = mem_alloc(6000 * 32);
	struct symbol symbol;

	for (int i = 0; i < 6000; i++) { /* fewer are not worth it */
		snprintf(names + 32 * i, 32, "function_number_%d", i);
		many[i] = (struct made_symbol){ names + 32 * i, AT(i), 1, STT_FUNC, STB_LOCAL };
	}
	folder_new();
	options.symfs = folder_path("");
	options.cache_dir = folder_path("cache");
	put_elf("prog", &(struct made_elf){ .build_id = ID, .symtab = many });
	for (int round = 0; round < 3; round++) {
		struct symbol_store *store = symbol_store_new(&options);
		struct dso *object = symbol_dso(store, &key);

		test_case("round %d", round);
		EXPECT(dso_find(object, OFF(4711), &symbol));
		EXPECT_TEXT(symbol.name, "function_number_4711");
		EXPECT_INT(dso_state(object), DSO_FULL);
		EXPECT_INT(dso_address(object, OFF(7)), AT(7));
		EXPECT_CONTAINS(dso_source(object), "/prog");
		symbol_store_free(store);
		if (round == 1)
			unlink(folder_path("prog"));
	}
	free(many);
	free(names);
	folder_remove();
}

/* A file that we have mapped and deleted; pids of another machine's recording are not ours. */
TEST(store_mapped_and_deleted)
{
	static const struct {
		const char *name;
		bool other_machine;
		enum dso_state state;
	} cases[] = { { "of this machine", false, DSO_FULL }, { "of another", true, DSO_MISSING } };
	char *path;
	void *map;
	int fd;

	folder_new();
	put_elf("prog", &(struct made_elf){ .symtab = full });
	fd = open(folder_path("prog"), O_RDONLY | O_CLOEXEC);
	map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	EXPECT(map != MAP_FAILED);
	unlink(folder_path("prog"));
	path = mem_printf("%s (deleted)", folder_path("prog"));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct symbol_options options = { .cache_dir = "",
						  .other_machine = cases[i].other_machine };
		struct symbol_store *store = symbol_store_new(&options);
		struct dso_key key = { .kind = DSO_FILE, .path = path, .pid = getpid() };
		struct dso *dso = symbol_dso(store, &key);

		test_case("%s", cases[i].name);
		dso_read(dso);
		if (!geteuid() || cases[i].other_machine) /* the kernel shows it to few */
			EXPECT_INT(dso_state(dso), cases[i].state);
		symbol_store_free(store);
	}
	munmap(map, 4096);
	close(fd);
	free(path);
	folder_remove();
}

TEST(store_same_key_same_object)
{
	struct symbol_options options = { .cache_dir = "" };
	struct symbol_store *store = symbol_store_new(&options);
	struct dso_key a = { .kind = DSO_FILE, .path = "/x", .build_id = id_of(ID), .pid = 1 };
	struct dso_key b = a;
	struct dso *object = symbol_dso(store, &a);

	b.pid = 2; /* another process, the same build */
	EXPECT(symbol_dso(store, &b) == object);
	b.build_id = id_of(OTHER_ID);
	EXPECT(symbol_dso(store, &b) != object);
	b = a;
	b.kind = DSO_VDSO;
	EXPECT(symbol_dso(store, &b) != object);
	b.path = "/y";
	EXPECT(symbol_dso(store, &b) != object);
	a.kind = b.kind = DSO_JIT;
	b = a;
	b.pid = 2;
	EXPECT(symbol_dso(store, &a) != symbol_dso(store, &b));
	symbol_store_free(store);
}

static const char list[] = "ffffffff81000000 T _stext\n"
			   "ffffffff81000010 T _text\n"
			   "ffffffff81000100 T do_it\n"
			   "ffffffff81000200 T next\n"
			   "ffffffffc0000000 t of_module\t[ext4]\n";

/* The kernel was elsewhere when recorded: its anchor tells by how much. */
TEST(store_kernel_moved)
{
	static const struct {
		const char *name, *anchor;
		uint64_t base, address, start;
	} cases[] = {
		{ "unmoved", NULL, 0, 0xffffffff81000108, 0xffffffff81000100 },
		{ "by _text", "_text", 0xffffffff91000010, 0xffffffff91000108, 0xffffffff91000100 },
		{ "by _stext", "_stext", 0xffffffff71000000, 0xffffffff71000108,
		  0xffffffff71000100 },
	};

	folder_new();
	folder_put("list", list, strlen(list));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct symbol_options options = { .cache_dir = "",
						  .kallsyms = folder_path("list") };
		struct symbol_store *store = symbol_store_new(&options);
		struct dso_key key = { .kind = DSO_KERNEL,
				       .path = "[kernel.kallsyms]",
				       .anchor = cases[i].anchor,
				       .base = cases[i].base };
		struct dso_key module = { .kind = DSO_MODULE, .path = "[ext4]" };
		bool moved = cases[i].anchor;
		struct symbol symbol;

		test_case("%s", cases[i].name);
		EXPECT(dso_find(symbol_dso(store, &key), cases[i].address, &symbol));
		EXPECT_TEXT(symbol.name, "do_it");
		EXPECT_INT(symbol.start, cases[i].start);
		EXPECT_INT(symbol.end, cases[i].start + 0x100);
		EXPECT_INT(dso_state(symbol_dso(store, &key)), DSO_FULL);
		/* Modules move, too, but not with the kernel: a list of another boot says nothing.
		 */
		EXPECT_BOOL(dso_find(symbol_dso(store, &module), 0xffffffffc0000008, &symbol),
			    !moved);
		EXPECT_INT(dso_state(symbol_dso(store, &module)), moved ? DSO_MISSING : DSO_FULL);
		symbol_store_free(store);
	}
	folder_remove();
}

TEST(store_kernel_of_another_machine)
{
	struct dso_key key = { .kind = DSO_KERNEL, .path = "[kernel.kallsyms]" };
	struct symbol_options options = { .cache_dir = "", .other_machine = true };
	struct symbol_store *store;
	struct symbol symbol;

	folder_new();
	options.buildid_dir = folder_path("debug");
	key.build_id = id_of(ID);
	store = symbol_store_new(&options);
	EXPECT(!dso_find(symbol_dso(store, &key), 0xffffffff81000108, &symbol));
	EXPECT_INT(dso_state(symbol_dso(store, &key)), DSO_MISSING);
	symbol_store_free(store);
	folder_put("debug/[kernel.kallsyms]/303132333435363738396162636465663031323"
		   "3/kallsyms",
		   list, strlen(list));
	store = symbol_store_new(&options);
	EXPECT(dso_find(symbol_dso(store, &key), 0xffffffff81000108, &symbol));
	EXPECT_TEXT(symbol.name, "do_it");
	symbol_store_free(store);
	folder_remove();
}

/* This kernel, but the recording says that it was another build. */
TEST(store_kernel_of_another_build)
{
	struct dso_key key = { .kind = DSO_KERNEL,
			       .path = "[kernel.kallsyms]",
			       .build_id = id_of(OTHER_ID) };
	struct symbol_options options = { .cache_dir = "", .buildid_dir = "/nowhere" };
	struct symbol_store *store = symbol_store_new(&options);

	dso_read(symbol_dso(store, &key));
	EXPECT_INT(dso_state(symbol_dso(store, &key)), DSO_MISMATCH);
	symbol_store_free(store);
}

TEST(store_kernel_hidden)
{
	static const char hidden[] = "0000000000000000 T _text\n0000000000000000 T do_it\n";
	struct dso_key key = { .kind = DSO_KERNEL, .path = "[kernel.kallsyms]" };
	struct symbol_options options = { .cache_dir = "" };
	struct symbol_store *store;

	folder_new();
	folder_put("list", hidden, strlen(hidden));
	options.kallsyms = folder_path("list");
	store = symbol_store_new(&options);
	dso_read(symbol_dso(store, &key));
	EXPECT_INT(dso_state(symbol_dso(store, &key)), DSO_HIDDEN);
	symbol_store_free(store);
	folder_remove();
}

TEST(store_vmlinux)
{
	static const struct made_symbol symbols[] = {
		{ "_text", AT(0), 0, STT_NOTYPE, STB_GLOBAL },
		{ "do_it", AT(0x100), 0x10, STT_FUNC, STB_LOCAL },
		{ 0 },
	};
	static const struct {
		const char *name, *id;
		enum dso_state state;
	} cases[] = { { "right", ID, DSO_FULL },
		      { "not known", NULL, DSO_FULL },
		      { "wrong", OTHER_ID, DSO_MISMATCH } };

	folder_new();
	put_elf("vmlinux",
		&(struct made_elf){ .build_id = ID, .symtab = symbols, .type = ET_EXEC });
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct symbol_options options = { .cache_dir = "",
						  .vmlinux = folder_path("vmlinux") };
		struct symbol_store *store = symbol_store_new(&options);
		struct dso_key key = { .kind = DSO_KERNEL,
				       .path = "[kernel.kallsyms]",
				       .build_id = id_of(cases[i].id),
				       .anchor = "_text",
				       .base = 0xffffffff81000000 };
		struct symbol symbol;
		bool found = dso_find(symbol_dso(store, &key), 0xffffffff81000108, &symbol);

		test_case("%s", cases[i].name);
		EXPECT_INT(dso_state(symbol_dso(store, &key)), cases[i].state);
		EXPECT_BOOL(found, cases[i].state == DSO_FULL);
		if (found)
			EXPECT_INT(symbol.start, 0xffffffff81000100);
		symbol_store_free(store);
	}
	folder_remove();
}

/* The table of an image outlives it, and still moves with the boot. */
TEST(store_vmlinux_is_kept)
{
	static const struct made_symbol symbols[] = {
		{ "_text", AT(0), 0, STT_NOTYPE, STB_GLOBAL },
		{ "do_it", AT(0x100), 0x10, STT_FUNC, STB_LOCAL },
		{ 0 },
	};
	struct dso_key key = { .kind = DSO_KERNEL,
			       .path = "[kernel.kallsyms]",
			       .build_id = id_of(ID),
			       .anchor = "_text",
			       .base = 0xffffffff81000000 };

	folder_new();
	put_elf("vmlinux",
		&(struct made_elf){ .build_id = ID, .symtab = symbols, .type = ET_EXEC });
	for (int i = 0; i < 3; i++) { /* from the file, from the cache, without the file */
		struct symbol_options options = { .cache_dir = folder_path("cache"),
						  .buildid_dir = "/nowhere",
						  .other_machine = true };
		struct symbol_store *store;
		struct symbol symbol;

		test_case("%d", i);
		if (i < 2)
			options.vmlinux = folder_path("vmlinux");
		store = symbol_store_new(&options);
		EXPECT(dso_find(symbol_dso(store, &key), 0xffffffff81000108, &symbol));
		EXPECT_TEXT(symbol.name, "do_it");
		EXPECT_INT(symbol.start, 0xffffffff81000100);
		symbol_store_free(store);
		if (i == 1)
			unlink(folder_path("vmlinux"));
	}
	folder_remove();
}

/* A module's own file, plain and as distributions pack it. */
TEST(store_module_file)
{
	static const struct made_symbol symbols[] = {
		{ "ext4_read", 0x100, 0x10, STT_FUNC, STB_LOCAL },
		{ 0 },
	};
	static const char *const names[] = { "/ext4.ko", "/ext4.ko.xz", "/ext4.ko.zst" };
	struct buf file = { 0 };
	char packed[8192];

	folder_new();
	make_elf(&file, &(struct made_elf){ .build_id = ID, .symtab = symbols, .type = ET_REL });
	folder_put("ext4.ko", file.data, file.len);
	folder_put("ext4.ko.xz", packed, pack_xz(&file, (uint8_t *)packed, sizeof(packed)));
	folder_put("ext4.ko.zst", packed,
		   ZSTD_compress(packed, sizeof(packed), file.data, file.len, 3));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct symbol_options options = { .cache_dir = "",
						  .symfs = folder_path(""),
						  .buildid_dir = "/nowhere" };
		struct symbol_store *store = symbol_store_new(&options);
		struct dso_key key = { .kind = DSO_MODULE,
				       .path = names[i],
				       .build_id = id_of(ID),
				       .base = 0xffffffffc0000000 };
		struct symbol symbol;

		test_case("%s", names[i]);
		EXPECT(dso_find(symbol_dso(store, &key), 0xffffffffc0000108, &symbol));
		EXPECT_TEXT(symbol.name, "ext4_read");
		symbol_store_free(store);
	}
	buf_free(&file);
	folder_remove();
}

TEST(store_symbols_of_the_recording)
{
	struct symbol_options options = { .cache_dir = "", .other_machine = true };
	struct symbol_store *store = symbol_store_new(&options);
	struct dso_key key = { .kind = DSO_BPF, .path = "bpf_prog_1" };
	struct dso *object = symbol_dso(store, &key);
	struct symbol symbol;

	dso_add_symbol(object, "bpf_prog_1", 0x1000, 0x1100);
	EXPECT(dso_find(object, 0x1010, &symbol));
	EXPECT_TEXT(symbol.name, "bpf_prog_1");
	EXPECT_INT(dso_state(object), DSO_FULL);
	dso_add_symbol(object, "bpf_prog_2", 0x2000, 0x2100); /* when it was read already */
	EXPECT(dso_find(object, 0x10ff, &symbol));
	EXPECT(dso_find(object, 0x2010, &symbol));
	EXPECT_TEXT(symbol.name, "bpf_prog_2");
	dso_add_symbol(object, "bpf_prog_3", 0x1000, 0x1080); /* loaded where the first was */
	EXPECT(dso_find(object, 0x1010, &symbol));
	EXPECT_TEXT(symbol.name, "bpf_prog_3");
	symbol_store_free(store);
}

TEST(store_jit)
{
	static const char map[] = "7f0000001000 40 LazyCompile:~f a.js:1\n";
	struct symbol_options options = { .cache_dir = "" };
	struct dso_key key = { .kind = DSO_JIT, .path = "//anon", .pid = 4711 };
	struct symbol_store *store;
	struct symbol symbol;

	folder_new();
	folder_put("tmp/perf-4711.map", map, strlen(map));
	options.symfs = folder_path("");
	store = symbol_store_new(&options);
	EXPECT(dso_find(symbol_dso(store, &key), 0x7f0000001010, &symbol));
	EXPECT_TEXT(symbol.name, "LazyCompile:~f a.js:1");
	key.pid = 4712;
	EXPECT(!dso_find(symbol_dso(store, &key), 0x7f0000001010, &symbol));
	EXPECT_INT(dso_state(symbol_dso(store, &key)), DSO_MISSING);
	symbol_store_free(store);
	folder_remove();
}

/* A JIT goes on writing while we read: what was unknown is looked for again after a while. */
TEST(store_jit_map_grows)
{
	static const char first[] = "7f0000001000 40 first\n",
			  more[] = "7f0000001000 40 first\n7f0000002000 40 second\n";
	struct dso_key key = { .kind = DSO_JIT, .path = "//anon", .pid = 4711 };
	struct symbol_options options = { .cache_dir = "" };
	struct symbol_store *store;
	struct symbol symbol, early;
	bool found = false;

	folder_new();
	folder_put("tmp/perf-4711.map", first, strlen(first));
	options.symfs = folder_path("");
	store = symbol_store_new(&options);
	EXPECT(dso_find(symbol_dso(store, &key), 0x7f0000001010, &early));
	EXPECT(!dso_find(symbol_dso(store, &key), 0x7f0000002010, &symbol));
	folder_put("tmp/perf-4711.map", more, strlen(more));
	for (int i = 0; i < 6000 && !found; i++) {
		found = dso_find(symbol_dso(store, &key), 0x7f0000002010, &symbol);
		usleep(10000);
	}
	EXPECT(found);
	EXPECT_TEXT(symbol.name, "second");
	EXPECT_TEXT(early.name, "first"); /* answers stay */
	symbol_store_free(store);
	folder_remove();
}

/* Of several files of that path only the one that was mapped will do. */
TEST(store_file_by_its_inode)
{
	struct symbol_options options = { .cache_dir = "", .buildid_dir = "/nowhere" };
	struct dso_key key = { .kind = DSO_FILE };
	struct symbol_store *store;
	struct stat st;

	folder_new();
	put_elf("prog", &(struct made_elf){ .build_id = ID, .symtab = full });
	EXPECT_INT(stat(folder_path("prog"), &st), 0);
	for (int i = 0; i < 2; i++) {
		store = symbol_store_new(&options);
		key.path = folder_path("prog");
		key.inode = st.st_ino + (uint64_t)i;
		dso_read(symbol_dso(store, &key));
		EXPECT_INT(dso_state(symbol_dso(store, &key)), i ? DSO_MISMATCH : DSO_FULL);
		symbol_store_free(store);
	}
	folder_remove();
}

/* The process that mapped it first is gone; another one reaches the file. */
TEST(store_missing_until_another_process)
{
	struct dso_key key = { .kind = DSO_FILE, .build_id = id_of(ID), .pid = 1 << 30 };
	struct symbol_options options = { .cache_dir = "", .buildid_dir = "/nowhere" };
	struct symbol_store *store = symbol_store_new(&options);
	struct symbol symbol;
	void *map;
	int fd;

	folder_new();
	put_elf("prog", &(struct made_elf){ .build_id = ID, .symtab = full });
	fd = open(folder_path("prog"), O_RDONLY | O_CLOEXEC);
	map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	EXPECT(map != MAP_FAILED);
	unlink(folder_path("prog"));
	key.path = folder_path("prog");
	EXPECT(!dso_find(symbol_dso(store, &key), MADE_TEXT_OFF + 0x108, &symbol));
	EXPECT_INT(dso_state(symbol_dso(store, &key)), DSO_MISSING);
	key.pid = getpid();
	symbol_dso(store, &key);
	if (!geteuid()) { /* the kernel shows it to few */
		dso_find(symbol_dso(store, &key), MADE_TEXT_OFF + 0x108, &symbol);
		EXPECT_INT(dso_state(symbol_dso(store, &key)), DSO_FULL);
	}
	munmap(map, 4096);
	close(fd);
	symbol_store_free(store);
	folder_remove();
}

/* Without a build-id it is the release that tells whether the running kernel was recorded. */
TEST(store_kernel_of_another_release)
{
	struct dso_key key = { .kind = DSO_KERNEL, .path = "[kernel.kallsyms]" };
	struct symbol_options options = { .cache_dir = "",
					  .buildid_dir = "/nowhere",
					  .release = "2.6.32-none" };
	struct symbol_store *store = symbol_store_new(&options);

	dso_read(symbol_dso(store, &key));
	EXPECT_INT(dso_state(symbol_dso(store, &key)), DSO_MISMATCH);
	symbol_store_free(store);
}

/* Somebody else's /tmp: a pipe of that name must not hold us up. */
TEST(store_jit_map_is_a_pipe)
{
	struct symbol_options options = { .cache_dir = "" };
	struct dso_key key = { .kind = DSO_JIT, .path = "//anon", .pid = 4711 };
	struct symbol_store *store;

	folder_new();
	folder_put("tmp/x", "", 0);
	EXPECT_INT(mkfifo(folder_path("tmp/perf-4711.map"), 0600), 0);
	options.symfs = folder_path("");
	store = symbol_store_new(&options);
	dso_read(symbol_dso(store, &key));
	EXPECT_INT(dso_state(symbol_dso(store, &key)), DSO_MISSING);
	symbol_store_free(store);
	folder_remove();
}

#ifdef __aarch64__
#define VDSO_CLOCK "__kernel_clock_gettime"
#else
#define VDSO_CLOCK "__vdso_clock_gettime"
#endif

TEST(store_vdso)
{
	struct symbol_options options = { .cache_dir = "" };
	struct symbol_store *store = symbol_store_new(&options);
	struct dso_key key = { .kind = DSO_VDSO, .path = "[vdso]" };
	struct dso *object = symbol_dso(store, &key);
	bool found = false;

	for (uint64_t at = 0; at < 0x2000 && !found; at++) {
		struct symbol symbol;

		found = dso_find(object, at, &symbol) && !strcmp(symbol.name, VDSO_CLOCK);
	}
	EXPECT_BOOL(found, dso_state(object) == DSO_PARTIAL || dso_state(object) == DSO_FULL);
	symbol_store_free(store);
}

struct asking {
	struct dso *object;
	int found;
};

static void *ask(void *user)
{
	struct asking *asking = user;
	struct symbol symbol;

	for (int i = 0; i < 1000; i++)
		asking->found += dso_find(asking->object, OFF(0x100 + i % 16), &symbol) &&
				 !strcmp(symbol.name, "internal");
	return NULL;
}

TEST(store_many_threads_one_reading)
{
	struct symbol_options options = { .cache_dir = "" };
	struct dso_key key = { .kind = DSO_FILE, .path = "/prog" };

	folder_new();
	options.symfs = folder_path("");
	put_elf("prog", &(struct made_elf){ .build_id = ID, .symtab = full });
	for (int round = 0; round < 20; round++) {
		struct symbol_store *store = symbol_store_new(&options);
		struct asking asking[4] = { 0 };
		pthread_t threads[4];

		for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
			asking[i].object = symbol_dso(store, &key);
			EXPECT_INT(pthread_create(&threads[i], NULL, ask, &asking[i]), 0);
		}
		for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
			pthread_join(threads[i], NULL);
			EXPECT_INT(asking[i].found, 1000);
		}
		symbol_store_free(store);
	}
	folder_remove();
}

struct rebuilding {
	char *path;
	struct buf *builds;
	_Atomic bool stop;
};

/* A linker that overwrites in place: cuts the file, then writes it in pieces. */
static void *rebuild(void *user)
{
	struct rebuilding *r = user;

	for (unsigned round = 0; !r->stop; round++) {
		const struct buf *build = &r->builds[round % 2];
		FILE *out = fopen(r->path, "we");

		for (size_t at = 0; out && at < build->len; at += 4096) {
			fwrite(build->data + at, 1, build->len - at < 4096 ? build->len - at : 4096,
			       out);
			fflush(out);
		}
		if (out)
			fclose(out);
	}
	return NULL;
}

/* A binary rebuilt while it is read: the recorded build's names or none, and no signal. */
TEST(store_rebuilt_while_read)
{
	static const struct made_symbol other[] = {
		{ "something_else", AT(0x100), 0x10, STT_FUNC, STB_LOCAL },
		{ 0 },
	};
	struct symbol_options options = { .cache_dir = "", .buildid_dir = "/nowhere" };
	struct dso_key key = { .kind = DSO_FILE, .path = "/prog", .build_id = id_of(ID) };
	struct buf builds[2] = { 0 };
	struct rebuilding rebuilding = { .builds = builds };
	pthread_t thread;

	folder_new();
	options.symfs = folder_path("");
	make_elf(&builds[0], &(struct made_elf){ .build_id = ID, .symtab = full });
	make_elf(&builds[1], &(struct made_elf){ .build_id = OTHER_ID, .symtab = other });
	folder_put("prog", builds[0].data, builds[0].len);
	rebuilding.path = mem_strdup(folder_path("prog"));
	EXPECT_INT(pthread_create(&thread, NULL, rebuild, &rebuilding), 0);
	for (int round = 0; round < 1000; round++) {
		struct symbol_store *store = symbol_store_new(&options);
		struct dso *object = symbol_dso(store, &key);
		struct symbol symbol;

		if (dso_find(object, OFF(0x108), &symbol))
			EXPECT_TEXT(symbol.name, "internal");
		symbol_store_free(store);
	}
	rebuilding.stop = true;
	pthread_join(thread, NULL);
	buf_free(&builds[0]);
	buf_free(&builds[1]);
	free(rebuilding.path);
	folder_remove();
}
