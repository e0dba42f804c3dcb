/* SPDX-License-Identifier: Apache-2.0 */
/* A web side without its supervisor, and a client that sends exactly what a test wants. */
#ifndef UNIT_SERVER_SITE_H
#define UNIT_SERVER_SITE_H

#include "server/app.h"
#include "server/http.h"

#define SITE_TOKEN "0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"

extern struct app site_app;

/* NULL: the usual options. */
void site_open(const struct http_options *options);
void site_close(void);
int site_connect(void);
const char *site_host(void); /* "127.0.0.1:PORT" */

/*
 * Sends "METHOD PATH HTTP/1.1" with Host, the lines of `head` (each ended by \r\n) and the body;
 * all that comes back until the server closes.  Holds until the next call.
 */
const char *site_ask(const char *method, const char *path, const char *head, const char *body);
/* The same with the token. */
const char *site_call(const char *method, const char *path, const char *body);
int site_status(const char *answer);
const char *site_body(const char *answer);

#endif
