/* SPDX-License-Identifier: Apache-2.0 */
/* What the handlers of a run's results have in common. */
#ifndef SERVER_RESULTS_H
#define SERVER_RESULTS_H

#include "base/buf.h"
#include "base/outbuf.h"
#include "render/query_json.h"
#include "server/route.h"
#include "store/store.h"

/* A question to the samples of a run. */
struct result {
	struct run run;
	struct query query; /* profile, event and filters are filled in */
	struct profile_span span;
};

/*
 * Finds the run and its profile and reads the parameters that all views have.  1: the client has
 * the answer already and the handler is done.  On 0 result_close() is due.
 */
int result_open(struct result *result, struct request *request, struct err *err);
void result_close(struct result *result, struct request *request);

/* The time that a run's pictures show; profile NULL: it has no samples. */
struct profile_span result_span(const struct run *run, const struct profile *profile);

/* JSON that is written by hand: begin, write to it, end. */
struct answer {
	struct request *request;
	struct buf text;
	struct outbuf out;
};

void answer_begin(struct answer *answer, struct request *request);
/* Sends it, or lets go of it where rc says that there is none; returns rc. */
int answer_end(struct answer *answer, int rc);

/* `from` and `to`, in order; 0 where they are not given. */
int result_range(const struct request *request, uint64_t *from, uint64_t *to, struct err *err);
/* A parameter within bounds; -EINVAL in words. */
int result_number(const struct request *request, const char *name, uint32_t otherwise,
		  uint32_t least, uint32_t most, uint32_t *value, struct err *err);
/* A parameter that is one of the words (NULL at the end): its place. */
int result_choice(const struct request *request, const char *name, const char *const *words,
		  unsigned *choice, struct err *err);
/* Text of a parameter; NULL where it is not given or empty. */
const char *result_text(const struct request *request, const char *name);

/* Whether its files may still grow. */
bool result_is_growing(const struct run *run);

/*
 * Opens a run's file of a kind, complete or being written: a descriptor, or -ENOENT with words
 * ("run 3 has no counters").
 */
int result_file(struct request *request, const char *kind, const char *what, struct err *err);

/* The ETag of an answer about a file that grows; true: the client has it, all is done. */
bool result_same_file(struct request *request, const struct run *run, int fd);

#endif
