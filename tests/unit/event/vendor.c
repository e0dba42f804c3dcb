// SPDX-License-Identifier: Apache-2.0
#include "event/vendor.h"
#include "event/catalog.h"
#include "event/parse.h"
#include "fake.h"
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char intel[] =
	"{ \"Header\": { \"Info\": \"Events of a lake\", \"Version\": \"1.40\","
	"  \"DatePublished\": \"05/27/2026\" }, \"Events\": ["
	"{ \"EventName\": \"INST_RETIRED.ANY\", \"EventCode\": \"0x00\", \"UMask\": \"0x01\","
	"  \"Counter\": \"Fixed counter 0\", \"BriefDescription\": \"instructions\\n\\tretired \" "
	"},"
	"{ \"EventName\": \"MEM.L3_MISS\", \"EventCode\": \"0xD1\", \"UMask\": \"0x20\","
	"  \"CounterMask\": \"2\", \"Invert\": \"1\", \"EdgeDetect\": \"1\", \"AnyThread\": \"1\","
	"  \"BriefDescription\": \"same\", \"PublicDescription\": \"same\", \"Errata\": \"X1\" },"
	"{ \"EventName\": \"OFFCORE.READS\", \"EventCode\": \"0xB7, 0xBB\", \"UMask\": \"0x01\","
	"  \"MSRIndex\": \"0x1a6,0x1a7\", \"MSRValue\": \"0x3F84000001\", \"Deprecated\": \"1\" },"
	"{ \"EventName\": \"FRONT.LATE\", \"EventCode\": \"0xc6\", \"UMask\": \"0x1\","
	"  \"MSRIndex\": \"0x3F7\", \"MSRValue\": \"0x11\" },"
	"{ \"EventName\": \"UNC_READS\", \"EventCode\": \"0x35\", \"UMask\": \"0x01\","
	"  \"UMaskExt\": \"0x00c001ff\", \"Unit\": \"CHA\", \"ScaleUnit\": \"64Bytes\" },"
	"{ \"EventName\": \"UNC_LINKS\", \"EventCode\": \"0x2\", \"Unit\": \"UPI LL\" },"
	"{ \"EventName\": \"UNC_FREE\", \"EventCode\": \"0xff\", \"UMask\": \"0x20\", \"Unit\": "
	"\"iMC\","
	"  \"CounterType\": \"FREERUN\" }"
	"] }";

static const char arm[] =
	"{ \"_type\": \"Events\", \"cpu\": \"Neoverse N1\", \"cpuid\": \"0x41d0c\","
	"  \"events\": [ { \"code\": 3, \"name\": \"L1D_CACHE_REFILL\","
	"  \"description\": \"refills\" } ] }";

static int read_json(struct vendor_table *table, const char *text, struct err *err)
{
	vendor_table_init(table, "t");
	return vendor_json_read(table, text, strlen(text), "t.json", err);
}

TEST(vendor_intel_rows_become_terms)
{
	static const struct {
		const char *name, *pmu, *terms;
	} cases[] = {
		{ "INST_RETIRED.ANY", "", "event=0xc0" },
		{ "MEM.L3_MISS", "", "event=0xd1,umask=0x20,any=0x1,cmask=0x2,edge=0x1,inv=0x1" },
		{ "OFFCORE.READS", "", "event=0xb7,umask=0x1,offcore_rsp=0x3f84000001" },
		{ "FRONT.LATE", "", "event=0xc6,umask=0x1,frontend=0x11" },
		{ "UNC_READS", "uncore_cha", "event=0x35,umask=0xc001ff01" },
		{ "UNC_LINKS", "uncore_upi", "event=0x2" },
		{ "UNC_FREE", "uncore_imc_free_running", "event=0xff,umask=0x20" },
	};
	struct vendor_table table;

	EXPECT_INT(read_json(&table, intel, NULL), ARRAY_SIZE(cases));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		test_case("%s", cases[i].name);
		EXPECT_TEXT(table.events.data[i].name, cases[i].name);
		EXPECT_TEXT(table.events.data[i].pmu, cases[i].pmu);
		EXPECT_TEXT(table.events.data[i].terms, cases[i].terms);
	}
	EXPECT_TEXT(table.version, "1.40");
	EXPECT_TEXT(table.date, "05/27/2026");
	EXPECT_TEXT(table.events.data[0].brief, "instructions retired");
	EXPECT_TEXT(table.events.data[1].detail, "Errata: X1");
	EXPECT(table.events.data[2].deprecated);
	EXPECT_TEXT(table.events.data[4].unit, "Bytes");
	EXPECT_NEAR(table.events.data[4].scale, 64, 0);
	vendor_table_fini(&table);
}

