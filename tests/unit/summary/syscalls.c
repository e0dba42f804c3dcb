// SPDX-License-Identifier: Apache-2.0
/* syscall-counts, failed-syscalls, rw-by-pid, rw-by-file, futex-contention. */
#include "summary/scene.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>

#define ENTER "raw_syscalls:sys_enter"
#define EXIT  "raw_syscalls:sys_exit"

enum { READ = 0, WRITE = 1, OPEN = 2, EXECVE = 59 };

static const struct actor dd = { "dd", 100, 100, 0 }, dd2 = { "dd", 100, 101, 1 },
			  sh = { "sh", 200, 200, 0 }, ls = { "ls", 200, 200, 0 };

static void call(struct scene *scene, const struct actor *who, uint64_t from, uint64_t to,
		 int64_t number, int64_t result)
{
	scene_take(scene, who, from, ENTER, "", number, 0, 0);
	scene_take(scene, who, to, EXIT, "", number, result, 0);
}

TEST(syscalls_are_counted)
{
	struct scene scene;

	scene_start(&scene, "syscall-counts", "x86_64");
	call(&scene, &dd, 1000, 1400, READ, 512);
	call(&scene, &sh, 1000, 1100, READ, -EINTR);
	call(&scene, &dd2, 2000, 2010, WRITE, 512);
	scene_finish(&scene);
	EXPECT_INT(scene_rows(&scene, "calls"), 2);
	EXPECT_TEXT(scene_text(&scene, "calls", 0, "syscall"), "read");
	EXPECT_INT(scene_number(&scene, "calls", 0, "calls"), 2);
	EXPECT_INT(scene_number(&scene, "calls", 0, "errors"), 1);
	EXPECT_INT(scene_number(&scene, "calls", 0, "total_ns"), 500);
	EXPECT_INT(scene_number(&scene, "calls", 0, "average_ns"), 250);
	EXPECT_INT(scene_number(&scene, "calls", 0, "max_ns"), 400);
	EXPECT_INT(scene_number(&scene, "calls", 0, "max_time_ns"), 1400);
	scene_free(&scene);
}

TEST(syscalls_by_process)
{
	struct scene scene;

	scene_start(&scene, "syscall-counts-by-pid", "x86_64");
	call(&scene, &dd, 1000, 1400, READ, 512);
	call(&scene, &dd2, 1000, 1400, READ, 512);
	/* An execve ends under another name and belongs to the one that it began under. */
	scene_take(&scene, &sh, 5000, ENTER, "", EXECVE, 0, 0);
	scene_take(&scene, &ls, 5700, EXIT, "", EXECVE, 0, 0);
	scene_finish(&scene);
	EXPECT_INT(scene_rows(&scene, "calls"), 2);
	EXPECT_TEXT(scene_text(&scene, "calls", 0, "comm"), "dd");
	EXPECT_INT(scene_number(&scene, "calls", 0, "pid"), 100);
	EXPECT_INT(scene_number(&scene, "calls", 0, "calls"), 2);
	EXPECT_TEXT(scene_text(&scene, "calls", 1, "comm"), "sh");
	EXPECT_INT(scene_number(&scene, "calls", 1, "total_ns"), 700);
	scene_free(&scene);
}

