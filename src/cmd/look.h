/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the server asks of this machine, as JSON on standard output: roles of `serve` that live for
 * one answer (jobs/ask.h).
 */
#ifndef CMD_LOOK_H
#define CMD_LOOK_H

struct err;

/* {"processes": [{pid, parent, user, command, cpu_percent, threads: [{tid, name}]}]}, by pid;
 * the kernel's are left out.  Takes a tenth of a second. */
int look_processes(struct err *err);

/* Of an expression: {"valid", "message", "marked", "remedy", "events": [{name, kind, openable,
 * user_only, errno, why}], "left_out": how many more it names, which are not tried}
 */
int look_check(const char *expression, struct err *err);

/*
 * words: "count", "sample" or "both", events to count, events to sample, rate, call graph, known
 * costs (cmd/record_plan.h).
 * {"needed", "general", "fixed", "passes", "events": [{name, need, shares, why}],
 *  "samples_per_second", "bytes_per_second", "overhead", "overhead_error", "sampled": [...],
 *  "notes"}
 * What can't be measured so is {"wrong": why}.  -E2BIG for more events than are tried out.
 */
int look_plan(char *const *words, int count, struct err *err);
/* Without costs, and only whether it is wrong: nothing is tried out. */
int look_plan_events(char *const *words, int count, struct err *err);

/*
 * words: "command", "process", "thread", "user" or "host", who, "yes" if others than one's own may
 * be measured, folder, CPUs, program, PATH (the latter "" where the usual), the usual PATH, the
 * usual folder.  {"refused": [texts], "warnings": [texts]}, each with what to do about it.
 * user: as sandbox_read_user() takes it; nothing of the words is looked at with other rights.
 */
int look_target(char *const *words, int count, const char *user, struct err *err);

#endif
