/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the supervisor allows: its own configuration, which no message can change.
 */
#ifndef JOBS_POLICY_H
#define JOBS_POLICY_H

#include "base/err.h"
#include "jobs/identity.h"
#include "jobs/jobgroup.h"
#include "jobs/private.h"
#include "jobs/reach.h"
#include <stdbool.h>
#include <stdint.h>

#define POLICY_BY_MACHINE UINT64_MAX

struct policy {
	struct identity web;	      /* who the web side is */
	struct identity workload;     /* who programs are started as by whoever has no account */
	uid_t shield;		      /* keeps programs from analysers: jobs/sandbox.h; 0: none */
	bool as_root;		      /* that is root, and somebody said so */
	struct reach_rules reach;     /* what may be measured besides */
	bool private_tmp;	      /* runs have folders of their own: jobs/private.h */
	struct err private_why;	      /* why they have not; no text: it is not wanted */
	enum private_network network; /* what runs reach at most */
	uint64_t max_runtime_ns, max_output, max_disk, max_share, max_export; /* 0: no limit */
	struct jobgroup_limits run; /* the most that a run may ask for */
	uint64_t analyser_memory;   /* 0: half of all */
	uint64_t analyser_ns;	    /* of CPU */
};

/* As options give them; NULL: not given. */
struct policy_options {
	const char *user, *web_user;
	bool as_root;
	const char *deny, *allow; /* "attach,users,host" */
	bool private_tmp;
	const char *network; /* NULL: full */
	uint64_t max_runtime_ns, max_output, max_disk, max_share, max_export;
	struct jobgroup_limits run; /* memory POLICY_BY_MACHINE: by what there is */
	uint64_t analyser_memory, analyser_ns;
	const char *data; /* its owner, where it is not root, is the web side */
};

/*
 * Who a person's programs are started as, and their analysers: the Unix account that root has given
 * that person (jobs/unixaccounts.h), else the shared one.  An account that is gone or may not be
 * used is a failure: its runs never become somebody else's.
 */
int policy_who(const struct policy *policy, int own_folder, const char *person,
	       struct identity *who, struct err *err);
/* Whether what measures its programs as root is kept from everything else: cmd/fenced.h. */
bool policy_fences(const struct identity *who);
/*
 * The option that tells a process of ours whom to become.  It does so by itself, before it listens
 * to anybody: until then, and by the shield ever after, no program of that user can touch it.
 */
void policy_say_user(const struct policy *policy, const struct identity *who, char *into,
		     size_t room);

/*
 * The memory of a run where nobody says: three quarters of what there is, and 256 MiB left to the
 * server at least; half of all where that would be less.
 */
uint64_t policy_run_memory(uint64_t all);

int policy_make(struct policy *policy, const struct policy_options *options, struct err *err);
void policy_fini(struct policy *policy);

#endif
