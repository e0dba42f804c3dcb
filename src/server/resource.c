// SPDX-License-Identifier: Apache-2.0
#include "server/resource.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/jsonread.h"
#include "base/log.h"
#include "server/quote.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TAG_MOST 100

void write_time(struct json *json, const char *key, int64_t ns)
{
	if (ns)
		json_u64_text(json, key, (uint64_t)ns);
	else
		json_text(json, key, NULL);
}

void write_words(struct json *json, const char *key, const struct wordlist *words)
{
	json_open(json, key, '[');
	for (size_t i = 0; i < words->len; i++)
		json_text(json, NULL, words->data[i]);
	json_close(json);
}

void write_ending(struct json *json, const struct run_facts *facts)
{
	if (facts->ending == ENDING_NONE) {
		json_text(json, "ending", NULL);
		return;
	}
	json_open(json, "ending", '{');
	json_text(json, "kind", facts->ending == ENDING_SIGNAL ? "signal" : "exit");
	json_int(json, "code", facts->ending_code);
	json_close(json);
}

static void write_facts(struct json *json, const struct run_facts *facts)
{
	write_time(json, "started_ns", facts->started_ns);
	write_time(json, "ended_ns", facts->ended_ns);
	write_ending(json, facts);
	json_text(json, "kernel", facts->kernel);
	json_text(json, "perfolio", facts->perfolio);
	json_text(json, "cpu_model", facts->cpu_model);
	json_raw(json, "quality", facts->quality);
	json_text(json, "reason", facts->reason);
	json_raw(json, "facts", facts->facts);
	json_raw(json, "usage", facts->usage);
}

/* "NAME=•••" */
static void mask_words(const struct wordlist *words, struct arena *arena, struct wordlist *into)
{
	vec_each (word, words)
		*vec_push(into) = arena_printf(arena, "%.*s=" MASK, (int)strcspn(*word, "="),
					       *word);
}

