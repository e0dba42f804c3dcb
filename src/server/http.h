/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HTTP server: libmicrohttpd's threads read requests and send replies, threads of our own run
 * the handlers meanwhile, so that a handler which waits for the disk delays nobody's stream.
 *
 * Everything that is refused without looking at the body is refused before it is read: too many
 * requests, another Host, no such route, nobody signed in, the wrong role or Origin, too long.
 */
#ifndef SERVER_HTTP_H
#define SERVER_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct app;
struct err;
struct http;
struct request;
struct route;

struct http_options {
	int listen;			/* a socket that listens; http closes it */
	const char *tls_cert, *tls_key; /* PEM; NULL: no TLS */
	int head_ms;	     /* to send a request's head, and between two requests; 0: 20 s, 65 s */
	unsigned per_second; /* requests of one address; 0: 500 */
};

struct http *http_start(struct app *app, const struct http_options *options, struct err *err);
/* Ends all streams and replies, then the threads. */
void http_stop(struct http *http);

/* A header of the reply besides those that all replies have. */
void reply_header(struct request *request, const char *name, const char *value);
/* A header of the request; NULL where it has none. */
const char *request_header(const struct request *request, const char *name);
/* The address it comes from: "127.0.0.1", "unix". */
const char *request_address(const struct request *request);

#endif
