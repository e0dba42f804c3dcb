// SPDX-License-Identifier: Apache-2.0
#include "profile/remedy.h"
#include "base/mem.h"
#include "symbol/package.h"

#include <stdio.h>

#define COPY_MOST 65528 /* what the kernel takes, a multiple of 8 below 64 KiB */

static char *install_symbols(const char *path, const char *lists)
{
	char package[256], symbols[300];

	if (!package_of(lists ? lists : PACKAGE_LISTS, path, package, sizeof(package)))
		return mem_printf("keep the symbols when %s is built (no strip, no -s), or let "
				  "--debuginfod fetch them",
				  path);
	package_of_symbols(package, symbols, sizeof(symbols));
	return mem_printf("install %s, or let --debuginfod fetch the symbols", symbols);
}

static char *larger_copy(uint32_t size)
{
	uint32_t next = size && size < COPY_MOST / 2 ? size * 2 : COPY_MOST;

	if (size >= COPY_MOST)
		return mem_strdup(
			"these stacks are deeper than the kernel can copy; frame pointers "
			"(-fno-omit-frame-pointer) have no such limit");
	return mem_printf("record with --call-graph dwarf,%u", next);
}

char *remedy_for(enum panel_reason reason, const struct profile *profile,
		 const struct profile_object *object, const struct panel_options *options)
{
	const char *path = profile_text(profile, object->path);

	switch (reason) {
	case PANEL_NO_FRAME_POINTER:
		return mem_strdup("record with --call-graph dwarf, or build it with "
				  "-fno-omit-frame-pointer");
	case PANEL_NO_UNWIND_TABLE: return mem_strdup("build it with -fasynchronous-unwind-tables");
	case PANEL_COPY_TOO_SMALL: return larger_copy(options->copy_size);
	case PANEL_JIT_FRAMES:
		return mem_strdup(
			"let the runtime keep frame pointers (node --interpreted-frames-"
			"native-stack, java -XX:+PreserveFramePointer) and record with fp");
	case PANEL_JIT_WITHOUT_MAP:
		return mem_printf("let the runtime write %s (node --perf-basic-prof, java with "
				  "perf-map-agent, python -X perf)",
				  path);
	case PANEL_STRIPPED:
	case PANEL_EXPORTS_ONLY: return install_symbols(path, options->packages);
	case PANEL_OTHER_BUILD:
		return mem_printf("record again, or give the old file by --symfs: %s was rebuilt "
				  "since",
				  path);
	case PANEL_NO_FILE:
		return mem_printf("bring back %s, or give the folder that holds it by --symfs",
				  path);
	case PANEL_UNREADABLE: return mem_printf("read it as a user who may read %s", path);
	case PANEL_KERNEL_HIDDEN:
		return mem_strdup("set kernel.kptr_restrict to 0, and record and report as root");
	case PANEL_GOOD:
	case PANEL_NOT_IN_TABLE:
	case PANEL_UNMAPPED:
	case PANEL_REASONS: break;
	}
	return NULL;
}
