// SPDX-License-Identifier: Apache-2.0
#include "base/err.h"
#include "cmd/command.h"
#include "cmd/flame_output.h"
#include "cmd/output.h"

#include <errno.h>

#define FIELD FLAME_FIELD

extern const struct command cmd_export;

static const struct option_spec export_specs[] = {
	{ OPT_TEXT, 'i', "input", FIELD(input), "FILE",
	  "read FILE instead of perf.data; - is standard input" },
	{ OPT_TEXT, 'o', "output", FIELD(output), "FILE",
	  "write FILE instead of standard output; its end tells the format: .pb.gz (pprof), "
	  ".speedscope.json, .firefox.json, .script, .csv, .h5, .folded, .json; .gz and .zst "
	  "behind it pack" },
	{ OPT_TEXT, 0, "format", FIELD(format), "NAME",
	  "pprof, speedscope, firefox, script, csv, hdf5, folded or json" },
	{ OPT_TEXT, 'e', "event", FIELD(event), "NAME", "only this event" },
	{ OPT_TEXT, 0, "weight", FIELD(weight), "WHAT",
	  "where a format knows one weight: samples, or the event's own count (period)" },
	{ OPT_TEXT, 0, "title", FIELD(title), "TEXT", "what the samples are of: the file's name" },
	{ OPT_HEADING, .help = "Which samples and frames" },
	{ OPT_TEXT, 0, "pid", FIELD(pids), "PID[,...]", "only these processes" },
	{ OPT_TEXT, 0, "tid", FIELD(tids), "TID[,...]", "only these threads" },
	FLAME_FILTER_SPECS,
	{ OPT_TEXT, 0, "keep", FIELD(keep), "REGEX", "the same as --grep", .hidden = true },
	{ OPT_FLAG, 0, "idle", FIELD(idle), NULL,
	  "what idle CPUs do too, which is the default; --no-idle leaves it out" },
	SYMBOL_OPTIONS(FLAME_SYMBOL),
	{ OPT_FLAG, 0, "lines", FIELD(lines), NULL,
	  "source files and lines of the sampled addresses, for pprof" },
	{ OPT_FLAG, 0, "no-index", FIELD(no_index), NULL, "neither read nor write FILE.index" },
	{ 0 },
};

static const struct flame_args export_defaults = { .width = 1200, .idle = true };

static int find_format(const struct flame_args *args, enum flame_format *format, struct err *err)
{
	int rc = flame_format_of(args, FORMATS, format, err);

	if (rc)
		return rc;
	if (*format == FORMATS)
		return err_set(err, EINVAL, "which format? -o FILE.pb.gz, or --format NAME");
	if (flame_formats[*format].is_picture)
		return err_set(err, EINVAL, "pictures are drawn by `perfolio flame`");
	return 0;
}

static int export_run(void *options, int argc, char **argv, struct err *err)
{
	const struct flame_args *args = options;
	const char *path = load_path(args->input ? args->input : argc ? argv[0] : NULL);
	const char *slash = strrchr(path, '/');
	struct loaded input;
	struct flame_job job = { .args = args,
				 .input = &input,
				 .path = path,
				 .name = slash && slash[1] ? slash + 1 : path,
				 .output = args->output ? args->output : "-" };
	int rc = find_format(args, &job.format, err);

	if (!rc && argc > (args->input ? 0 : 1))
		rc = err_set(err, EINVAL, "one profile at a time");
	if (!rc)
		rc = output_check_apart(job.output, path, err);
	if (!rc)
		rc = flame_load(&input, path, args, NULL, err);
	if (rc)
		return rc;
	rc = flame_draw(&job, err);
	loaded_close(&input);
	return rc;
}

const struct command cmd_export = {
	.name = "export",
	.args = "[FILE]",
	.summary = "write a profile in the format of another tool",
	.example = "perfolio export perf.data -o prog.pb.gz",
	.options = export_specs,
	.options_size = sizeof(struct flame_args),
	.defaults = &export_defaults,
	.run = export_run,
};
