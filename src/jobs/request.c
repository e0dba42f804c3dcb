// SPDX-License-Identifier: Apache-2.0
#include "jobs/request.h"
#include "base/clock.h"
#include "base/err.h"
#include "jobs/family.h"
#include "jobs/identity.h"
#include "jobs/private.h"
#include "jobs/reach.h"
#include "record/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- options ---- */

struct allowed {
	const char *name;
	bool value; /* takes one: --name=VALUE, --name VALUE, -xVALUE */
};

/* Of those that say what is measured and how.  None that names a file, a command or a target. */
static const struct allowed stat_allowed[] = {
	{ "-e", true },
	{ "--event", true },
	{ "--filter", true },
	{ "-d", false },
	{ "-dd", false },
	{ "-ddd", false },
	{ "--detailed", false },
	{ "--all-user", false },
	{ "--all-kernel", false },
	{ "-g", false },
	{ "--group", false },
	{ "-i", false },
	{ "--no-inherit", false },
	{ "-D", true },
	{ "--delay", true },
	{ "-A", false },
	{ "--no-aggr", false },
	{ "--no-merge", false },
	{ "--no-scale", false },
	{ 0 },
};

static const struct allowed record_allowed[] = {
	{ "-e", true },
	{ "--event", true },
	{ "-F", true },
	{ "--freq", true },
	{ "-c", true },
	{ "--count", true },
	{ "--filter", true },
	{ "--all-user", false },
	{ "--all-kernel", false },
	{ "--strict-freq", false },
	{ "-g", false },
	{ "--call-graph", true },
	{ "--user-callchains", false },
	{ "--kernel-callchains", false },
	{ "-d", false },
	{ "--data", false },
	{ "--phys-data", false },
	{ "-P", false },
	{ "--period", false },
	{ "--sample-cpu", false },
	{ "-b", false },
	{ "--branch-any", false },
	{ "-j", true },
	{ "--branch-filter", true },
	{ "-W", false },
	{ "--weight", false },
	{ "-R", false },
	{ "--raw-samples", false },
	{ "--transaction", false },
	{ "--data-page-size", false },
	{ "--code-page-size", false },
	{ "-s", false },
	{ "--stat", false },
	{ "--switch-events", false },
	{ "--all-cgroups", false },
	{ "--no-namespaces", false },
	{ "--no-bpf-event", false },
	{ "-i", false },
	{ "--no-inherit", false },
	{ "-D", true },
	{ "--delay", true },
	{ "-z", false },
	{ "-m", true },
	{ "--mmap-pages", true },
	{ "--max-size", true },
	{ "--no-buffering", false },
	{ 0 },
};

/* What of the word is behind the option's name: NULL: it is another; "": it takes the next word. */
static const char *value_behind(const struct allowed *option, const char *word)
{
	size_t length = strlen(option->name);

	if (strncmp(word, option->name, length) != 0)
		return NULL;
	if (!word[length])
		return "";
	if (!option->value)
		return NULL;
	if (option->name[1] != '-')
		return word + length;
	return word[length] == '=' ? word + length : NULL;
}

int request_check_options(const struct wordlist *words, bool record, struct err *err)
{
	const struct allowed *table = record ? record_allowed : stat_allowed;

	for (size_t i = 0; i < words->len; i++) {
		const char *word = words->data[i], *value = NULL;
		const struct allowed *option = table;

		while (option->name && !(value = value_behind(option, word)))
			option++;
		if (!option->name)
			return err_set(err, EPERM, "%s: '%s' is not an option that a run can have",
				       record ? "record" : "stat", word);
		/* a value that looks like an option would be read as one */
		if (option->value && !*value && (++i == words->len || words->data[i][0] == '-'))
			return err_set(err, EINVAL, "%s: %s needs a value",
				       record ? "record" : "stat", word);
	}
	return 0;
}

/* ---- who is measured ---- */

struct asker {
	const struct reach *reach;
	const struct family *family;
	const struct identity *who;
};

static int check_pid(const struct asker *asker, pid_t pid, bool children, struct err *err)
{
	const char *why;
	struct stat info;
	char path[64];
	int rc;

	if (family_has(asker->family, pid))
		return err_set(err, EPERM, "process %d is perfolio's own; those are never measured",
			       (int)pid);
	if (children && family_is_below(asker->family, pid))
		return err_set(
			err, EPERM,
			"process %d has started this server; measure it without its children",
			(int)pid);
	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (asker->reach->attach_others)
		return 0;
	if (stat(path, &info))
		return err_set(err, ESRCH, "no such process: %d", (int)pid);
	why = reach_refuses_attach(asker->reach, info.st_uid != asker->who->uid);
	if (why)
		return err_set(err, EPERM, "process %d is not of user %s: %s", (int)pid,
			       asker->who->name, why);
	/* the recorder asks again, when it has its events */
	rc = owner_check_task(
		&(struct owner){ .set = true, .uid = asker->who->uid, .gid = asker->who->gid }, pid,
		err);
	return rc == -ESRCH ? err_set(err, ESRCH, "no such process: %d", (int)pid) : rc;
}

