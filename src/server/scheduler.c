// SPDX-License-Identifier: Apache-2.0
#include "server/scheduler.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/jsonread.h"
#include "base/log.h"
#include "server/analysis.h"
#include "server/app.h"
#include "server/form.h"
#include "server/link.h"
#include "server/resource.h"
#include "server/rights.h"
#include "server/run_end.h"
#include "server/share.h"
#include "store/content.h"
#include "store/datadir.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define PURGE_NS (30 * NS_PER_SEC)
#define HOLD_NS	 (2 * NS_PER_SEC)
#define LOOK_NS	 (NS_PER_SEC / 4) /* between two looks at the disk */

/* What the supervisor said of a run, in its order. */
struct said {
	struct said *next;
	struct arena arena;
	bool ended;
	bool own;   /* nobody but us knows that it ended: it was not started */
	bool tried; /* it could not be noted at least once */
	struct msg_began began_msg;
	struct msg_ended ended_msg;
};

struct scheduler {
	struct app *app;
	pthread_t thread;
	bool running;
	pthread_mutex_t lock; /* for all below */
	pthread_cond_t more;
	bool kicked, stopping;
	bool closed; /* no run is taken any more */
	struct said *first, **last;
	int64_t current; /* the run that was given out; 0: none */
	int64_t hold_ns; /* no run is given out until then: the last one found no room */
	/*
	 * Held from taking a run to telling the supervisor, so that nobody asks it to cancel what
	 * it has not heard of; and from telling it to pause to noting that, so that of two who
	 * disagree the same one is the last for both.
	 */
	pthread_mutex_t starting;
};

static void hear(struct scheduler *scheduler, struct said *said)
{
	pthread_mutex_lock(&scheduler->lock);
	*scheduler->last = said;
	scheduler->last = &said->next;
	pthread_cond_signal(&scheduler->more);
	pthread_mutex_unlock(&scheduler->lock);
}

static void on_began(struct app *app, void *message)
{
	struct said *said = mem_alloc(sizeof(*said));

	said->began_msg = *(const struct msg_began *)message;
	said->began_msg.user = arena_strdup(&said->arena, said->began_msg.user);
	hear(app->scheduler, said);
}

static void on_ended(struct app *app, void *message)
{
	struct said *said = mem_alloc(sizeof(*said));

	said->ended = true;
	said->ended_msg = *(const struct msg_ended *)message;
	said->ended_msg.reason = arena_strdup(&said->arena, said->ended_msg.reason);
	said->ended_msg.limit = arena_strdup(&said->arena, said->ended_msg.limit);
	said->ended_msg.notes = arena_strdup(&said->arena, said->ended_msg.notes);
	said->ended_msg.budget = arena_strdup(&said->arena, said->ended_msg.budget);
	said->ended_msg.user = arena_strdup(&said->arena, said->ended_msg.user);
	hear(app->scheduler, said);
}

static void on_stopping(struct app *app, void *message)
{
	(void)message;
	pthread_mutex_lock(&app->scheduler->lock);
	app->scheduler->closed = true;
	pthread_mutex_unlock(&app->scheduler->lock);
}

/* In the way of all others that ended, for the store may be full just now. */
static void fail_to_start(struct scheduler *scheduler, int64_t run, const char *reason)
{
	struct said *said = mem_alloc(sizeof(*said));

	said->ended = said->own = true;
	said->ended_msg = (struct msg_ended){
		.run = (uint64_t)run,
		.reason = arena_strdup(&said->arena, reason),
		.limit = "",
		.notes = "",
		.user = "",
		.budget = "",
		.wall_ns = (uint64_t)clock_wall_ns(),
	};
	hear(scheduler, said);
}

static void said_free(struct said *said)
{
	arena_free(&said->arena);
	free(said);
}

/* Files for what the tool will write.  Closed here: the rows tell where they are. */
static int make_files(struct app *app, const struct form *form, struct msg_start *start,
		      struct err *err)
{
	const struct {
		const char *kind;
		bool wanted;
		int *fd;
	} files[] = {
		{ "recording", form->tool & TOOL_SAMPLE, &start->recording },
		{ "series", form->tool & TOOL_COUNT, &start->series },
		{ "output", form->target == TARGET_COMMAND, &start->output },
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		struct content *content;

		if (!files[i].wanted)
			continue;
		content = content_begin(app->dir, (int64_t)start->run, files[i].kind, err);
		if (!content)
			return -err->code;
		*files[i].fd = dup(content_fd(content));
		content_leave(content);
		if (*files[i].fd < 0)
			return err_set(err, errno, "a file of the run: %s", strerror(errno));
	}
	return 0;
}

