// SPDX-License-Identifier: Apache-2.0
#include "server/jobs.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "ipc/channel.h"
#include "server/app.h"
#include "server/link.h"
#include "store/datadir.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define TICK_MS	   1000
#define GRACE_NS   (5 * NS_PER_SEC)  /* from the end of a channel to the supervisor's word */
#define EXIT_NS	   (30 * NS_PER_SEC) /* from its last message to its end */
#define BASE_NS	   (5 * NS_PER_SEC)  /* for disks and other programs, beside CPU time */
#define NEVER	   INT64_MAX
#define MOST_RUN   4 /* at the same time that somebody waits for */
#define MOST_TREES 8 /* messages of one job that are taken before others have their turn */

struct job {
	int64_t id;
	struct job_spec spec;
	struct channel *channel;
	struct arena arena; /* of the last message */
	int64_t deadline_ns;
	bool fed;      /* all inputs were given */
	bool gone;     /* the supervisor says that it has ended */
	bool closed;   /* nothing more comes from the channel */
	bool complete; /* to be said to it */
	uint64_t run;  /* ... of this */
	bool stopped;  /* nobody wants it any more */
	bool over;
	struct msg_finished *finished;
	char reason[1100]; /* why it failed, where it does not say so itself */
};

struct jobs {
	struct app *app;
	int wake;
	pthread_t thread;
	bool begun;
	sem_t turns;	      /* of those that are waited for */
	pthread_mutex_t lock; /* for all below */
	bool ending;
	VEC(struct job *) list;
	int64_t last;
};

static void wake_up(struct jobs *jobs)
{
	uint64_t one = 1;
	ssize_t ignored = write(jobs->wake, &one, sizeof(one));

	(void)ignored;
}

static struct job *find(struct jobs *jobs, int64_t id)
{
	vec_each (job, &jobs->list)
		if ((*job)->id == id)
			return *job;
	return NULL;
}

/* CPU time has a limit of its own in there; this is for one that waits for ever. */
static int64_t deadline(const struct jobs *jobs)
{
	return clock_now_ns() + BASE_NS + 4 * (int64_t)jobs->app->policy.analyser_ns;
}

static void job_free(struct job *job)
{
	channel_free(job->channel);
	arena_free(&job->arena);
	free(job);
}

/* ---- what comes from elsewhere ---- */

static void on_job_ended(struct app *app, void *message)
{
	const struct msg_job_ended *ended = message;
	struct jobs *jobs = app->jobs;
	struct job *job;

	pthread_mutex_lock(&jobs->lock);
	job = find(jobs, (int64_t)ended->job);
	if (job) {
		job->gone = true;
		if (ended->failed && !*job->reason)
			snprintf(job->reason, sizeof(job->reason), "its analyser ended: %s",
				 ended->reason);
	}
	pthread_mutex_unlock(&jobs->lock);
	wake_up(jobs);
}

struct jobs *jobs_new(struct app *app)
{
	struct jobs *jobs = mem_alloc(sizeof(*jobs));

	jobs->app = app;
	jobs->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&jobs->lock, NULL);
	sem_init(&jobs->turns, 0, MOST_RUN);
	if (app->link)
		link_on(app->link, &msg_job_ended, on_job_ended);
	return jobs;
}

/* ---- starting ---- */

static int send_inputs(struct job *job, const struct job_spec *spec, const char *avoid,
		       struct err *err)
{
	struct msg_job task = {
		.kind = spec->kind,
		.options = spec->options,
		.avoid = avoid,
		.most = spec->most,
		.out = spec->out,
	};
	int rc = spec->feed ? channel_send(job->channel, &msg_job, &task, err) : 0;

	for (size_t i = 0; i < spec->input_count && !rc; i++)
		rc = channel_send(job->channel, &msg_input, &spec->inputs[i], err);
	if (!rc && !spec->feed)
		rc = channel_send(job->channel, &msg_job, &task, err);
	return rc;
}

