// SPDX-License-Identifier: Apache-2.0
#include "server/trouble.h"
#include "base/err.h"
#include "base/json.h"
#include "store/datadir.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* Words of ours are "the reason; what to do". */
void trouble_write(struct json *json, const char *key, struct datadir *dir)
{
	struct err err = { 0 };
	int rc = dir ? datadir_trouble(dir, &err) : 0;
	char *remedy = strstr(err.text, "; ");

	if (!rc) {
		json_text(json, key, NULL);
		return;
	}
	if (remedy) {
		*remedy = '\0';
		remedy += 2;
		*remedy = (char)toupper((unsigned char)*remedy);
	}
	err.text[0] = (char)toupper((unsigned char)err.text[0]);
	json_open(json, key, '{');
	json_text(json, "code", rc == -EDQUOT ? "quota" : "disk-full");
	json_text(json, "message", err.text);
	json_text(json, "remedy", remedy ? remedy : "");
	json_close(json);
}
