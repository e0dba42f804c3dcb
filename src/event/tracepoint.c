// SPDX-License-Identifier: Apache-2.0
#include "event/tracepoint.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/text.h"
#include "event/source.h"

#include <errno.h>
#include <mntent.h>
#include <stdio.h>
#include <sys/mount.h>

#define USUAL_PLACE "/sys/kernel/tracing"

/* Where it is mounted, or below debugfs, as before Linux 4.1. */
static char *find_mount(void)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *mount, storage;
	char *found = NULL, line[4096];

	while (!found && mounts && (mount = getmntent_r(mounts, &storage, line, sizeof(line)))) {
		if (!strcmp(mount->mnt_type, "tracefs"))
			found = mem_strdup(mount->mnt_dir);
		else if (!strcmp(mount->mnt_type, "debugfs") &&
			 file_exists("%s/tracing/events", mount->mnt_dir))
			found = mem_printf("%s/tracing", mount->mnt_dir);
	}
	if (mounts)
		endmntent(mounts);
	return found;
}

static void look_for_tracefs(struct tracefs *tracefs)
{
	tracefs->looked = true;
	if (tracefs->asked) {
		tracefs->path = mem_strdup(tracefs->asked);
		return;
	}
	tracefs->path = find_mount();
	if (!tracefs->path && !mount("tracefs", USUAL_PLACE, "tracefs", 0, NULL))
		tracefs->path = mem_strdup(USUAL_PLACE);
}

const char *tracefs_path(struct catalog *catalog, struct err *err)
{
	struct tracefs *tracefs = &catalog->tracefs;

	if (!tracefs->looked)
		look_for_tracefs(tracefs);
	if (!tracefs->path) {
		err_set(err, ENOENT,
			"tracefs is not mounted; as root: mount -t tracefs tracefs " USUAL_PLACE);
		return NULL;
	}
	if (!file_exists("%s/events", tracefs->path)) {
		err_set(err, EACCES,
			"%s can't be read by this user; `perfolio doctor` says how to open it",
			tracefs->path);
		return NULL;
	}
	return tracefs->path;
}

void tracefs_fini(struct tracefs *tracefs)
{
	free(tracefs->path);
	free(tracefs->asked);
	map_free(&tracefs->probes);
}

/* "p:group/name ..." of dynamic_events, or of the two files that kernels before 5.0 have. */
static void read_probes(struct catalog *catalog, const char *root)
{
	static const char *const files[] = { "dynamic_events", "kprobe_events", "uprobe_events" };

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char *path = mem_printf("%s/%s", root, files[i]);
		char *text = file_read(path, &(size_t){ 0 }, NULL), *rest = text, *line;

		while (text && (line = strsep(&rest, "\n"))) {
			char *name = strchr(line, ':');
			char *slash = name ? strchr(name, '/') : NULL;
			char *key;

			if (!slash)
				continue;
			name++;
			name[strcspn(name, " \t")] = '\0';
			*slash = ':';
			key = arena_strdup(&catalog->arena, name);
			map_add(&catalog->tracefs.probes, key, strlen(key), 0);
		}
		free(text);
		free(path);
	}
}

static bool is_probe(struct catalog *catalog, const char *root, const char *name)
{
	if (!catalog->tracefs.probes_read) {
		catalog->tracefs.probes_read = true;
		read_probes(catalog, root);
	}
	return map_find(&catalog->tracefs.probes, name, strlen(name)) != MAP_NONE;
}

static int add_one(struct catalog *catalog, const char *root, const char *system, const char *name,
		   struct event_list *list)
{
	struct event *event;
	int64_t id;
	char *full;
	int rc = file_number(&id, "%s/events/%s/%s/id", root, system, name);

	if (rc)
		return rc;
	full = arena_printf(&list->arena, "%s:%s", system, name);
	event = event_list_add(list, EVENT_TRACEPOINT, PERF_TYPE_TRACEPOINT, (uint64_t)id);
	if (is_probe(catalog, root, full))
		event->kind = EVENT_PROBE;
	event->name = full;
	return 0;
}

/* Some of ftrace's own have no id: perf events can't be made of them. */
static bool has_id(const char *root, const char *system, const char *name)
{
	return strcmp(system, "ftrace") != 0 ||
	       file_exists("%s/events/%s/%s/id", root, system, name);
}

typedef int visit_name(const char *system, const char *name, void *user);

/* Every tracepoint whose system and name match; ends early when visit gives not 0. */
static int each_match(const char *root, const char *systems, const char *names, visit_name *visit,
		      void *user)
{
	struct strlist all = { 0 };
	char *dir = mem_printf("%s/events", root);
	int rc = 0;

	dir_names(dir, &all, NULL);
	for (size_t i = 0; i < all.len && !rc; i++) {
		struct strlist inside = { 0 };
		char *path = mem_printf("%s/%s", dir, all.data[i]);

		/* A folder's files beside its events ("enable", "filter") have no id. */
		if (text_glob(systems, all.data[i]))
			dir_subdirs(path, &inside, NULL);
		for (size_t k = 0; k < inside.len && !rc; k++)
			if (text_glob(names, inside.data[k]) &&
			    has_id(root, all.data[i], inside.data[k]))
				rc = visit(all.data[i], inside.data[k], user);
		strlist_free(&inside);
		free(path);
	}
	strlist_free(&all);
	free(dir);
	return rc;
}