static int ask_for_process(struct jobs *jobs, const struct job *job, int fd, struct err *err)
{
	struct msg_analyse ask = { .job = (uint64_t)job->id,
				   .imported = job->spec.imported,
				   .person = job->spec.person,
				   .run = (uint64_t)job->spec.run,
				   .channel = fd };

	return link_send(jobs->app->link, &msg_analyse, &ask, err);
}

static struct job *make_job(struct jobs *jobs, const struct job_spec *spec)
{
	struct job *job = mem_alloc(sizeof(*job));

	job->id = ++jobs->last;
	job->spec = *spec;
	job->fed = !spec->feed;
	job->deadline_ns = spec->endless ? NEVER : deadline(jobs);
	return job;
}

int64_t jobs_start(struct jobs *jobs, const struct job_spec *spec, struct err *err)
{
	struct job *job;
	int64_t id;
	int fds[2], rc = channel_pair(fds, err);

	if (rc)
		return rc;
	pthread_mutex_lock(&jobs->lock);
	job = make_job(jobs, spec);
	id = job->id;
	job->channel = channel_new(fds[0], &analysis_protocol);
	if (jobs->ending)
		rc = err_set(err, ESHUTDOWN, "the server is ending");
	if (!rc)
		rc = send_inputs(job, spec, datadir_path(jobs->app->dir), err);
	if (!rc)
		rc = ask_for_process(jobs, job, fds[1], err);
	if (rc)
		job_free(job);
	else
		*vec_push(&jobs->list) = job;
	pthread_mutex_unlock(&jobs->lock);
	close(fds[1]);
	wake_up(jobs);
	return rc ? rc : id;
}

int jobs_complete(struct jobs *jobs, int64_t id, uint64_t run)
{
	struct job *job;

	pthread_mutex_lock(&jobs->lock);
	job = find(jobs, id);
	if (job && !job->over) {
		job->complete = true;
		job->run = run;
		job->deadline_ns = deadline(jobs);
	}
	pthread_mutex_unlock(&jobs->lock);
	wake_up(jobs);
	return job ? 0 : -ENOENT;
}

void jobs_stop(struct jobs *jobs, int64_t id)
{
	struct job *job;

	pthread_mutex_lock(&jobs->lock);
	job = find(jobs, id);
	if (job)
		job->stopped = true;
	pthread_mutex_unlock(&jobs->lock);
	wake_up(jobs);
}

/* ---- listening ---- */

static void fail(struct job *job, const char *reason)
{
	if (!*job->reason)
		snprintf(job->reason, sizeof(job->reason), "%s", reason);
	job->finished = NULL;
	job->over = true;
}

/* The next inputs, as long as the other end takes them. */
static int feed(struct job *job, struct err *err)
{
	int rc = 0;

	while (!rc && !job->fed && !(channel_wants(job->channel) & POLLOUT)) {
		struct msg_input input = { .fd = -1 };

		if (job->spec.feed(job->spec.feeder, &input)) {
			rc = channel_send(job->channel, &msg_input, &input, err);
			vec_free(&input.attributes);
			if (input.fd >= 0)
				close(input.fd);
		} else {
			job->fed = true;
			job->complete = true;
		}
	}
	return rc;
}

static int say_complete(struct job *job, struct err *err)
{
	struct msg_complete message = { .run = job->run };

	if (!job->complete || !job->fed)
		return 0;
	job->complete = false;
	return channel_send(job->channel, &msg_complete, &message, err);
}

/*
 * Its file is checked and used only when it has ended: one that was taken over and lives on could
 * change it afterwards, under whoever has it mapped.
 */
static int hear(struct job *job, const struct ipc_type *type, void *message, struct err *err)
{
	if (type == &msg_finished) {
		job->finished = message;
		job->closed = true;
		job->deadline_ns = clock_now_ns() + EXIT_NS;
		return 0;
	}
	if (!job->spec.hear)
		return err_set(err, EPROTO, "an analyser said '%s'", type->name);
	return job->spec.hear(job->spec.user, type, message, err);
}

