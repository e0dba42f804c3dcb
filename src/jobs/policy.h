/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the supervisor allows: its own configuration, which no message can change.
 */
#ifndef JOBS_POLICY_H
#define JOBS_POLICY_H

#include "jobs/identity.h"
#include <stdbool.h>
#include <stdint.h>

struct err;

struct policy {
	struct identity web;	  /* who the web side is */
	struct identity workload; /* who programs are started as, and analysers */
	uid_t shield;		  /* keeps programs from analysers: jobs/sandbox.h; 0: none */
	bool as_root;		  /* that is root, and somebody said so */
	bool attach;		  /* processes that run already may be measured */
	bool other_users;	  /* also those of others than the workload's user */
	bool whole_host;
	bool fenced; /* what measures as root is kept from everything else: cmd/fenced.h */
	uint64_t max_runtime_ns, max_output, max_disk; /* 0: no limit */
	uint64_t analyser_memory;		       /* 0: half of all */
	uint64_t analyser_ns;			       /* of CPU */
};

/* As options give them; NULL: not given. */
struct policy_options {
	const char *user, *web_user;
	bool as_root;
	const char *deny; /* "attach,users,host" */
	uint64_t max_runtime_ns, max_output, max_disk;
	uint64_t analyser_memory, analyser_ns;
	const char *data; /* its owner, where it is not root, is the web side */
};

int policy_make(struct policy *policy, const struct policy_options *options, struct err *err);
void policy_fini(struct policy *policy);

#endif