TEST(vendor_arm_and_perf_shapes)
{
	static const char perf[] =
		"[ { \"EventName\": \"l2.rd\", \"EventCode\": \"0x60\", \"UMask\": \"0x80\" },"
		"  { \"MetricName\": \"m\", \"MetricExpr\": \"a/b\" },"
		"  { \"EventName\": \"sys.x\", \"ConfigCode\": \"0x2c\", \"Unit\": "
		"\"hisi_sccl,l3c\" },"
		"  { \"EventName\": \"df\", \"EventCode\": \"0x7c7\", \"Unit\": \"DFPMC\" } ]";
	struct vendor_table table;

	EXPECT_INT(read_json(&table, arm, NULL), 1);
	EXPECT_TEXT(table.shape, "arm");
	EXPECT_TEXT(table.cpus, "0x00000000410fd0c0");
	EXPECT_TEXT(table.events.data[0].terms, "event=0x3");
	vendor_table_fini(&table);

	EXPECT_INT(read_json(&table, perf, NULL), 3);
	EXPECT_TEXT(table.shape, "perf");
	EXPECT_TEXT(table.events.data[1].terms, "config=0x2c");
	EXPECT_TEXT(table.events.data[1].pmu, "hisi_sccl,l3c");
	EXPECT_TEXT(table.events.data[2].pmu, "amd_df");
	vendor_table_fini(&table);
}

TEST(vendor_json_errors)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{ "{ \"Events\": [ { \"EventName\": ", "t.json:1: not valid JSON" },
		{ "{ \"Events\": 7 }", "t.json: its events are not a list" },
		{ "[ 1 ]", "t.json: event 1: it is not an object" },
		{ "[ { \"EventName\": \"a b\", \"EventCode\": \"1\" } ]", "can't be the name" },
		{ "[ { \"EventName\": \"a\", \"EventCode\": \"0xzz\" } ]",
		  "t.json: event 1: EventCode is '0xzz', not a number" },
		{ "[ { \"EventName\": \"a\", \"EventCode\": \"1\" },"
		  "{ \"EventName\": \"a\", \"EventCode\": \"1\", \"UMask\": "
		  "\"0x1ffffffffffffffff\" } ]",
		  "event 2: UMask" },
		{ "[ { \"ArchStdEvent\": \"CYCLES\" } ]", "import the whole folder" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct vendor_table table;
		struct err err = { 0 };

		test_case("%s", cases[i].text);
		EXPECT(read_json(&table, cases[i].text, &err) < 0);
		EXPECT_CONTAINS(err.text, cases[i].words);
		vendor_table_fini(&table);
	}
}

TEST(vendor_json_of_other_kinds_holds_no_events)
{
	static const char *const texts[] = {
		"{}", "[]", "7", "\"x\"", "{ \"_type\": \"CPUs\" }", "{ \"Metrics\": [] }"
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct vendor_table table;

		test_case("%s", texts[i]);
		EXPECT_INT(read_json(&table, texts[i], NULL), 0);
		vendor_table_fini(&table);
	}
}

TEST(vendor_compact_form_keeps_everything)
{
	struct vendor_table table, back;
	char *text, *again;

	read_json(&table, intel, NULL);
	table.cpus = "GenuineIntel-6-97 GenuineIntel-6-9A";
	table.source = "/a folder/t.json";
	table.rank = 7;
	text = vendor_table_text(&table);
	vendor_table_init(&back, "");
	EXPECT_INT(vendor_table_parse(&back, text, strlen(text), false, NULL), 0);
	again = vendor_table_text(&back);
	EXPECT_TEXT(again, text);
	EXPECT_INT(back.events.len, 7);
	EXPECT_INT(back.rank, 7);
	EXPECT_TEXT(back.source, "/a folder/t.json");
	EXPECT(back.events.data[2].deprecated && !back.events.data[1].deprecated);
	free(text);
	free(again);
	vendor_table_fini(&table);
	vendor_table_fini(&back);
}

TEST(vendor_compact_form_errors)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{ "", "ends too early" },
		{ "perfolio-events 2\n\n", "not a table of this version" },
		{ "perfolio-events 1\nname\tx\n", "ends too early" },
		{ "perfolio-events 1\n\na\n", "line 3 is broken" },
		{ "perfolio-events 1\n\na\t\tevent=1\t0\t\t\t\n", "line 3 is broken" },
		{ "perfolio-events 1\n\na\t\tevent=1\tnan\t\t\t\n", "line 3 is broken" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct vendor_table table;
		struct err err = { 0 };

		test_case("%s", cases[i].text);
		vendor_table_init(&table, "");
		EXPECT_INT(vendor_table_parse(&table, cases[i].text, strlen(cases[i].text), false,
					      &err),
			   -EBADMSG);
		EXPECT_CONTAINS(err.text, cases[i].words);
		vendor_table_fini(&table);
	}
}

