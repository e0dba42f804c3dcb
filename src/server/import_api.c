// SPDX-License-Identifier: Apache-2.0
/* A run from a file that somebody sends: it is looked at by an analyser, as a recording of ours. */
#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "server/analysis.h"
#include "server/app.h"
#include "server/jobs.h"
#include "server/resource.h"
#include "store/content.h"
#include "store/datadir.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NAME_MOST 255

static char *form_of(struct request *request, const char *name)
{
	char *text = NULL, *copy;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct json json = json_to(out);

	if (!out)
		abort(); /* out of memory, as in base/mem.c */
	json_open(&json, NULL, '{');
	json_text(&json, "name", name);
	json_close(&json);
	fclose(out);
	copy = arena_strndup(&request->arena, text, strcspn(text, "\n"));
	free(text);
	return copy;
}

static int add_run(struct request *request, const char *name, int64_t *id, struct err *err)
{
	struct run run = {
		.session = request->ids[0],
		.state = RUN_PROCESSING,
		.host = request->app->policy.host,
		.person = request->user->name,
		.maker = request->user->id,
		.tool = "import",
		.form = form_of(request, name),
	};

	return store_run_add(request->store, &run, id, err);
}

/* A run without its file is taken back for good. */
static void take_back(struct request *request, int64_t id)
{
	struct run_facts facts = { .reason = "its file could not be kept" };

	store_run_step(request->store, id, RUN_PROCESSING, RUN_FAILED, &facts, NULL);
	store_remove(request->store, STORE_RUN, id, clock_wall_ns(), NULL);
}

static int keep_file(struct request *request, int64_t id, struct err *err)
{
	struct content *content = content_adopt(request->app->dir, id, "import",
						request->upload_name, err);

	if (!content)
		return -err->code;
	request->upload_name = NULL;
	return content_end(content, err);
}

static int check_upload(const struct request *request, const char *name, struct err *err)
{
	struct stat info;

	if (fstat(request->upload, &info))
		return err_set(err, errno, "the file: %s", strerror(errno));
	if (!info.st_size)
		return err_set(err, EINVAL, "%s is empty; choose a file that has a profile in it",
			       *name ? name : "the file");
	if (strlen(name) > NAME_MOST)
		return err_set(err, EINVAL, "`name` has at most %d bytes", NAME_MOST);
	return 0;
}

/*
 * A file that is no profile never becomes a run: an analyser looks at its beginning while the
 * client waits.  One that fails at that in another way leaves the word to the run's own analysis.
 */
static int check_format(struct request *request, const char *name, struct err *err)
{
	struct msg_input input = { .kind = "import",
				   .name = *name ? name : "the file",
				   .fd = request->upload };
	struct job_spec spec = { .kind = ANALYSE_CHECK,
				 .imported = true,
				 .at_once = true,
				 .inputs = &input,
				 .input_count = 1,
				 .out = -1 };
	struct err why = { 0 };

	if (!request->app->jobs || jobs_run(request->app->jobs, &spec, &why) != -EINVAL)
		return 0;
	return reply_error(request, 400, "not-a-profile", "", err, "%s.", why.text);
}

static int import(struct request *request, struct err *err)
{
	const char *name = request_text(request, "name", "");
	int64_t id;
	int rc = check_upload(request, name, err);

	if (!rc)
		rc = check_format(request, name, err);
	if (!rc)
		rc = add_run(request, name, &id, err);
	if (rc)
		return rc;
	rc = keep_file(request, id, err);
	if (rc) {
		take_back(request, id);
		return rc;
	}
	audit(request, "import", "run %lld: %s", (long long)id, name);
	if (request->app->analysis)
		analysis_process(request->app->analysis, id);
	rc = reply_run(request, id, err);
	reply_status(request, 201);
	return rc;
}

const struct route import_routes[] = {
	{ "POST", "/api/v1/sessions/{id}/import", RIGHT_CHANGE_SESSION, import,
	  ROUTE_UPLOAD | ROUTE_SLOW },
	{ 0 },
};
