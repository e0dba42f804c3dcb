/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile's columns in a file, to be mapped back: opening a recording for the second time.
 *
 * Whatever the file holds is checked before it is used: magic, version, byte order, identity of the
 * recording, checksum, and that every id leads to a row.  Anything that does not fit means: make it
 * again.  A mapped profile answers questions like any other, but does not grow.
 */
#ifndef PROFILE_INDEX_H
#define PROFILE_INDEX_H

#include "profile/profile.h"

struct err;

/* What an index was made from; all bytes count. */
struct index_identity {
	uint64_t device, inode, size;
	int64_t mtime_s, mtime_ns;
	uint64_t settings; /* a hash of whatever else the names depend on */
};

/* Of an open file; 0 or a negative errno value. */
int index_identify(struct index_identity *identity, const char *path, uint64_t settings);

/* Written under another name and renamed. */
int profile_index_write(const struct profile *profile, const struct index_identity *identity,
			const char *path, struct err *err);

/* The same to a descriptor, for those who know by other means what it was made from. */
int profile_index_write_fd(const struct profile *profile, int fd, struct err *err);

/*
 * -ESTALE if it was made from something else or by another version, -EBADMSG if it is damaged,
 * -ENOENT if there is none.
 */
int profile_index_open(struct profile **profile, const struct index_identity *identity,
		       const char *path, struct err *err);

/* The same for an open file that stays whole; its identity is not looked at.  fd stays open. */
int profile_index_open_fd(struct profile **profile, int fd, struct err *err);

/* The same for bytes in memory, aligned to 8, which must outlive the profile; identity may be NULL.
 */
int profile_index_of(struct profile **profile, const struct index_identity *identity,
		     const void *bytes, size_t size, struct err *err);

/* For tests: makes identity and checksum of an index in memory right, if it is one at all. */
void profile_index_mend(void *bytes, size_t size, const struct index_identity *identity);

/* Lets go of the file that the columns lie in (profile_free calls it). */
void profile_index_detach(struct profile *profile);

#endif
