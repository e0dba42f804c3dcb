/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a server is set up, as a file in the supervisor's own part of the data folder: for
 * `perfolio doctor --server`, which may come when it does not run any more.  No secret is in it.
 */
#ifndef JOBS_SERVING_H
#define JOBS_SERVING_H

struct err;
struct json_object;
struct supervisor_options;

/* Noted when requests are answered; a disk that is full is no reason not to serve. */
void serving_note(const struct supervisor_options *options);

/* json_object_put() it; NULL with the reason, -ENOENT in *err where no server has noted any. */
struct json_object *serving_read(const char *data, struct err *err);

#endif
