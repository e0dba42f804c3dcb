/* SPDX-License-Identifier: Apache-2.0 */
/* The server's data folder, for the commands that work on it. */
#ifndef CMD_SERVER_FOLDER_H
#define CMD_SERVER_FOLDER_H

struct err;

/* What --data gave, or where it is else; free it. */
char *server_folder(const char *given);

/*
 * As root: goes on as the owner of the folder, if it is there and not root's.  What root would make
 * in it, the server could not use.
 */
int server_folder_become_owner(const char *path, struct err *err);
void server_folder_leave(void); /* as who we were before */

#endif