TEST(syscalls_with_pieces_missing)
{
	struct scene scene;

	scene_start(&scene, "syscall-counts", "x86_64");
	scene_take(&scene, &dd, 10, EXIT, "", READ, 5, 0); /* begun before the recording */
	scene_take(&scene, &dd, 20, ENTER, "", READ, 0, 0);
	scene_take(&scene, &dd, 90, EXIT, "", WRITE, -EIO, 0); /* of a call that was lost */
	call(&scene, &dd, 200, 100, READ, 5);		       /* backwards */
	call(&scene, &dd, 300, 310, 15, 0);		       /* rt_sigreturn ... */
	scene_take(&scene, &dd, 400, ENTER, "", 15, 0, 0);
	scene_take(&scene, &dd, 420, EXIT, "", -1, -EINTR, 0); /* ... as x86 ends it */
	scene_finish(&scene);
	EXPECT_INT(scene_rows(&scene, "calls"), 2);
	EXPECT_TEXT(scene_text(&scene, "calls", 0, "syscall"), "read");
	EXPECT_INT(scene_number(&scene, "calls", 0, "calls"), 2);
	EXPECT_INT(scene_number(&scene, "calls", 0, "errors"), 0);
	EXPECT(scene_number(&scene, "calls", 0, "average_ns") == SUMMARY_NONE);
	EXPECT_INT(scene_number(&scene, "calls", 1, "total_ns"), 30);
	EXPECT_INT(scene_number(&scene, "calls", 1, "errors"), 0);
	scene_free(&scene);
}

TEST(syscalls_without_ends)
{
	struct scene scene;

	scene_start(&scene, "syscall-counts", "aarch64");
	scene_take(&scene, &dd, 10, "syscalls:sys_enter_write", "", 64, 0, 0);
	scene_finish(&scene);
	EXPECT_INT(scene.result.tables.data[0].width, 2);
	EXPECT_TEXT(scene_text(&scene, "calls", 0, "syscall"), "write");
	scene_free(&scene);
}

TEST(syscalls_of_chosen_ones)
{
	struct scene scene;

	scene_start(&scene, "syscall-counts", "x86_64");
	scene.only_comm = "sh";
	call(&scene, &dd, 1000, 1400, READ, 512);
	call(&scene, &sh, 1000, 1400, WRITE, 512);
	scene_finish(&scene);
	EXPECT_INT(scene_rows(&scene, "calls"), 1);
	EXPECT_TEXT(scene_text(&scene, "calls", 0, "syscall"), "write");
	scene_free(&scene);
}

TEST(failed_syscalls_by_error)
{
	struct scene scene;

	for (int by_pid = 0; by_pid < 2; by_pid++) {
		scene_start(&scene, by_pid ? "failed-syscalls-by-pid" : "failed-syscalls",
			    "x86_64");
		scene_take(&scene, &sh, 1, EXIT, "", OPEN, -ENOENT, 0);
		scene_take(&scene, &dd, 1, EXIT, "", READ, -EAGAIN, 0);
		scene_take(&scene, &dd2, 1, EXIT, "", READ, -EAGAIN, 0);
		scene_take(&scene, &dd, 1, EXIT, "", READ, -EIO, 0);
		scene_take(&scene, &dd, 1, EXIT, "", READ, 0, 0);
		scene_finish(&scene);
		EXPECT_INT(scene_rows(&scene, "failures"), 3);
		EXPECT_TEXT(scene_text(&scene, "failures", 0, "comm"), "dd");
		EXPECT_TEXT(scene_text(&scene, "failures", 0, "error"), "EAGAIN");
		EXPECT_INT(scene_number(&scene, "failures", 0, "failures"), 2);
		EXPECT_TEXT(scene_text(&scene, "failures", 2, "error"), "ENOENT");
		EXPECT_INT(scene_number(&scene, "failures", 2, "errno"), ENOENT);
		if (by_pid)
			EXPECT_INT(scene_number(&scene, "failures", 2, "pid"), 200);
		scene_free(&scene);
	}
}

static void transfer(struct scene *scene, const struct actor *who, const char *name, int64_t fd,
		     int64_t count, int64_t result)
{
	char event[64];

	snprintf(event, sizeof(event), "syscalls:sys_enter_%s", name);
	scene_take(scene, who, 100, event, "", fd, count, 0);
	snprintf(event, sizeof(event), "syscalls:sys_exit_%s", name);
	scene_take(scene, who, 150, event, "", result, 0, 0);
}

