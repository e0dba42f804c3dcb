// SPDX-License-Identifier: Apache-2.0
#include "jobs/policy.h"
#include "base/caller.h"
#include "base/err.h"
#include "base/vec.h"
#include "jobs/unixaccounts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* "attach,users,host": sets the flags of those that are named. */

#define SERVER_MEMORY ((uint64_t)256 << 20)

static int read_list(const char *option, const char *list, bool *const flags[static 3],
		     struct err *err)
{
	static const char *const words[] = { "attach", "users", "host" };

	while (list && *list) {
		size_t length = strcspn(list, ","), i = 0;

		while (i < 3 &&
		       (strlen(words[i]) != length || strncmp(words[i], list, length) != 0))
			i++;
		if (i == 3)
			return err_set(err, EINVAL, "--%s %.*s: it is attach, users or host",
				       option, (int)length, list);
		*flags[i] = true;
		list += length + (list[length] == ',');
	}
	return 0;
}

static int read_reach(struct reach_rules *rules, const struct policy_options *options,
		      struct err *err)
{
	bool attach = false, users = false, host = false;
	int rc = read_list("deny", options->deny, (bool *[]){ &attach, &users, &host }, err);

	if (!rc)
		rc = read_list(
			"allow", options->allow,
			(bool *[]){ &rules->allow_attach, &rules->allow_users, &rules->allow_host },
			err);
	if (!rc && ((attach && rules->allow_attach) || (users && rules->allow_users) ||
		    (host && rules->allow_host)))
		rc = err_set(err, EINVAL, "--allow %s: --deny %s says the opposite", options->allow,
			     options->deny);
	rules->attach = !attach;
	rules->users = !users;
	rules->host = !host;
	return rc;
}

/*
 * A folder that a user has filled without root stays that user's; else there is an account for it,
 * or nobody.
 */
static int choose_web(struct identity *web, const struct policy_options *options, struct err *err)
{
	struct stat info;

	if (options->web_user)
		return identity_find(web, options->web_user, err);
	if (!stat(options->data, &info) && info.st_uid != 0) {
		identity_of(web, info.st_uid, info.st_gid);
		return 0;
	}
	if (!identity_find(web, "perfolio", NULL))
		return 0;
	return identity_find(web, "nobody", err);
}

/* Users that every machine has, and who own nothing. */
static const char *const candidates[] = { "nobody", "daemon", "bin" };

/* Somebody else than the web side, or a workload could read and end what belongs to that. */
static int choose_workload(struct identity *workload, const struct policy_options *options,
			   const struct identity *web, struct err *err)
{
	uid_t uid;
	gid_t gid;

	if (options->user)
		return identity_find(workload, options->user, err);
	if (options->as_root)
		return identity_find(workload, "root", err);
	if (caller_of_sudo(&uid, &gid) && uid && uid != web->uid) {
		identity_of(workload, uid, gid);
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(candidates); i++) {
		if (identity_find(workload, candidates[i], NULL))
			continue;
		if (workload->uid != web->uid)
			return 0;
		identity_fini(workload);
	}
	return err_set(err, ENOENT, "there is no user that programs could be started as; --user");
}

/* Neither of the others, nor a person's: root's programs could do what they like to anybody. */
static uid_t choose_shield(const struct policy *policy)
{
	struct identity other;
	uid_t found = 0;

	for (size_t i = 0; i < ARRAY_SIZE(candidates) && !found; i++) {
		if (identity_find(&other, candidates[i], NULL))
			continue;
		if (other.uid != policy->web.uid && other.uid != policy->workload.uid)
			found = other.uid;
		identity_fini(&other);
	}
	return found;
}

static int choose_as_root(struct policy *policy, const struct policy_options *options,
			  struct err *err)
{
	int rc = choose_web(&policy->web, options, err);

	if (!rc && !policy->web.uid)
		return err_set(err, EINVAL, "--web-user: the web side is never root");
	if (!rc)
		rc = choose_workload(&policy->workload, options, &policy->web, err);
	if (rc)
		return rc;
	if (!policy->workload.uid && !options->as_root)
		return err_set(err, EPERM,
			       "--user %s: programs run as root only with --as-root beside it",
			       policy->workload.name);
	if (policy->workload.uid == policy->web.uid)
		return err_set(err, EINVAL,
			       "--user %s: the web side is that user too, so that a program could "
			       "read and change all results; choose another with --web-user",
			       policy->workload.name);
	policy->as_root = !policy->workload.uid;
	policy->shield = choose_shield(policy);
	return 0;
}

