// SPDX-License-Identifier: Apache-2.0
#include "cmd/symbols.h"
#include "base/mem.h"
#include "perfdata/feature.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

struct symbol_store *symbols_open(const struct symbol_args *args, struct perf_reader *reader)
{
	const char *host = feature_text(reader, FEATURE_HOSTNAME);
	char *host_copy = host ? mem_strdup(host) : NULL;
	const char *release = feature_text(reader, FEATURE_OSRELEASE);
	char *release_copy = release ? mem_strdup(release) : NULL;
	struct symbol_options options = {
		.symfs = args->symfs,
		.kallsyms = args->kallsyms,
		.vmlinux = args->vmlinux,
		.buildid_dir = args->buildid_dir,
		.release = release_copy,
		.debuginfod = args->debuginfod,
	};
	struct symbol_store *store;
	struct utsname here;

	if (!uname(&here) && host_copy)
		options.other_machine = strcmp(host_copy, here.nodename) != 0;
	store = symbol_store_new(&options);
	free(host_copy);
	free(release_copy);
	return store;
}
