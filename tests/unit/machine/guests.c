// SPDX-License-Identifier: Apache-2.0
#include "machine/guests.h"
#include "machine/machine.h"
#include "perfdata/format.h"
#include "perfdata/maker.h"
#include "perfdata/sample.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define KERNEL 0xffffffff90000000
#define MODULE 0xffffffffc0000000

static void take(struct machine *machine, struct maker *maker)
{
	make_record_end(maker);
	machine_take(machine, (const void *)(maker->out.data + maker->record),
		     maker->out.len - maker->record);
	make_free(maker);
}

static void mmap_at(struct machine *machine, uint16_t mode, uint32_t pid, uint64_t start,
		    const char *name)
{
	struct maker maker = { 0 };

	make_record(&maker, PERF_RECORD_MMAP, mode);
	make_u32(&maker, pid);
	make_u32(&maker, pid);
	make_u64(&maker, start);
	make_u64(&maker, 0x1000);
	make_u64(&maker, start);
	make_name(&maker, name);
	take(machine, &maker);
}

/* Ids 1, 2 ... of so many events of guests that run in processes 500, 501 ... */
static void id_index(struct machine *machine, uint64_t count, uint64_t told)
{
	struct maker maker = { 0 };

	make_record(&maker, USER_RECORD_ID_INDEX, 0);
	make_u64(&maker, told);
	for (uint64_t i = 0; i < count; i++) {
		make_u64(&maker, i + 1);
		make_u64(&maker, 0);
		make_u64(&maker, 0);
		make_u64(&maker, 0);
	}
	for (uint64_t i = 0; i < count; i++) {
		make_u64(&maker, 500 + i);
		make_u64(&maker, i);
	}
	take(machine, &maker);
}

static struct thread *thread_of(struct machine *machine, uint16_t mode, uint32_t pid, uint64_t id)
{
	struct sample sample = {
		.misc = mode, .cpumode = (uint8_t)mode, .pid = pid, .tid = pid + 1, .id = id
	};

	return machine_sample_thread(machine, &sample);
}

static const char *name_at(struct machine *machine, uint16_t mode, uint32_t pid, uint64_t address)
{
	const struct thread *thread = thread_of(machine, mode, pid, UINT64_MAX);
	const struct mapping *found = machine_find(machine, thread, (uint8_t)mode, address);

	return found ? machine_object(machine, found->object)->name : "";
}

static const struct guest_sources list = { .kallsyms = "/nowhere/kallsyms" };

TEST(guests_are_not_taken_unasked)
{
	struct machine *machine = machine_new();
	struct guest_sources none = { 0 };

	machine_use_guests(machine, &none);
	EXPECT(!thread_of(machine, PERF_RECORD_MISC_GUEST_KERNEL, 500, 1));
	EXPECT(thread_of(machine, PERF_RECORD_MISC_KERNEL, 500, 1));
	machine_free(machine);
}

/* The same names, addresses and numbers of threads, and nothing of it is the host's. */
TEST(guests_are_apart_from_the_host)
{
	struct machine *machine = machine_new();
	const struct thread *host, *guest;

	machine_use_guests(machine, &list);
	mmap_at(machine, PERF_RECORD_MISC_KERNEL, UINT32_MAX, KERNEL, "[kernel.kallsyms]_text");
	mmap_at(machine, PERF_RECORD_MISC_KERNEL, UINT32_MAX, MODULE, "[virtio_net]");
	mmap_at(machine, PERF_RECORD_MISC_GUEST_KERNEL, 0, MODULE, "[virtio_net]");
	mmap_at(machine, PERF_RECORD_MISC_GUEST_KERNEL, 0, KERNEL, "[guest.kernel.kallsyms]_text");
	EXPECT_TEXT(name_at(machine, PERF_RECORD_MISC_GUEST_KERNEL, 500, KERNEL),
		    "[guest.kernel.kallsyms]");
	EXPECT_TEXT(name_at(machine, PERF_RECORD_MISC_KERNEL, 500, KERNEL), "[kernel.kallsyms]");
	EXPECT_TEXT(name_at(machine, PERF_RECORD_MISC_GUEST_KERNEL, 500, MODULE), "[virtio_net]");
	host = thread_of(machine, PERF_RECORD_MISC_KERNEL, 500, 0);
	guest = thread_of(machine, PERF_RECORD_MISC_GUEST_KERNEL, 500, 0);
	EXPECT(host->id != guest->id);
	EXPECT_TEXT(guest->comm, ":501");
	EXPECT(machine_space(machine, host, PERF_RECORD_MISC_KERNEL) !=
	       machine_space(machine, guest, PERF_RECORD_MISC_GUEST_KERNEL));
	EXPECT(machine_find(machine, host, PERF_RECORD_MISC_KERNEL, MODULE)->object !=
	       machine_find(machine, guest, PERF_RECORD_MISC_GUEST_KERNEL, MODULE)->object);
	EXPECT_INT(machine_space(machine, host, PERF_RECORD_MISC_GUEST_KERNEL), 0);
	EXPECT(!machine_find(machine, host, PERF_RECORD_MISC_GUEST_KERNEL, KERNEL));
	EXPECT(!machine_find(machine, host, PERF_RECORD_MISC_GUEST_USER, KERNEL));
	machine_free(machine);
}

