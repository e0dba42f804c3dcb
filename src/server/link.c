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
#include <unistd.h>

#define ASK_S	     30
#define LOOK_NS	     (200 * NS_PER_MSEC) /* between two looks whether the asker is still there */
#define PERSON_ASKED 2			 /* of QUESTIONS_MOST, at a time */
#define PERSON_WAITS 16			 /* more are refused: each holds a thread (http_inside.h) */
#define CALLS_MOST   16
#define RECENT_MOST  12

struct question {
	struct question *next;
	uint64_t id;
	char *person;
	bool alone;
	bool waits;	/* for its turn */
	bool abandoned; /* it was asked, and nobody waits for the answer any more */
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
	struct held_runs held;
	pthread_mutex_t lock; /* for all below */
	struct channel *channel;
	bool dead;
	struct question *questions; /* that wait, for their turn or an answer */
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

/* Called with the lock held. */
static void forget(struct link *link, struct question *question)
{
	struct question **at = &link->questions;

	while (*at != question)
		at = &(*at)->next;
	*at = question->next;
	free(question->person);
	free(question->reason);
	free(question);
	pthread_cond_broadcast(&link->answered);
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
	while (link->questions)
		forget(link, link->questions);
	pthread_mutex_destroy(&link->lock);
	pthread_cond_destroy(&link->answered);
	free(link);
}

const struct held_runs *link_held(const struct link *link)
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
	struct question *question;

	pthread_mutex_lock(&link->lock);
	for (question = link->questions; question && question->id != message->question;)
		question = question->next;
	if (question && question->abandoned) {
		forget(link, question);
	} else if (question) {
		question->answered = true;
		question->failed = message->failed;
		question->reason = mem_strdup(message->reason);
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

static bool is_gone(const struct asker *asker)
{
	return asker->gone && asker->gone(asker->user);
}

/* A moment, or until something was answered.  Called with the lock held. */
static void wait_a_moment(struct link *link)
{
	struct timespec until = clock_after(LOOK_NS);

	pthread_cond_timedwait(&link->answered, &link->lock, &until);
}

/* How many of a person's are answered, or wait for that.  Called with the lock held. */
static size_t count_of(const struct link *link, const char *person, bool waiting)
{
	size_t count = 0;

	for (const struct question *q = link->questions; q; q = q->next)
		count += q->waits == waiting && !strcmp(q->person, person);
	return count;
}

/* Those that came before, of the same person or any, go first. */
static bool has_turn(const struct link *link, const struct question *question)
{
	size_t asked = 0;

	for (const struct question *q = link->questions; q; q = q->next) {
		asked += !q->waits;
		if (question->alone && q->alone && q->id < question->id)
			return false;
	}
	return asked < QUESTIONS_MOST && count_of(link, question->person, false) < PERSON_ASKED;
}

/* Called with the lock held; the question is among those that wait. */
static int wait_for_turn(struct link *link, struct question *question, const struct asker *asker,
			 const char *what, struct err *err)
{
	int64_t until_ns = clock_now_ns() + ASK_S * NS_PER_SEC;

	while (!has_turn(link, question)) {
		if (link->dead)
			return err_set(err, EPIPE, "the supervisor has gone");
		if (is_gone(asker))
			return err_set(err, EPIPE, "nobody waits for it any more");
		if (clock_now_ns() > until_ns)
			return err_set(err, EUSERS, "the host is busy: `%s` had no turn", what);
		wait_a_moment(link);
	}
	question->waits = false;
	return 0;
}

/* Called with the lock held. */
static int wait_for_answer(struct link *link, const struct question *question,
			   const struct asker *asker, const char *what, struct err *err)
{
	int64_t until_ns = clock_now_ns() + ASK_S * NS_PER_SEC;

	while (!question->answered) {
		if (link->dead)
			return err_set(err, EPIPE, "the supervisor has gone");
		if (is_gone(asker))
			return err_set(err, EPIPE, "nobody waits for it any more");
		if (clock_now_ns() > until_ns)
			return err_set(err, ETIMEDOUT, "no answer to `%s` in %d s", what, ASK_S);
		wait_a_moment(link);
	}
	return question->failed ? err_set(err, EINVAL, "%s", question->reason) : 0;
}

static struct question *note(struct link *link, const struct asker *asker)
{
	struct question *question = mem_alloc(sizeof(*question));

	*question = (struct question){ .id = ++link->last_question,
				       .person = mem_strdup(asker->person),
				       .alone = asker->alone,
				       .waits = true,
				       .next = link->questions };
	link->questions = question;
	return question;
}

/* It keeps its place until it has ended, or there would be more at once than there may be. */
static void abandon(struct link *link, struct question *question)
{
	struct msg_unask unask = { .question = question->id };

	question->abandoned = true;
	if (send_locked(link, &msg_unask, &unask, NULL))
		forget(link, question);
}

int link_read_answer(int fd, struct buf *into, struct err *err)
{
	char bytes[16384];
	off_t at = 0;
	ssize_t got;

	/* as it is read: whoever holds the file may make it longer meanwhile */
	while ((got = pread(fd, bytes, sizeof(bytes), at)) > 0) {
		at += got;
		if (at > LINK_ANSWER_MOST)
			return err_set(err, EMSGSIZE, "the answer is too long");
		buf_add(into, bytes, (size_t)got);
	}
	return got < 0 ? err_set(err, errno, "the answer: %s", strerror(errno)) : 0;
}

static int ask_in_turn(struct link *link, const struct asker *asker, struct msg_ask *ask,
		       struct err *err)
{
	struct question *question;
	bool asked = false;
	int rc;

	pthread_mutex_lock(&link->lock);
	if (count_of(link, asker->person, true) >= PERSON_WAITS) {
		pthread_mutex_unlock(&link->lock);
		return err_set(err, EUSERS, "too many questions of %s at once", asker->person);
	}
	question = note(link, asker);
	ask->question = question->id;
	rc = wait_for_turn(link, question, asker, ask->what, err);
	if (!rc)
		rc = send_locked(link, &msg_ask, ask, err);
	asked = !rc;
	if (!rc)
		rc = wait_for_answer(link, question, asker, ask->what, err);
	if (asked && !question->answered)
		abandon(link, question);
	else
		forget(link, question);
	pthread_mutex_unlock(&link->lock);
	return rc;
}

int link_ask(struct link *link, const struct asker *asker, const char *what,
	     const struct wordlist *words, struct buf *answer, struct err *err)
{
	struct msg_ask ask = { .what = what, .out = memfd_create("answer", MFD_CLOEXEC) };
	int rc;

	if (ask.out < 0)
		return err_set(err, errno, "memory for an answer: %s", strerror(errno));
	if (words)
		ask.words = *words;
	rc = ask_in_turn(link, asker, &ask, err);
	if (!rc)
		rc = link_read_answer(ask.out, answer, err);
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

int link_ask_recent(struct link *link, const struct asker *asker, const char *what,
		    const struct wordlist *words, struct buf *answer, struct err *err)
{
	struct buf name = { 0 };
	int rc = 0;

	name_question(&name, what, words);
	if (!recall(link, buf_text(&name), answer)) {
		rc = link_ask(link, asker, what, words, answer, err);
		if (!rc)
			remember(link, buf_text(&name), answer);
	}
	buf_free(&name);
	return rc;
}
