// SPDX-License-Identifier: Apache-2.0
#include "jobs/reach.h"

#include <stddef.h>

struct reach reach_by(const struct reach_rules *rules, bool shared)
{
	return (struct reach){
		.attach = rules->attach,
		.attach_others = rules->attach && rules->users && (!shared || rules->allow_attach),
		.users = rules->attach && rules->users && (!shared || rules->allow_users),
		.host = rules->host && (!shared || rules->allow_host),
		.shared = shared,
	};
}

const char *reach_refuses_attach(const struct reach *reach, bool others)
{
	if (!reach->attach)
		return "this server attaches to nothing that runs already (--deny attach)";
	if (!others || reach->attach_others)
		return NULL;
	return reach->shared ? "several people have accounts here, so each attaches only to "
			       "processes of their own Unix account; `--allow attach` changes that"
			     : "this server measures no processes of other users (--deny users)";
}

const char *reach_refuses_user(const struct reach *reach, bool others)
{
	if (!reach->attach)
		return "this server measures nothing that runs already (--deny attach)";
	if (!others || reach->users)
		return NULL;
	return reach->shared ? "several people have accounts here, so nobody measures all that "
			       "another user runs; `--allow users` changes that"
			     : "this server measures no processes of other users (--deny users)";
}

bool reach_is_own(const struct reach *reach, bool users)
{
	return !(users ? reach->users : reach->attach_others);
}

const char *reach_refuses_host(const struct reach *reach)
{
	if (reach->host)
		return NULL;
	return reach->shared ? "several people have accounts here, so nobody measures the whole "
			       "host; `--allow host` changes that"
			     : "this server does not measure the whole host (--deny host)";
}
