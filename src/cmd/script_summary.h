/* SPDX-License-Identifier: Apache-2.0 */
/* `script -l`, `script NAME`, `script record NAME`: the summaries of src/summary. */
#ifndef CMD_SCRIPT_SUMMARY_H
#define CMD_SCRIPT_SUMMARY_H

#include <stdbool.h>

struct command;
struct err;
struct perf_reader;
struct script_filter;
struct strlist;
struct summary;

/*
 * The summary that the first word names, perf's `report NAME` included; the words then begin behind
 * it.  NULL if it names none.
 */
const struct summary *script_summary_named(int *argc, char ***argv);

/*
 * Whether a word is nearly a summary's name and no file's; -EINVAL with the right one in *err.  One
 * that is followed by another word was meant as a summary, whatever it is like.
 */
int script_summary_mistyped(const char *word, bool followed, struct err *err);

int script_summary_list(bool json);
int script_summary_print(const struct summary *summary, struct perf_reader *reader,
			 const char *path, const struct script_filter *filter, bool as_json,
			 struct err *err);

/* `script record NAME [OPTIONS] [COMMAND]` as the words of `record`; see struct command. */
const struct command *script_summary_record(int argc, char **argv, struct strlist *words,
					    struct err *err);

#endif
