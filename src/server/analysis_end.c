// SPDX-License-Identifier: Apache-2.0
#include "server/analysis_end.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/jsonread.h"
#include "base/log.h"
#include "profile/index.h"
#include "server/app.h"
#include "server/rights.h"
#include "server/webhook.h"
#include "store/content.h"
#include "store/datadir.h"
#include "store/people.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int open_row(struct app *app, int64_t id, const struct file_row *row,
		    struct analysis_source *source, struct err *err)
{
	struct file_row opened;
	struct user maker;
	struct run run;
	int rc;

	if (!row)
		return err_set(err, ENODATA, "there are no samples");
	rc = store_run_get(app->store, id, &source->arena, &run, err);
	if (rc)
		return rc;
	/* of somebody who was removed it is looked at as everybody, not as who has the name now */
	rc = rights_find_maker(app, &run, &source->arena, &maker, NULL);
	source->person = rc ? "" : run.person;
	source->kind = row->kind;
	source->fd = content_open(app->dir, row->id, &source->arena, &opened, err);
	return source->fd < 0 ? source->fd : 0;
}

/* An upload is on the disk before its run is made, but a crash may come between the two. */
static int explain_nothing(struct app *app, int64_t id, struct arena *arena, struct err *err)
{
	struct run run;
	int rc = store_run_get(app->store, id, arena, &run, err);

	if (!rc && !strcmp(run.tool, "import"))
		return err_set(err, EIO, "the file was not kept; it has to be imported again");
	return rc ? rc : err_set(err, ENODATA, "there are no samples");
}

int analysis_open(struct app *app, int64_t run, struct analysis_source *source, struct err *err)
{
	struct file_rows rows = { 0 };
	const struct file_row *row = NULL;
	int rc;

	*source = (struct analysis_source){ .fd = -1, .scratch = -1, .name = "the recording" };
	rc = content_list(app->dir, run, &source->arena, &rows, err);
	if (!rc)
		row = content_find(&rows, "recording", true);
	if (!rc && !row)
		row = content_find(&rows, "import", true);
	if (!rc && !row)
		rc = explain_nothing(app, run, &source->arena, err);
	if (!rc)
		rc = open_row(app, run, row->size || !strcmp(row->kind, "import") ? row : NULL,
			      source, err);
	if (!rc && !strcmp(source->kind, "import")) {
		source->name = "the file";
		source->scratch = datadir_scratch(app->dir, err);
		rc = source->scratch < 0 ? source->scratch : 0;
	}
	vec_free(&rows);
	if (rc)
		analysis_close(source);
	return rc;
}

int analysis_open_growing(struct app *app, int64_t run, struct analysis_source *source,
			  struct err *err)
{
	struct file_rows rows = { 0 };
	int rc;

	*source = (struct analysis_source){ .fd = -1, .scratch = -1 };
	rc = content_list(app->dir, run, &source->arena, &rows, err);
	if (!rc)
		rc = open_row(app, run, content_find(&rows, "recording", false), source, err);
	vec_free(&rows);
	if (rc)
		analysis_close(source);
	return rc;
}

void analysis_close(struct analysis_source *source)
{
	if (source->fd >= 0)
		close(source->fd);
	if (source->scratch >= 0)
		close(source->scratch);
	arena_free(&source->arena);
}

/* ---- what was found ---- */

/* Its text goes out as part of larger JSON, so it has to be some. */
static struct json_object *read_object(const char *text, const char *name, struct err *err)
{
	struct json_object *object = jsonread(text, strlen(text), name, err);

	if (object && !json_object_is_type(object, json_type_object)) {
		json_object_put(object);
		object = NULL;
		err_set(err, EPROTO, "%s is not an object", name);
	}
	return object;
}

/* Counters and output are files of their own, which the analyser does not see. */
static void add_tabs(struct app *app, int64_t run, struct json_object *facts)
{
	static const char *const kinds[][2] = { { "series", "counters" }, { "output", "output" } };
	struct json_object *tabs = json_object_object_get(facts, "tabs");
	struct file_rows rows = { 0 };
	struct arena arena = { 0 };

	if (!json_object_is_type(tabs, json_type_array)) {
		tabs = json_object_new_array();
		json_object_array_add(tabs, json_object_new_string("overview"));
		json_object_array_add(tabs, json_object_new_string("raw"));
		json_object_object_add(facts, "tabs", tabs);
	}
	if (!content_list(app->dir, run, &arena, &rows, NULL))
		for (size_t i = 0; i < 2; i++)
			if (content_find(&rows, kinds[i][0], true))
				json_object_array_add(tabs, json_object_new_string(kinds[i][1]));
	vec_free(&rows);
	arena_free(&arena);
}

static const char *json_text_of(struct json_object *object)
{
	return json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
							      JSON_C_TO_STRING_NOSLASHESCAPE);
}