static int choose_unprivileged(struct policy *policy, const struct policy_options *options,
			       struct err *err)
{
	if (options->user || options->web_user || options->as_root)
		return err_set(err, EPERM, "--%s: only root can start programs as somebody else",
			       options->user	   ? "user"
			       : options->web_user ? "web-user"
						   : "as-root");
	identity_of(&policy->web, getuid(), getgid());
	identity_of(&policy->workload, getuid(), getgid());
	return 0;
}

/* A /tmp of its own is as much as can be had; a network that was taken away must not come back. */
static int choose_private(struct policy *policy, const struct policy_options *options,
			  struct err *err)
{
	struct err why = { 0 };
	int network = private_network_find(options->network ? options->network : "full", err);

	if (network < 0) {
		err_prefix(err, "--run-network");
		return network;
	}
	policy->network = (enum private_network)network;
	policy->private_tmp = options->private_tmp &&
			      private_possible(NETWORK_FULL, &policy->private_why);
	if (!network || private_possible(policy->network, &why))
		return 0;
	return err_set(err, why.code, "--run-network %s: %s", private_network_name(policy->network),
		       why.text);
}

uint64_t policy_run_memory(uint64_t all)
{
	uint64_t most = all / 4 * 3;

	if (all < SERVER_MEMORY || most > all - SERVER_MEMORY)
		most = all < SERVER_MEMORY ? 0 : all - SERVER_MEMORY;
	return most > all / 2 ? most : all / 2;
}

int policy_make(struct policy *policy, const struct policy_options *options, struct err *err)
{
	int rc;

	*policy = (struct policy){
		.max_runtime_ns = options->max_runtime_ns,
		.max_output = options->max_output,
		.max_disk = options->max_disk,
		.max_share = options->max_share,
		.max_export = options->max_export,
		.run = options->run,
		.analyser_memory = options->analyser_memory,
		.analyser_ns = options->analyser_ns,
	};
	if (policy->run.memory == POLICY_BY_MACHINE)
		policy->run.memory = policy_run_memory(jobgroup_memory(&jobgroup_here));
	rc = read_reach(&policy->reach, options, err);
	if (!rc)
		rc = choose_private(policy, options, err);
	if (!rc)
		rc = geteuid() ? choose_unprivileged(policy, options, err)
			       : choose_as_root(policy, options, err);
	if (rc)
		policy_fini(policy);
	return rc;
}

int policy_who(const struct policy *policy, int own_folder, const char *person,
	       struct identity *who, struct err *err)
{
	struct unixaccounts list = { 0 };
	const char *account;
	int rc;

	*who = (struct identity){ 0 };
	if (geteuid()) { /* who can't become another */
		identity_copy(who, &policy->workload);
		return 0;
	}
	rc = unixaccounts_read_in(&list, own_folder, err);
	account = rc ? NULL : unixaccounts_find(&list, person);
	if (!rc && !account) {
		identity_copy(who, &policy->workload);
	} else if (!rc) {
		rc = identity_find(who, account, err);
		if (!rc)
			rc = unixaccount_check(who, err);
		if (!rc && who->uid == policy->web.uid)
			rc = err_set(err, EPERM, "%s: the web side is that user", account);
		if (rc)
			err_prefix(err, "the Unix account of %s", person);
	}
	unixaccounts_free(&list);
	if (rc)
		identity_fini(who);
	return rc;
}

bool policy_fences(const struct identity *who)
{
	return !geteuid() && who->uid;
}

void policy_say_user(const struct policy *policy, const struct identity *who, char *into,
		     size_t room)
{
	if (policy_fences(who))
		snprintf(into, room, "--run-user=%u:%u:%u", (unsigned)who->uid, (unsigned)who->gid,
			 (unsigned)policy->shield);
	else
		snprintf(into, room, "--run-user=");
}

void policy_fini(struct policy *policy)
{
	identity_fini(&policy->web);
	identity_fini(&policy->workload);
}
