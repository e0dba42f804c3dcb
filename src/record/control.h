/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting and stopping from outside (--control fifo:CTL[,ACK] or fd:CTL[,ACK]), so that a program
 * can bracket a region of itself.  Words, a line each, as perf takes them: enable and disable,
 * which may be followed by the name of one event, evlist, snapshot, ping, stop, and reset, which
 * perf does not have.  Each is answered on the second channel with the five bytes that perf sends,
 * "ack\n" and a NUL: programs written for perf read and compare all five.
 */
#ifndef RECORD_CONTROL_H
#define RECORD_CONTROL_H

#include "base/buf.h"
#include <stdbool.h>

struct err;

enum control_word {
	CONTROL_NONE,
	CONTROL_ENABLE,
	CONTROL_DISABLE,
	CONTROL_ENABLE_EVENT, /* the one that control_argument names */
	CONTROL_DISABLE_EVENT,
	CONTROL_RESET,
	CONTROL_PING,
	CONTROL_STOP,
	CONTROL_SNAPSHOT,
	CONTROL_EVLIST,	 /* control_argument: the flags */
	CONTROL_UNKNOWN, /* control_unknown says what came */
};

struct control {
	int fd, ack_fd; /* -1 for none */
	bool own;	/* opened by us (fifo:) */
	bool ended;	/* the writer closed a pipe given as fd: poll it no longer */
	struct buf pending;
	char word[256]; /* the last line, cut if it is longer */
};

int control_open(struct control *control, const char *text, struct err *err);
/* The next complete word, CONTROL_NONE when there is none yet.  Call it until then after poll. */
enum control_word control_next(struct control *control);
/* What the last CONTROL_UNKNOWN was. */
const char *control_unknown(const struct control *control);
/* What stands behind the last word: an event's name, the flags of evlist. */
const char *control_argument(const struct control *control);
/* After the word was carried out; after one that can't be, too, or its sender would wait forever.
 */
void control_acknowledge(struct control *control);
void control_close(struct control *control);

#endif
