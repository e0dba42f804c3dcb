/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the web side is made of; every handler reaches it through its request.
 *
 * web_side_main() makes the parts in the order in which they stand here and ends them in reverse.
 * A part that is NULL is not there: tests of one part leave the others out.
 */
#ifndef SERVER_APP_H
#define SERVER_APP_H

#include "base/arena.h"
#include "jobs/protocol.h"

struct err;

struct app {
	struct arena arena;	  /* holds the policy */
	struct msg_policy policy; /* what the supervisor said; never changes */
	/* Whether `perfolio COMMAND` understands these options; NULL: not asked. */
	int (*check_options)(const char *command, const struct wordlist *options, struct err *err);
	struct datadir *dir;
	struct store *store; /* the datadir's */
	struct link *link;   /* to the supervisor */
	struct costs *costs; /* of samples */
	struct hub *hub;
	struct live *live;
	struct profiles *profiles;
	struct jobs *jobs; /* analysers */
	struct analysis *analysis;
	struct scheduler *scheduler;
	struct webhook *webhook;
	struct signins *signins;
	struct rights *rights; /* what was noted lately */
	struct http *http;
};

#endif
