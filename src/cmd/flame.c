// SPDX-License-Identifier: Apache-2.0
#include "base/err.h"
#include "cmd/command.h"
#include "cmd/flame_output.h"

#include <errno.h>
#include <unistd.h>

#define FIELD FLAME_FIELD

static const struct option_spec flame_specs[] = {
	{ OPT_TEXT, 'o', "output", FIELD(output), "FILE",
	  "write FILE; its end tells the format: .svg, .folded or .json; - is standard output" },
	{ OPT_TEXT, 0, "format", FIELD(format), "NAME", "svg, folded or json" },
	{ OPT_TEXT, 'e', "event", FIELD(event), "NAME", "only this event; else a graph for each" },
	{ OPT_TEXT, 0, "weight", FIELD(weight), "WHAT",
	  "widths count samples, or the event's own count (period), which is the default" },
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
	{ OPT_TEXT, 'p', "pid", FIELD(pids), "PID[,...]", "only these processes" },
	FLAME_FILTER_SPECS,
	{ OPT_FLAG, 0, "idle", FIELD(idle), NULL,
	  "show what idle CPUs do, which is left out else" },
	SYMBOL_OPTIONS(FLAME_SYMBOL),
	{ OPT_FLAG, 0, "no-index", FIELD(no_index), NULL, "neither read nor write FILE.index" },
	{ 0 },
};

static const struct flame_args flame_defaults = { .width = 1200 };

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
	name = mem_printf("%s.flamegraph.%s", base, flame_format_suffix(format));
	free(base);
	return name;
}

static int draw_input(const struct flame_args *args, const char *path, struct err *err)
{
	const char *slash = strrchr(path, '/');
	struct flame_job job = { .args = args, .name = slash && slash[1] ? slash + 1 : path };
	struct flame_input input;
	char *output;
	int rc = flame_format_of(args, FORMAT_SVG, &job.format, err);

	if (rc)
		return rc;
	rc = flame_input_open(&input, path, args, NULL, err);
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
	rc = flame_draw(&job, err);
	free(output);
	flame_input_close(&input);
	return rc;
}

static int flame_run(void *options, int argc, char **argv, struct err *err)
{
	if (argc > 1)
		return err_set(err, EINVAL, "one profile at a time");
	return draw_input(options, argc ? argv[0] : "perf.data", err);
}

const struct command cmd_flame = {
	.name = "flame",
	.args = "[FILE]",
	.summary = "draw a flame graph of a recording or of another profile",
	.example = "perfolio flame perf.data",
	.options = flame_specs,
	.options_size = sizeof(struct flame_args),
	.defaults = &flame_defaults,
	.run = flame_run,
};
