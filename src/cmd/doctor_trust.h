/* SPDX-License-Identifier: Apache-2.0 */
/* `doctor` on a recording or a process: how far its samples can be trusted. */
#ifndef CMD_DOCTOR_TRUST_H
#define CMD_DOCTOR_TRUST_H

#include <stdbool.h>

struct err;

struct doctor_flags {
	const char *input, *pid; /* a recording or a process to examine, not the machine */
	bool json, verbose;
	bool server; /* a server's installation */
};

/* The exit status, or a negative errno value. */
int doctor_trust(const struct doctor_flags *flags, struct err *err);

#endif
