/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording as a folder, with the running kernel's code beside the samples (record --kcore):
 *
 *	perf.data/data                               the recording
 *	perf.data/kcore_dir/{kcore,kallsyms,modules} the kernel as it was, for who reads it
 *
 * That is perf's layout, and perf reads it.  The kernel's code changes while it runs (ftrace,
 *static keys), and another boot has it elsewhere: so it is copied when the recording begins.
 */
#ifndef RECORD_KCORE_H
#define RECORD_KCORE_H

struct err;

/* Whether the kernel's code can be read; `proc` is /proc. */
int kcore_check(const char *proc, struct err *err);

/* Copies code, symbols and modules into the folder, which must be there and empty. */
int kcore_copy(const char *proc, const char *folder, struct err *err);

/*
 * Makes the folder of a recording, with the copies; what stood there is at PATH.old then.  On
 * failure everything is as before.
 */
int kcore_begin(const char *proc, const char *path, struct err *err);
/* Takes it back; the recording in it must be gone. */
void kcore_withdraw(const char *path);

/* Removes a recording, a file or a folder like this one; anything else stays. */
void recording_remove(const char *path);

#endif
