// SPDX-License-Identifier: Apache-2.0
#include "record/synth.h"
#include "base/buf.h"
#include "perfdata/buildid.h"
#include "record/procmaps.h"
#include "record/synth_record.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

TEST(procmaps_lines)
{
	char text[] = "55f0c1a00000-55f0c1a24000 r-xp 00002000 fe:00 1234567                    "
		      "/usr/bin/a "
		      "b\n"
		      "7ffe1000-7ffe2000 rw-s 00000000 00:00 0 \n"
		      "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  "
		      "[vsyscall]\n"
		      "nonsense\n";
	struct procmap map;
	char *at = text;

	EXPECT(procmap_next(&at, &map));
	EXPECT_INT(map.start, 0x55f0c1a00000);
	EXPECT_INT(map.end, 0x55f0c1a24000);
	EXPECT_INT(map.offset, 0x2000);
	EXPECT_INT(map.major, 0xfe);
	EXPECT_INT(map.inode, 1234567);
	EXPECT_INT(map.protection, PROT_READ | PROT_EXEC);
	EXPECT_INT(map.flags, MAP_PRIVATE);
	EXPECT_TEXT(map.path, "/usr/bin/a b");

	EXPECT(procmap_next(&at, &map));
	EXPECT_INT(map.flags, MAP_SHARED);
	EXPECT_INT(map.protection, PROT_READ | PROT_WRITE);
	EXPECT_TEXT(map.path, "");

	EXPECT(procmap_next(&at, &map));
	EXPECT_INT(map.start, 0xffffffffff600000);
	EXPECT_TEXT(map.path, "[vsyscall]");
	EXPECT(!procmap_next(&at, &map));
}

TEST(buildid_in_notes)
{
	struct build_id id;
	struct {
		uint32_t name_size, size, type;
		char name[4];
		unsigned char text[20];
	} notes[2] = { { 4, 16, 1, "GNU", { 0 } }, { 4, 20, 3, "GNU", { 1, 2, 3 } } };

	EXPECT_INT(build_id_of_notes(&id, notes, sizeof(notes), 4, false), -EBADMSG);
	notes[0].size = 20;
	EXPECT_INT(build_id_of_notes(&id, notes, sizeof(notes), 4, false), 0);
	EXPECT_INT(id.size, 20);
	EXPECT_INT(id.bytes[2], 3);
	EXPECT_INT(build_id_of_notes(&id, notes, sizeof(notes[0]), 4, false), -ENOENT);
	EXPECT_INT(build_id_of_notes(&id, notes, sizeof(notes) - 1, 4, false), -EBADMSG);
	EXPECT_INT(build_id_of_notes(&id, notes, 0, 4, false), -ENOENT);
}

static int collect(void *user, const void *records, size_t size, struct err *err)
{
	(void)err;
	buf_add(user, records, size);
	return 0;
}

/* The records of a type, each counted if `fits` says so. */
static size_t count(const struct buf *records, uint32_t type,
		    bool (*fits)(const void *record, size_t size))
{
	size_t found = 0;

	for (size_t at = 0; at < records->len;) {
		struct perf_event_header header;

		memcpy(&header, records->data + at, sizeof(header));
		EXPECT(header.size >= sizeof(header) && header.size % 8 == 0);
		found += header.type == type && (!fits || fits(records->data + at, header.size));
		at += header.size;
	}
	return found;
}

static struct build_id own_id;

static bool is_our_text(const void *record, size_t size)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
	const unsigned char *bytes = record;

	return size > 72 + (size_t)length && !memcmp(bytes + 72, path, (size_t)length) &&
	       bytes[40] == own_id.size && !memcmp(bytes + 44, own_id.bytes, own_id.size);
}

static bool is_our_thread(const void *record, size_t size)
{
	return size >= 24 && !strcmp((const char *)record + 16, "synth-thread");
}

static void *sleep_in_thread(void *go)
{
	prctl(PR_SET_NAME, "synth-thread");
	pthread_barrier_wait(go);
	pthread_barrier_wait(go);
	return NULL;
}

/* Enough threads that they are handed out in portions. */
TEST(synth_describes_a_process_with_many_threads)
{
	enum { THREADS = 700 };
	static pthread_t threads[THREADS];
	pthread_barrier_t go;
	pthread_attr_t attr;
	struct buf records = { 0 };
	struct synth synth = { .take = collect,
			       .user = &records,
			       .id_bytes = 16,
			       .build_ids = true,
			       .namespaces = true,
			       .threads = 4 };
	struct err err = { 0 };
	pid_t self = getpid();
	int fd = open("/proc/self/exe", O_RDONLY);

	build_id_of_fd(&own_id, fd);
	close(fd);
	pthread_barrier_init(&go, NULL, THREADS + 1);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 128 << 10);
	for (int i = 0; i < THREADS; i++)
		EXPECT_INT(pthread_create(&threads[i], &attr, sleep_in_thread, &go), 0);
	pthread_barrier_wait(&go);
	EXPECT_INT(synth_processes(&synth, &self, 1, &err), 0);
	pthread_barrier_wait(&go);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_attr_destroy(&attr);
	pthread_barrier_destroy(&go);

	EXPECT_INT(count(&records, PERF_RECORD_COMM, is_our_thread), THREADS);
	EXPECT(count(&records, PERF_RECORD_FORK, NULL) >= THREADS + 1);
	EXPECT_INT(count(&records, PERF_RECORD_NAMESPACES, NULL), 1);
	EXPECT_INT(count(&records, PERF_RECORD_MMAP2, is_our_text), 1);
	test_case("the process itself comes first");
	EXPECT_INT(((const uint32_t *)records.data)[2], self);
	EXPECT_INT(((const uint32_t *)records.data)[4], self);
	buf_free(&records);
}

TEST(synth_leaves_out_who_has_ended)
{
	struct buf records = { 0 };
	struct synth synth = { .take = collect, .user = &records };
	struct err err = { 0 };
	pid_t pids[] = { 0x3ffffff, getpid() };

	EXPECT_INT(synth_processes(&synth, pids, 2, &err), 0);
	EXPECT(records.len > 0);
	buf_free(&records);
}

static int refuse(void *user, const void *records, size_t size, struct err *err)
{
	(void)user, (void)records, (void)size;
	return err_set(err, ENOSPC, "full");
}

TEST(synth_passes_an_error_on)
{
	struct synth synth = { .take = refuse };
	struct err err = { 0 };

	EXPECT_INT(synth_processes(&synth, NULL, 0, &err), -ENOSPC);
	EXPECT_TEXT(err.text, "full");
}
