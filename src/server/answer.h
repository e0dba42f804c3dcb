/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of the machine (server/link.h), as handlers need them. */
#ifndef SERVER_ANSWER_H
#define SERVER_ANSWER_H

#include "server/link.h"
#include "server/route.h"

/* Who asks: whoever waits for the reply. */
struct asker answer_asker(struct request *request);

/* The answer as it is. */
int answer_reply(struct request *request, const char *what, const struct wordlist *words,
		 struct err *err);

/* The answer to a question without words; json_object_put() it.  recent: it may be 20 s old. */
int answer_object(struct request *request, const char *what, bool recent,
		  struct json_object **object, struct err *err);
/* The list of that name in it; NULL: none. */
struct json_object *answer_list(struct json_object *object, const char *name);

/*
 * Whether every word of the search is in one of an object's texts, case aside; in those of the
 * named members only, if there is a list of names.
 */
bool answer_has_words(struct json_object *object, const char *const *members, const char *search);
/* Those of the list that have the words, as "items", and how many there are as "total". */
void found_write(struct json *json, struct json_object *list, const char *const *members,
		 const char *search);

#endif
