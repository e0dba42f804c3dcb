/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with the server as a whole, and lasts: it is said wherever the queue is shown. */
#ifndef SERVER_TROUBLE_H
#define SERVER_TROUBLE_H

struct datadir;
struct json;

/* {"code","message","remedy"}, or null. */
void trouble_write(struct json *json, const char *key, struct datadir *dir);

#endif