static int receive(struct job *job, struct err *err)
{
	const struct ipc_type *type;
	void *message;
	int rc = 0;

	for (int i = 0; i < MOST_TREES && !job->closed; i++) {
		arena_free(&job->arena);
		rc = channel_receive(job->channel, &job->arena, &type, &message, err);
		if (rc <= 0)
			break;
		rc = hear(job, type, message, err);
		ipc_release(type, message);
		if (rc)
			break;
	}
	return rc < 0 ? rc : 0;
}

/* What it was that a dead channel means, the supervisor tells. */
static void look_at_channel(struct job *job)
{
	struct err err = { 0 };
	int rc = receive(job, &err); /* first: one that has gone may have said why */

	if (!rc && !job->closed)
		rc = channel_flush(job->channel, &err);
	if (!rc && !job->closed)
		rc = feed(job, &err);
	if (!rc && !job->closed)
		rc = say_complete(job, &err);
	if (rc == -EPIPE) {
		job->closed = true;
		job->deadline_ns = clock_now_ns() + GRACE_NS;
	} else if (rc) {
		fail(job, err.text);
	}
}

static void look(struct jobs *jobs, struct job *job, int64_t now_ns)
{
	struct msg_stop_job stop = { .job = (uint64_t)job->id };

	if (!job->closed && !job->over)
		look_at_channel(job);
	if (jobs->ending && !job->over)
		fail(job, JOBS_ENDED);
	if (job->stopped && !job->over)
		fail(job, "nobody waits for it any more");
	if (job->finished && job->gone)
		job->over = true;
	if (job->closed && job->gone && !job->over)
		fail(job, "its analyser ended and said nothing");
	if (now_ns > job->deadline_ns && !job->over)
		fail(job, job->finished ? "its analyser did not end when it was done"
			  : job->closed ? "its analyser ended and said nothing"
					: "it takes longer than an analysis may");
	if (job->over && !job->gone)
		link_send(jobs->app->link, &msg_stop_job, &stop, NULL);
}

static void tell_end(struct job *job)
{
	struct job_result result = { .failed = true,
				     .ended = !strcmp(job->reason, JOBS_ENDED),
				     .reason = job->reason };

	if (job->finished)
		result = (struct job_result){ .failed = job->finished->failed,
					      .refused = job->finished->refused,
					      .no_room = job->finished->no_room,
					      .too_large = job->finished->too_large,
					      .reason = job->finished->reason,
					      .quality = job->finished->quality,
					      .facts = job->finished->facts };
	job->spec.done(job->spec.user, &result);
	job_free(job);
}

/* Whoever is told of an end may start another job: the lock is not held then. */
static void take_turn(struct jobs *jobs)
{
	VEC(struct job *) over = { 0 };
	int64_t now_ns = clock_now_ns();
	size_t kept = 0;

	pthread_mutex_lock(&jobs->lock);
	vec_each (job, &jobs->list) {
		look(jobs, *job, now_ns);
		if ((*job)->over)
			*vec_push(&over) = *job;
		else
			jobs->list.data[kept++] = *job;
	}
	jobs->list.len = kept;
	pthread_mutex_unlock(&jobs->lock);
	vec_each (job, &over)
		tell_end(*job);
	vec_free(&over);
}

struct pollfds VEC_OF(struct pollfd);

static bool wait_for_something(struct jobs *jobs, struct pollfds *fds)
{
	uint64_t count;
	bool ended;

	fds->len = 0;
	*vec_push(fds) = (struct pollfd){ .fd = jobs->wake, .events = POLLIN };
	pthread_mutex_lock(&jobs->lock);
	vec_each (job, &jobs->list)
		if (!(*job)->closed)
			*vec_push(fds) =
				(struct pollfd){ .fd = channel_fd((*job)->channel),
						 .events = channel_wants((*job)->channel) };
	ended = jobs->ending && !jobs->list.len;
	pthread_mutex_unlock(&jobs->lock);
	if (ended)
		return false;
	poll(fds->data, fds->len, TICK_MS);
	if (read(jobs->wake, &count, sizeof(count)) < 0)
		count = 0;
	return true;
}

