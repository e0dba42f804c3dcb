// SPDX-License-Identifier: Apache-2.0
#include "profile/remedy.h"
#include "base/mem.h"
#include "symbol/package.h"

#include <stdio.h>
#include <string.h>

#define COPY_MOST  65528 /* what the kernel takes, a multiple of 8 below 64 KiB */
#define COPY_MORE  32768 /* than the usual size, where that in use is not known */
#define COPY_TIMES 4

/* Java's since 17; its older agents are not kept up any more. */
#define JIT_MAPS                                                                        \
	"node --perf-basic-prof, python3 -X perf, java -XX:+UnlockDiagnosticVMOptions " \
	"-XX:+DumpPerfMapAtExit, or jcmd PID Compiler.perfmap while it runs"

/*
 * Every remedy: what one types at a terminal, and what one chooses in the form of the page, where
 * that is something else.  %s is a path, a package or a size.
 */
enum { TERMINAL, FORM };
static const char *const words[ADVICES][2] = {
	[ADVICE_DWARF] = { "record with --call-graph dwarf, or build it with frame pointers (C, "
			   "C++: "
			   "-fno-omit-frame-pointer)",
			   "choose DWARF under Call graph, or build it with frame pointers (C, "
			   "C++: "
			   "-fno-omit-frame-pointer)" },
	[ADVICE_DWARF_FOR_ALL] = { "record with --call-graph dwarf: most of this code has no "
				   "frame pointers",
				   "choose DWARF under Call graph: most of this code has no "
				   "frame pointers" },
	[ADVICE_DWARF_SKIPPED] = { "record with --call-graph dwarf: frame pointers skip the caller "
				   "of code that has not set up its frame",
				   "choose DWARF under Call graph: frame pointers skip the caller "
				   "of code that has not set up its frame" },
	[ADVICE_TABLES_DWARF] = { "build it with -fasynchronous-unwind-tables and record with "
				  "--call-graph dwarf",
				  "build it with -fasynchronous-unwind-tables and choose DWARF "
				  "under Call graph" },
	[ADVICE_FRAMES_OR_TABLES] = { "build it with -fno-omit-frame-pointer, or with "
				      "-fasynchronous-unwind-tables and record with --call-graph "
				      "dwarf",
				      "build it with -fno-omit-frame-pointer, or with "
				      "-fasynchronous-unwind-tables and choose DWARF under Call "
				      "graph" },
	[ADVICE_MAX_STACK] = { "raise the limit (sysctl kernel.perf_event_max_stack=1024) and "
			       "record again; stacks of less than 64 KB are whole with "
			       "--call-graph dwarf,65528, too",
			       "raise the limit (sysctl kernel.perf_event_max_stack=1024); stacks "
			       "of less than 64 KB are whole with DWARF, 64 KB, too" },
	[ADVICE_LARGER_COPIES] = { "record larger copies of the stacks (--call-graph dwarf,%s)",
				   "choose DWARF, 64 KB, under Call graph" },
	[ADVICE_TOO_DEEP] = { "these stacks are deeper than the kernel can copy; frame pointers "
			      "(-fno-omit-frame-pointer) lead as far as "
			      "kernel.perf_event_max_stack says" },
	[ADVICE_UNWIND_TABLES] = { "build it with -fasynchronous-unwind-tables" },
	[ADVICE_JIT_FRAMES] = { "let the runtime keep frame pointers (node "
				"--interpreted-frames-native-stack, java "
				"-XX:+PreserveFramePointer) and record with fp",
				"let the runtime keep frame pointers (node "
				"--interpreted-frames-native-stack, java "
				"-XX:+PreserveFramePointer) and choose frame pointers under Call "
				"graph" },
	[ADVICE_JIT_MAP] = { "let the runtime write %s while it is recorded (" JIT_MAPS ")",
			     "let the runtime write %s while it runs (" JIT_MAPS ")" },
	[ADVICE_MAP_OWNER] = { "see whose %s is; if it is right, copy it into its place as your "
			       "own, or report as its user",
			       "see whose %s is: it must be root's or the user's whom the server "
			       "started it as" },
	[ADVICE_OWN_SYMBOLS] = { "build %s without stripping it, record again; or put its file of "
				 "debug symbols beside it",
				 "build %s without stripping it and run it again; or put its file "
				 "of debug symbols beside it" },
	[ADVICE_SYMBOLS_OF] = { "install the debug symbols of %s, or let --debuginfod fetch them",
				"install the debug symbols of %s and run it again" },
	[ADVICE_PACKAGE] = { "install %s, or let --debuginfod fetch the symbols",
			     "install %s and run it again" },
	[ADVICE_BRING_BACK] = { "bring back %s, or put it into a folder under that path and give "
				"the folder by --symfs",
				"bring back %s and run it again; with Live its names are read "
				"while it is there" },
	[ADVICE_REBUILT] = { "record again, or put the old file into a folder under its path and "
			     "give the folder by --symfs: %s was rebuilt since",
			     "run it again: %s was rebuilt since" },
	[ADVICE_NEWER] = { "record again, or put the old file into a folder under its path and "
			   "give the folder by --symfs: %s may have changed since",
			   "run it again: %s may have changed since" },
	[ADVICE_READABLE] = { "report as a user who may read %s",
			      "let the user whom the server starts programs as read %s" },
	[ADVICE_KERNEL_HIDDEN] = { "report as root with kernel.kptr_restrict at 0 or 1: kernel "
				   "addresses are hidden",
				   "start the server as root with kernel.kptr_restrict at 0 or 1: "
				   "kernel addresses are hidden" },
	[ADVICE_KERNEL_UNMAPPED] = { "record as root, or with kernel.kptr_restrict at 0: the "
				     "kernel "
				     "hid its addresses from the recorder",
				     "start the server as root, or with kernel.kptr_restrict at 0: "
				     "the kernel hid its addresses from the recorder" },
	[ADVICE_MAPLESS] = { "record as root, or only what is yours: the kernel does not show one "
			     "user the mappings of another's processes",
			     "start the server as root: the kernel does not show one user the "
			     "mappings of another's processes" },
	[ADVICE_KERNEL] = { "give the recorded kernel's symbols by --vmlinux or --kallsyms",
			    "run it again: it was recorded with another kernel" },
	[ADVICE_MODULE] = { "give the recorded kernel's symbols by --kallsyms, or its "
			    "/lib/modules below --symfs",
			    "run it again: its module was another one, or is gone" },
	[ADVICE_VDSO] = { "give the ~/.debug of the recorded machine by --buildid-dir",
			  "run it again: it was recorded with another kernel" },
	[ADVICE_GUEST_KERNEL] = { "give a copy of the virtual machine's /proc/kallsyms by "
				  "--guestkallsyms, of several by --guestmount",
				  "record in the virtual machine: the host does not know its "
				  "functions" },
	[ADVICE_GUEST_USER] = { "record in the virtual machine: the host is not told of its "
				"programs" },
	[ADVICE_LONGER] = { "record longer or at a higher rate (-F): %s",
			    "let it run longer or choose a higher Rate: %s" },
	[ADVICE_LOST] = { "record with larger buffers (-m 32M) or at a lower rate (-F)",
			  "choose a lower Rate, or give -m 32M in Options of record" },
	[ADVICE_THROTTLED] = { "record at a lower rate (-F), or raise "
			       "kernel.perf_event_max_sample_rate",
			       "choose a lower Rate, or raise "
			       "kernel.perf_event_max_sample_rate" },
	[ADVICE_NAMED_FILE] = { "make the file again on the machine that recorded it (perf script, "
				"pprof): names come from the programs there" },
	[ADVICE_WHOLE_FILE] = { "record again, or copy the file again", "run it again" },
	[ADVICE_KERNEL_TOO] = { "record without :u and --all-user; an ordinary user needs "
				"kernel.perf_event_paranoid at 1 or lower, or CAP_PERFMON",
				"choose events without :u; an ordinary user needs "
				"kernel.perf_event_paranoid at 1 or lower, or CAP_PERFMON" },
	[ADVICE_USER_TOO] = { "record without :k and --all-kernel", "choose events without :k" },
	[ADVICE_ALL_CPUS] = { "record without -C" },
	[ADVICE_HOST] = { "record the whole machine (-a), which has all of them",
			  "measure the whole host" },
	[ADVICE_NO_FILTER] = { "record without --filter" },
	[ADVICE_USER_CHAINS] = { "record without --kernel-callchains" },
	[ADVICE_LARGER_FILE] = { "record with a larger --max-size" },
	[ADVICE_SHORT_PROCESSES] = { "let record start it, or record its cgroup (-G) or the whole "
				     "machine (-a), as root: these sample by CPU; or record at a "
				     "higher rate (-F 9999)",
				     "start it as a Command, or choose a Rate of 9999" },
	[ADVICE_LOWER_RATE] = { "record at a lower rate (-F %s)", "choose a Rate of %s" },
	[ADVICE_FIXED_PERIOD] = { "record with a fixed period in place of a rate (-c 1: each one)",
				  "choose every event, or one in so many, in place of a rate" },
	[ADVICE_BUSY] = { "leave idle CPUs out (report --busy)", "leave idle CPUs out" },
	[ADVICE_QUIET] = { "record again when the machine has less to do",
			   "run it again when the machine has less to do" },
	[ADVICE_MORE_MEMORY] = { "give it more memory, or let it use less" },
	[ADVICE_MORE_TASKS] = { "give it more tasks, or let it start fewer processes and threads" },
	[ADVICE_PYTHON] = { "run it with python3 -X perf (Python 3.12 or newer) and record with "
			    "fp: its functions have names then",
			    "run it with python3 -X perf (Python 3.12 or newer) and choose frame "
			    "pointers under Call graph: its functions have names then" },
};