/* "12,34": positive numbers, and commas between. */
static int check_pids(const struct asker *asker, const struct msg_start *start, struct err *err)
{
	const char *text = start->who, *why = reach_refuses_attach(asker->reach, false);
	int rc;

	if (why)
		return err_set(err, EPERM, "%s", why);
	do {
		char *end;
		long pid = *text >= '1' && *text <= '9' ? strtol(text, &end, 10) : 0;

		if (pid <= 0 || pid > 1 << 30 || (*end && *end != ','))
			return err_set(err, EINVAL, "'%s': numbers of processes, with commas",
				       text);
		rc = check_pid(asker, (pid_t)pid, start->children, err);
		text = *end ? end + 1 : NULL;
	} while (!rc && text);
	return rc;
}

static int check_user(const struct asker *asker, const char *name, struct err *err)
{
	struct identity user = { 0 };
	const char *why;
	int rc = identity_find(&user, name, err);

	if (rc)
		return -EINVAL;
	why = reach_refuses_user(asker->reach, user.uid != asker->who->uid);
	identity_fini(&user);
	return why ? err_set(err, EPERM, "%s", why) : 0;
}

static int check_command(const struct msg_start *start, struct err *err)
{
	if (!start->argv.len || !*start->argv.data[0])
		return err_set(err, EINVAL, "there is no command to start");
	if (*start->folder && *start->folder != '/')
		return err_set(err, EINVAL, "'%s': a folder is named from / on", start->folder);
	vec_each (entry, &start->environment)
		if (**entry == '=' || !strchr(*entry, '='))
			return err_set(err, EINVAL, "'%s' is not NAME=VALUE", *entry);
	return 0;
}

static int check_host(const struct asker *asker, struct err *err)
{
	const char *why = reach_refuses_host(asker->reach);

	return why ? err_set(err, EPERM, "%s", why) : 0;
}

static int check_target(const struct asker *asker, const struct msg_start *start, struct err *err)
{
	switch (start->target) {
	case TARGET_COMMAND: return check_command(start, err);
	case TARGET_PROCESS:
	case TARGET_THREAD: return check_pids(asker, start, err);
	case TARGET_USER: return check_user(asker, start->who, err);
	case TARGET_HOST: return check_host(asker, err);
	default: return err_set(err, EINVAL, "there is no target %d", (int)start->target);
	}
}

/* ---- files ---- */

int request_check_file(int fd, dev_t device, const char *what, struct err *err)
{
	struct stat info;
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fstat(fd, &info))
		return err_set(err, EINVAL, "there is no file for the %s", what);
	/* nothing that could hold us up, and nothing that takes more from root than from others */
	if (!S_ISREG(info.st_mode) || info.st_dev != device || (flags & O_ACCMODE) != O_RDWR)
		return err_set(err, EPERM, "the file for the %s is not in the data folder", what);
	return 0;
}

static int check_files(dev_t device, const struct msg_start *start, struct err *err)
{
	int rc = 0;

	if (start->tool & TOOL_SAMPLE)
		rc = request_check_file(start->recording, device, "recording", err);
	if (!rc && start->tool & TOOL_COUNT)
		rc = request_check_file(start->series, device, "counters", err);
	if (!rc && start->target == TARGET_COMMAND)
		rc = request_check_file(start->output, device, "output", err);
	return rc;
}

/* "", "99", "max", "c1000" */
static int check_rate(const char *rate, struct err *err)
{
	const char *digits = *rate == 'c' ? rate + 1 : rate;
	bool number = *digits && strspn(digits, "0123456789") == strlen(digits);

	if (!*rate || !strcmp(rate, "max") || number)
		return 0;
	return err_set(err, EINVAL, "'%s' is not a rate: write 99, max or c1000", rate);
}

int request_check(const struct reach *reach, const struct family *family,
		  const struct identity *who, dev_t device, const struct msg_start *start,
		  struct err *err)
{
	struct asker asker = { reach, family, who };
	int rc;

	if (start->tool < TOOL_COUNT || start->tool > TOOL_BOTH)
		return err_set(err, EINVAL, "there is no tool %d", (int)start->tool);
	if (start->tool & TOOL_COUNT && start->interval_ns < NS_PER_MSEC)
		return err_set(err, EINVAL, "1 ms is the shortest interval");
	if (start->network >= NETWORKS)
		return err_set(err, EINVAL, "there is no network %d", (int)start->network);
	rc = check_target(&asker, start, err);
	if (!rc)
		rc = check_rate(start->rate, err);
	if (!rc)
		rc = request_check_options(&start->stat_options, false, err);
	if (!rc)
		rc = request_check_options(&start->record_options, true, err);
	return rc ? rc : check_files(device, start, err);
}
