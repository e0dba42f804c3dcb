// SPDX-License-Identifier: Apache-2.0
#include "server/link.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "ipc/channel.h"
#include "server/app.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define ASK_S	    30
#define CALLS_MOST  16
#define RECENT_MOST 12
#define ANSWER_MOST (64 << 20)

struct question {
	struct question *next;
	uint64_t id;
	bool answered, failed;
	char *reason;
};

struct early {
	const struct ipc_type *type;
	void *message;
};

/* The last answer to a question that is asked with each letter that somebody types. */
struct recent {
	char *name; /* of the question, with its words */
	struct buf answer;
	int64_t at_ns;
};

struct link {
	struct app *app;
	int wake; /* eventfd: something is to be sent, or it ends */
	_Atomic bool stopping;
	struct {
		const struct ipc_type *type;
		link_call *call;
	} calls[CALLS_MOST];
	size_t call_count;
	VEC(struct early) early;
	struct run_ids held;
	pthread_mutex_t lock; /* for all below */
	struct channel *channel;
	bool dead;
	struct question *questions; /* that wait for an answer */
	size_t question_count;
	uint64_t last_question;
	struct recent recent[RECENT_MOST];
	pthread_cond_t answered; /* one of them, so another may be asked */
};

/* The first is the policy, the last of the beginning is `ready`. */
static int take_beginning(struct link *link, const struct ipc_type *type, void *message,
			  struct err *err)
{
	bool has_policy = link->app->policy.host;

	if ((type == &msg_policy) == has_policy)
		return err_set(err, EPROTO, "the supervisor began with `%s`", type->name);
	if (type == &msg_policy)
		link->app->policy = *(const struct msg_policy *)message;
	else if (type == &msg_holds)
		*vec_push(&link->held) = (int64_t)((const struct msg_holds *)message)->run;
	else if (type != &msg_ready)
		*vec_push(&link->early) = (struct early){ type, message };
	return type == &msg_ready;
}

static int wait_for_channel(struct link *link, int timeout_ms, struct err *err)
{
	struct pollfd fds[2] = { { .fd = channel_fd(link->channel) },
				 { .fd = link->wake, .events = POLLIN } };
	uint64_t count;

	pthread_mutex_lock(&link->lock);
	fds[0].events = channel_wants(link->channel);
	pthread_mutex_unlock(&link->lock);
	if (poll(fds, 2, timeout_ms) < 0 && errno != EINTR)
		return err_set(err, errno, "poll: %s", strerror(errno));
	if (fds[1].revents && read(link->wake, &count, sizeof(count)) < 0 && errno != EAGAIN)
		return err_set(err, errno, "eventfd: %s", strerror(errno));
	return 0;
}

static int receive(struct link *link, struct arena *arena, const struct ipc_type **type,
		   void **message, struct err *err)
{
	int rc;

	pthread_mutex_lock(&link->lock);
	rc = channel_flush(link->channel, err);
	if (!rc)
		rc = channel_receive(link->channel, arena, type, message, err);
	pthread_mutex_unlock(&link->lock);
	return rc;
}

static int begin(struct link *link, struct err *err)
{
	const struct ipc_type *type;
	void *message;
	int rc = 0;

	while (rc >= 0) {
		rc = receive(link, &link->app->arena, &type, &message, err);
		if (rc > 0)
			rc = take_beginning(link, type, message, err);
		else if (!rc)
			rc = wait_for_channel(link, -1, err);
		if (rc > 0)
			return 0;
	}
	return rc;
}

struct link *link_open(int fd, struct app *app, struct err *err)
{
	struct link *link = mem_alloc(sizeof(*link));

	link->app = app;
	link->channel = channel_new(fd, &runner_protocol);
	link->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&link->lock, NULL);
	clock_cond_init(&link->answered);
	if (!begin(link, err))
		return link;
	link_close(link);
	return NULL;
}

void link_close(struct link *link)
{
	if (!link)
		return;
	channel_free(link->channel);
	close(link->wake);
	for (size_t i = 0; i < RECENT_MOST; i++) {
		free(link->recent[i].name);
		buf_free(&link->recent[i].answer);
	}
	vec_free(&link->early);
	vec_free(&link->held);
	pthread_mutex_destroy(&link->lock);
	pthread_cond_destroy(&link->answered);
	free(link);
}

