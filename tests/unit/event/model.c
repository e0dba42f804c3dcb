// SPDX-License-Identifier: Apache-2.0
/* libpfm through the grammar.  Debian's library for x86 knows x86 models only. */
#include "event/model.h"
#include "event/catalog.h"
#include "event/parse.h"
#include "test.h"

#include <errno.h>

#if defined(__x86_64__)

static int parse(struct event_list *list, const char *cpu, const char *text, struct err *err)
{
	struct catalog_options options = {
		.sysfs = "/nowhere", .tracefs = "/nowhere", .data_dir = "/nowhere", .cpu = cpu
	};
	struct catalog *catalog = catalog_new(&options);
	int rc = event_list_parse(list, catalog, text, err);

	catalog_free(catalog);
	return rc;
}

TEST(model_both_spellings_and_modifiers)
{
	/* Codes as the vendors' manuals give them: event, unit mask, counter mask, second word. */
	static const struct {
		const char *cpu, *text;
		uint64_t config, config1;
		const char *excluded;
	} cases[] = {
		{ "bdw_ep", "UNHALTED_CORE_CYCLES", 0x3c, 0, "" },
		{ "bdw_ep", "UNHALTED_CORE_CYCLES:u", 0x3c, 0, "k" },
		{ "bdw_ep", "MEM_LOAD_UOPS_RETIRED:L3_MISS", 0x20d1, 0, "" },
		{ "bdw_ep", "MEM_LOAD_UOPS_RETIRED.L3_MISS", 0x20d1, 0, "" },
		{ "bdw_ep", "mem_load_uops_retired.l3_miss:pp", 0x20d1, 0, "" },
		{ "bdw_ep", "MEM_LOAD_UOPS_RETIRED:L3_MISS:c=1:k", 0x10020d1, 0, "u" },
		{ "bdw_ep", "MEM_LOAD_UOPS_RETIRED:L3_MISS:u:c=1", 0x10020d1, 0, "k" },
		{ "skl", "FRONTEND_RETIRED:DSB_MISS", 0x1c6, 0x11, "" },
		{ "amd64_fam19h_zen3", "RETIRED_INSTRUCTIONS:u", 0xc0, 0, "k" },
		{ "Zen3", "RETIRED_INSTRUCTIONS", 0xc0, 0, "" },
		{ "amd64_fam17h_zen1", "32_BYTE_INSTRUCTION_CACHE_FETCH", 0x80, 0, "" },
		{ "core", "L2_LINES_IN:SELF:PREFETCH:u", 0x5024, 0, "k" },
		{ "atom", "MUL:S", 0x112, 0, "" }, /* a mask, not a modifier */
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct event_list list = { 0 };
		struct err err = { 0 };
		const struct perf_event_attr *attr;

		test_case("%s %s", cases[i].cpu, cases[i].text);
		EXPECT_TEXT(parse(&list, cases[i].cpu, cases[i].text, &err) ? err.text : "", "");
		EXPECT_INT(list.events.len, 1);
		attr = &list.events.data[0].attr.base;
		EXPECT_INT(list.events.data[0].kind, EVENT_MODEL);
		EXPECT_INT(attr->type, PERF_TYPE_RAW);
		EXPECT_INT(attr->config, cases[i].config);
		EXPECT_INT(attr->config1, cases[i].config1);
		EXPECT_BOOL(attr->exclude_user, strchr(cases[i].excluded, 'u'));
		EXPECT_BOOL(attr->exclude_kernel, strchr(cases[i].excluded, 'k'));
		EXPECT_TEXT(list.events.data[0].name, cases[i].text);
		event_list_free(&list);
	}
}

TEST(model_errors)
{
	static const struct {
		const char *cpu, *text, *words;
	} cases[] = {
		{ "bdw_ep", "INST_RETIRED:NOTHING", "INST_RETIRED takes: ANY_P" },
		{ "bdw_ep", "INST_RETIERD:ANY_P", "did you mean: INST_RETIRED:ANY_P" },
		{ "bdw_ep", "INST_RETIRED:ANY_P:c=1000", "invalid event attribute value" },
		/* libpfm takes a model it does not know for "any": that must not count here. */
		{ "no_such_model", "UNHALTED_CORE_CYCLES", "unknown event" },
		{ "amd64_fam19h_zen3", "UNHALTED_CORE_CYCLES", "unknown event" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct event_list list = { 0 };
		struct err err = { 0 };

		test_case("%s %s", cases[i].cpu, cases[i].text);
		EXPECT_INT(parse(&list, cases[i].cpu, cases[i].text, &err), -EINVAL);
		EXPECT_CONTAINS(err.text, cases[i].words);
		event_list_free(&list);
	}
}

static int count_entry(const struct catalog_entry *entry, void *user)
{
	EXPECT_INT(entry->kind, EVENT_MODEL);
	EXPECT(*entry->name && *entry->brief);
	++*(int *)user;
	return 0;
}

TEST(model_of_another_cpu_is_listed_alone)
{
	struct catalog_options options = { .data_dir = "/nowhere", .cpu = "bdw_ep" };
	struct catalog *catalog = catalog_new(&options);
	struct arena texts = { 0 };
	int count = 0;

	EXPECT_INT(catalog_each(catalog, &texts, count_entry, &count), 0);
	EXPECT(count > 300);
	arena_free(&texts);
	catalog_free(catalog);
}

TEST(model_leaves_the_environment_as_it_was)
{
	struct model_pmu pmu;
	int next = 0;

	EXPECT(model_next_pmu(&next, &pmu));
	EXPECT(getenv("LIBPFM_ENCODE_INACTIVE") == NULL);
}

#endif