TEST(rw_by_process_and_file)
{
	struct scene scene;

	for (int by_file = 0; by_file < 2; by_file++) {
		scene_start(&scene, by_file ? "rw-by-file" : "rw-by-pid", "x86_64");
		transfer(&scene, &dd, "read", 3, 4096, 100);
		transfer(&scene, &dd2, "pread64", 4, 4096, 0);
		transfer(&scene, &dd, "readv", 3, 0, 30);
		transfer(&scene, &dd, "write", 3, 50, -ENOSPC);
		transfer(&scene, &sh, "writev", 1, 0, 7);
		scene_finish(&scene);
		test_case(by_file ? "by file" : "by pid");
		EXPECT_INT(scene_rows(&scene, by_file ? "files" : "processes"), 2 + by_file);
		EXPECT_TEXT(scene_text(&scene, by_file ? "files" : "processes", 0, "comm"), "dd");
		EXPECT_INT(scene_number(&scene, by_file ? "files" : "processes", 0, "reads"),
			   3 - by_file);
		EXPECT_INT(
			scene_number(&scene, by_file ? "files" : "processes", 0, "read_requested"),
			by_file ? 4126 : 8222);
		EXPECT_INT(scene_number(&scene, by_file ? "files" : "processes", 0, "read_done"),
			   130);
		EXPECT_INT(scene_number(&scene, by_file ? "files" : "processes", 0, "write_errors"),
			   1);
		EXPECT_INT(scene_number(&scene, by_file ? "files" : "processes", 1, "write_done"),
			   7);
		EXPECT_TEXT(scene_text(&scene, "failures", 0, "error"), "ENOSPC");
		EXPECT_TEXT(scene_text(&scene, "failures", 0, "call"), "write");
		scene_free(&scene);
	}
}

static void wait_for(struct scene *scene, const struct actor *who, uint64_t from, uint64_t to,
		     int64_t lock, int64_t op, int64_t result)
{
	scene_take(scene, who, from, "syscalls:sys_enter_futex", "", lock, op, 0);
	scene_take(scene, who, to, "syscalls:sys_exit_futex", "", result, 0, 0);
}

TEST(futex_waits_by_lock)
{
	enum { WAIT_PRIVATE = 128, WAKE = 1, WAIT_BITSET = 9 };
	struct scene scene;

	scene_start(&scene, "futex-contention", "x86_64");
	wait_for(&scene, &dd, 100, 300, 0x1000, WAIT_PRIVATE, 0);
	wait_for(&scene, &dd2, 100, 500, 0x1000, WAIT_PRIVATE, -ETIMEDOUT);
	wait_for(&scene, &dd2, 600, 610, 0x1000, WAIT_BITSET, -EAGAIN);
	wait_for(&scene, &dd, 700, 900, 0x1000, WAKE, 1);
	wait_for(&scene, &dd, 900, 800, 0x1000, WAIT_PRIVATE, 0);		    /* backwards */
	scene_take(&scene, &sh, 900, "syscalls:sys_enter_futex", "", 0x2000, 0, 0); /* for ever */
	scene_finish(&scene);
	EXPECT_INT(scene_rows(&scene, "processes"), 2);
	EXPECT_INT(scene_number(&scene, "processes", 0, "lock"), 0x1000);
	EXPECT_TEXT(scene_text(&scene, "processes", 0, "op"), "wait");
	EXPECT_INT(scene_number(&scene, "processes", 0, "waits"), 2);
	EXPECT_INT(scene_number(&scene, "processes", 0, "total_ns"), 600);
	EXPECT_INT(scene_number(&scene, "processes", 0, "min_ns"), 200);
	EXPECT_INT(scene_number(&scene, "processes", 0, "max_ns"), 400);
	EXPECT_INT(scene_number(&scene, "processes", 0, "timed_out"), 1);
	EXPECT_TEXT(scene_text(&scene, "processes", 1, "op"), "wait_bitset");
	EXPECT_INT(scene_number(&scene, "processes", 1, "not_slept"), 1);
	EXPECT_INT(scene_rows(&scene, "threads"), 3);
	EXPECT_INT(scene_number(&scene, "threads", 0, "tid"), 101);
	scene_free(&scene);
}
