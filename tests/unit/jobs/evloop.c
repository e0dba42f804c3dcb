// SPDX-License-Identifier: Apache-2.0
#include "jobs/evloop.h"
#include "base/clock.h"
#include "base/err.h"
#include "test.h"

#include <poll.h>
#include <unistd.h>

struct scene {
	struct evloop *loop;
	int pipes[2][2];
	int read, due;
	int64_t due_ns;
};

static void set_up(struct scene *scene)
{
	*scene = (struct scene){ .loop = evloop_new() };
	EXPECT_INT(pipe(scene->pipes[0]), 0);
	EXPECT_INT(pipe(scene->pipes[1]), 0);
}

static void tear_down(struct scene *scene)
{
	for (int i = 0; i < 4; i++)
		close(scene->pipes[i / 2][i % 2]);
	evloop_free(scene->loop);
}

static void stop(void *user)
{
	struct scene *scene = user;

	scene->due++;
	scene->due_ns = clock_now_ns();
	evloop_stop(scene->loop);
}

static void read_one(void *user, short revents)
{
	struct scene *scene = user;
	char byte;

	EXPECT(revents & POLLIN);
	scene->read += (int)read(scene->pipes[0][0], &byte, 1);
}

TEST(evloop_ready_and_due)
{
	struct scene scene;
	struct err err = { 0 };
	int64_t begin = clock_now_ns();

	set_up(&scene);
	EXPECT_INT(write(scene.pipes[0][1], "abc", 3), 3);
	evloop_watch(scene.loop, scene.pipes[0][0], POLLIN, read_one, &scene);
	evloop_at(scene.loop, begin + 3600 * NS_PER_SEC, stop, &scene);
	evloop_at(scene.loop, begin + 20 * NS_PER_MSEC, stop, &scene); /* moves it */
	EXPECT_INT(evloop_run(scene.loop, &err), 0);
	EXPECT_INT(scene.read, 3);
	EXPECT_INT(scene.due, 1);
	EXPECT(scene.due_ns >= begin + 20 * NS_PER_MSEC);
	tear_down(&scene);
}

/* Both are ready in the same round; the first takes the second away. */
static void take_away(void *user, short revents)
{
	struct scene *scene = user;

	(void)revents;
	evloop_unwatch(scene->loop, scene->pipes[1][0]);
	evloop_unwatch(scene->loop, scene->pipes[0][0]);
	evloop_at(scene->loop, clock_now_ns(), stop, scene);
}

static void never_called(void *user, short revents)
{
	(void)user, (void)revents;
	EXPECT(false);
}

TEST(evloop_removed_while_ready)
{
	struct scene scene;
	struct err err = { 0 };

	set_up(&scene);
	EXPECT_INT(write(scene.pipes[0][1], "a", 1), 1);
	EXPECT_INT(write(scene.pipes[1][1], "a", 1), 1);
	evloop_watch(scene.loop, scene.pipes[0][0], POLLIN, take_away, &scene);
	evloop_watch(scene.loop, scene.pipes[1][0], POLLIN, never_called, &scene);
	EXPECT_INT(evloop_run(scene.loop, &err), 0);
	EXPECT_INT(scene.due, 1);
	tear_down(&scene);
}

static void not_due(void *user)
{
	(void)user;
	EXPECT(false);
}

TEST(evloop_never)
{
	struct scene scene;
	struct err err = { 0 };

	set_up(&scene);
	evloop_at(scene.loop, clock_now_ns(), not_due, &scene);
	evloop_never(scene.loop, not_due, &scene);
	evloop_at(scene.loop, clock_now_ns() + NS_PER_MSEC, stop, &scene);
	EXPECT_INT(evloop_run(scene.loop, &err), 0);
	tear_down(&scene);
}
