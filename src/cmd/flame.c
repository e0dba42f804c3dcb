// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "cmd/command.h"
#include "cmd/flame_live.h"
#include "cmd/flame_output.h"
#include "cmd/flame_show.h"
#include "cmd/load.h"
#include "cmd/output.h"
#include "import/input.h"
#include "profile/remedy.h"
#include "profile/trust.h"
#include "record/workload.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIELD FLAME_FIELD

extern const struct command cmd_flame;

/* `report --keep REGEX` is --grep; here --keep was the name of something else. */
static int take_keep(void *options, const char *text, bool unset, struct err *err)
{
	if (!unset && strcmp(text, "script"))
		return err_set(err, EINVAL,
			       "'%s': did you mean --grep '%s'? (--save-script keeps the "
			       "`perf script` text)",
			       text, text);
	((struct flame_args *)options)->save_script = !unset;
	return 0;
}

static const struct option_spec flame_specs[] = {
	{ OPT_TEXT, 'i', "input", FIELD(input), "FILE", "draw FILE; - is standard input" },
	{ OPT_TEXT, 'o', "output", FIELD(output), "FILE",
	  "write FILE; its end tells the format (.svg, .html, .folded, .json, .pb.gz ...); - is "
	  "standard output" },
	{ OPT_TEXT, 0, "format", FIELD(format), "NAME",
	  "svg, html, folded, json, pprof, speedscope, firefox, script, csv or hdf5" },
	{ OPT_TEXT, 'e', "event", FIELD(event), "NAME",
	  "of a file: only this event (default: a graph for each); otherwise the event to record" },
	{ OPT_TEXT, 0, "weight", FIELD(weight), "WHAT",
	  "width = samples, or period: the event's own count; default: period" },
	{ OPT_HEADING, .help = "Recording what runs now" },
	{ OPT_TEXT, 'p', "pid", FIELD(pids), "PID[,...]",
	  "these processes; of a file: only their samples" },
	{ OPT_TEXT, 't', "tid", FIELD(tids), "TID[,...]",
	  "these threads; of a file: only their samples" },
	{ OPT_FLAG, 0, "tree", FIELD(tree), NULL, "with -p: also the children that they have" },
	{ OPT_TEXT, 'u', "uid", FIELD(user), "USER", "all processes of a user" },
	{ OPT_FLAG, 'a', "all-cpus", FIELD(all_cpus), NULL, "the whole host" },
	{ OPT_INT, 'F', "freq", FIELD(rate), "HZ", "samples a second: 99" },
	{ OPT_DURATION, 0, "duration", FIELD(duration_ns), "TIME",
	  "how long: 60s, or until the command ends", .unit_ns = NS_PER_SEC },
	{ OPT_DURATION, 0, "timeout", FIELD(duration_ns), "TIME",
	  "the same; a bare number means milliseconds", .unit_ns = NS_PER_MSEC },
	{ OPT_TEXT, 0, "call-graph", FIELD(call_graph), "MODE",
	  "how stacks are followed: dwarf (copied and unwound), fp or lbr" },
	{ OPT_FLAG, 'g', NULL, FIELD(frame_pointers), NULL,
	  "the same as --call-graph fp; of a file: nothing, stacks are always drawn" },
	{ OPT_FLAG, 0, "no-keep", FIELD(no_keep), NULL, "remove the recording when it is drawn" },
	{ OPT_FLAG, 0, "save-script", FIELD(save_script), NULL,
	  "write the recording's `perf script` text beside it too" },
	{ OPT_CALL, 0, "keep", 0, "WHAT", "the older name of --save-script: --keep script",
	  .call = take_keep, .hidden = true },
	{ OPT_FLAG, 0, "open", FIELD(open), NULL, "show the picture in the browser" },
	{ OPT_HEADING, .help = "The picture" },
	{ OPT_TEXT, 0, "title", FIELD(title), "TEXT", "the line on top" },
	{ OPT_TEXT, 0, "subtitle", FIELD(subtitle), "TEXT", "the line below it" },
	{ OPT_TEXT, 0, "notes", FIELD(notes), "TEXT", "a line at the bottom" },
	{ OPT_INT, 0, "width", FIELD(width), "PIXELS", "how wide it is: 1200" },
	{ OPT_TEXT, 0, "min-width", FIELD(min_width), "PIXELS", "leave out narrower frames: 0.1" },
	{ OPT_FLAG, 0, "inverted", FIELD(inverted), NULL, "the root on top: an icicle graph" },
	{ OPT_TEXT, 0, "color", FIELD(color), "NAME",
	  "what colours mean: kind (user, kernel, library ...), name, warm or object" },
	{ OPT_TEXT, 0, "cp", FIELD(palette_map), "[FILE]",
	  "take colours from FILE (palette.map) and add new names to it" },
	{ OPT_HEADING, .help = "Which samples and frames" },
	FLAME_FILTER_SPECS,
	{ OPT_FLAG, 0, "idle", FIELD(idle), NULL, "show what idle CPUs do; left out by default" },
	SYMBOL_OPTIONS(FLAME_SYMBOL),
	{ OPT_FLAG, 0, "no-index", FIELD(no_index), NULL, "neither read nor write FILE.index" },
	{ 0 },
};

