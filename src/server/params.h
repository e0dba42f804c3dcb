/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parameters of addresses that the API's description knows (docs/api/parts).  One that it does
 * not know is refused: ignored it would be a wrong answer without a word, as `form=` for `from=`.
 */
#ifndef SERVER_PARAMS_H
#define SERVER_PARAMS_H

struct err;
struct http_exchange;

struct api_params {
	const char *method, *path;
	const char *const *names; /* NULL at the end */
};

/* Made by tools/apiparams.py; an empty row ends it. */
extern const struct api_params api_params[];

/* 0, or refused by name, with those that there are. */
int params_check(struct http_exchange *exchange, struct err *err);

#endif
