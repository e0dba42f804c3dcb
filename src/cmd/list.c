// SPDX-License-Identifier: Apache-2.0
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/text.h"
#include "cmd/command.h"
#include "cmd/listing.h"
#include "event/parse.h"
#include "event/tracepoint.h"
#include "event/vendor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct list_options {
	int verbose;
	bool json, names, cpus, deprecated;
	bool no_descriptions, descriptions;
	const char *cpu, *import;
};

#define FIELDS_SHOWN 32 /* up to so many events, tracepoints show their fields without -v */

#define FIELD(name) offsetof(struct list_options, name)

static const struct option_spec list_spec[] = {
	{ OPT_COUNT, 'v', "verbose", FIELD(verbose), NULL,
	  "show encodings, fields of all tracepoints and long descriptions, too" },
	{ OPT_FLAG, 'j', "json", FIELD(json), NULL, "write JSON" },
	{ OPT_FLAG, 0, "raw-dump", FIELD(names), NULL,
	  "write the names alone, untested, with spaces between: for completion" },
	{ OPT_FLAG, 0, "deprecated", FIELD(deprecated), NULL,
	  "show events that their vendor has given up, too" },
	{ OPT_FLAG, 0, "no-desc", FIELD(no_descriptions), NULL, "names only" },
	{ OPT_HEADING, .help = "Other CPUs, and vendors' tables" },
	{ OPT_TEXT, 0, "cpu", FIELD(cpu), "MODEL",
	  "show the events of another CPU: a table's name, a PMU of libpfm or a CPU id" },
	{ OPT_FLAG, 0, "cpus", FIELD(cpus), NULL, "show the CPU models whose events are known" },
	{ OPT_TEXT, 0, "import", FIELD(import), "FILE|DIR",
	  "take over event tables in JSON: Intel perfmon, Arm, perf's pmu-events" },
	{ OPT_COUNT, 0, "long-desc", FIELD(verbose), NULL, "the same as -v", .hidden = true },
	{ OPT_COUNT, 0, "details", FIELD(verbose), NULL, "the same as -v", .hidden = true },
	{ OPT_FLAG, 'd', "desc", FIELD(descriptions), NULL, "with descriptions", .hidden = true },
	{ 0 },
};

const struct listing_kind listing_kinds[] = {
	{ EVENT_HARDWARE, { "hw", "hardware" }, "Hardware events" },
	{ EVENT_CACHE, { "cache", "hwcache" }, "Cache events" },
	{ EVENT_SOFTWARE, { "sw", "software" }, "Software events" },
	{ EVENT_TOOL, { "tool" }, "Clocks of the run" },
	{ EVENT_PMU, { "pmu" }, "Events of the kernel's PMUs" },
	{ EVENT_MODEL, { "model", "pfm" }, "Events of the CPU model" },
	{ EVENT_VENDOR, { "vendor" }, "Events of vendors' tables" },
	{ EVENT_RAW, { "raw" }, "Raw events" },
	{ EVENT_BREAKPOINT, { "breakpoint", "mem" }, "Hardware breakpoints" },
	{ EVENT_PROBE, { "probe", "probes" }, "Dynamic probes" },
	{ EVENT_TRACEPOINT, { "tracepoint", "tracepoints" }, "Tracepoints" },
	{ 0 },
};

/* What the words on the command line select. */
struct selection {
	struct listing *listing;
	const struct list_options *options;
	unsigned kinds; /* bits; 0: all */
	VEC(const char *) words;
	size_t seen; /* entries that were looked at */
};

static unsigned kind_of_word(const char *word)
{
	for (size_t i = 0; listing_kinds[i].heading; i++)
		for (size_t k = 0; k < ARRAY_SIZE(listing_kinds[i].words); k++)
			if (listing_kinds[i].words[k] && !strcmp(listing_kinds[i].words[k], word))
				return 1u << listing_kinds[i].kind;
	return 0;
}

