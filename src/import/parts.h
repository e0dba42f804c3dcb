/* SPDX-License-Identifier: Apache-2.0 */
/* What the importers have in common; import/import.h is the door. */
#ifndef IMPORT_PARTS_H
#define IMPORT_PARTS_H

#include "import/import.h"
#include "import/input.h"
#include "import/rawtab.h"
#include "import/sink.h"

struct import_job {
	struct input *input;
	const struct import_options *options;
	struct import_result *result;
	struct sink sink;
};

int import_perfscript(struct import_job *job, struct err *err);
int import_folded(struct import_job *job, struct err *err);
int import_pprof(struct import_job *job, struct err *err);
int import_legacy(struct import_job *job, struct err *err);

/* Counts a line that is not understood and keeps the first. */
void import_broken(struct import_result *result, const char *line, const char *end);
/* The same of a line that came before: its number, from 1. */
void import_broken_at(struct import_result *result, uint64_t number, const char *line,
		      const char *end);

/* Hands every line to `take`, the newline aside, and tells the progress. */
int import_each_line(struct import_job *job,
		     void (*take)(void *state, const char *line, const char *end), void *state,
		     struct err *err);

/* The object of a path as texts name them: "[kernel.kallsyms]", "/tmp/perf-12.map". */
uint32_t import_object(struct profile *profile, const char *path);
/* The same with its build-id in hexadecimal; "" or what is none is no build-id. */
uint32_t import_object_of(struct profile *profile, const char *path, const char *build_id);
/* What code in it is. */
enum frame_kind import_kind(const struct profile *profile, uint32_t object);
/* The function of that name; none (or an empty one) is UNKNOWN_NAME. */
/* What stands for a stack where a sample has none. */
uint32_t import_no_stack(struct profile *profile);
/* What a type of values counts: "" for samples, else its name. */
const char *import_noun(const char *type);
uint32_t import_function(struct profile *profile, const char *name, uint32_t object);

/* What the first bytes look like, without reading more. */
bool perfscript_looks_so(const char *bytes, size_t size);
bool folded_looks_so(const char *bytes, size_t size);
bool pprof_looks_so(const char *bytes, size_t size, bool all);
bool legacy_looks_so(const char *bytes, size_t size);

/* What a line speaks for: 1 this format, -1 something else, 0 neither.  *timed: a head had a time.
 */
int perfscript_line_speaks(const char *line, const char *end, bool *timed);
int folded_line_speaks(const char *line, const char *end);

#endif
