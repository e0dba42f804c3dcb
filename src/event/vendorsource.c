// SPDX-License-Identifier: Apache-2.0
/* Imported vendor tables as the catalogue finds and lists them. */
#include "base/err.h"
#include "base/file.h"
#include "event/cpuid.h"
#include "event/pmu.h"
#include "event/source.h"
#include "event/vendor.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <strings.h>

/* What --cpu may say: a table's name, with or without what follows its '_', its title or its id. */
static bool model_means(const char *cpu, const struct vendor_table *table)
{
	size_t length = strlen(cpu);

	if (!strncasecmp(table->name, cpu, length) &&
	    (!table->name[length] || table->name[length] == '_'))
		return true;
	return !strcasecmp(table->title, cpu) || source_ends_with(table->name, cpu) ||
	       cpuid_matches(table->cpus, cpu);
}

/* The table of a file if it is for this CPU (NULL: for any); only its header if that is all. */
static struct vendor_table *read_table(const char *path, const char *cpu, bool by_id,
				       bool header_only)
{
	struct vendor_table *table = mem_alloc(sizeof(*table));
	size_t size;
	char *text = file_read(path, &size, NULL);
	bool wanted;

	vendor_table_init(table, "");
	wanted = text && !vendor_table_parse(table, text, size, true, NULL) &&
		 (!cpu || (by_id ? cpuid_matches(table->cpus, cpu) : model_means(cpu, table)));
	if (wanted && !header_only)
		wanted = !vendor_table_parse(table, text, size, false, NULL);
	free(text);
	if (wanted)
		return table;
	vendor_table_fini(table);
	free(table);
	return NULL;
}

/*
 * Of perf's tables the first in its map file is meant, as the patterns of AMD's overlap.  Intel's
 * several tables of a CPU (core, uncore) belong together.
 */
static void keep_first_of_perf(struct vendor_tables *tables)
{
	const struct vendor_table *first = NULL;
	size_t kept = 0;

	vec_each (table, tables)
		if (!strcmp((*table)->shape, "perf") && (!first || (*table)->rank < first->rank))
			first = *table;
	for (size_t i = 0; i < tables->len; i++) {
		struct vendor_table *table = tables->data[i];

		if (strcmp(table->shape, "perf") != 0 || table == first) {
			tables->data[kept++] = table;
			continue;
		}
		vendor_table_fini(table);
		free(table);
	}
	tables->len = kept;
}

static void read_tables(struct catalog *catalog, struct vendor_tables *tables, const char *cpu,
			bool by_id, bool header_only)
{
	char *dir = mem_printf("%s/events", catalog->data_dir);
	struct strlist names = { 0 };

	dir_names(dir, &names, NULL);
	vec_each (name, &names) {
		char *path = mem_printf("%s/%s", dir, *name);
		size_t length = strlen(*name);
		struct vendor_table *table = NULL;

		if (length > 7 && !strcmp(*name + length - 7, ".events"))
			table = read_table(path, cpu, by_id, header_only);
		if (table)
			*vec_push(tables) = table;
		free(path);
	}
	strlist_free(&names);
	free(dir);
}

struct vendor_tables *vendor_tables_get(struct catalog *catalog)
{
	char id[64];

	if (catalog->vendor)
		return catalog->vendor;
	catalog->vendor = mem_alloc(sizeof(*catalog->vendor));
	if (catalog->cpu) {
		read_tables(catalog, catalog->vendor, catalog->cpu, false, false);
	} else {
		cpuid_this(catalog->sysfs, id, sizeof(id));
		read_tables(catalog, catalog->vendor, id, true, false);
		keep_first_of_perf(catalog->vendor);
	}
	return catalog->vendor;
}

int vendor_each_model(struct catalog *catalog, catalog_model_visit *visit, void *user)
{
	struct vendor_tables *tables = mem_alloc(sizeof(*tables));
	int rc = 0;

	read_tables(catalog, tables, NULL, false, true);
	for (size_t i = 0; i < tables->len && !rc; i++) {
		const struct vendor_table *table = tables->data[i];
		struct catalog_model model = { table->name, table->title, table->cpus };

		rc = visit(&model, user);
	}
	vendor_tables_free(tables);
	return rc;
}

void vendor_tables_free(struct vendor_tables *tables)
{
	if (!tables)
		return;
	vec_each (table, tables) {
		vendor_table_fini(*table);
		free(*table);
	}
	vec_free(tables);
	free(tables);
}

size_t vendor_spelled(const char *name, const char *text)
{
	size_t i = 0;

	for (; name[i]; i++) {
		bool joint = name[i] == '.' && (text[i] == '.' || text[i] == ':');

		if (!joint && tolower((unsigned char)name[i]) != tolower((unsigned char)text[i]))
			return 0;
	}
	return !text[i] || text[i] == ':' ? i : 0;
}

static struct pmu_format x86_formats[] = {
	{ "event", 0, 0xf000000ff }, { "umask", 0, 0xff000000ff00 }, { "edge", 0, 1 << 18 },
	{ "any", 0, 1 << 21 },	     { "inv", 0, 1 << 23 },	     { "cmask", 0, 0xff000000 },
	{ "offcore_rsp", 1, ~0ULL }, { "ldlat", 1, 0xffff },	     { "frontend", 1, 0xffffff },
};
static struct pmu_format plain_formats[] = { { "event", 0, ~0ULL } };

