// SPDX-License-Identifier: Apache-2.0
#include "machine/machine.h"
#include "perfdata/format.h"
#include "perfdata/maker.h"
#include "test.h"

#include <sys/mman.h>

/* Gives the record that was just made to the machine. */
static void take(struct machine *machine, struct maker *maker)
{
	make_record_end(maker);
	machine_take(machine, (const void *)(maker->out.data + maker->record),
		     maker->out.len - maker->record);
	maker->out.len = 0;
}

static void mmap2_build(struct machine *machine, uint32_t pid, uint64_t start, uint64_t build,
			const char *name)
{
	struct maker maker = { 0 };

	make_record(&maker, PERF_RECORD_MMAP2,
		    PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID);
	make_u32(&maker, pid);
	make_u32(&maker, pid);
	make_u64(&maker, start);
	make_u64(&maker, 0x1000);
	make_u64(&maker, 0);
	make_u32(&maker, 20); /* bytes of the build-id */
	make_u64(&maker, build);
	make_u64(&maker, build);
	make_u32(&maker, 0);
	make_u32(&maker, PROT_EXEC);
	make_u32(&maker, MAP_PRIVATE);
	make_name(&maker, name);
	take(machine, &maker);
	make_free(&maker);
}

static void exit_of(struct machine *machine, uint32_t pid, uint32_t tid)
{
	struct maker maker = { 0 };

	make_record(&maker, PERF_RECORD_EXIT, 0);
	make_u32(&maker, pid);
	make_u32(&maker, 1);
	make_u32(&maker, tid);
	make_u32(&maker, 1);
	make_u64(&maker, 1);
	take(machine, &maker);
	make_free(&maker);
}

static void mmap2(struct machine *machine, uint16_t mode, uint32_t pid, uint64_t start,
		  uint64_t length, uint64_t offset, uint32_t prot, const char *name)
{
	struct maker maker = { 0 };

	make_record(&maker, PERF_RECORD_MMAP2, mode);
	make_u32(&maker, pid);
	make_u32(&maker, pid);
	make_u64(&maker, start);
	make_u64(&maker, length);
	make_u64(&maker, offset);
	make_u64(&maker, 0); /* device */
	make_u64(&maker, 0); /* inode */
	make_u64(&maker, 0);
	make_u32(&maker, prot);
	make_u32(&maker, MAP_PRIVATE);
	make_name(&maker, name);
	take(machine, &maker);
	make_free(&maker);
}

