// SPDX-License-Identifier: Apache-2.0
#include "cmd/report_load.h"
#include "base/err.h"
#include "base/log.h"
#include "perfdata/feature.h"
#include "profile/build.h"
#include "profile/index.h"

#include <stdio.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Smaller recordings are read as fast as an index; their folders stay tidy. */
#define INDEX_FROM ((uint64_t)4 << 20)

/* Everything but the recording that the names in a profile depend on. */
static uint64_t settings_hash(const struct report_args *args)
{
	const char *const texts[] = { PERFOLIO_VERSION, args->symfs, args->kallsyms, args->vmlinux,
				      args->buildid_dir };
	uint64_t hash = args->debuginfod;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (texts[i])
			hash = (hash ^ map_hash(texts[i], strlen(texts[i])) ^ i) *
			       0x9e3779b97f4a7c15u;
	return hash;
}

static struct symbol_store *open_symbols(const struct report_args *args, struct perf_reader *reader)
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

static bool newer_than(const char *path, const struct timespec *time)
{
	struct stat st;

	if (stat(path, &st))
		return false;
	return st.st_ctim.tv_sec > time->tv_sec ||
	       (st.st_ctim.tv_sec == time->tv_sec && st.st_ctim.tv_nsec > time->tv_nsec);
}

/*
 * Whether an object that gave not all names may give more by now: a file of its debug symbols was
 * installed, or itself was put back, after the index was written.
 */
static bool has_new_symbols(const struct profile *profile, const char *index)
{
	char id[BUILD_ID_TEXT], path[4096];
	struct stat st;

	if (stat(index, &st))
		return true;
	vec_each (object, &profile->objects) {
		if (object->state == DSO_UNREAD || object->state == DSO_FULL)
			continue;
		build_id_text(id, &object->build_id);
		snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug", id,
			 *id ? id + 2 : "");
		if (newer_than(path, &st.st_ctim) ||
		    newer_than(profile_text(profile, object->path), &st.st_ctim))
			return true;
	}
	return false;
}

static struct profile *from_index(const struct index_identity *identity, const char *path)
{
	struct profile *profile = NULL;

	if (profile_index_open(&profile, identity, path, NULL))
		return NULL;
	if (has_new_symbols(profile, path)) {
		profile_free(profile);
		return NULL;
	}
	return profile;
}

static int from_records(struct profile **profile, const struct report_args *args,
			struct perf_reader *reader, struct err *err)
{
	struct symbol_store *store = open_symbols(args, reader);

	*profile = profile_read(reader, store, err);
	symbol_store_free(store);
	return *profile ? 0 : -err->code;
}

int report_load(struct profile **profile, const struct report_args *args, const char *input,
		struct perf_reader *reader, struct err *err)
{
	struct index_identity identity = { 0 };
	struct err why = { 0 };
	char *path = mem_printf("%s.index", input);
	bool indexed = !args->no_index && !perf_reader_is_pipe(reader) &&
		       !index_identify(&identity, input, settings_hash(args)) &&
		       identity.size >= INDEX_FROM;
	int rc = 0;

	*profile = indexed ? from_index(&identity, path) : NULL;
	if (!*profile) {
		rc = from_records(profile, args, reader, err);
		/* A folder that cannot be written to only means that the next time is as slow. */
		if (!rc && indexed && profile_index_write(*profile, &identity, path, &why))
			log_line(LOG_DEBUG, "no index: %s", why.text);
	}
	free(path);
	return rc;
}
