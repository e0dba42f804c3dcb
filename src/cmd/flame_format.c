// SPDX-License-Identifier: Apache-2.0
#include "cmd/flame_format.h"
#include "base/buf.h"
#include "base/err.h"
#include "cmd/flame_options.h"
#include "cmd/output.h"
#include "render/export.h"

#include <errno.h>

/* clang-format off */
const struct flame_format_spec flame_formats[FORMATS] = {
	[FORMAT_SVG] = { "svg", "svg", .is_picture = true },
	[FORMAT_HTML] = { "html", "html", .ends = "htm", .is_picture = true, .is_page = true },
	[FORMAT_FOLDED] = { "folded", "folded", .ends = "txt" },
	[FORMAT_JSON] = { "json", "json" },
	[FORMAT_PPROF] = { "pprof", "pb.gz", .ends = "pprof pb", .is_binary = true, .is_gzip = true,
			   .write = export_pprof },
	[FORMAT_SPEEDSCOPE] = { "speedscope", "speedscope.json", .ends = "speedscope",
				.keeps_samples = true, .write = export_speedscope },
	[FORMAT_FIREFOX] = { "firefox", "firefox.json", .ends = "firefox",
			     .keeps_samples = true, .write = export_firefox },
	[FORMAT_SCRIPT] = { "script", "script", .keeps_samples = true, .write = export_script },
	[FORMAT_CSV] = { "csv", "csv", .keeps_samples = true, .write = export_csv },
	[FORMAT_HDF5] = { "hdf5", "h5", .ends = "hdf5", .is_binary = true, .keeps_samples = true,
			  .write = export_hdf5 },
};
/* clang-format on */

static bool ends_in(const char *name, size_t length, const char *end, size_t tail)
{
	return length > tail && name[length - tail - 1] == '.' &&
	       !strncmp(name + length - tail, end, tail);
}

/* How much of a name's end speaks for a format: "speedscope.json" more than "json". */
static size_t match(const char *name, const struct flame_format_spec *spec)
{
	size_t whole = strlen(name), suffix = strlen(spec->suffix);
	size_t length = whole - strlen(packing_suffix(packing_of_name(name)));

	if (ends_in(name, whole, spec->suffix, suffix) ||
	    ends_in(name, length, spec->suffix, suffix))
		return suffix;
	for (const char *end = spec->ends; end && *end; end += strspn(end, " ")) {
		size_t tail = strcspn(end, " ");

		if (ends_in(name, length, end, tail))
			return tail;
		end += tail;
	}
	return 0;
}

static int no_such_format(const char *name, struct err *err)
{
	struct buf names = { 0 };

	for (int i = 0; i < FORMATS; i++)
		buf_printf(&names, "%s%s", i ? ", " : "", flame_formats[i].name);
	err_set(err, EINVAL, "--format '%s': there are: %s", name, buf_text(&names));
	buf_free(&names);
	return -EINVAL;
}

/* Whether a name says something about its format, if only we knew what: "out.png", not "out.gz". */
static bool has_end(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *packed = packing_suffix(packing_of_name(path));
	const char *point = memrchr(name, '.', strlen(name) - strlen(packed));

	return point && point > name && !output_is_special(path);
}

/* What `fold` and `export` write is no picture, so their lists hold none. */
static int no_such_end(const char *path, bool pictures, struct err *err)
{
	struct buf ends = { 0 };

	for (int i = 0; i < FORMATS; i++)
		if (pictures || !flame_formats[i].is_picture)
			buf_printf(&ends, "%s.%s", ends.len ? ", " : "", flame_formats[i].suffix);
	err_set(err, EINVAL, "the end of '%s' names no format: there are %s; or --format names it",
		path, buf_text(&ends));
	buf_free(&ends);
	return -EINVAL;
}

int flame_format_of(const struct flame_args *args, enum flame_format standard,
		    enum flame_format *format, struct err *err)
{
	size_t best = 0;

	*format = standard;
	for (int i = 0; args->format && i < FORMATS; i++)
		if (!strcmp(args->format, flame_formats[i].name)) {
			*format = (enum flame_format)i;
			return 0;
		}
	if (args->format)
		return no_such_format(args->format, err);
	for (int i = 0; args->output && i < FORMATS; i++) {
		size_t here = match(args->output, &flame_formats[i]);

		if (here > best) {
			best = here;
			*format = (enum flame_format)i;
		}
	}
	if (!best && args->output && (standard == FORMATS || has_end(args->output)))
		return no_such_end(args->output, standard == FORMAT_SVG, err);
	return 0;
}

enum packing flame_packing(enum flame_format format, const char *path)
{
	enum packing packing = packing_of_name(path);

	return packing == PACK_NOT && flame_formats[format].is_gzip ? PACK_GZIP : packing;
}