/* A run that was processing is done; one that had ended before stays what it was. */
static int step(struct app *app, int64_t id, const struct run_facts *facts, struct err *err)
{
	struct arena arena = { 0 };
	struct run run;
	int rc = store_run_get(app->store, id, &arena, &run, err);

	if (!rc)
		rc = store_run_step(app->store, id, run.state,
				    run.state == RUN_PROCESSING ? RUN_DONE : run.state, facts, err);
	if (!rc && run.state == RUN_PROCESSING)
		webhook_tell(app, id);
	arena_free(&arena);
	return rc;
}

/* Where it was made is known of runs of ours; imports may tell. */
static int store_facts(struct app *app, int64_t run, const struct analysis_result *result,
		       struct err *err)
{
	struct json_object *quality = NULL, *facts;
	struct run_facts known = { 0 };
	int rc = 0;

	facts = read_object(result->facts ? result->facts : "{}", "what an analyser found", err);
	if (result->quality)
		quality = read_object(result->quality, "the quality that an analyser found", err);
	if (!facts || (result->quality && !quality))
		rc = -EPROTO;
	if (!rc) {
		add_tabs(app, run, facts);
		known.facts = json_text_of(facts);
		known.quality = quality ? json_text_of(quality) : NULL;
		known.kernel = jsonread_text(facts, "kernel", NULL);
		known.cpu_model = jsonread_text(facts, "cpu_model", NULL);
		rc = step(app, run, &known, err);
	}
	json_object_put(facts);
	json_object_put(quality);
	return rc;
}

/* Everything about it is checked before it is used: profile/index.h. */
static int check_index(int fd, struct err *err)
{
	struct profile *profile = NULL;
	int rc = profile_index_open_fd(&profile, fd, err);

	profile_free(profile);
	return rc;
}

static void remove_others(struct app *app, int64_t run, int64_t but)
{
	struct file_rows rows = { 0 };
	struct arena arena = { 0 };

	if (!content_list(app->dir, run, &arena, &rows, NULL))
		vec_each (row, &rows)
			if (!strcmp(row->kind, "index") && row->id != but)
				content_remove(app->dir, row->id, NULL);
	vec_free(&rows);
	arena_free(&arena);
}

static int keep_index(struct app *app, int64_t run, const char *name, struct err *err)
{
	struct content *content = content_adopt(app->dir, run, "index", name, err);
	int64_t id;
	int rc;

	if (!content)
		return -err->code;
	id = content_id(content);
	rc = content_end(content, err);
	if (!rc)
		remove_others(app, run, id);
	return rc;
}

/* What may be otherwise the next time, and says nothing of the run. */
static bool is_passing(int rc)
{
	return rc == -ENOSPC || rc == -EDQUOT || rc == -EBUSY || rc == -EIO || rc == -EROFS;
}

int analysis_end(struct app *app, int64_t run, int index, const struct analysis_result *result)
{
	struct err err = { 0 };
	int rc = index >= 0 ? check_index(index, &err) : 0;

	if (!rc && index >= 0)
		rc = keep_index(app, run, result->index, &err);
	if (!rc)
		rc = store_facts(app, run, result, &err);
	if (!rc)
		return 0;
	return is_passing(rc) ? rc : analysis_fail(app, run, err.text);
}

/* What was counted and printed can be looked at all the same; one that was read before stays so. */
static int keep_rest(struct app *app, int64_t id, struct err *err)
{
	struct arena arena = { 0 };
	struct run run;
	int rc = store_run_get(app->store, id, &arena, &run, err);

	if (!rc && !*run.facts.facts)
		rc = store_facts(app, id, &(struct analysis_result){ 0 }, err);
	arena_free(&arena);
	return rc;
}

int analysis_fail(struct app *app, int64_t run, const char *reason)
{
	static const char *const names[] = { "the file: ", "the recording: " };
	char text[500];
	struct run_facts facts = { .reason = text };
	struct err err = { 0 };
	int rc;

	/* "the file: it ends too early" */
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strncmp(reason, names[i], strlen(names[i])))
			reason += strlen(names[i]);
	snprintf(text, sizeof(text), "its data can't be read: %s", reason);
	/* One that had ended before has its own reason. */
	rc = store_run_step(app->store, run, RUN_PROCESSING, RUN_FAILED, &facts, &err);
	if (rc == -ENOENT) /* it was removed meanwhile: nobody's fault */
		return 0;
	if (is_passing(rc)) {
		log_once(LOG_WARN, "run %lld: %s, which can't be noted: %s", (long long)run, text,
			 err.text);
		return rc;
	}
	if (rc)
		log_line(LOG_WARN, "run %lld: %s (%s)", (long long)run, text, err.text);
	else
		webhook_tell(app, run);
	rc = keep_rest(app, run, &err);
	if (rc)
		log_once(LOG_WARN, "run %lld: %s", (long long)run, err.text);
	return is_passing(rc) ? rc : 0;
}
