// SPDX-License-Identifier: Apache-2.0
#include "jobs/workload_spec.h"
#include "base/err.h"
#include "base/wordlist.h"
#include "jobs/child.h"
#include "jobs/policy.h"

#include <errno.h>
#include <stdio.h>
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

struct strlist workload_environment(const struct policy *policy, uint64_t run, const char *tag,
				    const struct wordlist *more)
{
	static const char *const inherited[] = { "LANG", "LC_ALL", "TZ", "TMPDIR" };
	bool ourselves = policy->workload.uid == geteuid();
	const char *path = ourselves ? getenv("PATH") : NULL;
	struct strlist list = { 0 };
	char number[32];

	set(&list, "PATH", path ? path : STANDARD_PATH);
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

void workload_failure(const struct child_failure *failure, const char *program, const char *folder,
		      const char *cpus, struct err *err)
{
	const char *why = strerror(failure->code);

	switch (failure->step) {
	case CHILD_CPUS:
		if (failure->code == EINVAL)
			why = "none of them is there, or they may not be used here";
		err_set(err, failure->code, "CPUs %s: %s", cpus, why);
		break;
	case CHILD_FOLDER: err_set(err, failure->code, "%s: %s", folder, why); break;
	case CHILD_EXEC:
		if (failure->code == ENOENT && !strchr(program, '/'))
			err_set(err, ENOENT, "%s: no such command in PATH", program);
		else
			err_set(err, failure->code, "%s: can't start it: %s", program, why);
		break;
	default: err_set(err, failure->code, "%s: can't start it: %s", program, why); break;
	}
}
