// SPDX-License-Identifier: Apache-2.0
/* wakeup-latency and sched-migration. */
#include "summary/scene.h"
#include "test.h"

static const struct actor cpu0 = { "swapper", 0, 0, 0 }, cpu1 = { "swapper", 0, 0, 1 };

static void wake(struct scene *scene, uint64_t time, int64_t tid)
{
	scene_take(scene, &cpu1, time, "sched:sched_wakeup", "", tid, 0, 0);
}

static void change(struct scene *scene, const struct actor *where, uint64_t time, int64_t from,
		   int64_t to, const char *comm)
{
	scene_take(scene, where, time, "sched:sched_switch", comm, from, to, 0);
}

TEST(wakeups_until_running)
{
	struct scene scene;

	scene_start(&scene, "wakeup-latency", NULL);
	wake(&scene, 1000, 105);
	wake(&scene, 1100, 105); /* waits already */
	change(&scene, &cpu0, 1500, 0, 105, "worker");
	wake(&scene, 1600, 105); /* runs */
	change(&scene, &cpu0, 1700, 105, 0, "swapper");
	change(&scene, &cpu0, 9000, 0, 105, "worker"); /* for another reason */
	change(&scene, &cpu0, 9100, 105, 0, "swapper");
	wake(&scene, 10000, 105);
	change(&scene, &cpu0, 10100, 0, 105, "worker");
	wake(&scene, 20000, 7);
	change(&scene, &cpu1, 27000, 0, 7, "other");
	scene_finish(&scene);
	EXPECT_INT(scene_number(&scene, "all", 0, "wakeups"), 3);
	EXPECT_INT(scene_number(&scene, "all", 0, "min_ns"), 100);
	EXPECT_INT(scene_number(&scene, "all", 0, "max_ns"), 7000);
	EXPECT_INT(scene_number(&scene, "all", 0, "max_time_ns"), 27000);
	EXPECT_INT(scene_rows(&scene, "threads"), 2);
	EXPECT_TEXT(scene_text(&scene, "threads", 0, "comm"), "other");
	EXPECT(scene_number(&scene, "threads", 0, "pid") == SUMMARY_NONE);
	EXPECT_INT(scene_number(&scene, "threads", 1, "pid"), 100);
	EXPECT_INT(scene_number(&scene, "threads", 1, "tid"), 105);
	EXPECT_INT(scene_number(&scene, "threads", 1, "wakeups"), 2);
	EXPECT_INT(scene_number(&scene, "threads", 1, "average_ns"), 300);
	EXPECT_INT(scene.result.notes.len, 0);
	scene_free(&scene);
}

TEST(wakeups_backwards_or_none)
{
	struct scene scene;

	scene_start(&scene, "wakeup-latency", NULL);
	wake(&scene, 1000, 105);
	change(&scene, &cpu0, 500, 0, 105, "worker");
	scene_finish(&scene);
	EXPECT_INT(scene_rows(&scene, "threads"), 0);
	EXPECT(scene_number(&scene, "all", 0, "p99_ns") == SUMMARY_NONE);
	EXPECT_INT(scene.result.notes.len, 2);
	EXPECT_CONTAINS(scene.result.notes.data[0], "-a");
	EXPECT_CONTAINS(scene.result.notes.data[1], "1 waits end before");
	scene_free(&scene);
}

TEST(wakeups_of_the_woken_are_chosen)
{
	struct scene scene;

	scene_start(&scene, "wakeup-latency", NULL);
	scene.only_comm = "worker";
	wake(&scene, 1000, 105);
	wake(&scene, 1000, 206);
	change(&scene, &cpu0, 1500, 0, 105, "worker");
	change(&scene, &cpu1, 1600, 0, 206, "other");
	scene_finish(&scene);
	EXPECT_INT(scene_rows(&scene, "threads"), 1);
	EXPECT_INT(scene_number(&scene, "threads", 0, "tid"), 105);
	scene_free(&scene);
}

TEST(migrations_and_busy_cpus)
{
	struct scene scene;

	scene_start(&scene, "sched-migration", NULL);
	scene_take(&scene, &cpu0, 10, "sched:sched_migrate_task", "worker", 105, 0, 1);
	scene_take(&scene, &cpu0, 20, "sched:sched_migrate_task", "worker", 105, 1, 0);
	scene_take(&scene, &cpu0, 30, "sched:sched_migrate_task", "worker", 105, 0, 1);
	scene_take(&scene, &cpu0, 40, "sched:sched_migrate_task", "other", 206, 3, 1);
	change(&scene, &cpu0, 1000, 105, 0, "swapper");
	change(&scene, &cpu0, 1300, 0, 105, "worker");
	change(&scene, &cpu0, 1400, 105, 0, "swapper");
	change(&scene, &cpu0, 1350, 105, 0, "swapper"); /* backwards */
	scene_finish(&scene);
	EXPECT_INT(scene_rows(&scene, "threads"), 2);
	EXPECT_INT(scene_number(&scene, "threads", 0, "migrations"), 3);
	EXPECT_INT(scene_number(&scene, "threads", 0, "cpus"), 2);
	EXPECT_INT(scene_rows(&scene, "ways"), 3);
	EXPECT_INT(scene_number(&scene, "ways", 0, "from_cpu"), 0);
	EXPECT_INT(scene_number(&scene, "ways", 0, "to_cpu"), 1);
	EXPECT_INT(scene_number(&scene, "ways", 0, "migrations"), 2);
	EXPECT_INT(scene_rows(&scene, "cpus"), 3);
	EXPECT_INT(scene_number(&scene, "cpus", 0, "came"), 1);
	EXPECT_INT(scene_number(&scene, "cpus", 0, "left"), 2);
	EXPECT_INT(scene_number(&scene, "cpus", 0, "busy_ns"), 100);
	EXPECT_INT(scene_number(&scene, "cpus", 0, "busy_share"), 250000);
	EXPECT(scene_number(&scene, "cpus", 1, "busy_share") == SUMMARY_NONE);
	scene_free(&scene);
}
