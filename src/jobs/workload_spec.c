// SPDX-License-Identifier: Apache-2.0
#include "jobs/workload_spec.h"
#include "base/err.h"
#include "base/wordlist.h"
#include "jobs/child.h"
#include "jobs/identity.h"
#include "jobs/private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
const char *workload_path(const struct identity *who)
{
	const char *path = who->uid == geteuid() ? getenv("PATH") : NULL;

	return path ? path : STANDARD_PATH;
}

struct strlist workload_environment(const struct identity *who, uint64_t run, const char *tag,
				    const struct wordlist *more)
{
	static const char *const inherited[] = { "LANG", "LC_ALL", "TZ", "TMPDIR" };
	struct strlist list = { 0 };
	char number[32];

	set(&list, "PATH", workload_path(who));
	set(&list, "HOME", who->home);
	set(&list, "USER", who->name);
	set(&list, "LOGNAME", who->name);
	set(&list, "SHELL", who->shell);
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

const char *workload_folder(const struct identity *who, const char *asked)
{
	if (*asked)
		return asked;
	if (!strcmp(who->home, PRIVATE_HOME))
		return who->home; /* which is not there yet */
	return access(who->home, X_OK) ? "/" : who->home;
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

/* As the program would have been found: by its path, from the folder that it was to run in. */
static bool is_folder(const char *program, const char *folder)
{
	char *path = *program == '/' ? mem_strdup(program) : mem_printf("%s/%s", folder, program);
	struct stat info;
	bool is = strchr(program, '/') && !stat(path, &info) && S_ISDIR(info.st_mode);

	free(path);
	return is;
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
		if (is_folder(names->program, names->folder)) {
			err_set(err, code, "%s: a folder, not a program; give the program in it",
				names->program);
			break;
		}
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
	case CHILD_OWN:
		err_set(err, failure->code,
			"its own /tmp or network can't be made: %s; see `perfolio doctor --server`",
			strerror(failure->code));
		break;
	case CHILD_FOLDER: folder_failure(failure->code, names, err); break;
	default: exec_failure(failure->code, names, err); break;
	}
}
