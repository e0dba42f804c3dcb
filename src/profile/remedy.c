// SPDX-License-Identifier: Apache-2.0
#include "profile/remedy.h"
#include "base/mem.h"
#include "symbol/package.h"

#include <stdio.h>
#include <string.h>

#define COPY_MOST  65528 /* what the kernel takes, a multiple of 8 below 64 KiB */
#define COPY_MORE  32768 /* than the usual size, where that in use is not known */
#define COPY_TIMES 4

/* Files that a distribution brings have packages of symbols; a program of one's own has not. */
static bool is_installed(const char *path)
{
	if (!strncmp(path, "/usr/", 5))
		return strncmp(path, "/usr/local/", 11) != 0;
	return !strncmp(path, "/lib", 4) || !strncmp(path, "/bin/", 5) ||
	       !strncmp(path, "/sbin/", 6);
}

static char *get_symbols(const char *path, const char *lists)
{
	char package[256], symbols[300];

	if (!is_installed(path))
		return mem_printf("build %s without stripping it, record again; or put its file of "
				  "debug symbols beside it",
				  path);
	if (!lists || !package_of(lists, path, package, sizeof(package)))
		return mem_printf("install the debug symbols of %s, or let --debuginfod fetch them",
				  path);
	package_of_symbols(package, symbols, sizeof(symbols));
	return mem_printf("install %s, or let --debuginfod fetch the symbols", symbols);
}

/* Stacks beyond a copy are seldom just beyond it: one more recording should do. */
char *remedy_larger_copy(uint32_t size)
{
	uint32_t next = size ? size * COPY_TIMES : COPY_MORE;

	if (size >= COPY_MOST)
		return mem_strdup(
			"these stacks are deeper than the kernel can copy; frame pointers "
			"(-fno-omit-frame-pointer) have no such limit");
	return mem_printf("record larger copies of the stacks (--call-graph dwarf,%u)",
			  size < COPY_MOST / COPY_TIMES ? next : COPY_MOST);
}

static char *kernel_symbols(const struct profile_object *object)
{
	return mem_strdup(object->kind == DSO_MODULE
				  ? "give the recorded kernel's symbols by --kallsyms, or its "
				    "/lib/modules below --symfs"
				  : "give the recorded kernel's symbols by --vmlinux or "
				    "--kallsyms");
}

static char *find_file(enum panel_reason reason, const struct profile_object *object,
		       const char *path)
{
	if (object->kind == DSO_VDSO)
		return mem_strdup("give the ~/.debug of the recorded machine by --buildid-dir");
	if (object->kind == DSO_MODULE)
		return kernel_symbols(object);
	if (reason == PANEL_NO_FILE)
		return mem_printf("bring back %s, or put it into a folder under that path and give "
				  "the folder by --symfs",
				  path);
	return mem_printf("record again, or put the old file into a folder under its path and give "
			  "the folder by --symfs: %s was rebuilt since",
			  path);
}

static bool has_guest_names(const struct profile *profile)
{
	vec_each (object, &profile->objects)
		if (object->side == SIDE_GUEST_KERNEL && object->state == DSO_FULL)
			return true;
	return false;
}

/* Nobody tells the host where things are in a guest.  NULL: it is a fault as any other. */
static const char *guest_symbols(enum panel_reason reason, const struct profile *profile,
				 const struct profile_object *object)
{
	bool absent = reason == PANEL_NO_FILE || reason == PANEL_OTHER_BUILD ||
		      reason == PANEL_KERNEL_MISSING || reason == PANEL_KERNEL_OTHER;

	if (object->side == SIDE_GUEST_KERNEL &&
	    (absent || (reason == PANEL_UNMAPPED && !has_guest_names(profile))))
		return REMEDY_GUESTS;
	if (object->side == SIDE_GUEST_USER && reason == PANEL_UNMAPPED)
		return "record in the virtual machine: the host is not told of its programs";
	return NULL;
}

char *remedy_for(enum panel_reason reason, const struct profile *profile,
		 const struct profile_object *object, const struct remedy_facts *facts)
{
	const char *path = profile_text(profile, object->path);
	const char *guest = guest_symbols(reason, profile, object);

	if (guest)
		return mem_strdup(guest);
	switch (reason) {
	case PANEL_NO_FRAME_POINTER:
		return mem_strdup("record with --call-graph dwarf, or build it with "
				  "-fno-omit-frame-pointer");
	case PANEL_NO_UNWIND_TABLE: return mem_strdup("build it with -fasynchronous-unwind-tables");
	case PANEL_COPY_TOO_SMALL: return remedy_larger_copy(facts->copy_size);
	case PANEL_JIT_FRAMES:
		return mem_strdup(
			"let the runtime keep frame pointers (node --interpreted-frames-"
			"native-stack, java -XX:+PreserveFramePointer) and record with fp");
	case PANEL_JIT_WITHOUT_MAP:
		return mem_printf("let the runtime write %s while it is recorded (node "
				  "--perf-basic-prof, python3 -X perf, java with perf-map-agent)",
				  path);
	case PANEL_STRIPPED:
	case PANEL_EXPORTS_ONLY: return get_symbols(path, facts->packages);
	case PANEL_OTHER_BUILD:
	case PANEL_NO_FILE: return find_file(reason, object, path);
	case PANEL_UNREADABLE: return mem_printf("report as a user who may read %s", path);
	case PANEL_KERNEL_HIDDEN:
		return mem_strdup("report as root with kernel.kptr_restrict at 0 or 1: kernel "
				  "addresses are hidden");
	case PANEL_KERNEL_MISSING:
	case PANEL_KERNEL_OTHER: return kernel_symbols(object);
	case PANEL_GOOD:
	case PANEL_NOT_IN_TABLE:
	case PANEL_NOT_IN_MAP:
	case PANEL_UNMAPPED:
	case PANEL_REASONS: break;
	}
	return NULL;
}