/*
 * A core PMU as the kernel's drivers lay it out, for CPUs that are not here and for machines whose
 * PMU is hidden.
 */
static const struct pmu *layout_of(const struct vendor_table *table)
{
	static const struct pmu x86 = {
		.name = "cpu",
		.type = PERF_TYPE_RAW,
		.loaded = true,
		.core = true,
		.formats = { x86_formats, ARRAY_SIZE(x86_formats), 0 },
	};
	static const struct pmu plain = {
		.name = "cpu",
		.type = PERF_TYPE_RAW,
		.loaded = true,
		.core = true,
		.formats = { plain_formats, ARRAY_SIZE(plain_formats), 0 },
	};
	bool numbered = !strncmp(table->cpus, "0x", 2); /* Arm's ids */

	return !strcmp(table->shape, "arm") || numbered ? &plain : &x86;
}

static bool is_core(const struct vendor_event *event)
{
	return !*event->pmu || !strncmp(event->pmu, "cpu", 3);
}

/* Adds it for the PMUs of this machine: how many, 0 if it has none of the kind. */
static int add_here(struct catalog *catalog, const struct vendor_event *event,
		    const struct terms *terms, struct event_list *list, struct err *err)
{
	size_t bad;
	int count = 0;

	if (*event->pmu)
		return pmu_add(catalog, event->pmu, terms, list, &bad, err);
	vec_each (pmu, pmus_get(catalog)) {
		int rc;

		if (!pmu->core)
			continue;
		rc = pmu_add(catalog, pmu->name, terms, list, &bad, err);
		if (rc < 0)
			return rc;
		count += rc;
	}
	return count;
}

static int add_event(struct catalog *catalog, const struct vendor_table *table,
		     const struct vendor_event *event, struct event_list *list, struct err *err)
{
	struct terms terms = { .arena = &list->arena };
	size_t from = list->events.len, at;
	int rc = terms_parse(&terms, event->terms, strlen(event->terms), &at, err);

	if (!rc)
		rc = catalog->cpu ? 0 : add_here(catalog, event, &terms, list, err);
	if (!rc && is_core(event)) {
		const struct pmu *pmu = layout_of(table);

		rc = pmu_encode(catalog, pmu, &terms,
				event_list_add(list, EVENT_VENDOR, pmu->type, 0), &at, err);
	} else if (!rc) {
		rc = err_set(err, ENODEV, "%s is counted by the PMU %s, which is not here",
			     event->name, event->pmu);
	}
	for (size_t i = from; i < list->events.len; i++) {
		struct event *added = &list->events.data[i];

		added->kind = EVENT_VENDOR;
		added->scale = event->scale;
		added->unit = arena_strdup(&list->arena, event->unit);
	}
	terms_free(&terms);
	return rc < 0 ? rc : 0;
}

static int vendor_source_find(struct catalog *catalog, const char *name, struct event_list *list,
			      struct err *err)
{
	const struct vendor_table *in = NULL;
	const struct vendor_event *best = NULL;
	size_t used = 0;
	int rc;

	vec_each (table, vendor_tables_get(catalog))
		vec_each (event, &(*table)->events) {
			size_t length = vendor_spelled(event->name, name);

			if (length > used) {
				best = event;
				in = *table;
				used = length;
			}
		}
	if (!best)
		return 0;
	rc = add_event(catalog, in, best, list, err);
	return rc ? rc : (int)used;
}

const struct vendor_event *vendor_find(struct catalog *catalog, const struct pmu *pmu,
				       const char *name)
{
	vec_each (table, vendor_tables_get(catalog))
		vec_each (event, &(*table)->events)
			if (vendor_spelled(event->name, name) == strlen(name) &&
			    (*event->pmu ? pmu_matches(event->pmu, pmu->name) : pmu->core))
				return event;
	return NULL;
}

static int list_table(const struct vendor_table *table, const struct catalog_walk *walk)
{
	const char *family = arena_printf(walk->texts, "%s%s%s%s%s, from %s", table->name,
					  *table->version ? ", version " : "", table->version,
					  *table->date ? ", " : "", table->date, table->source);

	vec_each (event, &table->events) {
		struct catalog_entry entry = {
			.name = event->name,
			.family = family,
			.brief = event->brief,
			.detail = *event->detail ? event->detail : NULL,
			.kind = EVENT_VENDOR,
			.deprecated = event->deprecated,
		};
		int rc;

		entry.encoding = arena_printf(walk->texts, "%s/%s/",
					      *event->pmu ? event->pmu : "cpu", event->terms);
		rc = walk->visit(&entry, walk->user);
		if (rc)
			return rc;
	}
	return 0;
}

static int vendor_source_each(struct catalog *catalog, const struct catalog_walk *walk)
{
	int rc = 0;

	vec_each (table, vendor_tables_get(catalog))
		if (!rc)
			rc = list_table(*table, walk);
	return rc;
}

const struct event_source source_vendor = { vendor_source_find, vendor_source_each, true };