static void close_files(const struct msg_start *start)
{
	const int fds[] = { start->recording, start->series, start->output };

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

/* What quota and share leave; 0: there is neither. */
static uint64_t room_for_run(struct app *app, int64_t maker)
{
	int64_t used = 0, quota = (int64_t)app->policy.max_disk, left = share_left(app, maker);

	if (!quota || datadir_bytes(app->dir, &used, NULL))
		return left > 0 ? (uint64_t)left : 0;
	if (left < 0 || quota - used < left)
		left = quota - used;
	return left > 0 ? (uint64_t)left : 1;
}

/* Who queued it may have been removed since, or may start nothing any more. */
static int check_maker(struct app *app, const struct run *run, struct arena *arena, struct err *err)
{
	struct user user;
	int rc = rights_find_maker(app, run, arena, &user, err);

	if (!rc && user.role < ROLE_RUNNER)
		return err_set(err, EACCES, "%s, who queued it, may not start runs any more",
			       run->person);
	return rc;
}

static int send_start(struct app *app, const struct run *run, struct arena *arena, struct err *err)
{
	struct json_object *object = jsonread(run->form, strlen(run->form), "its form", err);
	struct msg_start start = { .recording = -1, .series = -1, .output = -1 };
	struct form form = { 0 };
	int rc = object ? form_parse(object, arena, &form, err) : -EBADMSG;

	if (!rc)
		start = form_start(&form, run->id);
	start.person = run->person;
	if (!rc)
		rc = check_maker(app, run, arena, err);
	/* whoever has no room left himself does not keep the queue waiting for it */
	if (!rc && share_left(app, run->maker) == 0)
		rc = share_room(app, run->maker, 0, err);
	if (!rc) /* the disk's own limit the supervisor sees itself */
		start.most_bytes = room_for_run(app, run->maker);
	if (!rc)
		rc = make_files(app, &form, &start, err);
	if (!rc)
		rc = link_send(app->link, &msg_start, &start, err);
	close_files(&start);
	form_fini(&form);
	json_object_put(object);
	return rc;
}

static int start_one(struct scheduler *scheduler, int64_t id, struct err *err)
{
	struct app *app = scheduler->app;
	struct arena arena = { 0 };
	struct run run;
	int rc = store_run_get(app->store, id, &arena, &run, err);

	if (!rc)
		rc = send_start(app, &run, &arena, err);
	scheduler->current = id;
	if (rc)
		fail_to_start(scheduler, id, err->text);
	arena_free(&arena);
	return rc;
}

static void take_run(struct scheduler *scheduler)
{
	struct app *app = scheduler->app;
	struct err err = { 0 };
	int64_t id;
	int rc;

	if (scheduler->current || clock_now_ns() < scheduler->hold_ns)
		return;
	pthread_mutex_lock(&scheduler->starting);
	rc = store_run_take(app->store, app->policy.host, &id, &err);
	if (rc > 0)
		start_one(scheduler, id, &err);
	pthread_mutex_unlock(&scheduler->starting);
	if (rc < 0)
		log_once(LOG_WARN, "the queue can't be looked at: %s", err.text);
}

static void note_ended(struct scheduler *scheduler, const struct said *said)
{
	struct msg_forget forget = { .run = said->ended_msg.run };

	if (!said->own)
		link_send(scheduler->app->link, &msg_forget, &forget, NULL);
	if (scheduler->current == (int64_t)said->ended_msg.run)
		scheduler->current = 0;
	/* a quota of the file system's own is not seen before it is met */
	if (!strcmp(said->ended_msg.limit, "disk"))
		scheduler->hold_ns = clock_now_ns() + HOLD_NS;
}

/*
 * False: it stays the first, for it has to be tried again.  In vain as long as the database has no
 * room, and long files would be read through each time.
 */
static bool take_said(struct scheduler *scheduler, struct said *said)
{
	struct app *app = scheduler->app;
	int rc;

	if (said->tried && !datadir_may_write(app->dir))
		return false;
	if (said->ended) {
		rc = run_ended(app, &said->ended_msg);
	} else {
		rc = run_began(app, &said->began_msg, !said->tried);
		scheduler->current = (int64_t)said->began_msg.run;
	}
	said->tried = true;
	if (!rc && said->ended)
		note_ended(scheduler, said);
	return !rc;
}

static void drop_first(struct scheduler *scheduler)
{
	struct said *said = scheduler->first;

	scheduler->first = said->next;
	if (!scheduler->first)
		scheduler->last = &scheduler->first;
	said_free(said);
}

/* Until there is something to do, or for a second: a full disk may have room again. */
static void wait_a_while(struct scheduler *scheduler)
{
	bool full = datadir_trouble(scheduler->app->dir, NULL) != 0;
	struct timespec until = clock_after(full ? LOOK_NS : NS_PER_SEC);

	if (!scheduler->kicked && !scheduler->stopping)
		pthread_cond_timedwait(&scheduler->more, &scheduler->lock, &until);
	scheduler->kicked = false;
}

/* Sooner where others wait for the room. */
static void purge_now_and_then(struct scheduler *scheduler, int64_t *last_ns)
{
	struct datadir_sweep sweep = { 0 };
	bool full = datadir_trouble(scheduler->app->dir, NULL) != 0;

	if (*last_ns && clock_now_ns() < *last_ns + (full ? NS_PER_SEC : PURGE_NS))
		return;
	*last_ns = clock_now_ns();
	datadir_purge(scheduler->app->dir, clock_wall_ns(), &sweep, NULL);
}

/* Whether there is room for a run; what waited for room elsewhere hears of it, too. */
static bool look_at_disk(struct scheduler *scheduler, int64_t *next_ns)
{
	struct app *app = scheduler->app;
	bool was_full = datadir_trouble(app->dir, NULL) != 0;
	int rc;

	if (clock_now_ns() < *next_ns)
		return !was_full;
	rc = datadir_watch(app->dir, (int64_t)app->policy.max_disk);
	*next_ns = clock_now_ns() + LOOK_NS;
	if (app->analysis)
		analysis_go_on(app->analysis, was_full && !rc);
	return !rc;
}

static void *scheduler_thread(void *arg)
{
	struct scheduler *scheduler = arg;
	int64_t purge_ns = 0, look_ns = 0;
	struct said *said;

	pthread_mutex_lock(&scheduler->lock);
	while (!scheduler->stopping) {
		bool taken = false, closed = scheduler->closed, room;

		said = scheduler->first; /* nobody else takes one away */
		pthread_mutex_unlock(&scheduler->lock);
		room = look_at_disk(scheduler, &look_ns);
		if (said) {
			taken = take_said(scheduler, said);
		} else {
			if (!closed && room && link_lives(scheduler->app->link))
				take_run(scheduler);
			purge_now_and_then(scheduler, &purge_ns);
		}
		pthread_mutex_lock(&scheduler->lock);
		if (taken)
			drop_first(scheduler);
		else if (said || !scheduler->first)
			wait_a_while(scheduler);
	}
	pthread_mutex_unlock(&scheduler->lock);
	return NULL;
}

struct scheduler *scheduler_new(struct app *app)
{
	struct scheduler *scheduler = mem_alloc(sizeof(*scheduler));

	scheduler->app = app;
	scheduler->last = &scheduler->first;
	pthread_mutex_init(&scheduler->lock, NULL);
	pthread_mutex_init(&scheduler->starting, NULL);
	clock_cond_init(&scheduler->more);
	link_on(app->link, &msg_began, on_began);
	link_on(app->link, &msg_ended, on_ended);
	link_on(app->link, &msg_stopping, on_stopping);
	vec_each (held, link_held(app->link))
		scheduler->current = *held;
	return scheduler;
}

int scheduler_start(struct scheduler *scheduler, struct err *err)
{
	if (pthread_create(&scheduler->thread, NULL, scheduler_thread, scheduler))
		return err_set(err, EAGAIN, "no thread can be started");
	scheduler->running = true;
	return 0;
}

void scheduler_free(struct scheduler *scheduler)
{
	if (!scheduler)
		return;
	pthread_mutex_lock(&scheduler->lock);
	scheduler->stopping = true;
	pthread_cond_signal(&scheduler->more);
	pthread_mutex_unlock(&scheduler->lock);
	if (scheduler->running)
		pthread_join(scheduler->thread, NULL);
	while (scheduler->first) /* the next web side is told again */
		drop_first(scheduler);
	pthread_cond_destroy(&scheduler->more);
	pthread_mutex_destroy(&scheduler->lock);
	pthread_mutex_destroy(&scheduler->starting);
	free(scheduler);
}

void scheduler_kick(struct scheduler *scheduler)
{
	if (!scheduler)
		return;
	pthread_mutex_lock(&scheduler->lock);
	scheduler->kicked = true;
	pthread_cond_signal(&scheduler->more);
	pthread_mutex_unlock(&scheduler->lock);
}

int scheduler_cancel(struct scheduler *scheduler, int64_t run, struct err *err)
{
	struct msg_cancel cancel = { .run = (uint64_t)run };
	int rc;

	pthread_mutex_lock(&scheduler->starting);
	rc = link_send(scheduler->app->link, &msg_cancel, &cancel, err);
	pthread_mutex_unlock(&scheduler->starting);
	return rc;
}

int scheduler_control(struct scheduler *scheduler, int64_t run, enum run_control action,
		      struct err *err)
{
	struct msg_control control = { .run = (uint64_t)run, .action = action };
	int rc;

	pthread_mutex_lock(&scheduler->starting);
	rc = link_send(scheduler->app->link, &msg_control, &control, err);
	if (!rc && action != CONTROL_RESET)
		rc = store_run_pause(scheduler->app->store, run, action == CONTROL_PAUSE, err);
	pthread_mutex_unlock(&scheduler->starting);
	return rc;
}
