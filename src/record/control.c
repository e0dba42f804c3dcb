// SPDX-License-Identifier: Apache-2.0
#include "record/control.h"
#include "base/err.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PENDING_MOST 4096 /* a line longer than this is no word of ours */

/*
 * Open for both directions and without blocking, as perf does: opening then waits for nobody, and
 * poll never reports a hang-up between two writers.
 */
static int open_fifo(const char *path, struct err *err)
{
	struct stat st;
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return err_set(err, errno, "--control: %s: %s", path, strerror(errno));
	if (fstat(fd, &st) == 0 && !S_ISFIFO(st.st_mode)) {
		close(fd);
		return err_set(err, EINVAL, "--control: %s is not a fifo; make one with mkfifo",
			       path);
	}
	return fd;
}

static int open_fd(const char *text, struct err *err)
{
	char *end;
	long fd;

	errno = 0;
	fd = strtol(text, &end, 10);
	if (end == text || *end || errno || fd < 0 || fd > 1 << 30)
		return err_set(err, EINVAL, "--control: '%s' is not a descriptor's number", text);
	if (fcntl((int)fd, F_GETFD) < 0)
		return err_set(err, EBADF, "--control: descriptor %ld is not open", fd);
	/* Not closed on exec: the program that we start may use them to bracket itself. */
	return (int)fd;
}

static int open_channels(struct control *control, const char *ctl, const char *ack, struct err *err)
{
	int (*open_one)(const char *, struct err *) = control->own ? open_fifo : open_fd;

	control->fd = open_one(ctl, err);
	if (control->fd < 0)
		return control->fd;
	if (ack && *ack)
		control->ack_fd = open_one(ack, err);
	return ack && *ack && control->ack_fd < 0 ? control->ack_fd : 0;
}

int control_open(struct control *control, const char *text, struct err *err)
{
	char *copy, *ack;
	int rc;

	*control = (struct control){ .fd = -1, .ack_fd = -1 };
	control->own = !strncmp(text, "fifo:", 5);
	if (!control->own && strncmp(text, "fd:", 3))
		return err_set(err, EINVAL, "--control '%s': write fifo:CTL[,ACK] or fd:CTL[,ACK]",
			       text);
	copy = mem_strdup(strchr(text, ':') + 1);
	ack = strchr(copy, ',');
	if (ack)
		*ack++ = '\0';
	rc = open_channels(control, copy, ack, err);
	free(copy);
	if (rc)
		control_close(control);
	return rc;
}

/* A descriptor that we were given may block, and its file status is shared with others: ask before
 * reading instead of changing it. */
static bool readable(int fd)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	return poll(&pollfd, 1, 0) > 0;
}

static void fill(struct control *control)
{
	char bytes[256];
	ssize_t got;

	while (!control->ended && control->pending.len < PENDING_MOST && readable(control->fd)) {
		got = read(control->fd, bytes, sizeof(bytes));
		if (got > 0)
			buf_add(&control->pending, bytes, (size_t)got);
		else if (got == 0)
			control->ended = true;
		else if (errno != EINTR)
			break;
	}
}

static enum control_word word_of(const char *text)
{
	static const struct {
		const char *text;
		enum control_word word;
	} words[] = {
		{ "enable", CONTROL_ENABLE }, { "disable", CONTROL_DISABLE },
		{ "reset", CONTROL_RESET },   { "ping", CONTROL_PING },
		{ "stop", CONTROL_STOP },     { "snapshot", CONTROL_SNAPSHOT },
		{ "evlist", CONTROL_EVLIST },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i].text, text))
			return words[i].word;
	if (!strncmp(text, "enable ", 7))
		return CONTROL_ENABLE_EVENT;
	if (!strncmp(text, "evlist ", 7))
		return CONTROL_EVLIST;
	return strncmp(text, "disable ", 8) ? CONTROL_UNKNOWN : CONTROL_DISABLE_EVENT;
}

/* Takes the first line off pending into control->word; false if none is complete.  Like perf, a NUL
 * ends a line too. */
static bool take_line(struct control *control)
{
	struct buf *pending = &control->pending;
	size_t length = 0, used;

	while (length < pending->len && pending->data[length] && pending->data[length] != '\n')
		length++;
	if (length == pending->len && length < PENDING_MOST && !(control->ended && length))
		return false;
	used = length < pending->len ? length + 1 : length;
	snprintf(control->word, sizeof(control->word), "%.*s", (int)length, pending->data);
	control->word[strcspn(control->word, "\r")] = '\0';
	for (size_t end = strlen(control->word); end && control->word[end - 1] == ' '; end--)
		control->word[end - 1] = '\0';
	memmove(pending->data, pending->data + used, pending->len - used);
	pending->len -= used;
	return true;
}

enum control_word control_next(struct control *control)
{
	if (control->fd < 0)
		return CONTROL_NONE;
	fill(control);
	while (take_line(control))
		if (control->word[0]) /* the NUL after a newline makes an empty one */
			return word_of(control->word);
	return CONTROL_NONE;
}

const char *control_unknown(const struct control *control)
{
	return control->word;
}

const char *control_argument(const struct control *control)
{
	const char *name = control->word + strcspn(control->word, " ");

	return name + strspn(name, " ");
}

void control_acknowledge(struct control *control)
{
	static const char ack[] = "ack\n";

	/* Nobody listening, or a full pipe, is the other side's choice. */
	if (control->ack_fd >= 0 && write(control->ack_fd, ack, sizeof(ack)) < 0)
		return;
}

void control_close(struct control *control)
{
	if (control->own && control->fd >= 0)
		close(control->fd);
	if (control->own && control->ack_fd >= 0)
		close(control->ack_fd);
	control->fd = control->ack_fd = -1;
	buf_free(&control->pending);
}
