// SPDX-License-Identifier: Apache-2.0
/* Questions to the machine: rows of a table, each a process of ours that writes one answer. */
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "jobs/folder.h"
#include "jobs/policy.h"
#include "jobs/request.h"
#include "jobs/supervisor_inside.h"
#include "jobs/workload_spec.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_NS	  (60 * NS_PER_SEC)
#define SAID_MOST 2000

static const struct question_row {
	const char *what;
	const char *command[4]; /* of ours, before the words */
	size_t words;
	bool as_workload; /* about what the Unix account sees of the person who is the first word:
			   * it becomes that by itself; with PATH and folder behind the others */
	bool fenced;	  /* where it is root: the words are from outside */
	bool data;	  /* the data folder behind the words */
	bool verdict;	  /* an exit status of 1 without a word is what it found, too */
	caps (*caps)(void);
} rows[] = {
	{ "doctor", { "doctor", "--json" }, 0, .verdict = true, .caps = caps_doctor },
	{ "server",
	  { "doctor", "--json", "--server" },
	  0,
	  .data = true,
	  .verdict = true,
	  .caps = caps_owner },
	{ "events", { "list", "--json", "-v" }, 0, .caps = caps_measuring },
	{ "processes", { "serve", "--role=processes" }, 0, .caps = caps_looking },
	{ "check", { "serve", "--role=check", "--" }, 1, .fenced = true, .caps = caps_measuring },
	{ "plan", { "serve", "--role=plan", "--" }, 6, .fenced = true, .caps = caps_measuring },
	{ "plan-events",
	  { "serve", "--role=plan-events", "--" },
	  5,
	  .fenced = true,
	  .caps = caps_measuring },
	{ "target", { "serve", "--role=target" }, 8, .as_workload = true, .caps = caps_analyser },
};

struct question {
	struct questions *all;
	uint64_t number;
	struct child child;
	int said_fd;
	struct buf said; /* on standard error */
	bool late, verdict;
};

struct questions {
	struct supervisor *s;
	VEC(struct question *) list;
};

struct questions *questions_new(struct supervisor *s)
{
	struct questions *questions = mem_alloc(sizeof(*questions));

	questions->s = s;
	return questions;
}

static void answer(struct supervisor *s, uint64_t number, bool failed, const char *reason)
{
	struct msg_answered answered = { .question = number, .failed = failed, .reason = reason };

	supervisor_tell(s, &msg_answered, &answered);
}

static void too_late(void *user)
{
	struct question *question = user;

	question->late = true;
	child_kill(&question->child, SIGKILL);
}

static void forget(struct question *question)
{
	struct questions *all = question->all;

	vec_drop(&all->list, question);
	evloop_never(all->s->loop, too_late, question);
	evloop_unwatch(all->s->loop, question->child.pidfd);
	child_close(&question->child);
	if (question->said_fd >= 0) {
		evloop_unwatch(all->s->loop, question->said_fd);
		close(question->said_fd);
	}
	buf_free(&question->said);
	free(question);
}

static void read_said(struct question *question)
{
	char bytes[512];
	ssize_t got = question->said_fd < 0 ? -1 : read(question->said_fd, bytes, sizeof(bytes));

	if (got > 0 && question->said.len < SAID_MOST)
		buf_add(&question->said, bytes, (size_t)got);
	if (got != 0)
		return;
	evloop_unwatch(question->all->s->loop, question->said_fd);
	close(question->said_fd);
	question->said_fd = -1;
}

static void said_ready(void *user, short revents)
{
	(void)revents;
	read_said(user);
}

/* Its last words without "perfolio: " and "perfolio stat: ". */
static const char *why(struct question *question, char *room, size_t size)
{
	char *text = (char *)buf_text(&question->said), *behind = strstr(text, ": ");

	if (question->late)
		return "it took too long";
	child_ending(&question->child, room, size);
	if (!*text)
		return room;
	text[strcspn(text, "\n")] = '\0';
	return !strncmp(text, "perfolio", 8) && behind ? behind + 2 : text;
}

static void ended(void *user, short revents)
{
	struct question *question = user;
	const struct child *child = &question->child;
	char room[100];
	bool failed;

	(void)revents;
	if (!child_reap(&question->child))
		return;
	read_said(question);
	failed = !WIFEXITED(child->wait_status) || WEXITSTATUS(child->wait_status);
	if (question->verdict && !question->said.len && WIFEXITED(child->wait_status))
		failed = WEXITSTATUS(child->wait_status) > 1;
	answer(question->all->s, question->number, failed,
	       failed ? why(question, room, sizeof(room)) : "");
	forget(question);
}

