/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run has for itself: /tmp, /var/tmp, /dev/shm and /run/lock in a mount namespace of its
 * own, System V's and POSIX's shared memory, semaphores and message queues, and a network of its
 * own where it is to reach less than all.
 *
 * The folders behind them lie in the supervisor's part of the data folder, runs/ID/, and belong to
 * the run's Unix account.  They are kept until the run has been analysed, since the lists and dumps
 * of JITs are in there: an analyser enters the same view, in a namespace of its own, and finds them
 * where the program wrote them.
 *
 * What lies in the machine's /tmp and is named by the run's working folder or program is bound in
 * at its place; so is what its words and its environment name, if it is the account's own or
 * root's.  Everything is opened as that account: it gets at nothing that it could not get at
 * before.
 */
#ifndef JOBS_PRIVATE_H
#define JOBS_PRIVATE_H

#include "base/vec.h"
#include <stdbool.h>
#include <stdint.h>

struct err;
struct identity;
struct wordlist;

#define PRIVATE_HOME "/tmp/home" /* of a run whose account has no home for it */

/* From the widest on. */
enum private_network {
	NETWORK_FULL,	  /* the machine's */
	NETWORK_LOOPBACK, /* a loopback of its own, where nobody else is */
	NETWORK_NONE,
	NETWORKS
};
const char *private_network_name(enum private_network network);
/* By name; -EINVAL. */
int private_network_find(const char *name, struct err *err);

/* Tries it out: true, or *why not. */
bool private_possible(enum private_network network, struct err *why);

struct private_run {
	const char *data; /* the data folder */
	uint64_t run;	  /* 0: no folders of its own */
	const struct identity *who;
	enum private_network network;
};

/* What of the machine's a run names. */
struct private_words {
	const char *folder; /* "": none */
	const struct wordlist *argv, *environment;
};

/* Makes its folders, and notes what is to be bound in. */
int private_make(const struct private_run *run, const struct private_words *words, struct err *err);
bool private_exists(const struct private_run *run);
/*
 * Enters its view; between fork and exec, with the privileges of who made it (without root a user
 * namespace gives those that are needed).  0 or a negative errno value.
 */
int private_enter(const struct private_run *run);
/* Bytes in its folders.  Of very many files not all are looked at: it is asked now and then. */
uint64_t private_bytes(const struct private_run *run);

/* The numbers of all runs with folders. */
struct private_ids VEC_OF(uint64_t);
void private_list(const char *data, struct private_ids *into);
/*
 * Deletes its folders with all in them; none is no failure.  Whoever makes files as fast as they
 * are removed can't keep it: it ends after some seconds, and what it left may be removed by another
 * go.
 */
int private_remove(const char *data, uint64_t run, struct err *err);

/* The paths below those places in a text: words of a command line, or of a shell's. */
void private_scan(const char *text, struct strlist *into);

#endif