const struct run_ids *link_held(const struct link *link)
{
	return &link->held;
}

void link_on(struct link *link, const struct ipc_type *type, link_call *call)
{
	if (link->call_count == CALLS_MOST)
		abort();
	link->calls[link->call_count].type = type;
	link->calls[link->call_count++].call = call;
}

static void take_answer(struct link *link, const struct msg_answered *message)
{
	pthread_mutex_lock(&link->lock);
	for (struct question *q = link->questions; q; q = q->next) {
		if (q->id != message->question)
			continue;
		q->answered = true;
		q->failed = message->failed;
		q->reason = mem_strdup(message->reason);
	}
	pthread_cond_broadcast(&link->answered);
	pthread_mutex_unlock(&link->lock);
}

static void dispatch(struct link *link, const struct ipc_type *type, void *message)
{
	if (type == &msg_answered)
		take_answer(link, message);
	for (size_t i = 0; i < link->call_count; i++)
		if (link->calls[i].type == type)
			link->calls[i].call(link->app, message);
	ipc_release(type, message);
}

static void die(struct link *link)
{
	pthread_mutex_lock(&link->lock);
	link->dead = true;
	pthread_cond_broadcast(&link->answered);
	pthread_mutex_unlock(&link->lock);
}

int link_run(struct link *link, struct err *err)
{
	const struct ipc_type *type;
	struct arena arena = { 0 };
	void *message;
	int rc = 0;

	vec_each (early, &link->early)
		dispatch(link, early->type, early->message);
	while (rc >= 0 && !link->stopping) {
		rc = receive(link, &arena, &type, &message, err);
		if (rc > 0) {
			dispatch(link, type, message);
			arena_free(&arena);
		} else if (!rc) {
			rc = wait_for_channel(link, -1, err);
		}
	}
	die(link);
	arena_free(&arena);
	return rc == -EPIPE ? 0 : rc;
}

static void wake(struct link *link)
{
	uint64_t one = 1;

	if (write(link->wake, &one, sizeof(one)) < 0)
		return; /* it is awake already */
}

void link_stop(struct link *link)
{
	link->stopping = true;
	wake(link);
}

bool link_lives(struct link *link)
{
	bool lives;

	pthread_mutex_lock(&link->lock);
	lives = !link->dead;
	pthread_mutex_unlock(&link->lock);
	return lives;
}

static int send_locked(struct link *link, const struct ipc_type *type, const void *message,
		       struct err *err)
{
	int rc = link->dead ? err_set(err, EPIPE, "the supervisor has gone")
			    : channel_send(link->channel, type, message, err);

	wake(link); /* what could not be sent at once is sent by the thread that listens */
	return rc;
}

int link_send(struct link *link, const struct ipc_type *type, const void *message, struct err *err)
{
	int rc;

	pthread_mutex_lock(&link->lock);
	rc = send_locked(link, type, message, err);
	pthread_mutex_unlock(&link->lock);
	return rc;
}

/* Called with the lock held. */
static void wait_for_answer(struct link *link, const struct question *question)
{
	struct timespec until = clock_in(ASK_S);
	int rc = 0;

	while (!question->answered && !link->dead && !rc)
		rc = pthread_cond_timedwait(&link->answered, &link->lock, &until);
}

/* Called with the lock held.  False: none of the others was answered in time. */
static bool wait_for_turn(struct link *link)
{
	struct timespec until = clock_in(ASK_S);
	int rc = 0;

	while (link->question_count >= QUESTIONS_MOST && !link->dead && !rc)
		rc = pthread_cond_timedwait(&link->answered, &link->lock, &until);
	return !rc;
}

static void note(struct link *link, struct question *question)
{
	question->id = ++link->last_question;
	question->next = link->questions;
	link->questions = question;
	link->question_count++;
}

static void forget(struct link *link, const struct question *question)
{
	struct question **at = &link->questions;

	while (*at != question)
		at = &(*at)->next;
	*at = question->next;
	link->question_count--;
	pthread_cond_broadcast(&link->answered);
}

