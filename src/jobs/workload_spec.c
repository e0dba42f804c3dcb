// SPDX-License-Identifier: Apache-2.0
#include "jobs/workload_spec.h"
#include "base/err.h"
#include "base/wordlist.h"
#include "jobs/child.h"
#include "jobs/policy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STANDARD_PATH "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"

static void set(struct strlist *list, const char *name, const char *value)
{
	char *entry = mem_printf("%s=%s", name, value);

	strlist_add(list, entry);
	free(entry);
}

/* The later one of two with the same name counts. */
static void put(struct strlist *list, const char *entry)
{
	size_t length = strcspn(entry, "=") + 1;

	vec_each (old, list)
		if (!strncmp(*old, entry, length)) {
			free(*old);
			*old = mem_strdup(entry);
			return;
		}
	strlist_add(list, entry);
}

/* Ours where the user is the same: root's is not for others. */
const char *workload_path(const struct policy *policy)
{
	const char *path = policy->workload.uid == geteuid() ? getenv("PATH") : NULL;

	return path ? path : STANDARD_PATH;
}

struct strlist workload_environment(const struct policy *policy, uint64_t run, const char *tag,
				    const struct wordlist *more)
{
	static const char *const inherited[] = { "LANG", "LC_ALL", "TZ", "TMPDIR" };
	struct strlist list = { 0 };
	char number[32];

	set(&list, "PATH", workload_path(policy));
	set(&list, "HOME", policy->workload.home);
	set(&list, "USER", policy->workload.name);
	set(&list, "LOGNAME", policy->workload.name);
	set(&list, "SHELL", policy->workload.shell);
	for (size_t i = 0; i < ARRAY_SIZE(inherited); i++)
		if (getenv(inherited[i]))
			set(&list, inherited[i], getenv(inherited[i]));
	vec_each (entry, more)
		put(&list, *entry);
	snprintf(number, sizeof(number), "%llu", (unsigned long long)run);
	set(&list, "PERFOLIO_RUN", number);
	set(&list, "PERFOLIO_SERVER", tag); /* by which a later server knows what is left */
	vec_push(&list);
	return list;
}

const char *workload_folder(const struct policy *policy, const char *asked)
{
	if (*asked)
		return asked;
	return access(policy->workload.home, X_OK) ? "/" : policy->workload.home;
}

static void folder_failure(int code, const struct workload_names *names, struct err *err)
{
	switch (code) {
	case ENOENT:
		err_set(err, code, "%s: no such folder; make it or choose another", names->folder);
		break;
	case EACCES:
		err_set(err, code, "%s: user %s may not enter this folder; choose another",
			names->folder, names->user);
		break;
	default:
		err_set(err, code, "%s: can't be its folder: %s", names->folder, strerror(code));
		break;
	}
}

static void exec_failure(int code, const struct workload_names *names, struct err *err)
{
	switch (code) {
	case ENOENT:
		if (strchr(names->program, '/'))
			err_set(err, code,
				"%s: no such program, or the interpreter in its first line "
				"is missing; check the path",
				names->program);
		else
			err_set(err, code,
				"%s: no such command in PATH; install it or give its whole path",
				names->program);
		break;
	case EACCES:
		err_set(err, code, "%s: user %s may not run it; chmod a+rx it and its folders",
			names->program, names->user);
		break;
	case ENOEXEC:
		err_set(err, code, "%s: not a program that this machine can run; check the file",
			names->program);
		break;
	default:
		err_set(err, code, "%s: can't be started: %s", names->program, strerror(code));
		break;
	}
}

void workload_failure(const struct child_failure *failure, const struct workload_names *names,
		      struct err *err)
{
	switch (failure->step) {
	case CHILD_CPUS:
		err_set(err, failure->code, "CPUs %s: %s; choose others", names->cpus,
			failure->code == EINVAL
				? "none of them is there, or they may not be used here"
				: strerror(failure->code));
		break;
	case CHILD_FOLDER: folder_failure(failure->code, names, err); break;
	default: exec_failure(failure->code, names, err); break;
	}
}
