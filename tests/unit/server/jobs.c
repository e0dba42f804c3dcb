// SPDX-License-Identifier: Apache-2.0
#include "server/jobs.h"
#include "base/arena.h"
#include "base/err.h"
#include "ipc/channel.h"
#include "server/app.h"
#include "server/link.h"
#include "store/scene.h"
#include "test.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

/* We are the supervisor and the analyser. */
static struct app app;
static struct channel *supervisor;
static pthread_t reader;
static atomic_int done, failed, ended;

static void *read_link(void *arg)
{
	link_run(arg, NULL);
	return NULL;
}

static void open_all(void)
{
	struct msg_policy policy = { .host = "",
				     .kernel = "",
				     .cpu_model = "",
				     .perfolio = "",
				     .workload_user = "",
				     .analyser_ns = 1000000000,
				     .token_hash = "",
				     .origin = "" };
	struct err err = { 0 };
	int fds[2];

	scene_open();
	done = failed = ended = 0;
	app = (struct app){ .dir = scene_dir, .store = scene_store };
	EXPECT(!channel_pair(fds, &err));
	supervisor = channel_new(fds[0], &runner_protocol);
	EXPECT(!channel_send(supervisor, &msg_policy, &policy, &err));
	EXPECT(!channel_send(supervisor, &msg_ready, &(struct msg_ready){ 0 }, &err));
	app.link = link_open(fds[1], &app, &err);
	EXPECT_TEXT(err.text, "");
	app.jobs = jobs_new(&app);
	EXPECT(!jobs_begin(app.jobs, &err));
	pthread_create(&reader, NULL, read_link, app.link);
}

static void close_all(void)
{
	jobs_free(app.jobs);
	link_stop(app.link);
	pthread_join(reader, NULL);
	link_close(app.link);
	channel_free(supervisor);
	arena_free(&app.arena);
	scene_close();
}

static void job_done(void *user, const struct job_result *result)
{
	(void)user;
	failed = result->failed;
	ended = result->ended;
	done = 1;
}

static struct channel *start_job(void)
{
	struct job_spec spec = { .kind = ANALYSE_INDEX, .done = job_done };
	struct channel *analyser = NULL;
	const struct ipc_type *type;
	struct arena arena = { 0 };
	struct err err = { 0 };
	void *message;

	spec.out = datadir_scratch(scene_dir, &err);
	EXPECT(jobs_start(app.jobs, &spec, &err) == 1);
	for (int i = 0; i < 6000 && !analyser; i++) {
		poll(&(struct pollfd){ .fd = channel_fd(supervisor), .events = POLLIN }, 1, 10);
		if (channel_receive(supervisor, &arena, &type, &message, &err) <= 0)
			continue;
		EXPECT(type == &msg_analyse);
		analyser = channel_new(dup(((struct msg_analyse *)message)->channel),
				       &analysis_protocol);
		ipc_release(type, message);
	}
	arena_free(&arena);
	close(spec.out);
	EXPECT(analyser);
	return analyser;
}

static void wait_for_end(void)
{
	for (int i = 0; i < 6000 && !done; i++)
		usleep(10000);
	EXPECT(done);
}

/* What it wrote is not looked at while it could still change it. */
TEST(jobs_wait_for_the_process)
{
	struct msg_finished finished = { .reason = "", .quality = "{}", .facts = "{}" };
	struct msg_job_ended gone = { .job = 1, .reason = "" };
	struct channel *analyser;

	open_all();
	analyser = start_job();
	EXPECT(!channel_send(analyser, &msg_finished, &finished, NULL));
	usleep(200000);
	EXPECT(!done);
	EXPECT(!channel_send(supervisor, &msg_job_ended, &gone, NULL));
	wait_for_end();
	EXPECT(!failed);
	channel_free(analyser);
	close_all();
}

/* The words for the server's end, from one who has no say in that. */
TEST(jobs_claimed_end)
{
	struct msg_finished finished = {
		.failed = true, .reason = JOBS_ENDED, .quality = "", .facts = ""
	};
	struct msg_job_ended gone = { .job = 1, .reason = "" };
	struct channel *analyser;

	open_all();
	analyser = start_job();
	EXPECT(!channel_send(supervisor, &msg_job_ended, &gone, NULL));
	EXPECT(!channel_send(analyser, &msg_finished, &finished, NULL));
	wait_for_end();
	EXPECT(failed && !ended);
	channel_free(analyser);
	close_all();
}

TEST(jobs_end_with_the_server)
{
	struct channel *analyser;

	open_all();
	analyser = start_job();
	jobs_end(app.jobs);
	EXPECT(done && failed && ended);
	channel_free(analyser);
	close_all();
}
