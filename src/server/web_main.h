/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The web side's process: requests, store, event streams.
 *
 * The supervisor starts it without privileges, with these descriptors, and starts it again when it
 * dies.  It ends when its channel does.
 */
#ifndef SERVER_WEB_MAIN_H
#define SERVER_WEB_MAIN_H

struct err;
struct wordlist;

struct web_side {
	int channel;	       /* to the supervisor: runner_protocol */
	int listener;	       /* a listening socket, TCP or unix */
	int tls_cert, tls_key; /* PEM, open to be read; -1: none */
	const char *data;      /* the data folder, which is this user's own */
	/* Whether `perfolio COMMAND` understands these options; NULL: not asked. */
	int (*check_options)(const char *command, const struct wordlist *options, struct err *err);
};

/*
 * Receives policy and ready, opens the data folder, sends `up` and serves.  Returns an exit status,
 * or negative with words when it could not begin (the supervisor shows them and gives up).
 */
int web_side_main(const struct web_side *side, struct err *err);

#endif