TEST(vendor_spellings)
{
	EXPECT_INT(vendor_spelled("MEM.L3_MISS", "MEM.L3_MISS"), 11);
	EXPECT_INT(vendor_spelled("MEM.L3_MISS", "mem:l3_miss:u"), 11);
	EXPECT_INT(vendor_spelled("MEM.L3_MISS", "MEM.L3_MISSES"), 0);
	EXPECT_INT(vendor_spelled("MEM.L3_MISS", "MEM"), 0);
	EXPECT_INT(vendor_spelled("MEM", "MEM:u"), 3);
}

/* perf's tree in small: a map file, the architecture's events beside it, two models. */
static void perf_tree(void)
{
	fake_file("/in/mapfile.csv", "Family-model,Version,Filename,EventType\n"
				     "AuthenticAMD-23-([12][0-9A-F]|[0-9A-F]),v2,amdzen1,core\n"
				     "AuthenticAMD-23-[[:xdigit:]]+,v1,amdzen2,core\n");
	fake_file("/in/common.json", "[ { \"EventName\": \"CYCLES\", \"EventCode\": \"0x11\","
				     "    \"BriefDescription\": \"cycles\" } ]");
	fake_file("/in/amdzen1/cache.json",
		  "[ { \"EventName\": \"l2.rd\", \"EventCode\": \"0x60\" } ]");
	fake_file("/in/amdzen1/core.json", "[ { \"ArchStdEvent\": \"CYCLES\" } ]");
	fake_file("/in/amdzen2/core.json", "[ { \"EventName\": \"l2.rd\", \"EventCode\": \"0x161\","
					   "    \"UMask\": \"0x8\" } ]");
	fake_file("/in/amdzen2/broken.jso", "[");
	fake_file("/in/README", "not JSON");
}

static int import(struct vendor_import *result, const char *path)
{
	char *from = mem_strdup(fake_path(path));
	struct err err = { 0 };
	int rc = vendor_import(result, from, fake_path("/data"), &err);

	free(from);
	return rc;
}

static struct catalog *catalog_of(const char *cpu)
{
	struct catalog_options options = { .sysfs = "/nowhere", .tracefs = "/nowhere", .cpu = cpu };

	options.data_dir = fake_path("/data");
	return catalog_new(&options);
}

/* The config of an event of a CPU's table; all ones if there is none. */
static uint64_t config_of(const char *cpu, const char *text)
{
	struct catalog *catalog = catalog_of(cpu);
	struct event_list list = { 0 };
	uint64_t config = ~0ULL;

	if (!event_list_parse(&list, catalog, text, NULL))
		config = list.events.data[0].attr.base.config;
	event_list_free(&list);
	catalog_free(catalog);
	return config;
}

TEST(vendor_import_of_a_folder)
{
	struct vendor_import result = { 0 };

	fake_machine();
	perf_tree();
	EXPECT_INT(import(&result, "/in"), 0);
	EXPECT_INT(result.tables.len, 2);
	EXPECT_INT(result.events, 3);
	EXPECT_INT(result.failed.len, 0);
	EXPECT_CONTAINS(result.tables.data[0],
			"amdzen1: 2 events, version v2, for AuthenticAMD-23");
	EXPECT_INT(config_of("amdzen1", "l2.rd"), 0x60);
	EXPECT_INT(config_of("amdzen1", "L2:RD:u"), 0x60);
	EXPECT_INT(config_of("amdzen1", "cycles:u"), 0); /* the generic name comes first */
	EXPECT_INT(config_of("amdzen2", "l2.rd"), 0x100000861);
	EXPECT_INT(config_of("AuthenticAMD-23-71-0", "l2.rd"), 0x100000861);
	EXPECT_INT(config_of("nothing", "l2.rd"), ~0ULL);
	vendor_import_fini(&result);
	fake_remove();
}

TEST(vendor_import_again_replaces)
{
	struct vendor_import result = { 0 };

	fake_machine();
	perf_tree();
	EXPECT_INT(import(&result, "/in"), 0);
	fake_file("/in/amdzen2/core.json",
		  "[ { \"EventName\": \"l2.rd\", \"EventCode\": \"0x2\" } ]");
	EXPECT_INT(import(&result, "/in/amdzen2"), 0);
	EXPECT_INT(config_of("amdzen2", "l2.rd"), 2);
	EXPECT_INT(config_of("amdzen1", "l2.rd"), 0x60);
	vendor_import_fini(&result);
	fake_remove();
}

