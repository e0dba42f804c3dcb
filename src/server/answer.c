// SPDX-License-Identifier: Apache-2.0
#include "server/answer.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/jsonread.h"
#include "base/text.h"
#include "server/app.h"
#include "server/link.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#define FOUND_MOST 1000

struct asker answer_asker(struct request *request)
{
	return (struct asker){ .person = request->user->name,
			       .gone = request_gone,
			       .user = request };
}

int answer_reply(struct request *request, const char *what, const struct wordlist *words,
		 struct err *err)
{
	struct asker asker = answer_asker(request);
	struct buf answer = { 0 };
	int rc = link_ask(request->app->link, &asker, what, words, &answer, err);

	if (!rc)
		reply_take(request, "application/json", &answer);
	buf_free(&answer);
	return rc;
}

int answer_object(struct request *request, const char *what, bool recent,
		  struct json_object **object, struct err *err)
{
	struct buf answer = { 0 };
	struct asker asker = answer_asker(request);
	struct link *link = request->app->link;
	int rc = recent ? link_ask_recent(link, &asker, what, NULL, &answer, err)
			: link_ask(link, &asker, what, NULL, &answer, err);

	if (!rc) {
		*object = jsonread(buf_text(&answer), answer.len, what, err);
		rc = *object ? 0 : -EIO;
	}
	buf_free(&answer);
	return rc;
}

struct json_object *answer_list(struct json_object *object, const char *name)
{
	struct json_object *list = NULL;

	if (json_object_is_type(object, json_type_array))
		return object;
	if (!json_object_object_get_ex(object, name, &list) ||
	    !json_object_is_type(list, json_type_array))
		return NULL;
	return list;
}

static bool is_member(const char *const *members, const char *name)
{
	if (!members)
		return true;
	while (*members && strcmp(*members, name))
		members++;
	return *members;
}

static bool has_word(struct json_object *object, const char *const *members, const char *word)
{
	json_object_object_foreach(object, name, value)
	{
		if (value && !json_object_is_type(value, json_type_array) &&
		    is_member(members, name) && text_contains(json_object_get_string(value), word))
			return true;
	}
	return false;
}

bool answer_has_words(struct json_object *object, const char *const *members, const char *search)
{
	char word[128];

	while (*search) {
		size_t length = strcspn(search, " ");

		snprintf(word, sizeof(word), "%.*s", (int)length, search);
		if (length && !has_word(object, members, word))
			return false;
		search += length + (search[length] == ' ');
	}
	return true;
}

void found_write(struct json *json, struct json_object *list, const char *const *members,
		 const char *search)
{
	uint64_t total = 0;

	json_open(json, "items", '[');
	for (size_t i = 0; list && i < json_object_array_length(list); i++) {
		struct json_object *item = json_object_array_get_idx(list, i);

		if (answer_has_words(item, members, search) && total++ < FOUND_MOST)
			json_raw(json, NULL,
				 json_object_to_json_string_ext(item, JSON_C_TO_STRING_PLAIN));
	}
	json_close(json);
	json_u64(json, "total", total);
}