static const struct flame_args flame_defaults = {
	.rate = FLAME_NO_RATE,
	.duration_ns = -1,
	.width = 1200,
};

/* "perf.data" gives "perf.flamegraph.svg", in the folder where we are. */
static char *output_name(const char *path, enum flame_format format)
{
	const char *slash = strrchr(path, '/');
	char *base = mem_strdup(slash ? slash + 1 : path), *name;
	static const char *const ends[] = { ".gz",     ".zst",	".data", ".txt",
					    ".folded", ".perf", ".pb",	 ".pprof" };

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		size_t length = strlen(base), tail = strlen(ends[i]);

		if (length > tail && !strcmp(base + length - tail, ends[i]))
			base[length - tail] = '\0';
	}
	name = mem_printf("%s.flamegraph.%s", base, flame_formats[format].suffix);
	free(base);
	return name;
}

/* All pictures of a job, and then in the browser if that was asked for. */
static int draw_and_show(struct flame_job *job, struct err *err)
{
	struct strlist written = { 0 };
	int rc;

	job->written = &written;
	rc = flame_draw(job, err);
	vec_each (path, &written)
		if (!rc && job->args->open)
			flame_show(*path);
	strlist_free(&written);
	return rc;
}

/* What says how to record is a mistake where nothing is. */
static int check_recorded(const struct flame_args *args, const char *path, struct err *err)
{
	const struct {
		const char *name;
		bool given;
	} options[] = {
		{ "-a", args->all_cpus },
		{ "-u", args->user },
		{ "--tree", args->tree },
		{ "-F", args->rate != FLAME_NO_RATE },
		{ "--duration", args->duration_ns >= 0 },
		{ "--call-graph", args->call_graph },
		{ "--no-keep", args->no_keep },
		{ "--save-script", args->save_script },
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (options[i].given)
			return err_set(err, EINVAL,
				       "%s says how to record, but '%s' is drawn as it is",
				       options[i].name, path);
	return 0;
}

static int draw_input(const struct flame_args *args, const char *path, struct err *err)
{
	const char *slash = strrchr(path, '/');
	struct flame_args drawing = *args;
	struct flame_job job = { .args = &drawing,
				 .path = path,
				 .name = slash && slash[1] ? slash + 1 : path };
	struct loaded input;
	char *output;
	int rc = flame_format_of(args, FORMAT_SVG, &job.format, err);

	if (!rc)
		rc = check_recorded(args, path, err);
	if (!rc && args->output)
		rc = output_check_apart(args->output, path, err);
	if (rc)
		return rc;
	drawing.names.lines = flame_formats[job.format].is_page;
	rc = flame_load(&input, path, &drawing, NULL, err);
	if (rc)
		return rc;
	output = args->output		 ? mem_strdup(args->output)
		 : strcmp(path, "-")	 ? output_name(path, job.format)
		 : isatty(STDOUT_FILENO) ? output_name("flamegraph", job.format)
					 : mem_strdup("-");
	job.input = &input;
	job.output = output;
	if (!strcmp(path, "-"))
		job.name = "Flame graph";
	rc = draw_and_show(&job, err);
	free(output);
	loaded_close(&input);
	return rc;
}

/* Who recorded just now can do it again, better. */
static void say_remedy(const struct loaded *in)
{
	struct trust trust;

	trust_of(&trust, in->profile, profile_main_event(in->profile),
		 &(struct remedy_facts){ .copy_size = load_copy_size(in) });
	if (*trust.remedy)
		log_line(LOG_NOTE, TRUST_REMEDY, trust.remedy);
}

/* What runs now: recorded, then drawn beside the recording. */
static int draw_live(const struct flame_args *args, int argc, char **argv, struct err *err)
{
	struct flame_args drawing = *args;
	struct flame_recorded recorded;
	struct flame_job job = { .args = &drawing };
	struct loaded input;
	char *output = NULL;
	int rc = flame_format_of(args, FORMAT_SVG, &job.format, err), status;

	if (!rc && !args->duration_ns)
		rc = err_set(err, EINVAL, "--duration must be greater than 0");
	if (!rc && args->rate != FLAME_NO_RATE && args->rate < 1)
		rc = err_set(err, EINVAL, "-F %d: samples a second, 1 at least", args->rate);
	if (rc)
		return rc;
	rc = flame_record(&recorded, args, argc, argv, err);
	status = recorded.status;
	drawing.event = drawing.pids = drawing.tids = NULL; /* these said what to record */
	drawing.no_index = true;
	drawing.names.lines = flame_formats[job.format].is_page;
	if (!rc && !recorded.made) {
		flame_recorded_free(&recorded);
		return status;
	}
	if (!rc)
		rc = flame_load(&input, recorded.path, &drawing, NULL, err);
	if (!rc) {
		output = args->output ? mem_strdup(args->output)
				      : mem_printf("%s.flamegraph.%s", recorded.base,
						   flame_formats[job.format].suffix);
		job.input = &input;
		job.path = recorded.path;
		job.name = recorded.title;
		job.output = output;
		say_remedy(&input); /* before the names of files, which come last */
		rc = draw_and_show(&job, err);
		loaded_close(&input);
		if (rc)
			log_line(LOG_NOTE, "the recording is in %s", recorded.path);
		else
			rc = flame_keep(&recorded, args, err);
	}
	free(output);
	flame_recorded_free(&recorded);
	return rc ? rc : status;
}

/* Whether a word is a program to start rather than a profile to draw. */
static bool is_program(const char *word)
{
	enum import_format format = IMPORT_UNKNOWN;
	struct input *input;

	struct stat st;

	if (!strcmp(word, "-"))
		return false;
	if (stat(word, &st))
		return !strchr(word, '/');
	if (!S_ISREG(st.st_mode) || access(word, X_OK))
		return false;
	input = input_open(word, NULL);
	if (input)
		import_detect(input, &format, NULL);
	input_close(input);
	return format != IMPORT_PERFDATA;
}

static bool is_in_path(const char *word)
{
	const char *path = getenv("PATH");
	char *copy = mem_strdup(path ? path : ""), *rest = copy, *folder;
	bool found = false;

	while (!found && (folder = strsep(&rest, ":"))) {
		char *place = mem_printf("%s/%s", *folder ? folder : ".", word);

		found = !access(place, X_OK);
		free(place);
	}
	free(copy);
	return found;
}

/* Before anything is said of recording it: a mistyped FILE is no command either. */
static int draw_command(const struct flame_args *args, int argc, char **argv, struct err *err)
{
	if (strchr(argv[0], '/') || is_in_path(argv[0]))
		return draw_live(args, argc, argv, err);
	fprintf(stderr, "perfolio: %s: neither a file nor a command in PATH\n", argv[0]);
	return WORKLOAD_CANT_START;
}

/*
 * A program's name ends our options, a profile's does not: what stands behind it is read as options
 * too.
 */
static int flame_run(void *options, int argc, char **argv, struct err *err)
{
	const struct flame_args *args = options;
	bool target = args->pids || args->tids || args->user || args->all_cpus;
	struct options_result parsed;
	int rc;

	if (args->input)
		return argc ? err_set(err, EINVAL, "-i %s: unexpected argument '%s'", args->input,
				      argv[0])
			    : draw_input(args, args->input, err);
	if (!argc && target)
		return draw_live(args, 0, NULL, err);
	if (!argc) {
		const char *path = load_path(NULL);

		if (strcmp(path, "-") && !file_exists("%s", path))
			return err_set(err, EINVAL,
				       "what to draw? A recording, a command, -p PID, -t TID, "
				       "-u USER or -a; - reads standard input");
		return draw_input(args, path, err);
	}
	if (is_program(argv[0]))
		return draw_command(args, argc, argv, err);
	rc = options_parse(flame_specs, options, argc, argv, false, &parsed, err);
	if (rc)
		return rc;
	if (parsed.help) {
		help_command(&cmd_flame, stdout);
		return EXIT_DONE;
	}
	if (parsed.next < argc)
		return err_set(err, EINVAL, "one profile at a time");
	return draw_input(args, argv[0], err);
}

const struct command cmd_flame = {
	.name = "flame",
	.args = "[FILE | COMMAND [ARGUMENTS]]",
	.summary = "draw a flame graph of a program, a process, the host or a recording",
	.example = "perfolio flame -- ./prog",
	.flags = CMD_RUNS_PROGRAM,
	.options = flame_specs,
	.options_size = sizeof(struct flame_args),
	.defaults = &flame_defaults,
	.run = flame_run,
};
