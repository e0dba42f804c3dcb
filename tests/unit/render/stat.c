// SPDX-License-Identifier: Apache-2.0
/*
 * The expected lines are perf 6.1's own layout; where a PMU is needed to make perf print such a
 * line they follow its format strings.
 */
#include "render/stat.h"
#include "base/buf.h"
#include "test.h"

/* Lines of output stand here as wide as they are. */
/* clang-format off */
static const struct event events[] = {
	{ .attr.base = { PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK },
	  .kind = EVENT_SOFTWARE,
	  .name = "task-clock",
	  .unit = "msec",
	  .scale = 1e-6 },
	{ .attr.base = { PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES },
	  .name = "cycles",
	  .unit = "",
	  .scale = 1 },
	{ .attr.base = { PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS },
	  .name = "instructions",
	  .unit = "",
	  .scale = 1 },
	{ .attr.base = { PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	  .name = "stalled-cycles-backend",
	  .unit = "",
	  .scale = 1 },
	{ .attr.base = { PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS },
	  .kind = EVENT_SOFTWARE,
	  .name = "page-faults",
	  .unit = "",
	  .scale = 1 },
	{ .attr.base = { PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	  .name = "branches",
	  .unit = "",
	  .scale = 1 },
	{ .attr.base = { PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_BRANCH_MISSES },
	  .name = "branch-misses",
	  .unit = "",
	  .scale = 1 },
};
enum { CLOCK, CYCLES, INSTRUCTIONS, STALLED, FAULTS, BRANCHES, MISSES };

#define COUNTED(n)                                                        \
	{                                                                 \
		.count = (n), .enabled = 5, .running = 5, .counted = true \
	}

static struct stat_column column(int which)
{
	return (struct stat_column){ &events[which], events[which].name, NULL, true };
}

static const struct stat_style text = {
	.separator = " ", .grouped = true, .unit_width = 4, .name_width = 32
};
static const struct stat_style csv = { .format = STAT_CSV, .separator = "," };
static const struct stat_style json = { .format = STAT_JSON, .separator = " " };

static struct buf out;

/* What the table shows; holds until the next call. */
static const char *shown(const struct stat_style *style, const struct stat_table *table,
			 int64_t at_ns)
{
	buf_clear(&out);
	stat_rows(&out, style, table, at_ns);
	return buf_text(&out);
}

static const struct stat_place everywhere;

TEST(stat_shows_figures_beside_counts)
{
	struct stat_column columns[] = { column(CLOCK),	 column(CYCLES),   column(INSTRUCTIONS),
					 column(FAULTS), column(BRANCHES), column(MISSES) };
	struct stat_cell cells[] = { COUNTED(1500e6), COUNTED(4950000000), COUNTED(7425000000),
				     COUNTED(3000),   COUNTED(3000000000), COUNTED(30000000) };
	struct stat_table table = { 6, 1, columns, &everywhere, cells, 2e9 };

	EXPECT_TEXT(shown(&text, &table, -1),
		    "          1,500.00 msec task-clock                       #    0.750 CPUs utilized          \n"
		    "     4,950,000,000      cycles                           #    3.300 GHz                    \n"
		    "     7,425,000,000      instructions                     #    1.50  insn per cycle         \n"
		    "             3,000      page-faults                      #    2.000 K/sec                  \n"
		    "     3,000,000,000      branches                         #    2.000 G/sec                  \n"
		    "        30,000,000      branch-misses                    #    1.00% of all branches        \n");
	EXPECT_TEXT(shown(&csv, &table, -1),
		    "1500.00,msec,task-clock,5,100.00,0.750,CPUs utilized\n"
		    "4950000000,,cycles,5,100.00,3.300,GHz\n"
		    "7425000000,,instructions,5,100.00,1.50,insn per cycle\n"
		    "3000,,page-faults,5,100.00,2.000,K/sec\n"
		    "3000000000,,branches,5,100.00,2.000,G/sec\n"
		    "30000000,,branch-misses,5,100.00,1.00,of all branches\n");
}

TEST(stat_shows_the_share_of_multiplexed_counts)
{
	struct stat_column columns[] = { column(CYCLES) };
	struct stat_cell cells[] = {
		{ .count = 1000, .enabled = 1000, .running = 480, .counted = true }
	};
	struct stat_table table = { 1, 1, columns, &everywhere, cells, 0 };

	EXPECT_TEXT(shown(&text, &table, -1),
		    "             1,000      cycles                                                               (48.00%)\n");
	EXPECT_TEXT(shown(&csv, &table, -1),
		    "1000,,cycles,480,48.00,,\n");
	EXPECT_TEXT(shown(&json, &table, -1),
		    "{\"counter-value\" : \"1000.000000\", \"unit\" : \"\", \"event\" : \"cycles\", \"event-runtime\" : 480, \"pcnt-running\" : 48.00, \"metric-value\" : 0.000000, \"metric-unit\" : \"GHz\"}\n");
}

TEST(stat_says_what_was_not_counted)
{
	struct stat_column columns[] = { column(CYCLES), column(FAULTS), column(CLOCK) };
	struct stat_cell cells[3] = { 0 };
	struct stat_table table = { 3, 1, columns, &everywhere, cells, 1e9 };

	columns[0].supported = false;
	EXPECT_TEXT(shown(&text, &table, -1),
		    "   <not supported>      cycles                                                      \n"
		    "     <not counted>      page-faults                                                 \n"
		    "     <not counted> msec task-clock                                                  \n");
	EXPECT_TEXT(shown(&csv, &table, -1),
		    "<not supported>,,cycles,0,100.00,,\n"
		    "<not counted>,,page-faults,0,100.00,,\n"
		    "<not counted>,msec,task-clock,0,100.00,,\n");
}

TEST(stat_repeats_have_a_spread)
{
	struct stat_column columns[] = { column(FAULTS) };
	struct stat_cell cells[] = {
		{ .count = 49.4, .spread = 0.68, .enabled = 5, .running = 5, .counted = true }
	};
	struct stat_table table = { 1, 1, columns, &everywhere, cells, 1e9 };
	struct stat_style style = text;

	style.repeated = true;
	EXPECT_TEXT(shown(&style, &table, -1),
		    "                49      page-faults                                                          ( +-  0.68% )\n");
	style = csv;
	style.repeated = true;
	EXPECT_TEXT(shown(&style, &table, -1),
		    "49,,page-faults,0.68%,5,100.00,,\n");
	style = json;
	style.repeated = true;
	EXPECT_CONTAINS(shown(&style, &table, -1),
		    "\"variance\" : 0.68, ");
}

TEST(stat_second_figure_has_its_own_line)
{
	struct stat_column columns[] = { column(INSTRUCTIONS), column(CYCLES), column(STALLED) };
	struct stat_cell cells[] = { COUNTED(400), COUNTED(1000), COUNTED(300) };
	struct stat_table table = { 1, 1, columns, &everywhere, cells, 1e9 };
	struct stat_place cpu = { .cpu = 3 };
	struct stat_style style = text;

	table.columns = 3;
	EXPECT_CONTAINS(shown(&text, &table, -1),
		    "               400      instructions                     #    0.40  insn per cycle         \n"
		    "                                                  #    0.75  stalled cycles per insn\n");
	EXPECT_CONTAINS(shown(&csv, &table, -1),
		    "400,,instructions,5,100.00,0.40,insn per cycle\n"
		    ",,,,0.75,stalled cycles per insn\n");
	EXPECT_CONTAINS(shown(&json, &table, -1),
		    "\"metric-unit\" : \"insn per cycle\"}\n"
		    "{\"metric-value\" : 0.750000, \"metric-unit\" : \"stalled cycles per insn\"}\n");

	style.by = STAT_BY_CPU;
	table.place = &cpu;
	EXPECT_CONTAINS(shown(&style, &table, 1500000000),
			"     1.500000000 CPU3                      400      instructions                     #    0.40  insn per cycle         \n"
		    "     1.500000000 CPU3                                                                 #    0.75  stalled cycles per insn\n");
}

TEST(stat_names_the_place)
{
	static const struct {
		enum stat_by by;
		const char *text, *csv, *json;
	} cases[] = {
		{ STAT_BY_CPU, "CPU3                        7      ", "CPU3,7,",
		  "{\"cpu\" : \"3\", \"counter" },
		{ STAT_BY_CORE, "S1-D2-C5           4                  7      ", "S1-D2-C5,4,7,",
		  "{\"core\" : \"S1-D2-C5\", \"aggregate-number\" : 4, \"counter" },
		{ STAT_BY_DIE, "S1-D2           4                  7      ", "S1-D2,4,7,",
		  "{\"die\" : \"S1-D2\", \"aggregate-number\" : 4, \"counter" },
		{ STAT_BY_SOCKET, "S1        4                  7      ", "S1,4,7,",
		  "{\"socket\" : \"S1\", \"aggregate-number\" : 4, \"counter" },
		{ STAT_BY_NODE, "N6        4                  7      ", "N6,4,7,",
		  "{\"node\" : \"N6\", \"aggregate-number\" : 4, \"counter" },
		{ STAT_BY_THREAD, "           b\"ash-99                        7      ",
		  "b\"ash-99,7,", "{\"thread\" : \"b\\\"ash-99\", \"counter" },
	};
	struct stat_place place = { .socket = 1,
				    .die = 2,
				    .core = 5,
				    .node = 6,
				    .cpu = 3,
				    .cpus = 4,
				    .tid = 99,
				    .comm = "b\"ash" };
	struct stat_column columns[] = { column(FAULTS) };
	struct stat_cell cells[] = { COUNTED(7) };
	struct stat_table table = { 1, 1, columns, &place, cells, 1e9 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct stat_style style = text;

		test_case("%s", cases[i].csv);
		style.by = cases[i].by;
		EXPECT_INT(strncmp(shown(&style, &table, -1), cases[i].text, strlen(cases[i].text)),
			   0);
		style = csv;
		style.by = cases[i].by;
		EXPECT_INT(strncmp(shown(&style, &table, -1), cases[i].csv, strlen(cases[i].csv)),
			   0);
		style = json;
		style.by = cases[i].by;
		EXPECT_INT(strncmp(shown(&style, &table, -1), cases[i].json, strlen(cases[i].json)),
			   0);
	}
}

TEST(stat_rows_come_in_perfs_order)
{
	struct stat_column columns[] = { column(FAULTS), column(CYCLES) };
	struct stat_cell cells[] = { COUNTED(1), COUNTED(2), COUNTED(3), COUNTED(4) };
	struct stat_place places[] = { { .cpu = 0, .comm = "a" }, { .cpu = 1, .comm = "b" } };
	struct stat_table table = { 2, 2, columns, places, cells, 1e9 };
	static const struct {
		enum stat_by by;
		const char *order;
	} cases[] = {
		{ STAT_BY_CPU, "1324" },    /* event by event */
		{ STAT_BY_SOCKET, "1234" }, /* place by place */
		{ STAT_BY_THREAD, "3142" }, /* event by event, the largest first */
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct stat_style style = json;
		const char *line;
		char order[5] = "";

		style.by = cases[i].by;
		line = shown(&style, &table, -1);
		for (int k = 0; k < 4; k++) {
			line = strstr(line, "counter-value\" : \"") +
			       strlen("counter-value\" : \"");
			order[k] = *line;
		}
		test_case("by %d", cases[i].by);
		EXPECT_TEXT(order, cases[i].order);
	}
}

TEST(stat_leaves_out_idle_threads_and_absent_events)
{
	struct stat_column columns[] = { column(FAULTS) };
	struct stat_cell cells[] = { COUNTED(0), COUNTED(3) };
	struct stat_place places[] = { { .tid = 1, .comm = "idle" }, { .tid = 2, .comm = "busy" } };
	struct stat_table table = { 1, 2, columns, places, cells, 1e9 };
	struct stat_style style = csv;

	style.by = STAT_BY_THREAD;
	style.hide_zero = true;
	EXPECT_TEXT(shown(&style, &table, -1),
		    "busy-2,3,,page-faults,5,100.00,,\n");
	style.by = STAT_BY_CPU;
	cells[0].absent = true;
	EXPECT_TEXT(shown(&style, &table, -1),
		    "CPU0,3,,page-faults,5,100.00,,\n");
}

TEST(stat_interval_times)
{
	struct stat_column columns[] = { column(FAULTS) };
	struct stat_cell cells[] = { COUNTED(7) };
	struct stat_table table = { 1, 1, columns, &everywhere, cells, 1e9 };
	struct stat_style style = csv;

	EXPECT_TEXT(shown(&csv, &table, 1000000007),
		    "     1.000000007,7,,page-faults,5,100.00,,\n");
	EXPECT_CONTAINS(shown(&text, &table, 100221127),
			"     0.100221127                  7      ");
	EXPECT_CONTAINS(shown(&json, &table, 100221127),
			"{\"interval\" : 0.100221127, \"counter-value\"");
	style.csv_summary = true;
	EXPECT_TEXT(shown(&style, &table, -1),
		    "         summary,7,,page-faults,5,100.00,,\n");
	style.separator = ";";
	EXPECT_TEXT(shown(&style, &table, -1),
		    "         summary;7;;page-faults;5;100.00;;\n");
}

TEST(stat_cgroups_keep_to_themselves)
{
	struct stat_column columns[] = { column(FAULTS), column(CLOCK), column(FAULTS) };
	struct stat_cell cells[] = { COUNTED(50), COUNTED(1e9), COUNTED(60) };
	struct stat_table table = { 3, 1, columns, &everywhere, cells, 1e9 };

	columns[0].cgroup = columns[1].cgroup = "one";
	columns[2].cgroup = "two";
	EXPECT_TEXT(shown(&csv, &table, -1),
		    "50,,page-faults,one,5,100.00,50.000,/sec\n"
		    "1000.00,msec,task-clock,one,5,100.00,1.000,CPUs utilized\n"
		    "60,,page-faults,two,5,100.00,,\n");
	EXPECT_CONTAINS(shown(&text, &table, -1),
		    "                50      page-faults                      one #   50.000 /sec");
	EXPECT_CONTAINS(shown(&json, &table, -1),
		    "\"cgroup\" : \"two\", ");
}

TEST(stat_metric_only)
{
	struct stat_column columns[] = { column(CLOCK), column(CYCLES), column(INSTRUCTIONS),
					 column(BRANCHES), column(MISSES) };
	struct stat_cell cells[] = { COUNTED(1e9), COUNTED(2e9), COUNTED(3e9), COUNTED(1000),
				     COUNTED(20) };
	struct stat_place cpu = { .cpu = 2 };
	struct stat_table table = { 5, 1, columns, &cpu, cells, 1e9 };
	struct stat_style style = text;

	style.metric_only = true;
	EXPECT_TEXT(shown(&style, &table, -1),
		    "                 GHz       insn per cycle branch-misses of all branches \n"
		    "               2.000                1.50                           2.00% \n");
	style.by = STAT_BY_CPU;
	EXPECT_TEXT(shown(&style, &table, -1),
		    "                       GHz       insn per cycle branch-misses of all branches \n"
		    "CPU2                      2.000                1.50                           2.00% \n");
	style = csv;
	style.metric_only = true;
	EXPECT_TEXT(shown(&style, &table, -1),
		    "GHz,insn per cycle,branch-misses of all branches,\n"
		    "2.000,1.50,2.00,\n");
	style = json;
	style.metric_only = true;
	EXPECT_TEXT(shown(&style, &table, -1),
		    "{\"GHz\" : \"2.000\", \"insn per cycle\" : \"1.50\", \"branch-misses of all branches\" : \"2.00\"}\n");
	for (size_t i = 1; i < 5; i++) {
		columns[i].supported = false;
		cells[i] = (struct stat_cell){ 0 };
	}
	EXPECT_TEXT(shown(&style, &table, -1),
		    "{}\n");
	style = csv;
	style.metric_only = true;
	EXPECT_TEXT(shown(&style, &table, -1),
		    "\n"
		    ",,,,\n");
}

TEST(stat_headings)
{
	static const struct {
		enum stat_by by;
		const char *line;
	} cases[] = {
		{ STAT_BY_ALL, "#           time             counts unit events\n" },
		{ STAT_BY_CPU, "#           time CPU                    counts unit events\n" },
		{ STAT_BY_CORE,
		  "#           time core            cpus             counts unit events\n" },
		{ STAT_BY_DIE,
		  "#           time die          cpus             counts unit events\n" },
		{ STAT_BY_SOCKET, "#           time socket cpus             counts unit events\n" },
		{ STAT_BY_NODE, "#           time node   cpus             counts unit events\n" },
		{ STAT_BY_THREAD,
		  "#           time             comm-pid                  counts unit events\n" },
	};
	struct stat_table table = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct stat_style style = text;

		style.by = cases[i].by;
		buf_clear(&out);
		stat_heading(&out, &style, &table);
		EXPECT_TEXT(buf_text(&out), cases[i].line);
	}
	buf_clear(&out);
	stat_heading(&out, &csv, &table);
	EXPECT_TEXT(buf_text(&out), "");
}

TEST(stat_title_and_footer)
{
	static const double each[] = { 0.0715, 0.0692, 0.0900 };
	struct stat_times times = {
		.runs = 1, .elapsed_s = 1.5, .has_usage = true, .user_s = 1.25, .system_s = 0.125
	};

	buf_clear(&out);
	stat_title(&out, &text, "'ls -l'", 1);
	stat_footer(&out, &text, &times);
	EXPECT_TEXT(buf_text(&out), "\n"
		    " Performance counter stats for 'ls -l':\n"
		    "\n"
		    "\n"
		    "       1.500000000 seconds time elapsed\n"
		    "\n"
		    "       1.250000000 seconds user\n"
		    "       0.125000000 seconds sys\n"
		    "\n"
		    "\n");

	times = (struct stat_times){
		.runs = 3, .elapsed_s = 0.0769, .elapsed_error_s = 0.0066, .each_s = each
	};
	buf_clear(&out);
	stat_title(&out, &text, "process id '7'", 3);
	stat_footer(&out, &text, &times);
	EXPECT_TEXT(buf_text(&out),
		    "\n"
		    " Performance counter stats for process id '7' (3 runs):\n"
		    "\n"
		    "\n"
		    "           # Table of individual measurements:\n"
		    "           0.07150 (-0.00540) ##\n"
		    "           0.06920 (-0.00770) ###\n"
		    "           0.09000 (+0.01310) ###\n"
		    "\n"
		    "           # Final result:\n"
		    "           0.07690 +- 0.00660 seconds time elapsed  ( +-  8.58% )\n"
		    "\n");
	buf_clear(&out);
	stat_title(&out, &csv, "'ls'", 1);
	stat_footer(&out, &json, &times);
	EXPECT_TEXT(buf_text(&out), "");
	buf_free(&out);
}
