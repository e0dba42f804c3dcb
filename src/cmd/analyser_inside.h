/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs of an analyser. */
#ifndef CMD_ANALYSER_INSIDE_H
#define CMD_ANALYSER_INSIDE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "cmd/load.h"
#include "ipc/channel.h"
#include "jobs/protocol.h"

struct symbol_store;

struct analyser {
	struct channel *channel;
	struct arena arena; /* of messages */
	bool imported;
	int opener; /* opens what it may not; -1: none */
	uint64_t cpu_s;
	VEC(struct msg_input *) inputs;
	struct msg_job *job;
	bool complete; /* the web side has said so */
	struct buf quality, facts;
};

/* The input of a kind, or NULL. */
struct msg_input *analyser_input(const struct analyser *a, const char *kind);

/* Takes messages for so long, or until the next one (timeout_ms -1); -EPIPE without a web side. */
int analyser_listen(struct analyser *a, int timeout_ms, struct err *err);
/* Waits until it is out. */
int analyser_tell(struct analyser *a, const struct ipc_type *type, const void *message,
		  struct err *err);

/* From now on it has the files that its job needs: jobs/sandbox.h. */
int analyser_fence(struct analyser *a, bool host_files, struct err *err);
/* How long its file may become, by the room that there is now. */
void analyser_limit_output(const struct analyser *a);
/* Another share of CPU time, from now on. */
void analyser_limit_cpu(const struct analyser *a);

int analyse_index(struct analyser *a, struct err *err);
int analyse_follow(struct analyser *a, struct err *err);
int analyse_export(struct analyser *a, struct err *err);
int analyse_session(struct analyser *a, struct err *err);
int analyse_check(struct analyser *a, struct err *err);

/* What is learnt of a profile, as JSON, in a->quality and a->facts; and its index to a->job->out.
 */
int analyser_conclude(struct analyser *a, const struct loaded *in, struct err *err);

/* A recording that standard input is; host: files of this host tell its names. */
int analyser_open_recording(struct loaded *in, bool follow, struct err *err);
struct symbol_store *analyser_symbols(struct loaded *in);

#endif
