// SPDX-License-Identifier: Apache-2.0
/*
 * Two sources for the same event have to give the same code: vendors' tables, imported, against
 * libpfm, both through the grammar and in both spellings.
 *
 * Intel's tables are in the shared corpus.  AMD's are tests/data/pmu-events, whose rows name
 * libpfm's event, too, as the two call them differently.
 */
#include "base/file.h"
#include "base/jsonread.h"
#include "event/catalog.h"
#include "event/parse.h"
#include "event/vendor.h"
#include "fake.h"
#include "test.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__x86_64__)

struct pair {
	struct catalog *vendor, *model;
	char *data_dir;
	int equal, missing;
};

static struct catalog *catalog_for(const char *cpu, const char *data_dir)
{
	struct catalog_options options = {
		.sysfs = "/nowhere", .tracefs = "/nowhere", .data_dir = data_dir, .cpu = cpu
	};

	return catalog_new(&options);
}

static struct pair pair_open(const char *folder, const char *table, const char *model)
{
	struct vendor_import import = { 0 };
	struct pair pair = { 0 };
	struct err err = { 0 };

	fake_machine();
	pair.data_dir = mem_strdup(fake_path("/data"));
	EXPECT_TEXT(vendor_import(&import, folder, pair.data_dir, &err) ? err.text : "", "");
	EXPECT(import.tables.len > 0);
	vendor_import_fini(&import);
	pair.vendor = catalog_for(table, pair.data_dir);
	pair.model = catalog_for(model, "/nowhere");
	return pair;
}

static void pair_close(struct pair *pair)
{
	catalog_free(pair->vendor);
	catalog_free(pair->model);
	free(pair->data_dir);
	fake_remove();
}

/* Parses a name; false if this catalogue does not have it. */
static bool attr_of(struct catalog *catalog, const char *name, enum event_kind kind,
		    struct event_attr *attr)
{
	struct event_list list = { 0 };
	bool found = !event_list_parse(&list, catalog, name, NULL);

	if (found) {
		EXPECT_INT(list.events.len, 1);
		EXPECT_INT(list.events.data[0].kind, kind);
		*attr = list.events.data[0].attr;
	}
	event_list_free(&list);
	return found;
}

static char *respelled(const char *name, char from, char to, int (*letter)(int))
{
	char *copy = mem_strdup(name);

	for (char *c = copy; *c; c++)
		*c = *c == from ? to : (char)letter((unsigned char)*c);
	return copy;
}

static bool same(const struct event_attr *a, const struct event_attr *b)
{
	return a->base.type == b->base.type && a->base.config == b->base.config &&
	       a->base.config1 == b->base.config1 && a->base.config2 == b->base.config2;
}

/* `a.b` and `A:B` mean the same to either source. */
static void expect_both_spellings(struct catalog *catalog, const char *name, enum event_kind kind,
				  const struct event_attr *want)
{
	char *dots = respelled(name, ':', '.', tolower),
	     *colons = respelled(name, '.', ':', toupper);
	struct event_attr attr;

	test_case("%s", dots);
	EXPECT(attr_of(catalog, dots, kind, &attr) && same(&attr, want));
	test_case("%s", colons);
	EXPECT(attr_of(catalog, colons, kind, &attr) && same(&attr, want));
	free(dots);
	free(colons);
}

static void compare(struct pair *pair, const char *vendor_name, const char *model_name,
		    bool known_to_differ)
{
	struct event_attr vendor, model;

	test_case("%s and libpfm's %s", vendor_name, model_name);
	EXPECT(attr_of(pair->vendor, vendor_name, EVENT_VENDOR, &vendor));
	if (!attr_of(pair->model, model_name, EVENT_MODEL, &model)) {
		pair->missing++;
		return;
	}
	EXPECT_BOOL(same(&vendor, &model), !known_to_differ);
	if (known_to_differ)
		return;
	expect_both_spellings(pair->vendor, vendor_name, EVENT_VENDOR, &vendor);
	expect_both_spellings(pair->model, model_name, EVENT_MODEL, &model);
	pair->equal++;
}

