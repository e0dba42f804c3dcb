// SPDX-License-Identifier: Apache-2.0
#include "cmd/report_load.h"
#include "base/err.h"
#include "base/log.h"
#include "perfdata/reader.h"
#include "profile/build.h"
#include "profile/index.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Smaller recordings are read as fast as an index; their folders stay tidy. */
#define INDEX_FROM ((uint64_t)4 << 20)

/* Everything but the recording that the names in a profile depend on. */
static uint64_t settings_hash(const struct report_args *args)
{
	const struct symbol_args *names = &args->names;
	const char *const texts[] = { PERFOLIO_VERSION,	    names->symfs,
				      names->kallsyms,	    names->vmlinux,
				      names->buildid_dir,   names->guest.kallsyms,
				      names->guest.vmlinux, names->guest.modules,
				      names->guest.mount };
	uint64_t hash = names->debuginfod | names->inlined << 1 | names->not_inlined << 2 |
			(uint64_t)names->guest.code << 3;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (texts[i])
			hash = (hash ^ map_hash(texts[i], strlen(texts[i])) ^ i) *
			       0x9e3779b97f4a7c15u;
	return hash;
}

static bool newer_than(const char *path, const struct timespec *time)
{
	struct stat st;

	if (stat(path, &st))
		return false;
	return st.st_ctim.tv_sec > time->tv_sec ||
	       (st.st_ctim.tv_sec == time->tv_sec && st.st_ctim.tv_nsec > time->tv_nsec);
}

/* The kernel shows its addresses by now: not to everybody, and not while kptr_restrict says no. */
static bool kernel_is_shown(void)
{
	FILE *list = fopen("/proc/kallsyms", "re");
	bool shown = false;
	char line[512];

	/* The first symbols can be at 0 in truth. */
	for (int i = 0; list && i < 100 && !shown && fgets(line, sizeof(line), list); i++)
		shown = strspn(line, "0") < strspn(line, "0123456789abcdef");
	if (list)
		fclose(list);
	return shown;
}

/* Whether a folder of build-ids got a file for an object, at one of perf's places. */
static bool is_newly_kept(const struct profile_object *object, const char *dir,
			  const struct timespec *since)
{
	static const char *const names[] = { ".debug", "/elf", "/debug", "/kallsyms", "/vdso" };
	char id[BUILD_ID_TEXT], path[4096];

	build_id_text(id, &object->build_id);
	for (size_t i = 0; i < ARRAY_SIZE(names) && *id; i++) {
		snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s%s", dir, id, id + 2, names[i]);
		if (newer_than(path, since))
			return true;
	}
	return false;
}

/*
 * Whether an object that gave not all names may give more by now: a file of its debug symbols was
 * installed, or itself was put back, after the index was written.  A JIT's list is never complete.
 */
static bool has_new_symbols(const struct profile *profile, const char *index,
			    const char *buildid_dir)
{
	struct stat st;

	if (stat(index, &st))
		return true;
	vec_each (object, &profile->objects) {
		if (object->state == DSO_UNREAD ||
		    (object->state == DSO_FULL && object->kind != DSO_JIT))
			continue;
		if (newer_than(profile_text(profile, object->path), &st.st_ctim) ||
		    is_newly_kept(object, "/usr/lib/debug", &st.st_ctim) ||
		    is_newly_kept(object, buildid_dir, &st.st_ctim) ||
		    (object->state == DSO_HIDDEN && kernel_is_shown()))
			return true;
	}
	return false;
}

static struct profile *from_index(const struct report_args *args,
				  const struct index_identity *identity, const char *path)
{
	const char *home = getenv("HOME");
	struct profile *profile = NULL;
	char *dir;

	if (profile_index_open(&profile, identity, path, NULL))
		return NULL;
	dir = args->names.buildid_dir ? mem_strdup(args->names.buildid_dir)
				      : mem_printf("%s/.debug", home ? home : "");
	if (has_new_symbols(profile, path, dir)) {
		profile_free(profile);
		profile = NULL;
	}
	free(dir);
	return profile;
}

static int from_records(struct profile **profile, const struct report_args *args, const char *input,
			struct perf_reader *reader, struct err *err)
{
	struct symbol_args names = args->names;
	struct symbol_store *store;

	names.lines = report_wants_lines(args);
	store = symbols_open(&names, reader, perf_reader_is_pipe(reader) ? NULL : input);
	*profile = profile_read(reader, store, err);
	symbols_close(store);
	return *profile ? 0 : -err->code;
}

int report_load(struct profile **profile, const struct report_args *args, const char *input,
		struct perf_reader *reader, struct err *err)
{
	struct index_identity identity = { 0 };
	struct err why = { 0 };
	char *path = mem_printf("%s.index", input);
	bool indexed = !args->no_index && !report_wants_lines(args) &&
		       !perf_reader_is_pipe(reader) &&
		       !index_identify(&identity, input, settings_hash(args)) &&
		       identity.size >= INDEX_FROM;
	int rc = 0;

	*profile = indexed ? from_index(args, &identity, path) : NULL;
	if (!*profile) {
		rc = from_records(profile, args, input, reader, err);
		/* A folder that cannot be written to only means that the next time is as slow. */
		if (!rc && indexed && profile_index_write(*profile, &identity, path, &why))
			log_line(LOG_DEBUG, "no index: %s", why.text);
	}
	free(path);
	return rc;
}

uint32_t report_copy_size(const struct perf_reader *reader)
{
	for (size_t i = 0; i < perf_reader_attr_count(reader); i++) {
		const struct perf_event_attr *attr = &perf_reader_attr(reader, i)->attr.base;

		if (attr->sample_type & PERF_SAMPLE_STACK_USER)
			return attr->sample_stack_user;
	}
	return 0;
}
