/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether what the web side asks for is within the policy.  Nothing of it is believed: descriptors
 * are files of the data folder's own disk, numbers are numbers, options are of a list.
 */
#ifndef JOBS_REQUEST_H
#define JOBS_REQUEST_H

#include "jobs/protocol.h"
#include <sys/types.h>

struct err;
struct family;
struct identity;
struct reach;

/* Of somebody whose programs run as `who`, on the server that is `family`.  0, or -EPERM (the
 * policy does not allow it) or -EINVAL with words. */
int request_check(const struct reach *reach, const struct family *family,
		  const struct identity *who, dev_t device, const struct msg_start *start,
		  struct err *err);

/* The same for options of `stat` and `record` alone, as a plan has them. */
int request_check_options(const struct wordlist *words, bool record, struct err *err);

/* A regular file on that disk that can be written. */
int request_check_file(int fd, dev_t device, const char *what, struct err *err);

#endif