static void read_table(const char *path, struct vendor_table *table)
{
	struct err err = { 0 };
	size_t size;
	char *text = file_read(path, &size, &err);

	EXPECT_TEXT(err.text, "");
	vendor_table_init(table, "t");
	EXPECT(vendor_json_read(table, text, size, path, &err) > 0);
	free(text);
}

/*
 * libpfm 4.13 of 2022 is older than Intel's tables of 2024, which have corrected these; the vendor
 * is right about its own CPU.
 */
static bool corrected_since(const char *name)
{
	static const char *const names[] = {
		"L2_RQSTS.L2_PF_MISS",	       "L2_RQSTS.L2_PF_HIT",   "L2_RQSTS.RFO_HIT",
		"L2_RQSTS.DEMAND_DATA_RD_HIT", "L2_RQSTS.CODE_RD_HIT", "UOPS_RETIRED.TOTAL_CYCLES",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static char *corpus_path(void)
{
	const char *corpus = getenv("PERFOLIO_CORPUS");

	return corpus ? mem_printf("%s/pmu-json/intel-perfmon", corpus)
		      : mem_printf("%s/../shared/corpus/pmu-json/intel-perfmon", TEST_SOURCE);
}

TEST(agreement_of_intels_tables_with_libpfm)
{
	static const struct {
		const char *table, *model;
		int at_least;
	} cases[] = {
		{ "broadwellx_core", "bdw_ep", 280 },
		{ "haswellx_core", "hsw_ep", 285 },
		{ "Silvermont_core", "slm", 55 },
	};
	char *corpus = corpus_path();

	if (!file_exists("%s", corpus)) {
		printf("# skipped: no corpus at %s\n", corpus);
		free(corpus);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct pair pair = pair_open(corpus, cases[i].table, cases[i].model);
		char *path = mem_printf("%s/%s.json", corpus, cases[i].table);
		struct vendor_table table;

		read_table(path, &table);
		vec_each (event, &table.events)
			compare(&pair, event->name, event->name, corrected_since(event->name));
		printf("# %s and libpfm's %s: %d equal\n", cases[i].table, cases[i].model,
		       pair.equal);
		test_case("%s", cases[i].table);
		EXPECT(pair.equal >= cases[i].at_least);
		vendor_table_fini(&table);
		free(path);
		pair_close(&pair);
	}
	free(corpus);
}

TEST(agreement_of_amds_tables_with_libpfm)
{
	static const struct {
		const char *table, *model;
		int at_least;
	} cases[] = {
		{ "amdzen1", "amd64_fam17h_zen1", 120 },
		{ "amdzen2", "amd64_fam17h_zen2", 90 },
		{ "amdzen3", "amd64_fam19h_zen3", 115 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct pair pair = pair_open(TEST_SOURCE "/tests/data/pmu-events", cases[i].table,
					     cases[i].model);
		char *path = mem_printf("%s/tests/data/pmu-events/%s/core.json", TEST_SOURCE,
					cases[i].table);
		struct json_object *rows = jsonread_file(path, NULL);

		EXPECT(rows != NULL);
		for (size_t k = 0; k < json_object_array_length(rows); k++) {
			struct json_object *row = json_object_array_get_idx(rows, k);

			compare(&pair, jsonread_text(row, "EventName", ""),
				jsonread_text(row, "Libpfm", ""), false);
		}
		printf("# %s and libpfm's %s: %d equal\n", cases[i].table, cases[i].model,
		       pair.equal);
		EXPECT(pair.equal >= cases[i].at_least);
		EXPECT_INT(pair.missing, 0);
		json_object_put(rows);
		free(path);
		pair_close(&pair);
	}
}

#endif