/*
 * Where its symbols are, names can be had for it.  What is here names a recording that says to be
 * of this machine, as far as who looks at imports may read it; an object of this advice is not so.
 */
#define WHERE_RECORDED                                                                           \
	"run `perf script` on the machine that recorded it and import what it prints: files of " \
	"this machine name an import only if it was recorded here and the user of your runs "    \
	"may read them"

static bool wants_files(enum advice advice)
{
	return advice >= ADVICE_SYMBOLS_OF && advice <= ADVICE_VDSO;
}

char *remedy_advice(enum advice advice, const struct remedy_facts *facts, const char *about)
{
	const char *form = words[advice][FORM];

	if (facts->imported && wants_files(advice))
		return mem_strdup(WHERE_RECORDED);
	return mem_printf(facts->form && form ? form : words[advice][TERMINAL], about);
}

/* Files that a distribution brings have packages of symbols; a program of one's own has not. */
static bool is_installed(const char *path)
{
	if (!strncmp(path, "/usr/", 5))
		return strncmp(path, "/usr/local/", 11) != 0;
	return !strncmp(path, "/lib", 4) || !strncmp(path, "/bin/", 5) ||
	       !strncmp(path, "/sbin/", 6);
}

static char *get_symbols(const char *path, const struct remedy_facts *facts)
{
	char package[256], symbols[300];

	if (!is_installed(path))
		return remedy_advice(ADVICE_OWN_SYMBOLS, facts, path);
	if (!facts->packages || !package_of(facts->packages, path, package, sizeof(package)))
		return remedy_advice(ADVICE_SYMBOLS_OF, facts, path);
	package_of_symbols(package, symbols, sizeof(symbols));
	return remedy_advice(ADVICE_PACKAGE, facts, symbols);
}