static int read_answer(int fd, struct buf *into, struct err *err)
{
	char bytes[16384];
	struct stat info;
	off_t at = 0;
	ssize_t got;

	if (fstat(fd, &info) || info.st_size > ANSWER_MOST)
		return err_set(err, EMSGSIZE, "the answer is too long");
	while ((got = pread(fd, bytes, sizeof(bytes), at)) > 0) {
		buf_add(into, bytes, (size_t)got);
		at += got;
	}
	return got < 0 ? err_set(err, errno, "the answer: %s", strerror(errno)) : 0;
}

static int outcome(const struct link *link, const struct question *question, const char *what,
		   struct err *err)
{
	if (!question->answered)
		return link->dead
			       ? err_set(err, EPIPE, "the supervisor has gone")
			       : err_set(err, ETIMEDOUT, "no answer to `%s` in %d s", what, ASK_S);
	if (question->failed)
		return err_set(err, EINVAL, "%s", question->reason);
	return 0;
}

static int ask_in_turn(struct link *link, struct msg_ask *ask, struct err *err)
{
	struct question question = { 0 };
	int rc;

	pthread_mutex_lock(&link->lock);
	if (wait_for_turn(link)) {
		note(link, &question);
		ask->question = question.id;
		rc = send_locked(link, &msg_ask, ask, err);
		if (!rc)
			wait_for_answer(link, &question);
		forget(link, &question);
		if (!rc)
			rc = outcome(link, &question, ask->what, err);
	} else {
		rc = err_set(err, ETIMEDOUT, "the host is busy: `%s` timed out", ask->what);
	}
	pthread_mutex_unlock(&link->lock);
	free(question.reason);
	return rc;
}

int link_ask(struct link *link, const char *what, const struct wordlist *words, struct buf *answer,
	     struct err *err)
{
	struct msg_ask ask = { .what = what, .out = memfd_create("answer", MFD_CLOEXEC) };
	int rc;

	if (ask.out < 0)
		return err_set(err, errno, "memory for an answer: %s", strerror(errno));
	if (words)
		ask.words = *words;
	rc = ask_in_turn(link, &ask, err);
	if (!rc)
		rc = read_answer(ask.out, answer, err);
	close(ask.out);
	return rc;
}

/* A question in one text. */
static void name_question(struct buf *name, const char *what, const struct wordlist *words)
{
	buf_puts(name, what);
	for (size_t i = 0; words && i < words->len; i++)
		buf_printf(name, " %zu:%s", strlen(words->data[i]), words->data[i]);
}

/* Its place, or the oldest one.  Called with the lock held. */
static struct recent *find_recent(struct link *link, const char *name)
{
	struct recent *oldest = link->recent;

	for (struct recent *r = link->recent; r < link->recent + RECENT_MOST; r++) {
		if (r->name && !strcmp(r->name, name))
			return r;
		if (r->at_ns < oldest->at_ns)
			oldest = r;
	}
	return oldest;
}

static bool recall(struct link *link, const char *name, struct buf *answer)
{
	struct recent *recent;
	bool known;

	pthread_mutex_lock(&link->lock);
	recent = find_recent(link, name);
	known = recent->name && !strcmp(recent->name, name) &&
		clock_now_ns() - recent->at_ns < LINK_RECENT_S * NS_PER_SEC;
	if (known)
		buf_add(answer, recent->answer.data, recent->answer.len);
	pthread_mutex_unlock(&link->lock);
	return known;
}

static void remember(struct link *link, const char *name, const struct buf *answer)
{
	struct recent *recent;

	pthread_mutex_lock(&link->lock);
	recent = find_recent(link, name);
	free(recent->name);
	recent->name = mem_strdup(name);
	buf_clear(&recent->answer);
	buf_add(&recent->answer, answer->data, answer->len);
	recent->at_ns = clock_now_ns();
	pthread_mutex_unlock(&link->lock);
}

int link_ask_recent(struct link *link, const char *what, const struct wordlist *words,
		    struct buf *answer, struct err *err)
{
	struct buf name = { 0 };
	int rc = 0;

	name_question(&name, what, words);
	if (!recall(link, buf_text(&name), answer)) {
		rc = link_ask(link, what, words, answer, err);
		if (!rc)
			remember(link, buf_text(&name), answer);
	}
	buf_free(&name);
	return rc;
}