/* A webhook's address may hold a key. */
static const char *mask_form(const char *text, const struct wordlist *masked, struct arena *arena)
{
	struct json_object *form = jsonread(text, strlen(text), "", NULL), *old;
	struct buf line = { 0 };
	const char *result = "{}";

	if (!form)
		return result;
	quote_join(masked, &line);
	if (json_object_object_get_ex(form, "environment", &old))
		json_object_object_add(form, "environment",
				       json_object_new_string(buf_text(&line)));
	if (*jsonread_text(form, "webhook", ""))
		json_object_object_add(form, "webhook", json_object_new_string(MASK));
	result = arena_strdup(
		arena, json_object_to_json_string_ext(
			       form, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(form);
	buf_free(&line);
	return result;
}

struct run_secrets run_secrets(const struct run *run, bool all, struct arena *arena)
{
	struct run_secrets secrets = { .form = run->form };

	if (all) {
		vec_each (word, &run->environment)
			*vec_push(&secrets.environment) = *word;
		return secrets;
	}
	mask_words(&run->environment, arena, &secrets.environment);
	if (run->environment.len || strstr(run->form, "\"webhook\""))
		secrets.form = mask_form(run->form, &secrets.environment, arena);
	return secrets;
}

void run_secrets_fini(struct run_secrets *secrets)
{
	vec_free(&secrets->environment);
}

/* What the one who asks may do with it; null where nobody in particular does. */
static void write_rights(struct json *json, const struct run_rights *rights)
{
	if (!rights) {
		json_text(json, "may", NULL);
		return;
	}
	json_open(json, "may", '{');
	json_flag(json, "change", rights->change);
	json_flag(json, "repeat", rights->repeat);
	json_flag(json, "raw", rights->raw);
	json_close(json);
}

static void write_run(struct json *json, const struct run *run, const struct run_rights *rights)
{
	bool all = rights && rights->raw;
	struct arena arena = { 0 };
	struct run_secrets secrets = run_secrets(run, all, &arena);
	struct buf command = { 0 };

	quote_join(&run->argv, &command);
	json_open(json, NULL, '{');
	json_int(json, "id", run->id);
	json_int(json, "session", run->session);
	json_text(json, "state", run_state_name(run->state));
	json_int(json, "place", run->place);
	json_flag(json, "paused", run->paused);
	json_text(json, "host", run->host);
	json_text(json, "person", run->person);
	json_text(json, "tool", run->tool);
	json_raw(json, "form", secrets.form);
	write_words(json, "argv", &run->argv);
	json_text(json, "command", buf_text(&command));
	write_words(json, "environment", &secrets.environment);
	json_flag(json, "masked", !all);
	json_text(json, "folder", run->folder);
	write_words(json, "events", &run->events);
	write_words(json, "tags", &run->tags);
	write_time(json, "created_ns", run->created_ns);
	write_facts(json, &run->facts);
	json_int(json, "bytes", run->bytes);
	json_int(json, "change", run->change);
	write_time(json, "removed_until_ns", run->purge_ns);
	write_rights(json, rights);
	json_close(json);
	buf_free(&command);
	run_secrets_fini(&secrets);
	arena_free(&arena);
}

void run_write(struct json *json, const struct run *run, struct request *request)
{
	struct run_rights rights = rights_of_run(request, run);
	struct values_seen *seen = &request->values;

	if (rights.raw && run->maker != request->user->id &&
	    (run->environment.len || strstr(run->form, "\"webhook\""))) {
		seen->first = seen->count && seen->first < run->id ? seen->first : run->id;
		seen->last = seen->last > run->id ? seen->last : run->id;
		seen->count++;
	}
	write_run(json, run, &rights);
}

void run_write_masked(struct json *json, const struct run *run)
{
	write_run(json, run, NULL);
}

void session_write(struct json *json, const struct session *session, struct request *request)
{
	json_open(json, NULL, '{');
	json_int(json, "id", session->id);
	json_text(json, "title", session->title);
	json_text(json, "notes", session->notes);
	json_text(json, "person", session->person);
	json_flag(json, "may_change", rights_change_session(request->user, session));
	write_time(json, "created_ns", session->created_ns);
	json_flag(json, "archived", session->archived);
	json_int(json, "runs", session->runs);
	json_int(json, "bytes", session->bytes);
	json_int(json, "change", session->change);
	write_words(json, "tags", &session->tags);
	write_time(json, "removed_until_ns", session->purge_ns);
	json_close(json);
}

int reply_run(struct request *request, int64_t id, struct err *err)
{
	struct run run;
	int rc = store_run_get(request->store, id, &request->arena, &run, err);

	if (rc)
		return rc;
	/* place and size change without the run, and not everybody sees all of it */
	if (!reply_etag(request, arena_printf(&request->arena, "%lld-%lld-%lld-%lld",
					      (long long)run.change, (long long)run.place,
					      (long long)run.bytes, (long long)request->user->id)))
		run_write(reply_json(request), &run, request);
	return 0;
}

int reply_session(struct request *request, int64_t id, struct err *err)
{
	struct session session;
	int rc = store_session_get(request->store, id, &request->arena, &session, err);

	if (rc)
		return rc;
	if (!reply_etag(request,
			arena_printf(&request->arena, "%lld-%lld-%lld-%lld",
				     (long long)session.change, (long long)session.runs,
				     (long long)session.bytes, (long long)request->user->id)))
		session_write(reply_json(request), &session, request);
	return 0;
}

int read_page(const struct request *request, struct page *page, size_t *limit, struct err *err)
{
	uint64_t before, asked;
	int rc = request_u64(request, "before", 0, &before, err);

	if (!rc)
		rc = request_u64(request, "limit", 100, &asked, err);
	if (rc)
		return rc;
	if (before > INT64_MAX || !asked || asked > 1000)
		return err_set(err, EINVAL, "limit is from 1 to 1000, before an id");
	*limit = asked;
	*page = (struct page){ .before = (int64_t)before, .limit = (int)asked + 1 };
	return 0;
}

void end_page(struct json *json, size_t len, size_t limit, int64_t last)
{
	json_close(json);
	if (len > limit)
		json_int(json, "next", last);
	else
		json_text(json, "next", NULL);
	json_close(json);
}

static bool has_word(const struct wordlist *words, const char *word)
{
	for (size_t i = 0; i < words->len; i++)
		if (!strcmp(words->data[i], word))
			return true;
	return false;
}

static int check_tags(const struct wordlist *tags, struct err *err)
{
	for (size_t i = 0; i < tags->len; i++)
		if (!*tags->data[i] || strlen(tags->data[i]) > TAG_MOST)
			return err_set(err, EINVAL, "a tag has 1 to %d bytes", TAG_MOST);
	return tags->len > 32 ? err_set(err, EINVAL, "more than 32 tags") : 0;
}

int change_tags(struct request *request, enum store_kind kind, int64_t id,
		const struct wordlist *now, struct err *err)
{
	struct wordlist wanted = { 0 };
	int rc = body_words(request, "tags", &wanted, err);

	if (!rc)
		rc = check_tags(&wanted, err);
	if (!json_object_object_get_ex(request->body, "tags", NULL)) {
		vec_free(&wanted);
		return rc;
	}
	for (size_t i = 0; i < now->len && !rc; i++)
		if (!has_word(&wanted, now->data[i]))
			rc = store_tag(request->store, kind, id, now->data[i], false, err);
	for (size_t i = 0; i < wanted.len && !rc; i++)
		if (!has_word(now, wanted.data[i]))
			rc = store_tag(request->store, kind, id, wanted.data[i], true, err);
	vec_free(&wanted);
	return rc;
}

void audit(struct request *request, const char *action, const char *format, ...)
{
	char detail[1000];
	struct err err = { 0 };
	va_list args;

	va_start(args, format);
	vsnprintf(detail, sizeof(detail), format, args);
	va_end(args);
	if (store_audit_add(request->store, request->user->name, action, detail, &err))
		log_line(LOG_WARN, "%s by %s (%s) is not in the log: %s", action,
			 request->user->name, detail, err.text);
}
