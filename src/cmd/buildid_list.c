// SPDX-License-Identifier: Apache-2.0
/* The build-ids of what a recording ran, as perf lists them. */
#include "base/err.h"
#include "cmd/buildid_files.h"
#include "cmd/command.h"
#include "perfdata/buildid.h"
#include "profile/profile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct buildid_list_options {
	const char *input;
	bool kernel, hits, force;
};

static int list_kernel(struct err *err)
{
	char text[BUILD_ID_TEXT];
	struct build_id id;
	int rc = build_id_of_kernel(&id);

	if (rc)
		return err_set(err, -rc, "/sys/kernel/notes: %s", strerror(-rc));
	puts(build_id_text(text, &id));
	return EXIT_DONE;
}

/* Only objects that samples fall into. */
static int list_hits(const char *input, struct err *err)
{
	const struct load_options options = { 0 };
	char text[BUILD_ID_TEXT];
	struct loaded in;
	int rc = load_profile(&in, input, &options, err);
	bool *hit;

	if (rc)
		return rc;
	hit = mem_alloc((in.profile->objects.len + 1) * sizeof(*hit));
	for (size_t i = 0; i < in.profile->leaves.len; i++)
		if (in.profile->leaves.data[i].object < in.profile->objects.len)
			hit[in.profile->leaves.data[i].object] = true;
	for (size_t i = 0; i < in.profile->objects.len; i++) {
		const struct profile_object *object = &in.profile->objects.data[i];

		if (hit[i] && object->build_id.size)
			printf("%s %s\n", build_id_text(text, &object->build_id),
			       profile_text(in.profile, object->path));
	}
	free(hit);
	loaded_close(&in);
	return EXIT_DONE;
}

static int buildid_list_run(void *options, int argc, char **argv, struct err *err)
{
	const struct buildid_list_options *o = options;
	const char *input = load_path(o->input ? o->input : argc ? argv[0] : NULL);
	struct buildid_files files = { 0 };
	char text[BUILD_ID_TEXT];
	int rc;

	if (argc > (o->input ? 0 : 1))
		return err_set(err, EINVAL, "unexpected argument '%s'", argv[argc - 1]);
	if (o->kernel)
		return list_kernel(err);
	if (o->hits)
		return list_hits(input, err);
	rc = buildid_files_of(&files, input, err);
	vec_each (file, &files)
		printf("%s %s\n", build_id_text(text, &file->id), file->path);
	buildid_files_free(&files);
	return rc;
}

#define FIELD(name) offsetof(struct buildid_list_options, name)

static const struct option_spec buildid_list_specs[] = {
	{ OPT_TEXT, 'i', "input", FIELD(input), "FILE",
	  "read FILE instead of perf.data; - is standard input" },
	{ OPT_FLAG, 'H', "with-hits", FIELD(hits), NULL, "only what is in the stacks of samples" },
	{ OPT_FLAG, 'k', "kernel", FIELD(kernel), NULL, "that of the running kernel, alone" },
	{ OPT_FLAG, 'f', "force", FIELD(force), NULL,
	  "taken and ignored: files of others are read anyway", .hidden = true },
	{ 0 },
};

const struct command cmd_buildid_list = {
	.name = "buildid-list",
	.args = "[FILE]",
	.summary = "list the build-ids of what a recording ran",
	.example = "perfolio buildid-list -i perf.data",
	.options = buildid_list_specs,
	.options_size = sizeof(struct buildid_list_options),
	.run = buildid_list_run,
};