/* A pattern is for names; a plain word may stand anywhere. */
static bool word_matches(const struct row *row, const char *word)
{
	const struct catalog_entry *entry = &row->entry;
	const char *texts[] = { entry->name, entry->alias, entry->brief, entry->detail,
				row->fields };

	if (strpbrk(word, "*?["))
		return text_glob(word, entry->name) ||
		       (entry->alias && text_glob(word, entry->alias));
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (texts[i] && text_contains(texts[i], word))
			return true;
	return false;
}

static bool all_words_match(const struct selection *selection, const struct row *row)
{
	vec_each (word, &selection->words)
		if (!word_matches(row, *word))
			return false;
	return true;
}

static bool is_tracepoint(const struct catalog_entry *entry)
{
	return entry->kind == EVENT_TRACEPOINT || entry->kind == EVENT_PROBE;
}

static void read_fields(struct listing *listing, struct row *row)
{
	char *fields;

	if (row->fields || !is_tracepoint(&row->entry))
		return;
	fields = tracepoint_fields(listing->catalog, row->entry.name);
	row->fields = arena_strdup(&listing->arena, fields ? fields : "");
	free(fields);
}

static int select_entry(const struct catalog_entry *entry, void *user)
{
	struct selection *selection = user;
	struct row row = { .entry = *entry };

	selection->seen++;
	if (selection->kinds && !(selection->kinds & 1u << entry->kind))
		return 0;
	if (entry->deprecated && !selection->options->deprecated)
		return 0;
	/* The name first: fields are in a file each. */
	if (!all_words_match(selection, &row)) {
		if (!is_tracepoint(entry))
			return 0;
		read_fields(selection->listing, &row);
		if (!all_words_match(selection, &row))
			return 0;
	}
	*vec_push(&selection->listing->rows) = row;
	return 0;
}

struct likely_models {
	const char *wanted;
	struct buf names;
};

static int add_likely_model(const struct catalog_model *model, void *user)
{
	struct likely_models *likely = user;

	if (text_contains(model->name, likely->wanted) ||
	    text_contains(model->title, likely->wanted))
		buf_printf(&likely->names, "%s %s", likely->names.len ? "," : "; perhaps",
			   model->name);
	return 0;
}

static int unknown_cpu(const char *cpu, struct catalog *catalog, struct err *err)
{
	struct likely_models likely = { .wanted = cpu };
	int rc;

	catalog_each_model(catalog, add_likely_model, &likely);
	rc = err_set(err, ENOENT,
		     "no events are known for the CPU '%s'%s; `perfolio list --cpus` shows the "
		     "models, --import brings in more",
		     cpu, buf_text(&likely.names));
	buf_free(&likely.names);
	return rc;
}

static int nothing_matches(const struct list_options *options, const struct selection *selection,
			   struct catalog *catalog, struct err *err)
{
	struct event_list list = { 0 };
	int rc;

	if (options->cpu && !selection->seen)
		return unknown_cpu(options->cpu, catalog, err);
	if (selection->listing->no_tracepoints.code) {
		*err = selection->listing->no_tracepoints;
		return -err->code;
	}
	if (selection->words.len != 1 || selection->kinds)
		return err_set(err, ENOENT,
			       "no event has all of these words in its name or description; try "
			       "fewer of them");
	/* One word: the grammar's own message has the nearest names.  Where the word is an event
	 * that isn't listed (r1a8) it can be used as it is. */
	rc = event_list_parse(&list, catalog, selection->words.data[0], err);
	event_list_free(&list);
	if (rc) {
		err->code = ENOENT; /* not found, rather than wrong usage */
		return -ENOENT;
	}
	return err_set(err, ENOENT, "'%s' is in no list, but it can be measured",
		       selection->words.data[0]);
}

static void print_names(const struct listing *listing)
{
	vec_each (row, &listing->rows) {
		if (row->entry.example) /* a form, not a name */
			continue;
		printf("%s ", row->entry.name);
		if (row->entry.alias)
			printf("%s ", row->entry.alias);
	}
	putchar('\n');
}

