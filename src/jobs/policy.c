// SPDX-License-Identifier: Apache-2.0
#include "jobs/policy.h"
#include "base/err.h"
#include "base/vec.h"
#include "record/caller.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int deny(struct policy *policy, const char *list, struct err *err)
{
	const struct {
		const char *word;
		bool *allowed;
	} words[] = {
		{ "attach", &policy->attach },
		{ "users", &policy->other_users },
		{ "host", &policy->whole_host },
	};

	policy->attach = policy->other_users = policy->whole_host = true;
	while (list && *list) {
		size_t length = strcspn(list, ","), i = 0;

		while (i < 3 && (strlen(words[i].word) != length ||
				 strncmp(words[i].word, list, length) != 0))
			i++;
		if (i == 3)
			return err_set(err, EINVAL, "--deny %.*s: it is attach, users or host",
				       (int)length, list);
		*words[i].allowed = false;
		list += length + (list[length] == ',');
	}
	return 0;
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

/* Neither of the others; root's programs could do what they like to anybody. */
static uid_t choose_shield(const struct policy *policy)
{
	struct identity other;
	uid_t found = 0;

	for (size_t i = 0; i < ARRAY_SIZE(candidates) && policy->workload.uid && !found; i++) {
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
	policy->fenced = !policy->as_root;
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

int policy_make(struct policy *policy, const struct policy_options *options, struct err *err)
{
	int rc;

	*policy = (struct policy){
		.max_runtime_ns = options->max_runtime_ns,
		.max_output = options->max_output,
		.max_disk = options->max_disk,
		.analyser_memory = options->analyser_memory,
		.analyser_ns = options->analyser_ns,
	};
	rc = deny(policy, options->deny, err);
	if (!rc)
		rc = geteuid() ? choose_unprivileged(policy, options, err)
			       : choose_as_root(policy, options, err);
	if (rc)
		policy_fini(policy);
	return rc;
}

void policy_fini(struct policy *policy)
{
	identity_fini(&policy->web);
	identity_fini(&policy->workload);
}
