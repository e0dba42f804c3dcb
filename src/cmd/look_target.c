// SPDX-License-Identifier: Apache-2.0
/* Whether what is to be measured is there, as the user sees it who will run it. */
#include "base/cpuset.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/leaks.h"
#include "base/text.h"
#include "base/wordlist.h"
#include "cmd/command.h"
#include "cmd/look.h"
#include "jobs/child.h"
#include "jobs/family.h"
#include "jobs/identity.h"
#include "jobs/sandbox.h"
#include "jobs/workload_spec.h"
#include "record/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* In the order of server/possible.c, and what the supervisor adds: jobs/ask.c.  OTHERS: why no
 * process of another user may be measured; "": it may. */
enum word { KIND, WHO, OTHERS, FOLDER, CPUS, PROGRAM, PATH, USUAL_PATH, USUAL_FOLDER, WORDS };

struct look {
	char *const *words;
	struct strlist refused;	 /* can't work, now or later */
	struct strlist warnings; /* would not work now */
	struct family family;	 /* the server's own */
	struct identity self;	 /* who looks */
	bool forbidden;		 /* refused for whose it is */
};

static void add(struct strlist *list, const struct err *why)
{
	strlist_add(list, why->text);
}

/* ---- a command ---- */

static void look_at_cpus(struct look *look)
{
	struct cpuset wanted = { 0 }, there = { 0 };
	struct err why = { 0 };

	if (cpuset_parse(&wanted, look->words[CPUS], &why) || cpuset_online(&there, &why))
		goto out;
	vec_each (cpu, &wanted) {
		if (cpuset_has(&there, *cpu))
			continue;
		err_set(&why, ENODEV, "CPU %d is not there; this machine has %zu, from %d to %d",
			*cpu, there.len, there.data[0], *vec_last(&there));
		add(&look->refused, &why);
		break;
	}
out:
	cpuset_free(&wanted);
	cpuset_free(&there);
}

static int try_file(const char *path)
{
	struct stat info;

	if (stat(path, &info))
		return errno;
	if (!S_ISREG(info.st_mode))
		return S_ISDIR(info.st_mode) ? EISDIR : EACCES;
	return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) ? errno : 0; /* the shield may less */
}

/* As execvp() looks: a file that may not be run is passed over, but remembered. */
static int try_path(const char *program, const char *path)
{
	int found = ENOENT;

	while (path && found) {
		size_t length = strcspn(path, ":");
		char *file = mem_printf("%.*s%s%s", (int)length, path, length ? "/" : "./",
					program);
		int code = try_file(file);

		if (!code || code == EACCES)
			found = code;
		free(file);
		path = path[length] ? path + length + 1 : NULL;
	}
	return found;
}

static int try_program(const struct look *look)
{
	const char *program = look->words[PROGRAM], *path = look->words[PATH];

	if (strchr(program, '/'))
		return try_file(program);
	return try_path(program, *path ? path : look->words[USUAL_PATH]);
}

/* What is missing now may be there when its turn comes: the run before it may be a build. */
static void look_at_command(struct look *look)
{
	const char *folder = look->words[*look->words[FOLDER] ? FOLDER : USUAL_FOLDER];
	struct child_failure failure = { .step = CHILD_FOLDER };
	struct err why = { 0 };

	if (chdir(folder)) {
		failure.code = errno;
	} else {
		failure.step = CHILD_EXEC;
		failure.code = try_program(look);
	}
	if (failure.code) {
		workload_failure(&failure,
				 &(struct workload_names){ .program = look->words[PROGRAM],
							   .folder = folder,
							   .cpus = look->words[CPUS],
							   .user = look->self.name },
				 &why);
		add(&look->warnings, &why);
	}
	if (*look->words[CPUS])
		look_at_cpus(look);
}

/* ---- what runs already ---- */

static void look_at_process(struct look *look, const char *what, pid_t pid)
{
	struct owner owner = { .set = true, .uid = look->self.uid, .gid = look->self.gid };
	struct err why = { 0 };
	struct stat info;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (stat(path, &info))
		err_set(&why, ESRCH, "no such %s: %d; choose one that runs", what, (int)pid);
	else if (family_has(&look->family, pid))
		err_set(&why, EPERM, "%s %d is perfolio's own; those are never measured", what,
			(int)pid);
	else if (*look->words[OTHERS] && info.st_uid != look->self.uid)
		err_set(&why, EPERM, "%s %d is another user's: %s", what, (int)pid,
			look->words[OTHERS]);
	else if (*look->words[OTHERS] && owner_check_task(&owner, pid, NULL) == -EPERM)
		err_set(&why, EPERM, "%s %d is closed to its own user: %s", what, (int)pid,
			look->words[OTHERS]);
	if (why.code)
		add(&look->refused, &why);
	look->forbidden |= why.code == EPERM;
}

static void look_at_processes(struct look *look, const char *what)
{
	const char *text = look->words[WHO];

	while (*text) {
		look_at_process(look, what, (pid_t)strtol(text, NULL, 10));
		text += strcspn(text, ",");
		text += *text == ',';
	}
}

static void look_at_user(struct look *look)
{
	struct identity user = { 0 };
	struct err why = { 0 };

	if (identity_find(&user, look->words[WHO], &why)) {
		err_set(&why, ENOENT, "there is no user '%s' on this machine; give another name",
			look->words[WHO]);
		add(&look->refused, &why);
	}
	identity_fini(&user);
}

static void write_list(struct json *json, const char *key, const struct strlist *list)
{
	json_open(json, key, '[');
	vec_each (text, list)
		json_text(json, NULL, *text);
	json_close(json);
}

#define MEMORY_MOST ((uint64_t)1 << 30)
#define CPU_MOST_S  20

/*
 * Users are looked up first: that may take a socket.  Then it is who would run the program, and can
 * do nothing but look.
 */
static int become(struct look *look, const char *user, struct err *err)
{
	struct sandbox sandbox = { .profile = SANDBOX_LOOKER,
				   .memory = MEMORY_MOST,
				   .cpu_s = CPU_MOST_S };
	int rc = sandbox_read_user(&sandbox, user, err);

	if (rc)
		return rc;
	if (sandbox.uid == SANDBOX_STAY)
		identity_of(&look->self, geteuid(), getegid());
	else
		identity_of(&look->self, sandbox.uid, sandbox.gid);
	if (!strcmp(look->words[KIND], "user"))
		look_at_user(look);
	return sandbox_enter(&sandbox, NULL, err);
}

static void write_answer(const struct look *look)
{
	struct json json = json_to(stdout);

	json_open(&json, NULL, '{');
	write_list(&json, "refused", &look->refused);
	write_list(&json, "warnings", &look->warnings);
	json_flag(&json, "forbidden", look->forbidden);
	json_close(&json);
}

int look_target(char *const *words, int count, const char *user, struct err *err)
{
	struct look look = { .words = words, .family = family_of_parent() };
	int rc;

	if (count != WORDS)
		return err_set(err, EINVAL, "target: needs %d words", (int)WORDS);
	rc = become(&look, user, err);
	if (rc)
		return rc;
	if (!strcmp(words[KIND], "command"))
		look_at_command(&look);
	else if (!strcmp(words[KIND], "process") || !strcmp(words[KIND], "thread"))
		look_at_processes(&look, words[KIND]);
	write_answer(&look);
	identity_fini(&look.self);
	strlist_free(&look.refused);
	strlist_free(&look.warnings);
	/* What libraries and checkers do at exit() they can't do inside the fence. */
	_exit(fflush(stdout) || leaks_found() ? EXIT_FAILED : EXIT_DONE);
}
