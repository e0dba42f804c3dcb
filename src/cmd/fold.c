// SPDX-License-Identifier: Apache-2.0
#include "base/err.h"
#include "base/log.h"
#include "base/outbuf.h"
#include "cmd/command.h"
#include "cmd/flame_output.h"
#include "cmd/output.h"

#include <errno.h>
#include <unistd.h>

#define LIKE	"stackcollapse-perf"
#define INFERNO "inferno-collapse-perf"

#define FIELD FLAME_FIELD

static const struct option_spec fold_specs[] = {
	{ OPT_TEXT, 'i', "input", FIELD(input), "FILE",
	  "read FILE instead of perf.data; - is standard input" },
	{ OPT_TEXT, 'o', "output", FIELD(output), "FILE",
	  "write FILE instead of standard output; its end tells the format" },
	{ OPT_TEXT, 0, "format", FIELD(format), "NAME", "folded or json" },
	{ OPT_TEXT, 'e', "event", FIELD(event), "NAME", "the event to fold; default: the first" },
	{ OPT_TEXT, 0, "weight", FIELD(weight), "WHAT",
	  "count samples, or the event's own count (period)" },
	{ OPT_FLAG, 0, "annotate", FIELD(annotate), NULL,
	  "mark frames as FlameGraph does: _[k] kernel, _[j] JIT, _[i] inlined" },
	{ OPT_TEXT, 0, "like", FIELD(like), "TOOL",
	  "the lines of " LIKE " or " INFERNO ", with options behind a colon: " LIKE
	  ":kernel,pid (all, kernel, jit, pid, tid, addrs)" },
	{ OPT_HEADING, .help = "Which samples and frames" },
	{ OPT_TEXT, 0, "pid", FIELD(pids), "PID[,...]", "only these processes" },
	{ OPT_TEXT, 0, "tid", FIELD(tids), "TID[,...]", "only these threads" },
	FLAME_FILTER_SPECS,
	{ OPT_TEXT, 0, "keep", FIELD(keep), "REGEX", "the same as --grep", .hidden = true },
	{ OPT_FLAG, 0, "idle", FIELD(idle), NULL,
	  "what idle CPUs do too, which is the default; --no-idle leaves it out" },
	SYMBOL_OPTIONS(FLAME_SYMBOL),
	{ OPT_FLAG, 0, "no-index", FIELD(no_index), NULL, "neither read nor write FILE.index" },
	{ 0 },
};

static const struct flame_args fold_defaults = { .width = 1200, .idle = true };

static int parse_like(const char *text, struct collapse_options *options, struct err *err)
{
	size_t length = strcspn(text, ":");

	options->inferno = length == strlen(INFERNO) && !strncmp(text, INFERNO, length);
	if (!options->inferno && (length != strlen(LIKE) || strncmp(text, LIKE, length)))
		return err_set(err, EINVAL, "--like '%s': " LIKE " and " INFERNO " are known",
			       text);
	return collapse_parse(text[length] ? text + length + 1 : "", options, err);
}

static int write_like(const struct flame_args *args, const struct loaded *in, const char *name,
		      struct collapse_options *options, struct err *err)
{
	struct flametree_options view;
	struct outbuf out;
	int rc;

	rc = flame_weight_of(args, &options->weight, err);
	if (!rc)
		rc = flame_filter_of(args, in->profile, &options->filter, err);
	if (!rc && args->event)
		rc = flame_event_find(in->profile, args->event, &options->filter.event, err);
	if (rc)
		return rc;
	options->demangle = in->format == IMPORT_PERFDATA;
	if (options->addresses && in->format == IMPORT_PERFDATA)
		return err_set(err, EINVAL,
			       "--like: addrs: a profile holds no callers' addresses; "
			       "`perfolio script FILE | perfolio fold --like ... -` has them");
	view = (struct flametree_options){ .filter = options->filter, .show_idle = true };
	flame_warn_empty(name, in->profile, &view);
	outbuf_init(&out, STDOUT_FILENO);
	rc = in->profile->events.len ? collapse_write(in->profile, options, &out, err) : 0;
	return output_end(&out, rc, err);
}

static int fold_run(void *options, int argc, char **argv, struct err *err)
{
	const struct flame_args *args = options;
	const char *path = load_path(args->input ? args->input : argc ? argv[0] : NULL);
	struct collapse_options like = { 0 };
	struct loaded input;
	struct flame_job job = { .args = args,
				 .input = &input,
				 .path = path,
				 .name = path,
				 .output = args->output ? args->output : "-" };
	int rc = flame_format_of(args, FORMAT_FOLDED, &job.format, err);

	if (!rc && argc > (args->input ? 0 : 1))
		rc = err_set(err, EINVAL, "one profile at a time");
	if (!rc && args->like)
		rc = parse_like(args->like, &like, err);
	if (!rc && args->like && args->output)
		rc = err_set(err, EINVAL, "--like writes to standard output");
	if (!rc && flame_formats[job.format].is_picture)
		rc = err_set(err, EINVAL, "pictures are drawn by `perfolio flame`");
	if (!rc)
		rc = output_check_apart(job.output, path, err);
	if (!rc)
		rc = flame_load(&input, path, args, args->like ? &like : NULL, err);
	if (rc)
		return rc;
	rc = args->like ? write_like(args, &input, path, &like, err) : flame_draw(&job, err);
	loaded_close(&input);
	return rc;
}

const struct command cmd_fold = {
	.name = "fold",
	.args = "[FILE]",
	.summary = "turn a profile into folded stacks, a line each",
	.example = "perfolio fold perf.data | grep vfs_write",
	.options = fold_specs,
	.options_size = sizeof(struct flame_args),
	.defaults = &fold_defaults,
	.run = fold_run,
};