static void *listen_to_all(void *user)
{
	struct jobs *jobs = user;
	struct pollfds fds = { 0 };

	while (wait_for_something(jobs, &fds))
		take_turn(jobs);
	vec_free(&fds);
	return NULL;
}

int jobs_begin(struct jobs *jobs, struct err *err)
{
	int rc = pthread_create(&jobs->thread, NULL, listen_to_all, jobs);

	jobs->begun = !rc;
	return rc ? err_set(err, rc, "a thread for analysers: %s", strerror(rc)) : 0;
}

void jobs_end(struct jobs *jobs)
{
	if (!jobs || !jobs->begun)
		return;
	pthread_mutex_lock(&jobs->lock);
	jobs->ending = true;
	pthread_mutex_unlock(&jobs->lock);
	wake_up(jobs);
	pthread_join(jobs->thread, NULL);
	jobs->begun = false;
}

void jobs_free(struct jobs *jobs)
{
	if (!jobs)
		return;
	jobs_end(jobs);
	vec_each (job, &jobs->list)
		job_free(*job);
	vec_free(&jobs->list);
	close(jobs->wake);
	pthread_mutex_destroy(&jobs->lock);
	sem_destroy(&jobs->turns);
	free(jobs);
}

/* ---- waiting for one ---- */

#define LOOK_NS (200 * NS_PER_MSEC) /* between two looks whether the client is still there */

struct waiting {
	pthread_mutex_t lock;
	pthread_cond_t ended;
	bool over;
	int rc;
	struct err *err;
};

static void wake_waiting(void *user, const struct job_result *result)
{
	struct waiting *waiting = user;
	int code = result->refused     ? EINVAL
		   : result->no_room   ? ENOSPC
		   : result->too_large ? EFBIG
				       : EIO;

	pthread_mutex_lock(&waiting->lock);
	waiting->over = true;
	if (result->failed)
		waiting->rc = err_set(waiting->err, code, "%s", result->reason);
	pthread_cond_signal(&waiting->ended);
	pthread_mutex_unlock(&waiting->lock);
}

static bool is_unwanted(const struct job_spec *spec)
{
	return spec->unwanted && spec->unwanted(spec->asker);
}

/* False: nobody wants it any more. */
static bool wait_for_turn(struct jobs *jobs, const struct job_spec *spec)
{
	struct timespec until;

	do {
		if (is_unwanted(spec))
			return false;
		until = clock_after(LOOK_NS);
	} while (sem_clockwait(&jobs->turns, CLOCK_MONOTONIC, &until));
	return true;
}

/* What nobody takes is not made to its end. */
static void wait_for_end(struct jobs *jobs, const struct job_spec *spec, int64_t id,
			 struct waiting *waiting)
{
	bool stopped = false;

	pthread_mutex_lock(&waiting->lock);
	while (!waiting->over) {
		struct timespec until = clock_after(LOOK_NS);

		pthread_cond_timedwait(&waiting->ended, &waiting->lock, &until);
		if (waiting->over || stopped || !is_unwanted(spec))
			continue;
		stopped = true;
		pthread_mutex_unlock(&waiting->lock);
		jobs_stop(jobs, id);
		pthread_mutex_lock(&waiting->lock);
	}
	pthread_mutex_unlock(&waiting->lock);
}

int jobs_run(struct jobs *jobs, struct job_spec *spec, struct err *err)
{
	struct waiting waiting = { .lock = PTHREAD_MUTEX_INITIALIZER, .err = err };
	int64_t id;

	spec->done = wake_waiting;
	spec->user = &waiting;
	if (!spec->at_once && !wait_for_turn(jobs, spec))
		return err_set(err, EPIPE, "nobody waits for it any more");
	clock_cond_init(&waiting.ended);
	id = jobs_start(jobs, spec, err);
	if (id >= 0)
		wait_for_end(jobs, spec, id, &waiting);
	if (!spec->at_once)
		sem_post(&jobs->turns);
	pthread_cond_destroy(&waiting.ended);
	return id < 0 ? (int)id : waiting.rc;
}