/* Memory, a pipe or a file of the data folder: nothing that heeds who writes to it. */
static int check_out(struct supervisor *s, int fd, struct err *err)
{
	struct stat info;
	struct statfs disk;

	if (fd < 0 || fstat(fd, &info) || fstatfs(fd, &disk))
		return err_set(err, EINVAL, "there is nothing to answer into");
	if (S_ISFIFO(info.st_mode) || (S_ISREG(info.st_mode) && disk.f_type == TMPFS_MAGIC))
		return 0;
	return request_check_file(fd, s->options->folder->device, "answer", err);
}

static const struct question_row *find_row(const struct msg_ask *ask, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (strcmp(rows[i].what, ask->what) != 0)
			continue;
		if (rows[i].words == ask->words.len)
			return &rows[i];
		err_set(err, EINVAL, "%s: takes %zu words", ask->what, rows[i].words);
		return NULL;
	}
	err_set(err, EINVAL, "there is no question '%s'", ask->what);
	return NULL;
}

static int start(struct question *question, const struct question_row *row,
		 const struct msg_ask *ask, struct err *err)
{
	const struct supervisor_options *o = question->all->s->options;
	struct identity who = { 0 };
	VEC(char *) argv = { 0 };
	char user[80];
	int said[2], rc = 0;

	if (row->as_workload)
		rc = policy_who(o->policy, o->folder->own, ask->words.data[0], &who, err);
	if (!rc && pipe2(said, O_CLOEXEC | O_NONBLOCK))
		rc = err_set(err, errno, "pipe: %s", strerror(errno));
	if (rc) {
		identity_fini(&who);
		return rc;
	}
	*vec_push(&argv) = (char *)"perfolio";
	if (row->fenced && policy_fences(&o->policy->workload)) {
		*vec_push(&argv) = (char *)"serve";
		*vec_push(&argv) = (char *)"--role=fenced";
	}
	for (size_t i = 0; row->command[i]; i++)
		*vec_push(&argv) = (char *)row->command[i];
	if (row->as_workload) {
		policy_say_user(o->policy, &who, user, sizeof(user));
		*vec_push(&argv) = user;
		*vec_push(&argv) = (char *)"--";
	}
	for (size_t i = row->as_workload; i < ask->words.len; i++)
		*vec_push(&argv) = (char *)ask->words.data[i];
	if (row->data)
		*vec_push(&argv) = o->folder->path;
	if (row->as_workload) {
		*vec_push(&argv) = (char *)workload_path(&who);
		*vec_push(&argv) = (char *)workload_folder(&who, "");
	}
	vec_push(&argv);
	question->said_fd = said[0];
	rc = child_start(&question->child,
			 &(struct child_spec){
				 .argv = argv.data,
				 .environment = question->all->s->environment,
				 .self = true,
				 .caps = row->caps ? row->caps() : CAPS_NONE,
				 .fds = { -1, ask->out, said[1] },
				 .fd_count = 3,
				 .folder = "/",
				 .gate = -1,
				 .failure = -1,
			 },
			 err);
	close(said[1]);
	vec_free(&argv);
	identity_fini(&who);
	return rc;
}

static int begin(struct questions *questions, const struct msg_ask *ask, struct err *err)
{
	const struct question_row *row = find_row(ask, err);
	struct supervisor *s = questions->s;
	struct question *question;
	int rc = row ? check_out(s, ask->out, err) : -EINVAL;

	if (!rc && questions->list.len >= QUESTIONS_MOST)
		rc = err_set(err, EBUSY, "too many questions at once");
	if (rc)
		return rc;
	question = mem_alloc(sizeof(*question));
	*question = (struct question){ .all = questions,
				       .number = ask->question,
				       .verdict = row->verdict,
				       .child = { .pid = -1, .pidfd = -1 },
				       .said_fd = -1 };
	rc = start(question, row, ask, err);
	if (rc) {
		forget(question);
		return rc;
	}
	*vec_push(&questions->list) = question;
	evloop_watch(s->loop, question->child.pidfd, POLLIN, ended, question);
	evloop_watch(s->loop, question->said_fd, POLLIN, said_ready, question);
	evloop_at(s->loop, clock_now_ns() + MOST_NS, too_late, question);
	return 0;
}

void questions_ask(struct questions *questions, const struct msg_ask *ask)
{
	struct err err = { 0 };

	if (begin(questions, ask, &err))
		answer(questions->s, ask->question, true, err.text);
}

void questions_drop(struct questions *questions, uint64_t number)
{
	vec_each (question, &questions->list)
		if ((*question)->number == number)
			child_kill(&(*question)->child, SIGKILL);
}

bool questions_know(const struct questions *questions, pid_t pid)
{
	vec_each (question, &questions->list)
		if ((*question)->child.pid == pid)
			return true;
	return false;
}

void questions_end(struct questions *questions)
{
	while (questions->list.len)
		forget(questions->list.data[0]);
}

void questions_free(struct questions *questions)
{
	if (!questions)
		return;
	questions_end(questions);
	vec_free(&questions->list);
	free(questions);
}
