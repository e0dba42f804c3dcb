/* SPDX-License-Identifier: Apache-2.0 */
/* Command line, environment and descriptors of our own program in its other roles. */
#ifndef JOBS_ROLES_H
#define JOBS_ROLES_H

/* Descriptors after the standard ones. */
enum role_fd { ROLE_CHANNEL = 3, ROLE_LISTENER, ROLE_TLS_CERT, ROLE_TLS_KEY };
#define ROLE_KALLSYMS 4 /* of an analyser */

/* What of our environment a role gets: how to speak and to debug, no secrets.  Free it and all in
 * it with role_environment_free. */
char **role_environment(void);
void role_environment_free(char **environment);

#endif
