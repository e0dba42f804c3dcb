/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a process of ours can't do any more from now on, whoever has taken it over by then.
 *
 *	struct buf missing = { 0 };
 *	rc = sandbox_enter(&(struct sandbox){ .profile = SANDBOX_WEB, .uid = uid, .gid = gid,
 *					      .writable = data }, &missing, err);
 *
 * It changes to another user and gives up every capability, for good; files are left to Landlock,
 * system calls to a list of those that the role needs (everything else fails with EPERM), memory
 * and time to limits.  Threads that run already would keep what they have: it comes before them.
 * Dropping the user must work, the rest is as much as the kernel can do; what it can't is said.
 */
#ifndef JOBS_SANDBOX_H
#define JOBS_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct buf;
struct err;

enum sandbox_profile {
	SANDBOX_WEB,	  /* HTTP on sockets that are there already, and the data folder */
	SANDBOX_ANALYSER, /* descriptors that are passed to it, and files of the host to read */
	SANDBOX_OPENER,	  /* opens files for that one: jobs/opener.h */
	SANDBOX_LOOKER,	  /* says whether files are there, on its standard output */
};

#define SANDBOX_STAY ((uid_t)-1)

struct sandbox {
	enum sandbox_profile profile;
	uid_t uid; /* SANDBOX_STAY: the same user */
	gid_t gid;
	const gid_t *groups; /* further ones */
	size_t group_count;
	/*
	 * Opens files as `uid`, and is still nobody whom other processes of that user may signal,
	 * trace or look into: those are asked for the real and the saved user, who is this one.
	 * 0: the same user.
	 */
	uid_t shield;
	const char *writable; /* SANDBOX_WEB: the one folder that is left of all files */
	bool network;	      /* SANDBOX_WEB: it may connect to others, for webhooks */
	uint64_t memory;      /* bytes of address space; 0: no limit */
	uint64_t cpu_s;	      /* of CPU; 0: no limit */
};

/* The user from "UID:GID:SHIELD"; NULL or "": the same user. */
int sandbox_read_user(struct sandbox *sandbox, const char *text, struct err *err);

/*
 * 0, and then lines in *missing (NULL: nobody asks) say what this kernel has not done; or a
 * negative errno value, and then the process must end.
 */
int sandbox_enter(const struct sandbox *sandbox, struct buf *missing, struct err *err);

/*
 * For a process that keeps its privileges, as it measures, and is told in others' words what: it
 * starts nothing, opens no file to write and reaches no other process, whatever those words do to
 * it.  0 or a negative errno value; what the kernel can't do is left out.
 */
int sandbox_measuring(struct err *err);

/*
 * The files of SANDBOX_ANALYSER, which is told of its job after it has entered.  Nothing can be
 * written but what is open already.
 */
struct sandbox_files {
	bool readable;	       /* what the user may read; false: no file by any name */
	const char *forbidden; /* but for this folder and all in it; NULL: none */
};
int sandbox_files(const struct sandbox_files *files, struct buf *missing, struct err *err);

#endif