static void comm(struct machine *machine, uint32_t pid, uint32_t tid, const char *name, bool exec)
{
	struct maker maker = { 0 };

	make_record(&maker, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
	make_u32(&maker, pid);
	make_u32(&maker, tid);
	make_name(&maker, name);
	take(machine, &maker);
	make_free(&maker);
}

static void fork_to(struct machine *machine, uint32_t ppid, uint32_t ptid, uint32_t pid,
		    uint32_t tid, uint16_t misc)
{
	struct maker maker = { 0 };

	make_record(&maker, PERF_RECORD_FORK, misc);
	make_u32(&maker, pid);
	make_u32(&maker, ppid);
	make_u32(&maker, tid);
	make_u32(&maker, ptid);
	make_u64(&maker, 1);
	take(machine, &maker);
	make_free(&maker);
}

static const char *name_at(struct machine *machine, uint32_t pid, uint8_t mode, uint64_t address)
{
	const struct mapping *found = machine_find(machine, machine_thread(machine, pid, pid), mode,
						   address);

	return found ? machine_object(machine, found->object)->name : "";
}

TEST(machine_names_threads)
{
	struct machine *machine = machine_new();

	EXPECT_TEXT(machine_thread(machine, 0, 0)->comm, "swapper");
	EXPECT_TEXT(machine_thread(machine, 5, 6)->comm, ":6");
	comm(machine, 5, 6, "worker", false);
	EXPECT_TEXT(machine_thread(machine, 5, 6)->comm, "worker");
	fork_to(machine, 5, 6, 5, 7, 0);
	EXPECT_TEXT(machine_thread(machine, 5, 7)->comm, "worker");
	comm(machine, 5, 6, "renamed", false);
	EXPECT_TEXT(machine_thread(machine, 5, 7)->comm, "worker");
	machine_free(machine);
}

TEST(machine_a_fork_inherits_and_an_exec_begins_a_generation)
{
	struct machine *machine = machine_new();
	const struct process *child;
	uint32_t before;

	mmap2(machine, PERF_RECORD_MISC_USER, 10, 0x1000, 0x1000, 0, PROT_EXEC, "/bin/parent");
	fork_to(machine, 10, 10, 11, 11, 0);
	EXPECT_TEXT(name_at(machine, 11, PERF_RECORD_MISC_USER, 0x1800), "/bin/parent");
	mmap2(machine, PERF_RECORD_MISC_USER, 11, 0x1000, 0x800, 0, PROT_EXEC, "/lib/mine");
	EXPECT_TEXT(name_at(machine, 11, PERF_RECORD_MISC_USER, 0x1000), "/lib/mine");
	EXPECT_TEXT(name_at(machine, 11, PERF_RECORD_MISC_USER, 0x1800), "/bin/parent");
	EXPECT_TEXT(name_at(machine, 10, PERF_RECORD_MISC_USER, 0x1000), "/bin/parent");

	child = machine_thread(machine, 11, 11)->process;
	before = child->id;
	EXPECT_INT(child->generation, 0);
	comm(machine, 11, 11, "child", true);
	child = machine_thread(machine, 11, 11)->process;
	EXPECT_INT(child->generation, 1);
	EXPECT(child->id != before);

	/* The pid is used again. */
	fork_to(machine, 10, 10, 11, 11, 0);
	EXPECT_INT(machine_thread(machine, 11, 11)->process->generation, 2);
	EXPECT_TEXT(name_at(machine, 11, PERF_RECORD_MISC_USER, 0x1000), "/bin/parent");
	machine_free(machine);
}

TEST(machine_threads_share_their_process)
{
	struct machine *machine = machine_new();

	fork_to(machine, 10, 10, 10, 12, 0);
	mmap2(machine, PERF_RECORD_MISC_USER, 10, 0x1000, 0x1000, 0, PROT_EXEC, "/bin/prog");
	EXPECT(machine_thread(machine, 10, 12)->process ==
	       machine_thread(machine, 10, 10)->process);
	EXPECT(machine_find(machine, machine_thread(machine, 10, 12), PERF_RECORD_MISC_USER,
			    0x1000));
	machine_free(machine);
}

TEST(machine_a_made_up_fork_inherits_nothing)
{
	struct machine *machine = machine_new();

	mmap2(machine, PERF_RECORD_MISC_USER, 1, 0x1000, 0x1000, 0, PROT_EXEC, "/sbin/init");
	fork_to(machine, 1, 1, 20, 20, PERF_RECORD_MISC_FORK_EXEC);
	EXPECT_TEXT(name_at(machine, 20, PERF_RECORD_MISC_USER, 0x1000), "");
	machine_free(machine);
}

TEST(machine_tells_kernel_modules_and_programs_in_it)
{
	struct machine *machine = machine_new();
	struct maker maker = { 0 };

	mmap2(machine, PERF_RECORD_MISC_KERNEL, UINT32_MAX, 0xffffffff81000000, 0x1000000,
	      0xffffffff81000000, 0, "[kernel.kallsyms]_text");
	mmap2(machine, PERF_RECORD_MISC_KERNEL, UINT32_MAX, 0xffffffffc0000000, 0x1000, 0, 0,
	      "/lib/modules/6.1/kernel/fs/ext4/nf-tables.ko.xz");
	make_record(&maker, PERF_RECORD_KSYMBOL, 0);
	make_u64(&maker, 0xffffffffc0010000);
	make_u32(&maker, 0x100);
	make_u16(&maker, PERF_RECORD_KSYMBOL_TYPE_BPF);
	make_u16(&maker, 0);
	make_name(&maker, "bpf_prog_1234_x");
	take(machine, &maker);
	EXPECT_TEXT(name_at(machine, 1, PERF_RECORD_MISC_KERNEL, 0xffffffff81000010),
		    "[kernel.kallsyms]");
	EXPECT_TEXT(name_at(machine, 1, PERF_RECORD_MISC_KERNEL, 0xffffffffc0000010),
		    "[nf_tables]");
	EXPECT_TEXT(name_at(machine, 1, PERF_RECORD_MISC_KERNEL, 0xffffffffc0010010),
		    "bpf_prog_1234_x");
	EXPECT_TEXT(name_at(machine, 1, PERF_RECORD_MISC_USER, 0xffffffff81000010), "");

	make_record(&maker, PERF_RECORD_KSYMBOL, 0);
	make_u64(&maker, 0xffffffffc0010000);
	make_u32(&maker, 0x100);
	make_u16(&maker, PERF_RECORD_KSYMBOL_TYPE_BPF);
	make_u16(&maker, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER);
	make_name(&maker, "bpf_prog_1234_x");
	take(machine, &maker);
	EXPECT_TEXT(name_at(machine, 1, PERF_RECORD_MISC_KERNEL, 0xffffffffc0010010), "");
	make_free(&maker);
	machine_free(machine);
}

/* What symbol/ needs to name addresses of an earlier boot. */
TEST(machine_remembers_where_the_kernel_was)
{
	struct machine *machine = machine_new();
	const struct object *kernel, *module;

	mmap2(machine, PERF_RECORD_MISC_KERNEL, UINT32_MAX, 0xffffffff91000000, 0x1000000,
	      0xffffffff91000190, 0, "[kernel.kallsyms]_stext");
	mmap2(machine, PERF_RECORD_MISC_KERNEL, UINT32_MAX, 0xffffffffc0200000, 0x1000, 0, 0,
	      "[ext4]");
	kernel = machine_object(machine, machine_kernel(machine_thread(machine, 0, 0)));
	EXPECT_TEXT(kernel->anchor, "_stext");
	EXPECT_INT(kernel->base, 0xffffffff91000190);
	module = machine_object(machine, machine_find(machine, machine_thread(machine, 1, 1),
						      PERF_RECORD_MISC_KERNEL, 0xffffffffc0200010)
						 ->object);
	EXPECT(!module->anchor);
	EXPECT_INT(module->base, 0xffffffffc0200000);
	machine_free(machine);
}

/* One path, two builds: the program was replaced, or there are two containers. */
TEST(machine_tells_builds_of_one_name_apart)
{
	struct machine *machine = machine_new();
	const struct thread *thread;
	uint32_t objects[4];

	mmap2_build(machine, 5, 0x1000, 0x1111, "/app/prog");
	mmap2_build(machine, 5, 0x2000, 0x2222, "/app/prog");
	mmap2_build(machine, 5, 0x3000, 0x1111, "/app/prog");
	mmap2_build(machine, 5, 0x4000, 0x2222, "/app/prog");
	thread = machine_thread(machine, 5, 5);
	for (uint64_t i = 0; i < 4; i++)
		objects[i] = machine_find(machine, thread, PERF_RECORD_MISC_USER, 0x1000 * (i + 1))
				     ->object;
	EXPECT_INT(objects[2], objects[0]);
	EXPECT_INT(objects[3], objects[1]);
	EXPECT(objects[0] != objects[1]);
	EXPECT_TEXT(machine_object(machine, objects[1])->name, "/app/prog");
	EXPECT_INT(machine_object(machine, objects[1])->build_id[0], 0x22);
	EXPECT_INT(machine_object(machine, objects[1])->build_id_size, 20);
	machine_free(machine);
}

/* The table has two build-ids for one path and the mappings tell only inodes. */
TEST(machine_tells_files_of_an_ambiguous_name_apart)
{
	static const uint8_t ids[2][20] = { { 1 }, { 2 } };
	struct machine *machine = machine_new();
	struct maker maker = { 0 };
	const struct object *objects[3];

	for (int i = 0; i < 2; i++) {
		make_record(&maker, USER_RECORD_BUILD_ID, PERF_RECORD_MISC_USER);
		make_u32(&maker, UINT32_MAX);
		for (int at = 0; at < 20; at += 4)
			make_u32(&maker, ids[i][at]);
		make_u32(&maker, 0); /* fills up its 24 bytes */
		make_name(&maker, "/app/prog");
		take(machine, &maker);
	}
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t pid = 10 + i;

		make_record(&maker, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
		make_u32(&maker, pid);
		make_u32(&maker, pid);
		make_u64(&maker, 0x1000);
		make_u64(&maker, 0x1000);
		make_u64(&maker, 0);
		make_u64(&maker, 8);	      /* device */
		make_u64(&maker, 77 + i % 2); /* inode */
		make_u64(&maker, 0);
		make_u32(&maker, PROT_EXEC);
		make_u32(&maker, MAP_PRIVATE);
		make_name(&maker, "/app/prog");
		take(machine, &maker);
		objects[i] = machine_object(machine,
					    machine_find(machine, machine_thread(machine, pid, pid),
							 PERF_RECORD_MISC_USER, 0x1000)
						    ->object);
	}
	EXPECT(objects[0] != objects[1]);
	EXPECT(objects[0] == objects[2]);
	EXPECT_INT(objects[1]->inode, 78);
	EXPECT_INT(objects[1]->build_id_size, 0);
	EXPECT_TEXT(objects[1]->name, "/app/prog");
	make_free(&maker);
	machine_free(machine);
}

/* Who has ended keeps its mappings for a while: samples of its last moments may come after. */
TEST(machine_forgets_mappings_of_processes_that_ended)
{
	struct machine *machine = machine_new();
	const uint32_t first = 100, still = 50;

	mmap2(machine, PERF_RECORD_MISC_USER, still, 0x1000, 0x1000, 0, PROT_EXEC, "/bin/still");
	fork_to(machine, still, still, still, still + 1, 0);
	exit_of(machine, still, still); /* its other thread goes on */
	for (uint32_t pid = first; pid < first + 3 * PROCESSES_ENDED; pid++) {
		fork_to(machine, 1, 1, pid, pid, 0);
		mmap2(machine, PERF_RECORD_MISC_USER, pid, 0x1000, 0x1000, 0, PROT_EXEC, "/bin/x");
		fork_to(machine, pid, pid, pid, pid + 10000, 0);
		exit_of(machine, pid, pid);
		EXPECT_TEXT(name_at(machine, pid, PERF_RECORD_MISC_USER, 0x1000), "/bin/x");
		exit_of(machine, pid, pid + 10000);
		exit_of(machine, pid, pid + 10000); /* told twice */
		EXPECT_TEXT(name_at(machine, pid, PERF_RECORD_MISC_USER, 0x1000), "/bin/x");
	}
	EXPECT_TEXT(name_at(machine, first, PERF_RECORD_MISC_USER, 0x1000), "");
	EXPECT_TEXT(
		name_at(machine, first + 3 * PROCESSES_ENDED - 2, PERF_RECORD_MISC_USER, 0x1000),
		"/bin/x");
	EXPECT_TEXT(name_at(machine, still, PERF_RECORD_MISC_USER, 0x1000), "/bin/still");
	machine_free(machine);
}

/* The processes of a virtual machine have pids of their own, which are not ours. */
TEST(machine_passes_over_guests)
{
	struct machine *machine = machine_new();

	mmap2(machine, PERF_RECORD_MISC_USER, 9, 0x1000, 0x1000, 0, PROT_EXEC, "/bin/here");
	mmap2(machine, PERF_RECORD_MISC_GUEST_USER, 9, 0x1000, 0x1000, 0, PROT_EXEC, "/bin/there");
	mmap2(machine, PERF_RECORD_MISC_GUEST_KERNEL, UINT32_MAX, 0xffffffff81000000, 0x1000000,
	      0xffffffff81000000, 0, "[guest.kernel.kallsyms]_text");
	EXPECT_TEXT(name_at(machine, 9, PERF_RECORD_MISC_USER, 0x1000), "/bin/here");
	EXPECT_TEXT(name_at(machine, 9, PERF_RECORD_MISC_KERNEL, 0xffffffff81000010), "");
	EXPECT_INT(machine_kernel(machine_thread(machine, 0, 0)), OBJECT_NONE);
	machine_free(machine);
}

TEST(machine_names_memory_without_a_file)
{
	static const struct {
		const char *name;
		uint32_t prot;
		const char *want;
	} cases[] = {
		{ "//anon", PROT_EXEC, "/tmp/perf-9.map" },
		{ "//anon", PROT_READ, "//anon" },
		{ "[heap]", PROT_READ, "[heap]" },
		{ "[vdso]", PROT_EXEC, "[vdso]" },
		{ "/SYSV0001", PROT_READ, "/SYSV0001" },
		{ "/dev/zero (deleted)", PROT_EXEC, "/tmp/perf-9.map" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct machine *machine = machine_new();

		test_case("%s", cases[i].name);
		mmap2(machine, PERF_RECORD_MISC_USER, 9, 0x1000, 0x1000, 0x5000, cases[i].prot,
		      cases[i].name);
		EXPECT_TEXT(name_at(machine, 9, PERF_RECORD_MISC_USER, 0x1000), cases[i].want);
		machine_free(machine);
	}
}

/* Names without an end and records that are cut are passed over. */
TEST(machine_survives_cut_records)
{
	static const uint32_t types[] = { PERF_RECORD_MMAP,	PERF_RECORD_MMAP2,
					  PERF_RECORD_COMM,	PERF_RECORD_FORK,
					  PERF_RECORD_KSYMBOL,	PERF_RECORD_CGROUP,
					  USER_RECORD_BUILD_ID, USER_RECORD_ID_INDEX };

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		for (size_t size = 8; size < 120; size += 4) {
			struct machine *machine = machine_new();
			struct perf_event_header *header = mem_alloc(size);

			memset(header, 'x', size);
			header->type = types[i];
			header->size = (uint16_t)size;
			machine_take(machine, header, size);
			free(header);
			machine_free(machine);
		}
}
