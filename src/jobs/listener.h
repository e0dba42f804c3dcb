/* SPDX-License-Identifier: Apache-2.0 */
/* The socket that the server listens on, and what clients may call it. */
#ifndef JOBS_LISTENER_H
#define JOBS_LISTENER_H

#include "base/vec.h"
#include <stdbool.h>

struct err;

struct listener {
	int fd;
	int held;	      /* the same port of the other loopback address; -1: none */
	char *path;	      /* of a unix socket that we made; NULL else */
	bool loopback;	      /* nobody outside this machine gets here */
	char *origin;	      /* "http://127.0.0.1:7700" */
	struct strlist hosts; /* "127.0.0.1:7700", "localhost:7700" ... */
};

struct listener_options {
	const char *address; /* "ADDR:PORT", "PORT", "unix:PATH"; NULL: 127.0.0.1, 7700 or above */
	bool tls;
	const struct strlist *names; /* further ones, by which browsers reach it */
};

/* Takes the socket that systemd passed, or makes one. */
int listener_open(struct listener *listener, const struct listener_options *options,
		  struct err *err);
void listener_close(struct listener *listener); /* and takes a unix socket away */

#endif