/* Whether tracepoints that can't be seen would be missed. */
static bool wants_tracepoints(const struct selection *selection)
{
	unsigned kinds = 1u << EVENT_TRACEPOINT | 1u << EVENT_PROBE;

	return !selection->options->cpu && !selection->words.len &&
	       (!selection->kinds || selection->kinds & kinds);
}

static int list_events(const struct list_options *options, int argc, char **argv, struct err *err)
{
	struct catalog_options where = { .cpu = options->cpu };
	struct listing listing = { .verbose = options->verbose > 0,
				   .no_descriptions = options->no_descriptions,
				   .cpu = options->cpu };
	struct selection selection = { .listing = &listing, .options = options };
	int status = EXIT_DONE;

	listing.catalog = catalog_new(&where);
	for (int i = 0; i < argc; i++) {
		/* Kinds come first: "cache" after another word is a word of a description. */
		unsigned kind = selection.words.len ? 0 : kind_of_word(argv[i]);

		selection.kinds |= kind;
		if (!kind)
			*vec_push(&selection.words) = argv[i];
	}
	catalog_each(listing.catalog, &listing.arena, select_entry, &selection);
	if (options->verbose || listing.rows.len <= FIELDS_SHOWN)
		vec_each (row, &listing.rows)
			read_fields(&listing, row);
	if (wants_tracepoints(&selection))
		tracefs_path(listing.catalog, &listing.no_tracepoints);
	if (!listing.rows.len)
		status = nothing_matches(options, &selection, listing.catalog, err);
	else if (!options->names)
		listing_test(&listing);
	if (options->names)
		print_names(&listing);
	else if (options->json)
		listing_print_json(&listing, stdout);
	else if (listing.rows.len)
		listing_print(&listing, stdout);
	vec_free(&selection.words);
	vec_free(&listing.rows);
	arena_free(&listing.arena);
	catalog_free(listing.catalog);
	return status;
}

static void show_progress(void *progress, size_t events)
{
	progress_at(progress, events);
}

static int import_tables(const char *path, struct err *err)
{
	struct progress progress = progress_start("importing events", 0);
	struct vendor_import import = { .step = show_progress, .user = &progress };
	char *data = dir_user_data(), number[TEXT_NUMBER];
	int rc = vendor_import(&import, path, data, err);

	progress_end(&progress);
	vec_each (table, &import.tables)
		printf("%s\n", *table);
	vec_each (skipped, &import.skipped)
		printf("%s: no events in it\n", *skipped);
	if (import.tables.len)
		printf("%s events in %zu tables are now in %s/events\n",
		       text_grouped(number, import.events), import.tables.len, data);
	vec_each (failed, &import.failed)
		fprintf(stderr, "perfolio: %s\n", *failed);
	if (!rc && import.failed.len)
		rc = EXIT_FAILED;
	else if (!rc && !import.tables.len)
		rc = err_set(err, ENOENT, "%s: no event tables in it", path);
	vendor_import_fini(&import);
	free(data);
	return rc;
}

static int print_model(const struct catalog_model *model, void *user)
{
	(void)user;
	printf("  %-32s %s%s%s\n", model->name, model->title, *model->cpus ? ", for " : "",
	       model->cpus);
	return 0;
}

static int list_models(void)
{
	struct catalog *catalog = catalog_new(NULL);

	catalog_each_model(catalog, print_model, NULL);
	catalog_free(catalog);
	return EXIT_DONE;
}

static int list_run(void *options, int argc, char **argv, struct err *err)
{
	const struct list_options *o = options;

	if (o->import)
		return import_tables(o->import, err);
	if (o->cpus)
		return list_models();
	return list_events(o, argc, argv, err);
}

const struct command cmd_list = {
	.name = "list",
	.args = "[KIND...] [TEXT...]",
	.summary = "show what can be measured here, and what can't and why",
	.example = "perfolio list cache miss",
	.flags = CMD_PAGER,
	.options = list_spec,
	.options_size = sizeof(struct list_options),
	.run = list_run,
};
