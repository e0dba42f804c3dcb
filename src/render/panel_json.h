/* SPDX-License-Identifier: Apache-2.0 */
/* How far an object's names and stacks can be trusted, as JSON. */
#ifndef RENDER_PANEL_JSON_H
#define RENDER_PANEL_JSON_H

#include "profile/remedy.h"
#include "profile/trust.h"

struct json;

/* "faults": what is wrong, what touches most samples first. */
void trust_faults_json(const struct profile *profile, const struct trust *trust, struct json *json);

/* One object, in an array. */
void panel_row_json(const struct panel_row *row, const struct profile *profile,
		    const struct remedy_facts *facts, struct json *json);

#endif