TEST(vendor_import_of_files)
{
	struct vendor_import result = { 0 };

	fake_machine();
	fake_file("/in/mapfile.csv",
		  "GenuineIntel-6-97,V1,/X/events/lake_core.json,hybridcore,0x40,1,Core\n"
		  "GenuineIntel-6-9A,V1,/X/events/lake_core.json,hybridcore,0x40,1,Core\n");
	fake_file("/in/X/lake_core.json", intel);
	fake_file("/in/n1.json", arm);
	fake_file("/in/bad.json", "{ \"Events\": [ {");
	fake_file("/in/cpus.json", "{ \"_type\": \"CPUs\" }");
	EXPECT_INT(import(&result, "/in/X/lake_core.json"), 0);
	EXPECT_INT(import(&result, "/in/n1.json"), 0);
	EXPECT_INT(result.tables.len, 2);
	EXPECT_CONTAINS(result.tables.data[0], "for GenuineIntel-6-97 GenuineIntel-6-9A");
	EXPECT_INT(import(&result, "/in/cpus.json"), 0);
	EXPECT_INT(result.skipped.len, 1);
	EXPECT_INT(import(&result, "/in/bad.json"), 0);
	EXPECT_INT(result.failed.len, 1);
	EXPECT_CONTAINS(result.failed.data[0], "bad.json:1: not valid JSON");
	EXPECT_INT(import(&result, "/in/nothing.json"), -ENOENT);
	EXPECT_INT(config_of("lake", "MEM.L3_MISS"), 0x2a420d1);
	EXPECT_INT(config_of("Neoverse N1", "L1D_CACHE_REFILL"), 3);
	EXPECT_INT(config_of("0x00000000410fd0c0", "l1d_cache_refill"), 3);
	EXPECT_INT(config_of("lake", "UNC_READS"), ~0ULL); /* no such PMU here to encode it for */
	vendor_import_fini(&result);
	fake_remove();
}

TEST(vendor_import_into_a_place_that_is_not_writable)
{
	struct vendor_import result = { 0 };
	struct err err = { 0 };
	char *from;

	fake_machine();
	fake_file("/in/n1.json", arm);
	fake_file("/data/events", "a file where the folder should be");
	from = mem_strdup(fake_path("/in/n1.json"));
	EXPECT(vendor_import(&result, from, fake_path("/data"), &err) < 0);
	EXPECT_CONTAINS(err.text, "/data/events");
	free(from);
	vendor_import_fini(&result);
	fake_remove();
}

/* Where the PMU is there, its own format encodes, and cpu/NAME/ finds the vendor's events. */
TEST(vendor_events_by_the_kernels_format)
{
	struct catalog_options options = { .tracefs = "/nowhere" };
	struct vendor_import result = { 0 };
	struct event_list list = { 0 };
	struct catalog *catalog;
	struct err err = { 0 };
	char *sysfs, *data;

	fake_machine();
	fake_file("/in/n1.json", arm);
	fake_file("/sys/bus/event_source/devices/armv8_pmuv3_0/type", "8\n");
	fake_file("/sys/bus/event_source/devices/armv8_pmuv3_0/cpus", "0-3\n");
	fake_file("/sys/bus/event_source/devices/armv8_pmuv3_0/format/event", "config:4-19\n");
	fake_file("/sys/bus/event_source/devices/armv8_pmuv3_0/format/long", "config1:0\n");
	fake_file("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1",
		  "0x00000000413fd0c1\n");
	EXPECT_INT(import(&result, "/in/n1.json"), 0);
	options.sysfs = sysfs = mem_strdup(fake_path("/sys"));
	options.data_dir = data = mem_strdup(fake_path("/data"));
	catalog = catalog_new(&options);
	EXPECT_TEXT(event_list_parse(&list, catalog,
				     "L1D_CACHE_REFILL:u,armv8_pmuv3_0/l1d_cache_refill,long/",
				     &err)
			    ? err.text
			    : "",
		    "");
	EXPECT_INT(list.events.data[0].kind, EVENT_VENDOR);
	EXPECT_INT(list.events.data[0].attr.base.type, 8);
	EXPECT_INT(list.events.data[0].attr.base.config, 0x30);
	EXPECT(list.events.data[0].attr.base.exclude_kernel);
	EXPECT_INT(list.events.data[1].attr.base.config, 0x30);
	EXPECT_INT(list.events.data[1].attr.base.config1, 1);
	event_list_free(&list);
	catalog_free(catalog);
	free(sysfs);
	free(data);
	vendor_import_fini(&result);
	fake_remove();
}
