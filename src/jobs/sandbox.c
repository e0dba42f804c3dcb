// SPDX-License-Identifier: Apache-2.0
#include "jobs/sandbox.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/leaks.h"
#include "jobs/caps.h"
#include "jobs/sandbox_inside.h"

#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1 /* its shadow takes terabytes of addresses */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#define ANSWER_MOST (1 << 20)
#define NO_LANDLOCK "files: the kernel has no Landlock (Linux 5.13)\n"
#define NO_SECCOMP  "system calls: the kernel has no seccomp filters\n"

int sandbox_read_user(struct sandbox *sandbox, const char *text, struct err *err)
{
	unsigned uid, gid, shield;

	sandbox->uid = SANDBOX_STAY;
	if (!text || !*text)
		return 0;
	if (sscanf(text, "%u:%u:%u", &uid, &gid, &shield) != 3)
		return err_set(err, EINVAL, "--run-user %s: three numbers", text);
	sandbox->uid = uid;
	sandbox->gid = gid;
	sandbox->shield = shield;
	return 0;
}

static int limit(int what, uint64_t soft, uint64_t hard, const char *name, struct err *err)
{
	struct rlimit now, wanted = { .rlim_cur = soft, .rlim_max = hard };

	if (getrlimit(what, &now))
		return err_set(err, errno, "sandbox: %s: %s", name, strerror(errno));
	if (now.rlim_max < wanted.rlim_max)
		wanted.rlim_max = now.rlim_max;
	if (wanted.rlim_max < wanted.rlim_cur)
		wanted.rlim_cur = wanted.rlim_max;
	if (setrlimit(what, &wanted))
		return err_set(err, errno, "sandbox: %s: %s", name, strerror(errno));
	return 0;
}

/* A second of CPU time lies between SIGXCPU, which tells the reason, and SIGKILL. */
static int set_limits(const struct sandbox *sandbox, struct err *err)
{
	int rc = limit(RLIMIT_CORE, 0, 0, "core files", err);

	if (!rc && sandbox->memory && !SANITIZED)
		rc = limit(RLIMIT_AS, sandbox->memory, sandbox->memory, "memory", err);
	if (!rc && sandbox->cpu_s)
		rc = limit(RLIMIT_CPU, sandbox->cpu_s, sandbox->cpu_s + 1, "CPU time", err);
	/* whatever it may open, it writes nothing */
	if (!rc && sandbox->profile == SANDBOX_OPENER)
		rc = limit(RLIMIT_FSIZE, 0, 0, "writing", err);
	if (!rc && sandbox->profile == SANDBOX_LOOKER)
		rc = limit(RLIMIT_FSIZE, ANSWER_MOST, ANSWER_MOST, "writing", err);
	return rc;
}

static int drop_user(const struct sandbox *sandbox, struct err *err)
{
	uid_t real = sandbox->shield ? sandbox->shield : sandbox->uid;

	if (sandbox->uid == SANDBOX_STAY)
		return 0;
	if (setgroups(sandbox->group_count, sandbox->groups) && errno != EPERM)
		return err_set(err, errno, "sandbox: setgroups: %s", strerror(errno));
	if (setresgid(sandbox->gid, sandbox->gid, sandbox->gid))
		return err_set(err, errno, "sandbox: setresgid: %s", strerror(errno));
	if (setresuid(real, sandbox->uid, real))
		return err_set(err, errno, "sandbox: setresuid: %s", strerror(errno));
	if (sandbox->uid && (!setuid(0) || !geteuid()))
		return err_set(err, EPERM, "sandbox: root could be had back");
	return 0;
}

static int drop_capabilities(struct err *err)
{
	int rc = caps_keep(CAPS_NONE);

	return rc ? err_set(err, -rc, "sandbox: capset: %s", strerror(-rc)) : 0;
}

static void say(struct buf *missing, const char *line)
{
	if (missing)
		buf_puts(missing, line);
}

/* Says that the kernel has none of it, which is no failure. */
static int tolerate(int rc, struct buf *missing, const char *line)
{
	if (rc != -ENOSYS)
		return rc;
	say(missing, line);
	return 0;
}

/* The users, and nothing that keeps a process from tracing itself. */
static int enter_open(const struct sandbox *sandbox, struct err *err)
{
	struct sandbox plain = *sandbox;
	int rc;

	plain.shield = 0;
	rc = drop_user(&plain, err);
	if (!rc)
		rc = set_limits(&plain, err);
	if (!rc)
		prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	return rc;
}

/* Landlock's rule names a folder that only root may see, so it is made before the user goes. */
int sandbox_enter(const struct sandbox *sandbox, struct buf *missing, struct err *err)
{
	int rc = 0;

	if (leaks_wanted())
		return enter_open(sandbox, err);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return err_set(err, errno, "sandbox: no_new_privs: %s", strerror(errno));
	caps_bound(CAPS_NONE); /* it needs a capability itself, so it goes before the others */
	if (sandbox->profile == SANDBOX_WEB)
		rc = tolerate(landlock_web(sandbox->writable, sandbox->network, missing, err),
			      missing, NO_LANDLOCK);
	if (!rc)
		rc = drop_user(sandbox, err);
	if (!rc)
		rc = drop_capabilities(err);
	if (!rc)
		rc = set_limits(sandbox, err);
	/* Nobody of the same user looks into its memory: tokens are there. */
	if (!rc)
		prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	if (!rc)
		rc = tolerate(seccomp_role(sandbox, err), missing, NO_SECCOMP);
	if (!rc && (sandbox->profile == SANDBOX_OPENER || sandbox->profile == SANDBOX_LOOKER))
		rc = tolerate(seccomp_reading(err), missing, NO_SECCOMP);
	return rc;
}

int sandbox_measuring(struct err *err)
{
	int rc;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return err_set(err, errno, "sandbox: no_new_privs: %s", strerror(errno));
	rc = tolerate(seccomp_measuring(err), NULL, NO_SECCOMP);
	return rc ? rc : tolerate(seccomp_reading(err), NULL, NO_SECCOMP);
}

int sandbox_files(const struct sandbox_files *files, struct buf *missing, struct err *err)
{
	bool landlock;
	int rc;

	if (leaks_wanted())
		return 0;
	rc = landlock_analyser(files, missing, err);
	landlock = !rc;
	rc = tolerate(rc, missing, NO_LANDLOCK);
	if (!rc && !files->readable)
		rc = seccomp_no_names(err);
	else if (!rc && !landlock)
		rc = seccomp_reading(err);
	return tolerate(rc, missing, NO_SECCOMP);
}
