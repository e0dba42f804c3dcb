// SPDX-License-Identifier: Apache-2.0
/*
 * Whether events can be opened here, found out by opening them.
 *
 * Closing a tracepoint waits for the whole kernel to have left it (30 to 50 ms each, measured on
 * Linux 6.18), and so does ending the process that holds it.  Those are therefore opened by a
 * process of their own, which answers at once and then ends in its own time, after some 0.3 s at
 * most; and where more than a few are shown, one of each class of permission stands for the rest.
 */
#include "cmd/listing.h"
#include "event/open.h"
#include "event/parse.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRACEPOINTS_EACH 8 /* up to so many are tested one by one */

bool listing_is_form(const struct row *row)
{
	return row->entry.example && !*row->entry.example;
}

static bool is_tracepoint(const struct row *row)
{
	return row->entry.kind == EVENT_TRACEPOINT || row->entry.kind == EVENT_PROBE;
}

/* The kernel lets ordinary users have system calls' tracepoints where it refuses others'. */
enum { CLASS_PROBE, CLASS_SYSCALL, CLASS_OTHER, CLASS_ALONE, CLASSES };

static int permission_class(const struct row *row)
{
	if (row->entry.kind == EVENT_PROBE)
		return CLASS_PROBE;
	if (!strncmp(row->entry.name, "ftrace:", 7))
		return CLASS_ALONE; /* each is a case of its own, and slow to refuse */
	return strncmp(row->entry.name, "syscalls:", 9) == 0 ? CLASS_SYSCALL : CLASS_OTHER;
}

/* Turns a row's name into an event, the first where it stands for several; -errno if it can't. */
static int row_event(const struct listing *listing, struct row *row, struct event_list *list)
{
	const char *text = row->entry.example ? row->entry.example : row->entry.name;
	int rc = *text ? event_list_parse(list, listing->catalog, text, NULL) : -ENOENT;

	if (rc)
		return rc;
	row->has_event = true;
	row->attr = list->events.data[0].attr;
	row->cpu_wide_only = list->events.data[0].cpu_wide_only;
	return 0;
}

static void test_row(const struct listing *listing, struct row *row)
{
	struct event_list list = { 0 };
	int rc = row_event(listing, row, &list);

	row->state = rc ? rc : event_probe(&perf_sys_kernel, &list.events.data[0]);
	row->whole_state = row->state;
	if (!rc && (row->state == -EACCES || row->state == -EPERM)) {
		/* As stat does: what an ordinary user may have is the user's part. */
		list.events.data[0].attr.base.exclude_kernel = 1;
		list.events.data[0].attr.base.exclude_hv = 1;
		row->state = event_probe(&perf_sys_kernel, &list.events.data[0]);
		if (row->state) /* what is missing even then is the better reason */
			row->whole_state = row->state;
	}
	event_list_free(&list);
}

struct question {
	struct row *row;
	int answer;
};

struct questions VEC_OF(struct question);

static void collect_questions(struct listing *listing, struct questions *questions)
{
	bool asked[CLASSES] = { [CLASS_ALONE] = true };
	size_t count = 0;

	vec_each (row, &listing->rows)
		count += is_tracepoint(row);
	vec_each (row, &listing->rows) {
		int class = permission_class(row);

		if (!is_tracepoint(row) || (count > TRACEPOINTS_EACH && asked[class]))
			continue;
		asked[class] = true;
		vec_push(questions)->row = row;
	}
}

/* In the process of its own: opens, answers, and ends with everything still open. */
static void answer(const struct listing *listing, struct questions *questions, int out)
{
	vec_each (question, questions) {
		struct event_list list = { 0 };
		struct event_attr attr;
		int fd = row_event(listing, question->row, &list);

		if (!fd) {
			attr = list.events.data[0].attr;
			attr.base.disabled = 1;
			fd = perf_sys_kernel.open(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
		}
		question->answer = fd < 0 ? fd : 0;
		if (write(out, &question->answer, sizeof(question->answer)) < 0)
			return;
	}
}

/* Gives the descriptor that the answers come from, or -1. */
static int ask_elsewhere(const struct listing *listing, struct questions *questions)
{
	int ends[2];
	pid_t child;

	if (!questions->len || pipe2(ends, O_CLOEXEC))
		return -1;
	child = fork();
	if (!child) {
		/* Twice, so that nobody waits for it; nor may a pipe that we write to. */
		if (!fork()) {
			for (int fd = 0; fd < 3; fd++)
				close(fd);
			answer(listing, questions, ends[1]);
		}
		_exit(0);
	}
	close(ends[1]);
	if (child > 0)
		waitpid(child, NULL, 0);
	return ends[0];
}

static void take_answers(struct listing *listing, struct questions *questions, int from)
{
	int of_class[CLASSES] = { ROW_UNTESTED, ROW_UNTESTED, ROW_UNTESTED, ROW_UNTESTED };

	vec_each (question, questions) {
		ssize_t got;

		do
			got = read(from, &question->answer, sizeof(question->answer));
		while (got < 0 && errno == EINTR);
		if (got != sizeof(question->answer))
			break;
		question->row->state = question->answer;
		if (permission_class(question->row) != CLASS_ALONE)
			of_class[permission_class(question->row)] = question->answer;
	}
	if (from >= 0)
		close(from);
	vec_each (row, &listing->rows)
		if (is_tracepoint(row)) {
			if (row->state == ROW_UNTESTED)
				row->state = of_class[permission_class(row)];
			row->whole_state = row->state;
		}
}

void listing_test(struct listing *listing)
{
	struct questions questions = { 0 };
	int answers;

	vec_each (row, &listing->rows) {
		struct event_list list = { 0 };

		row->state = ROW_UNTESTED;
		if (listing->verbose) /* for the encoding */
			row_event(listing, row, &list);
		event_list_free(&list);
	}
	if (listing->cpu) /* another machine's */
		return;
	host_look(&listing->host, &host_source_live);
	collect_questions(listing, &questions);
	answers = ask_elsewhere(listing, &questions);
	vec_each (row, &listing->rows)
		if (!is_tracepoint(row) && !listing_is_form(row))
			test_row(listing, row);
	take_answers(listing, &questions, answers);
	vec_free(&questions);
}

const char *listing_why(const struct listing *listing, const struct row *row, char *into,
			size_t room)
{
	struct event event = { .kind = row->entry.kind,
			       .attr = row->attr,
			       .cpu_wide_only = row->cpu_wide_only };

	into[0] = '\0';
	if (row->whole_state < 0)
		host_why_not(&listing->host, &event, -row->whole_state, into, room);
	return into;
}
