/* SPDX-License-Identifier: Apache-2.0 */
/* From a form to queued runs. */
#ifndef SERVER_RUNS_ADD_H
#define SERVER_RUNS_ADD_H

#include "base/vec.h"
#include "server/form.h"
#include "server/route.h"

struct run_ids VEC_OF(int64_t);

/* What the policy and the command's own options say to it; -EACCES, -EINVAL in words. */
int form_permitted(const struct app *app, const struct form *form, const char *person,
		   struct err *err);

/* Queues it once, or as often as it says; the form's text is kept as it is.  Adds to *ids. */
int runs_add(struct request *request, int64_t session, struct json_object *form,
	     struct run_ids *ids, struct err *err);

#endif
