// SPDX-License-Identifier: Apache-2.0
#include "machine/naming.h"
#include "perfdata/maker.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define KERNEL PERF_RECORD_MISC_KERNEL
#define USER   PERF_RECORD_MISC_USER

static const char list[] = "ffffffff81000000 T _text\n"
			   "ffffffff81000100 T one\n"
			   "ffffffff81000200 T two\n"
			   "ffffffff81003000 T freed_after_boot\n"
			   "ffffffff81003100 T last\n";

static char list_path[64];

static struct symbol_store *store_of_list(void)
{
	int fd;

	snprintf(list_path, sizeof(list_path), "/tmp/perfolio-naming-XXXXXX");
	fd = mkstemp(list_path);
	EXPECT(fd >= 0);
	EXPECT_INT(write(fd, list, strlen(list)), (long)strlen(list));
	close(fd);
	return symbol_store_new(&(struct symbol_options){
		.kallsyms = list_path, .cache_dir = "", .other_machine = true });
}

static void map(struct machine *machine, uint16_t misc, uint64_t start, uint64_t length,
		uint64_t offset, const char *name, const uint8_t *identity)
{
	static const uint8_t none[24];
	struct maker maker = { 0 };

	make_record(&maker, PERF_RECORD_MMAP2, misc);
	make_u32(&maker, 10);
	make_u32(&maker, 10);
	make_u64(&maker, start);
	make_u64(&maker, length);
	make_u64(&maker, offset);
	buf_add(&maker.out, identity ? identity : none, sizeof(none));
	make_u32(&maker, PROT_EXEC);
	make_u32(&maker, MAP_PRIVATE);
	make_name(&maker, name);
	make_record_end(&maker);
	machine_take(machine, (const void *)(maker.out.data + maker.record),
		     maker.out.len - maker.record);
	make_free(&maker);
}

static struct place place_at(struct naming *naming, uint8_t mode, uint64_t address)
{
	const struct thread *thread = machine_thread(naming->machine, 10, 10);

	return naming_place(naming, naming_mapping(naming, thread, mode, address), thread, address);
}

/* The recording is of another boot: all was 0x1000000 further up. */
TEST(naming_moves_the_kernels_names_to_where_it_was)
{
	struct symbol_store *store = store_of_list();
	struct machine *machine = machine_new();
	struct naming naming;
	struct place place;

	map(machine, KERNEL, 0xffffffff82000000, 0x1000, 0xffffffff82000000,
	    "[kernel.kallsyms]_text", NULL);
	naming_init(&naming, machine, store);

	/* Nothing is known beyond the mapping before the list is read, and all of it from then on.
	 */
	EXPECT(!place_at(&naming, KERNEL, 0xffffffff82003010).object);
	place = place_at(&naming, KERNEL, 0xffffffff82000110);
	EXPECT_TEXT(place.symbol, "one");
	EXPECT_INT(place.offset, 0x10);
	EXPECT(place.address == 0xffffffff82000110);
	EXPECT_TEXT(place.object->name, "[kernel.kallsyms]");
	place = place_at(&naming, KERNEL, 0xffffffff82003010);
	EXPECT_TEXT(place.symbol, "freed_after_boot");
	EXPECT_INT(place.offset, 0x10);
	EXPECT(!place_at(&naming, KERNEL, 0xffffffff92003010).object);
	EXPECT(!place_at(&naming, USER, 0xffffffff82003010).object);

	naming_fini(&naming);
	machine_free(machine);
	symbol_store_free(store);
	unlink(list_path);
}

TEST(naming_without_symbols_tells_what_is_mapped)
{
	struct machine *machine = machine_new();
	struct naming naming;
	struct place place;

	map(machine, USER, 0x5000, 0x1000, 0x2000, "/bin/prog", NULL);
	naming_init(&naming, machine, NULL);
	place = place_at(&naming, USER, 0x5100);
	EXPECT(!place.symbol);
	EXPECT_TEXT(place.object->name, "/bin/prog");
	EXPECT_INT(place.address, 0x2100);
	place = place_at(&naming, USER, 0x7100);
	EXPECT(!place.object);
	EXPECT_INT(place.address, 0x7100);
	naming_fini(&naming);
	machine_free(machine);
}

TEST(naming_spaces_change_with_their_mappings)
{
	struct machine *machine = machine_new();
	const struct thread *thread = machine_thread(machine, 10, 10);
	uint32_t user = machine_space(machine, thread, USER);
	uint32_t kernel = machine_space(machine, thread, KERNEL);

	EXPECT(user && kernel && user != kernel);
	EXPECT_INT(machine_space(machine, thread, PERF_RECORD_MISC_HYPERVISOR), 0);
	map(machine, USER, 0x5000, 0x1000, 0x2000, "/bin/prog", NULL);
	EXPECT(machine_space(machine, thread, USER) != user);
	EXPECT_INT(machine_space(machine, thread, KERNEL), kernel);
	user = machine_space(machine, thread, USER);
	map(machine, KERNEL, 0xffffffffc0000000, 0x1000, 0, "[ext4]", NULL);
	EXPECT_INT(machine_space(machine, thread, USER), user);
	EXPECT(machine_space(machine, thread, KERNEL) != kernel);
	machine_free(machine);
}

TEST(naming_takes_the_build_id_of_a_mapping)
{
	const uint8_t told[24] = { 4, 0, 0, 0, 0xaa, 0xbb, 0xcc, 0xdd };
	const uint8_t too_long[24] = { 255, 0, 0, 0, 1 };
	const uint8_t device[24] = { 8, 0, 0, 0, 1, 2, 3 };
	const uint8_t sda[24] = { 8, 0, 0, 0, 1, 0, 0, 0, 0x34, 0x12 };
	const uint8_t nvme[24] = { 3, 1, 0, 0, 2, 0, 0, 0, 0x34, 0x12 };
	struct machine *machine = machine_new();
	const struct thread *thread = machine_thread(machine, 10, 10);
	const struct object *object;

	map(machine, USER | PERF_RECORD_MISC_MMAP_BUILD_ID, 0x1000, 0x1000, 0, "/bin/a", told);
	map(machine, USER | PERF_RECORD_MISC_MMAP_BUILD_ID, 0x2000, 0x1000, 0, "/bin/b", too_long);
	map(machine, USER, 0x3000, 0x1000, 0, "/bin/c", device);
	object = machine_object(machine, machine_find(machine, thread, USER, 0x1000)->object);
	EXPECT_INT(object->build_id_size, 4);
	EXPECT_INT(object->build_id[3], 0xdd);
	object = machine_object(machine, machine_find(machine, thread, USER, 0x2000)->object);
	EXPECT_INT(object->build_id_size, 0);
	object = machine_object(machine, machine_find(machine, thread, USER, 0x3000)->object);
	EXPECT_INT(object->build_id_size, 0);

	/* Marked, but a device: 8:1 (sda1), 259:2 (nvme). */
	map(machine, USER | PERF_RECORD_MISC_MMAP_BUILD_ID, 0x4000, 0x1000, 0, "/bin/d", sda);
	map(machine, USER | PERF_RECORD_MISC_MMAP_BUILD_ID, 0x5000, 0x1000, 0, "/bin/e", nvme);
	object = machine_object(machine, machine_find(machine, thread, USER, 0x4000)->object);
	EXPECT_INT(object->build_id_size, 0);
	object = machine_object(machine, machine_find(machine, thread, USER, 0x5000)->object);
	EXPECT_INT(object->build_id_size, 0);
	machine_free(machine);
}