/* What the files tell will do, unless the recording tells it. */
TEST(guests_kernel_is_assumed_where_nobody_tells)
{
	static const char lines[] = "virtio_net 4096 0 - Live 0xffffffffc0000000\n"
				    "a line of something else\n";
	char path[] = "/tmp/perfolio-guests-XXXXXX";
	int fd = mkstemp(path);
	struct guest_sources from = { .kallsyms = "/nowhere", .modules = path };
	struct machine *machine = machine_new();

	EXPECT_INT(write(fd, lines, sizeof(lines) - 1), sizeof(lines) - 1);
	close(fd);
	machine_use_guests(machine, &from);
	EXPECT_TEXT(name_at(machine, PERF_RECORD_MISC_GUEST_KERNEL, 500, KERNEL + 0x100000),
		    "[guest.kernel.kallsyms]");
	EXPECT_TEXT(name_at(machine, PERF_RECORD_MISC_GUEST_KERNEL, 600, MODULE + 0xfff),
		    "[virtio_net]");
	EXPECT_TEXT(name_at(machine, PERF_RECORD_MISC_GUEST_KERNEL, 600, MODULE + 0x1000),
		    "[guest.kernel.kallsyms]");
	EXPECT_TEXT(name_at(machine, PERF_RECORD_MISC_GUEST_USER, 500, 0x401000), "");
	machine_free(machine);
	unlink(path);

	machine = machine_new();
	machine_use_guests(machine, &list);
	mmap_at(machine, PERF_RECORD_MISC_GUEST_KERNEL, 0, KERNEL, "[guest.kernel.kallsyms]_text");
	EXPECT_TEXT(name_at(machine, PERF_RECORD_MISC_GUEST_KERNEL, 500, KERNEL + 0x100000), "");
	machine_free(machine);
}

TEST(guests_have_folders)
{
	char folder[] = "/tmp/perfolio-guests-XXXXXX", below[64];
	struct guest_sources from = { .mount = mkdtemp(folder), .kallsyms = "/nowhere" };
	struct machine *machine = machine_new();
	struct sample first = { .misc = PERF_RECORD_MISC_GUEST_KERNEL, .pid = 500, .tid = 500 };

	snprintf(below, sizeof(below), "%s/500", folder);
	EXPECT_INT(mkdir(below, 0700), 0);
	machine_use_guests(machine, &from);
	EXPECT_TEXT(name_at(machine, PERF_RECORD_MISC_GUEST_KERNEL, 500, KERNEL),
		    "[guest.kernel.kallsyms.500]");
	EXPECT_TEXT(name_at(machine, PERF_RECORD_MISC_GUEST_KERNEL, 600, KERNEL),
		    "[guest.kernel.kallsyms]");
	EXPECT_TEXT(machine_sample_thread(machine, &first)->comm, "[guest/500]");
	machine_free(machine);
	rmdir(below);
	rmdir(folder);
}

/* A hypervisor that brings the code along: in its own memory, whatever mode it runs in. */
TEST(guests_run_code_of_their_process)
{
	struct guest_sources from = { .code = true };
	struct machine *machine = machine_new();

	machine_use_guests(machine, &from);
	mmap_at(machine, PERF_RECORD_MISC_USER, 500, 0x401000, "/bin/tester");
	EXPECT_TEXT(name_at(machine, PERF_RECORD_MISC_GUEST_USER, 500, 0x401010), "/bin/tester");
	EXPECT_TEXT(name_at(machine, PERF_RECORD_MISC_GUEST_KERNEL, 500, 0x401010), "/bin/tester");
	EXPECT_TEXT(name_at(machine, PERF_RECORD_MISC_GUEST_KERNEL, 500, KERNEL), "");
	EXPECT_TEXT(name_at(machine, PERF_RECORD_MISC_GUEST_USER, 600, 0x401010), "");
	EXPECT_TEXT(thread_of(machine, PERF_RECORD_MISC_GUEST_USER, 500, 0)->comm, "[guest/500]");
	machine_free(machine);
}

/* Records that were made in a guest and merged in are known by their events' ids. */
TEST(guests_by_the_index_of_ids)
{
	struct machine *machine = machine_new();
	uint32_t pid, vcpu;

	id_index(machine, 2, 2);
	EXPECT_BOOL(machine_guest(machine, 2, &pid, &vcpu), true);
	EXPECT_INT(pid, 501);
	EXPECT_INT(vcpu, 1);
	EXPECT_BOOL(machine_guest(machine, 3, &pid, &vcpu), false);
	EXPECT_TEXT(thread_of(machine, PERF_RECORD_MISC_GUEST_USER, UINT32_MAX, 2)->comm,
		    "swapper");
	EXPECT(thread_of(machine, PERF_RECORD_MISC_GUEST_USER, 7, 1) !=
	       thread_of(machine, PERF_RECORD_MISC_GUEST_USER, 7, 2));
	machine_free(machine);
}

TEST(guests_survive_bad_indexes)
{
	static const struct {
		uint64_t rows, told;
		bool want;
	} cases[] = {
		{ 0, 0, false }, { 0, 1, false },	   { 2, 3, false },
		{ 2, 1, true },	 { 2, UINT64_MAX, false }, { 1300, 1300, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct machine *machine = machine_new();

		test_case("%zu", i);
		id_index(machine, cases[i].rows, cases[i].told);
		EXPECT_BOOL(thread_of(machine, PERF_RECORD_MISC_GUEST_USER, 7, 1) != NULL,
			    cases[i].want);
		machine_free(machine);
	}
}
