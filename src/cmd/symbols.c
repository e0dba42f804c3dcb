// SPDX-License-Identifier: Apache-2.0
#include "cmd/symbols.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/progress.h"
#include "cmd/hot.h"
#include "perfdata/feature.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

bool symbols_of_another_machine(struct perf_reader *reader)
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

/* What is shown of a fetch: one at a time, symbol/debuginfod.h. */
struct fetching {
	struct progress progress;
	char what[256];
	bool begun;
};

/* A line on a terminal while something is fetched that takes long. */
static void show_fetching(void *context, const char *path, uint64_t done, uint64_t total)
{
	struct fetching *line = context;

	if (!path) {
		if (line->begun)
			progress_end(&line->progress);
		line->begun = false;
		return;
	}
	if (!line->begun) {
		line->begun = true;
		snprintf(line->what, sizeof(line->what), "fetching symbols of %s, bytes:", path);
		line->progress = progress_start(line->what, 0);
	}
	line->progress.total = total;
	progress_at(&line->progress, done);
}

/*
 * The time of day at the recording's end.  Its own clocks say it where they were written down; a
 * file that was copied is newer than what is in it.
 */
static int64_t recorded_until(struct perf_reader *reader)
{
	int64_t written = perf_reader_written_ns(reader), until = 0;
	struct perf_env env = { 0 };

	perf_env_load(&env, reader);
	if (env.clock_known && env.last_sample_ns >= env.clock_ns)
		until = (int64_t)(env.clock_wall_ns + (env.last_sample_ns - env.clock_ns));
	perf_env_free(&env);
	return until > 0 && until < written ? until : written;
}

struct symbol_store *symbols_open(const struct symbol_args *args, struct perf_reader *reader,
				  const char *input)
{
	const char *servers = getenv("DEBUGINFOD_URLS");
	struct hot_objects hot = { 0 };
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
		.no_modules = args->no_modules,
		.ignore_vmlinux = args->ignore_vmlinux,
		.full_paths = args->full_paths,
		.lines = args->lines,
		.debuginfod = args->debuginfod,
		.fetch_limit_ns = args->fetch_limit_ns,
		.fetching = show_fetching,
		.fetching_context = mem_alloc(sizeof(struct fetching)),
		.recorded_ns = recorded_until(reader),
		.other_machine = symbols_of_another_machine(reader),
	};
	char *list = input ? mem_printf("%s/kcore_dir/kallsyms", input) : NULL;
	struct symbol_store *store;
	struct stat st;

	if (input && !stat(input, &st)) {
		options.has_owner = true;
		options.owner = st.st_uid;
	}

	/* The kernel as it was, of a recording with --kcore. */
	if (list && !options.kallsyms && !options.vmlinux && !access(list, R_OK))
		options.kallsyms = list;
	if (args->debuginfod && input && servers && servers[0]) {
		hot_objects_find(&hot, input, args);
		vec_reserve(&hot, 1); /* none at all is an answer too */
		options.hot = hot.data;
		options.hot_count = hot.len;
	}
	store = symbol_store_new(&options);
	vec_free(&hot);
	free(release_copy);
	free(list);
	return store;
}

void symbols_close(struct symbol_store *store)
{
	const char *path = store ? symbol_store_given_up(store, GIVEN_UP_LINES) : NULL;

	if (path)
		log_line(LOG_WARN,
			 "%s: its debug information takes more work than its size explains, it may "
			 "be damaged on purpose; without its inlined functions and lines",
			 path);
	path = store ? symbol_store_given_up(store, GIVEN_UP_RULES) : NULL;
	if (path)
		log_line(LOG_WARN,
			 "%s: its unwinding rules take more work than their size explains, they "
			 "may be damaged on purpose; stacks end there",
			 path);
	symbol_store_free(store);
}
