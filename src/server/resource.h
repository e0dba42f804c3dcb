/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions and runs as the API shows them, and what their handlers share. */
#ifndef SERVER_RESOURCE_H
#define SERVER_RESOURCE_H

#include "server/route.h"
#include "store/store.h"

/* An object, as an element of a list or as the whole of a text. */
void run_write(struct json *json, const struct run *run, struct request *request);
void session_write(struct json *json, const struct session *session, struct request *request);
/* The run for readers that nobody has asked the rights of: streams, webhooks. */
void run_write_masked(struct json *json, const struct run *run);

/* What of a run only those see who may measure it; masked for others.  Text is in the arena. */
#define MASK "•••"
struct run_secrets {
	struct wordlist environment;
	const char *form; /* JSON */
};
struct run_secrets run_secrets(const struct run *run, bool all, struct arena *arena);
void run_secrets_fini(struct run_secrets *secrets);

/* A time that may not be known yet: 0 gives null. */
void write_time(struct json *json, const char *key, int64_t ns);
/* How it ended: null while nobody knows. */
void write_ending(struct json *json, const struct run_facts *facts);
void write_words(struct json *json, const char *key, const struct wordlist *words);

/* The run or session as the reply, as it is in the store now. */
int reply_run(struct request *request, int64_t id, struct err *err);
int reply_session(struct request *request, int64_t id, struct err *err);

/* ?before= and ?limit=; *limit is what was asked for, the page has one more to see if there is. */
int read_page(const struct request *request, struct page *page, size_t *limit, struct err *err);
/* Ends a list of `len` things, that has been opened: {"items":[...; last: id of the last shown. */
void end_page(struct json *json, size_t len, size_t limit, int64_t last);

/* Makes the thing's tags those of the body, if it has `tags`. */
int change_tags(struct request *request, enum store_kind kind, int64_t id,
		const struct wordlist *now, struct err *err);

/* Notes who did it. */
void audit(struct request *request, const char *action, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
