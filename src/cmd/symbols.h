/* SPDX-License-Identifier: Apache-2.0 */
/* Where names come from: the options of all commands that show functions. */
#ifndef CMD_SYMBOLS_H
#define CMD_SYMBOLS_H

#include "base/clock.h"
#include "cmd/command.h"
#include "symbol/symbol.h"

struct perf_reader;

struct symbol_args {
	const char *symfs, *kallsyms, *vmlinux, *buildid_dir;
	struct guest_sources guest;
	bool debuginfod;
	int64_t fetch_limit_ns; /* of all that is fetched; 0: the usual */
	bool inlined, not_inlined;
	bool no_modules, ignore_vmlinux;
	bool full_paths; /* of source files */
	bool lines;	 /* not an option: set by a command that wants the lines of samples */
};

/* The rows of a command's table; `field` gives the offset of a member of its symbol_args. */
#define SYMBOL_OPTIONS(field)                                                                          \
	{ OPT_HEADING, .help = "Where names come from" }, { OPT_TEXT,                                  \
							    0,                                         \
							    "symfs",                                   \
							    field(symfs),                              \
							    "DIR",                                     \
							    "look for files below DIR instead of /" }, \
		{ OPT_TEXT,	   0,	   "kallsyms",                                                 \
		  field(kallsyms), "FILE", "the kernel's symbols, instead of /proc/kallsyms" },        \
		{ OPT_TEXT,	  'k',	  "vmlinux",                                                   \
		  field(vmlinux), "FILE", "the kernel's image with symbols" },                         \
		{ OPT_TEXT, 0, "buildid-dir", field(buildid_dir), "DIR", "instead of ~/.debug" },      \
		{ OPT_FLAG, 0,                                                                         \
		  "inline", field(inlined),                                                            \
		  NULL,	    "inlined functions as frames, also of stacks that were not copied" },      \
		{ OPT_FLAG, 0, "no-inline", field(not_inlined), NULL, "without inlined functions" },   \
		{ OPT_TEXT,                                                                            \
		  0,                                                                                   \
		  "guestkallsyms",                                                                     \
		  field(guest.kallsyms),                                                               \
		  "FILE",                                                                              \
		  "names of virtual machines' kernels: a copy of a guest's /proc/kallsyms" },          \
		{ OPT_TEXT,	  0,                                                                   \
		  "guestmodules", field(guest.modules),                                                \
		  "FILE",	  "and a copy of its /proc/modules" },                                 \
		{ OPT_TEXT,	  0,                                                                   \
		  "guestvmlinux", field(guest.vmlinux),                                                \
		  "FILE",	  "its kernel's image with symbols" },                                 \
		{ OPT_TEXT,                                                                            \
		  0,                                                                                   \
		  "guestmount",                                                                        \
		  field(guest.mount),                                                                  \
		  "DIR",                                                                               \
		  "of several: the files of a guest are below DIR/PID, its process's number" },        \
		{ OPT_FLAG,	0,                                                                     \
		  "guest-code", field(guest.code),                                                     \
		  NULL,		"virtual machines run code of the process that they are in" },         \
		{ OPT_FLAG,	0,                                                                     \
		  "debuginfod", field(debuginfod),                                                     \
		  NULL,		"fetch what hot objects lack from the servers in DEBUGINFOD_URLS" },   \
	{                                                                                              \
		OPT_DURATION, 0, "fetch-limit", field(fetch_limit_ns), "TIME",                         \
			"fetch no longer than this in all; default 2 minutes",                         \
			.unit_ns = NS_PER_SEC                                                          \
	}

/*
 * The symbols for a recording, which tells what it is of; never NULL.  If servers may be asked, the
 * recording at `input` is read before, to ask only for what is hot in it; NULL if it can't be read
 * twice, and then they are asked for whatever is missing.
 */
struct symbol_store *symbols_open(const struct symbol_args *args, struct perf_reader *reader,
				  const char *input);

/* Whether the recording says that it is not of this host; one that says nothing may be. */
bool symbols_of_another_machine(struct perf_reader *reader);

/* Says what can't be seen from the names; frees the store, which may be NULL. */
void symbols_close(struct symbol_store *store);

#endif
