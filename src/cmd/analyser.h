/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process of one analysis: it reads what is hostile, without privileges.  The supervisor starts
 * it as the workload's user; what to do comes over the channel (analysis_protocol).
 */
#ifndef CMD_ANALYSER_H
#define CMD_ANALYSER_H

#include <stdbool.h>

struct err;

/* imported: the data is from outside, no file of this host is to be read for it. */
int analyser_main(int channel, bool imported, struct err *err);

#endif
