// SPDX-License-Identifier: Apache-2.0
#include "cmd/symbols.h"
#include "base/log.h"
#include "base/mem.h"
#include "perfdata/feature.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* Whether the recording says that it is not of this host; one that says nothing may be. */
static bool is_of_another_machine(struct perf_reader *reader)
{
	const char *text;
	struct utsname here;
	bool other;

	if (uname(&here))
		return false;
	text = feature_text(reader, FEATURE_HOSTNAME);
	other = text && strcmp(text, here.nodename) != 0;
	text = feature_text(reader, FEATURE_ARCH);
	return other || (text && strcmp(text, here.machine) != 0);
}

struct symbol_store *symbols_open(const struct symbol_args *args, struct perf_reader *reader)
{
	const char *release = feature_text(reader, FEATURE_OSRELEASE);
	char *release_copy = release ? mem_strdup(release) : NULL;
	struct symbol_options options = {
		.symfs = args->symfs,
		.kallsyms = args->kallsyms,
		.vmlinux = args->vmlinux,
		.buildid_dir = args->buildid_dir,
		.guest = args->guest,
		.release = release_copy,
		.inlining = args->not_inlined ? INLINE_NONE
			    : args->inlined   ? INLINE_ALL
					      : INLINE_UNWOUND,
		.lines = args->lines,
		.debuginfod = args->debuginfod,
		.other_machine = is_of_another_machine(reader),
	};
	struct symbol_store *store = symbol_store_new(&options);

	free(release_copy);
	return store;
}

void symbols_close(struct symbol_store *store)
{
	const char *path = store ? symbol_store_given_up(store) : NULL;

	if (path)
		log_line(LOG_WARN,
			 "%s: its debug information takes more work than its size explains, it may "
			 "be damaged on purpose; without its inlined functions and lines",
			 path);
	symbol_store_free(store);
}
