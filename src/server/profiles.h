/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profiles and counters of runs that are being looked at: files that are mapped once and shared
 * by all who ask.  Those that nobody holds are let go of, the longest unused first, when there are
 * too many or they are too large together.  For any thread.
 */
#ifndef SERVER_PROFILES_H
#define SERVER_PROFILES_H

#include <stddef.h>
#include <stdint.h>

struct datadir;
struct err;
struct profile;
struct profiles;
struct series;

/* The reason of a run that was cancelled while its samples were read: they stay unread. */
#define PROFILES_CANCELLED "its samples were not read: that was cancelled"

struct profiles_options {
	struct datadir *dir;
	size_t most;	   /* profiles; 0: 8 */
	size_t most_bytes; /* of their files; 0: 1 GB */
	/* Has the index of a run made again, which takes a while.  NULL: nobody can. */
	int (*remake)(void *state, int64_t run, struct err *err);
	void *state;
};

struct profiles *profiles_new(const struct profiles_options *options);
/* All were put back. */
void profiles_free(struct profiles *profiles);

/*
 * The profile of a run, to be given back by profiles_put().  -EAGAIN while it is being made, or is
 * made again because it was missing or old; -ENOENT where the run has no samples or is no run.
 */
int profiles_get(struct profiles *profiles, int64_t run, const struct profile **profile,
		 struct err *err);
void profiles_put(struct profiles *profiles, const struct profile *profile);

/* The same for the counters of a run, once their file is complete; -ENOENT before. */
int profiles_get_series(struct profiles *profiles, int64_t run, const struct series **series,
			struct err *err);
void profiles_put_series(struct profiles *profiles, const struct series *series);

#define PROFILES_MARK 20
/* What changes with the profile of a run, for ETags: "" where there is none yet. */
const char *profiles_mark(struct profiles *profiles, int64_t run, char into[static PROFILES_MARK]);

#endif
