/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process with the privileges.  It starts the web side and starts it again when it dies, and
 * does what that asks for as far as the policy allows: runs, analysers, questions to the machine.
 * Nothing from outside is parsed here but messages of jobs/protocol.h.
 */
#ifndef JOBS_SUPERVISOR_H
#define JOBS_SUPERVISOR_H

#include <stdbool.h>

struct err;
struct folder;
struct jobgroup;
struct listener;
struct policy;
struct strlist;

struct supervisor_options {
	const struct policy *policy;
	const struct folder *folder;
	const struct listener *listener;
	const struct jobgroup *group;
	int tls_cert, tls_key;		/* -1: none */
	bool open;			/* nobody need sign in */
	const char *token_hash;		/* store/accounts.h */
	const struct strlist *webhooks; /* beginnings of addresses that may be told */
	/* Called once, when the web side answers requests for the first time. */
	void (*up)(void *user);
	void *user;
};

/* Until a signal ends it; an exit status, or negative with words. */
int supervisor_run(const struct supervisor_options *options, struct err *err);

#endif