struct adding {
	struct catalog *catalog;
	const char *root;
	struct event_list *list;
};

static int add_match(const char *system, const char *name, void *user)
{
	struct adding *a = user;

	add_one(a->catalog, a->root, system, name, a->list); /* gone meanwhile: not matched */
	return 0;
}

static bool is_name(const char *text)
{
	return *text && !strchr(text, '/') && *text != '.';
}

static int tracepoint_find(struct catalog *catalog, const char *name, struct event_list *list,
			   struct err *err)
{
	size_t first = source_word(name), second, before = list->events.len;
	const char *root;
	char *system, *event;

	(void)err;
	if (name[first] != ':')
		return 0;
	second = source_word(name + first + 1);
	system = arena_strndup(&list->arena, name, first);
	event = arena_strndup(&list->arena, name + first + 1, second);
	if (!is_name(system) || !is_name(event) || !(root = tracefs_path(catalog, NULL)))
		return 0;
	if (strpbrk(system, "*?") || strpbrk(event, "*?"))
		each_match(root, system, event, add_match, &(struct adding){ catalog, root, list });
	else if (!add_one(catalog, root, system, event, list))
		vec_last(&list->events)->name = NULL; /* as it was typed, modifiers too */
	return list->events.len > before ? (int)(first + 1 + second) : 0;
}

struct listing {
	struct catalog *catalog;
	const char *root;
	const struct catalog_walk *walk;
	const char *system; /* the last one met */
	bool probes;
};

static int list_match(const char *system, const char *name, void *user)
{
	struct listing *l = user;
	struct arena *texts = l->walk->texts;
	struct catalog_entry entry = { .brief = "" };

	if (!l->system || strcmp(l->system, system) != 0)
		l->system = arena_strdup(texts, system);
	entry.name = arena_printf(texts, "%s:%s", system, name);
	if (is_probe(l->catalog, l->root, entry.name) != l->probes)
		return 0;
	entry.family = l->system;
	entry.kind = l->probes ? EVENT_PROBE : EVENT_TRACEPOINT;
	return l->walk->visit(&entry, l->walk->user);
}

static int list_all(struct catalog *catalog, bool probes, const struct catalog_walk *walk)
{
	struct listing listing = { .catalog = catalog, .walk = walk, .probes = probes };

	listing.root = tracefs_path(catalog, NULL);
	return listing.root ? each_match(listing.root, "*", "*", list_match, &listing) : 0;
}

static int tracepoint_each(struct catalog *catalog, const struct catalog_walk *walk)
{
	return list_all(catalog, false, walk);
}

static int probe_each(struct catalog *catalog, const struct catalog_walk *walk)
{
	if (catalog->tracefs.probes_read && !catalog->tracefs.probes.len)
		return 0;
	return list_all(catalog, true, walk);
}

/* Probes are found as the tracepoints that they are. */
static int probe_find(struct catalog *catalog, const char *name, struct event_list *list,
		      struct err *err)
{
	(void)catalog, (void)name, (void)list, (void)err;
	return 0;
}

const struct event_source source_tracepoint = { tracepoint_find, tracepoint_each };
const struct event_source source_probe = { probe_find, probe_each };

/* "char prev_comm[16];" gives prev_comm: the last word, without the array's brackets. */
static void add_field(struct buf *out, const char *line, size_t length)
{
	const char *end = memchr(line, ';', length), *start;

	if (!end)
		return;
	if (end > line && end[-1] == ']')
		while (end > line && *end != '[')
			end--;
	while (end > line && end[-1] == ' ')
		end--;
	for (start = end; start > line && start[-1] != ' ' && start[-1] != '*';)
		start--;
	if (start == end || !strncmp(start, "common_", 7))
		return;
	if (out->len)
		buf_putc(out, ' ');
	buf_add(out, start, (size_t)(end - start));
}

char *tracepoint_format_fields(const char *format)
{
	static const char mark[] = "\tfield:";
	struct buf out = { 0 };

	while (*format) {
		size_t length = strcspn(format, "\n");

		if (!strncmp(format, mark, strlen(mark)))
			add_field(&out, format + strlen(mark), length - strlen(mark));
		format += length + (format[length] == '\n');
	}
	return out.data ? out.data : mem_strdup("");
}

char *tracepoint_fields(struct catalog *catalog, const char *name)
{
	const char *root = tracefs_path(catalog, NULL), *colon = strchr(name, ':');
	char *path, *text, *fields;

	if (!root || !colon)
		return NULL;
	path = mem_printf("%s/events/%.*s/%s/format", root, (int)(colon - name), name, colon + 1);
	text = file_read(path, &(size_t){ 0 }, NULL);
	fields = text ? tracepoint_format_fields(text) : NULL;
	free(text);
	free(path);
	return fields;
}