/* Stacks beyond a copy are seldom just beyond it: one more recording should do. */
char *remedy_larger_copy(const struct remedy_facts *facts)
{
	uint32_t size = facts->copy_size, next = size ? size * COPY_TIMES : COPY_MORE;
	char text[16];

	if (size >= COPY_MOST)
		return remedy_advice(ADVICE_TOO_DEEP, facts, "");
	next = next < COPY_MORE ? COPY_MORE : next;
	snprintf(text, sizeof(text), "%u", size < COPY_MOST / COPY_TIMES ? next : COPY_MOST);
	return remedy_advice(ADVICE_LARGER_COPIES, facts, text);
}

static enum advice advice_for_file(enum panel_reason reason, const struct profile_object *object)
{
	if (object->kind == DSO_VDSO)
		return ADVICE_VDSO;
	if (object->kind == DSO_MODULE)
		return ADVICE_MODULE;
	return reason == PANEL_NO_FILE ? ADVICE_BRING_BACK : ADVICE_REBUILT;
}

static bool has_guest_names(const struct profile *profile)
{
	vec_each (object, &profile->objects)
		if (object->side == SIDE_GUEST_KERNEL && object->state == DSO_FULL)
			return true;
	return false;
}

/* Nobody tells the host where things are in a guest.  ADVICES: it is a fault as any other. */
static enum advice guest_advice(enum panel_reason reason, const struct profile *profile,
				const struct profile_object *object)
{
	bool absent = reason == PANEL_NO_FILE || reason == PANEL_OTHER_BUILD ||
		      reason == PANEL_OTHER_LAYOUT || reason == PANEL_KERNEL_MISSING ||
		      reason == PANEL_KERNEL_OTHER;

	if (object->side == SIDE_GUEST_KERNEL &&
	    (absent || (reason == PANEL_UNMAPPED && !has_guest_names(profile))))
		return ADVICE_GUEST_KERNEL;
	if (object->side == SIDE_GUEST_USER && reason == PANEL_UNMAPPED)
		return ADVICE_GUEST_USER;
	return ADVICES;
}

/* Those that depend on what kind of object it is. */
static enum advice advice_for(enum panel_reason reason, const struct profile_object *object)
{
	if (reason == PANEL_CALLER_UNCLEAR)
		reason = panel_why_no_rules(object);
	switch (reason) {
	case PANEL_OTHER_BUILD:
	case PANEL_OTHER_LAYOUT:
	case PANEL_NO_FILE: return advice_for_file(reason, object);
	case PANEL_KERNEL_MISSING:
	case PANEL_KERNEL_OTHER: return object->kind == DSO_MODULE ? ADVICE_MODULE : ADVICE_KERNEL;
	default: return (enum advice)panel_reason(reason)->advice;
	}
}

char *remedy_for(enum panel_reason reason, const struct profile *profile,
		 const struct profile_object *object, const struct remedy_facts *facts)
{
	const char *path = profile_text(profile, object->path);
	enum advice advice = guest_advice(reason, profile, object);

	if (advice == ADVICES && reason == PANEL_COPY_TOO_SMALL)
		return remedy_larger_copy(facts);
	if (advice == ADVICES && (reason == PANEL_STRIPPED || reason == PANEL_EXPORTS_ONLY))
		return get_symbols(path, facts);
	if (advice == ADVICES)
		advice = advice_for(reason, object);
	return advice == ADVICES ? NULL : remedy_advice(advice, facts, path);
}
