/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a server is set up as it should be: `doctor --server`. */
#ifndef CMD_DOCTOR_SERVER_H
#define CMD_DOCTOR_SERVER_H

struct doctor;
struct err;

/*
 * Findings about the server of this data folder (NULL: the usual one); doctor->works says that
 * nothing is bad.  As root or as the owner of the folder.  0 or a negative errno value.
 */
int doctor_server(struct doctor *doctor, const char *data, struct err *err);
/* The same by the link that the server prints, http://HOST:PORT/#token=TOKEN. */
int doctor_remote(struct doctor *doctor, const char *url, struct err *err);

#endif
