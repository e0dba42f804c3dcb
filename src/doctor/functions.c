// SPDX-License-Identifier: Apache-2.0
/*
 * Whether the kernel's function tracer may be used.
 *
 * available_tracers only says what was built in; some kernels refuse its use all the same.  So it
 * is tried, in a tracing instance of its own, which nobody else sees: tracing is switched off in it
 * and narrowed to one function that hardly ever runs, so the machine does not feel it.  Signals
 * wait meanwhile, so that Ctrl-C can't leave the instance behind; one left by a killed run is
 * removed by the next.
 */
#include "base/file.h"
#include "base/vec.h"
#include "doctor/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INSTANCE_PREFIX "perfolio-doctor-"

static int write_knob(const char *folder, const char *name, const char *text)
{
	char path[PATH_MAX + 64];
	int fd, rc;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	rc = fd_write_all(fd, text, strlen(text));
	if (close(fd) && !rc)
		rc = -errno;
	return rc;
}

static void remove_left_behind(const char *instances)
{
	struct strlist names = { 0 };
	char path[PATH_MAX + 300];

	dir_names(instances, &names, NULL);
	vec_each (name, &names) {
		long pid;

		if (strncmp(*name, INSTANCE_PREFIX, strlen(INSTANCE_PREFIX)))
			continue;
		pid = strtol(*name + strlen(INSTANCE_PREFIX), NULL, 10);
		if (pid <= 0 || kill((pid_t)pid, 0) == 0 || errno != ESRCH)
			continue;
		snprintf(path, sizeof(path), "%s/%s", instances, *name);
		rmdir(path);
	}
	strlist_free(&names);
}

struct attempt {
	int code;	   /* 0 or a negative errno value */
	const char *where; /* the step that it belongs to */
};

/* A function for the filter: called when somebody syncs all disks, and hardly ever else. */
static struct attempt use_tracer(const char *instance)
{
	struct attempt attempt = { .where = "set_ftrace_filter" };

	write_knob(instance, "tracing_on", "0");
	attempt.code = write_knob(instance, "set_ftrace_filter", "ksys_sync");
	if (attempt.code)
		return attempt;
	attempt.where = "current_tracer";
	attempt.code = write_knob(instance, "current_tracer", "function");
	write_knob(instance, "current_tracer", "nop");
	return attempt;
}

static struct attempt try_tracer(const struct checkup *c)
{
	struct attempt attempt = { .where = "mkdir instances" };
	char instances[PATH_MAX + 16], instance[PATH_MAX + 64];
	sigset_t all, before;

	snprintf(instances, sizeof(instances), "%s/instances", c->tracefs);
	remove_left_behind(instances);
	snprintf(instance, sizeof(instance), "%s/" INSTANCE_PREFIX "%d", instances, (int)getpid());
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	if (mkdir(instance, 0700)) {
		attempt.code = -errno;
	} else {
		attempt = use_tracer(instance);
		rmdir(instance);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return attempt;
}

static bool has_word(const char *line, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = line; (at = strstr(at, word)); at++)
		if ((at == line || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
			return true;
	return false;
}

static void say_refused(struct checkup *c, struct finding *f, const struct attempt *attempt)
{
	f->state = DOCTOR_MISSING;
	f->evidence = SAY(c, "%s: %s", attempt->where, probe_result(attempt->code));
	if (!host_has(&c->host, HOST_CAP_SYS_ADMIN)) {
		f->what = "closed to ordinary users";
		f->because = "not permitted";
		f->remedy = "run as root";
		return;
	}
	f->what = SAY(c, "built in, but refused to root too (%s)", probe_result(attempt->code));
	f->because = "refused by the kernel";
	f->remedy = "use tracepoints, user probes or BPF, or another kernel";
}

bool probe_functions(struct checkup *c, struct finding *f)
{
	struct attempt attempt;
	char tracers[200];

	if (!c->tracefs[0]) {
		f->state = DOCTOR_MISSING;
		f->what = "not reachable without tracefs";
		f->because = "no tracefs";
		return true;
	}
	if (file_line(tracers, sizeof(tracers), "%s/available_tracers", c->tracefs) < 0)
		tracers[0] = '\0';
	if (!has_word(tracers, "function")) {
		f->state = DOCTOR_MISSING;
		f->what = "not built into this kernel";
		f->because = "not built into the kernel";
		f->evidence = SAY(c, "available_tracers: %s", tracers);
		f->remedy = "use a kernel with CONFIG_FUNCTION_TRACER";
		return true;
	}
	attempt = try_tracer(c);
	if (attempt.code) {
		say_refused(c, f, &attempt);
		return true;
	}
	f->what = has_word(tracers, "function_graph") ? "works, with call graphs"
						      : "works, without call graphs";
	f->evidence = SAY(c, "function tracer chosen in an instance; available_tracers: %s",
			  tracers);
	return true;
}
