// SPDX-License-Identifier: Apache-2.0
/* From the message to processes that wait for the gate to be opened. */
#include "base/err.h"
#include "jobs/folder.h"
#include "jobs/jobrun_inside.h"
#include "jobs/policy.h"
#include "jobs/workload_spec.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void copy_words(struct wordlist *words, struct arena *arena)
{
	struct wordlist copy = { 0 };

	vec_each (word, words)
		*vec_push(&copy) = arena_strdup(arena, *word);
	*vec_push(&copy) = NULL; /* an argv's end, behind what counts */
	copy.len--;
	*words = copy;
}

/* The message lives no longer than its dispatch. */
void jobrun_copy_start(struct jobrun *run, struct msg_start *start)
{
	struct msg_start *own = &run->start;
	const char **texts[] = { &own->person, &own->who,	   &own->folder,
				 &own->cpus,   &own->count_events, &own->sample_events,
				 &own->rate,   &own->call_graph };
	struct wordlist *lists[] = { &own->argv, &own->environment, &own->stat_options,
				     &own->record_options };

	*own = *start;
	start->recording = start->series = start->output = -1;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		*texts[i] = arena_strdup(&run->arena, *texts[i]);
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		copy_words(lists[i], &run->arena);
}

/* Whether the account's home is no place for it: there is none, or others run as it, too. */
static bool needs_home(const struct jobrun *run)
{
	const struct identity *shared = &run->s->options->policy->workload;
	struct stat info;

	if (stat(run->who.home, &info) || info.st_uid != run->who.uid)
		return true;
	return run->who.uid == shared->uid && strcmp(run->start.person, PERSON_OWNER) != 0;
}

static int make_own(struct jobrun *run, struct err *err)
{
	const struct policy *policy = run->s->options->policy;
	int rc;

	run->own = (struct private_run){
		.data = run->s->options->folder->path,
		.run = policy->private_tmp ? run->start.run : 0,
		.who = &run->who,
		.network = policy->network > run->start.network ? policy->network
								: run->start.network,
	};
	if (*policy->private_why.text)
		buf_printf(&run->notes, "it had no /tmp of its own: %s\n",
			   policy->private_why.text);
	if (!run->own.run)
		return 0;
	rc = private_make(&run->own,
			  &(struct private_words){ .folder = run->start.folder,
						   .argv = &run->start.argv,
						   .environment = &run->start.environment },
			  err);
	if (!rc && needs_home(run)) {
		free(run->who.home);
		run->who.home = mem_strdup(PRIVATE_HOME);
	}
	return rc;
}

static int fork_workload(struct jobrun *run, const int output[static 2], struct err *err)
{
	const struct supervisor_options *o = run->s->options;
	struct strlist environment;
	int gate[2], failure[2], rc;
	char tag[64];

	if (pipe2(gate, O_CLOEXEC))
		return err_set(err, errno, "pipe: %s", strerror(errno));
	run->gate = gate[1];
	if (pipe2(failure, O_CLOEXEC)) {
		close(gate[0]);
		return err_set(err, errno, "pipe: %s", strerror(errno));
	}
	run->failure = failure[0];
	fcntl(run->failure, F_SETFL, O_NONBLOCK);
	folder_tag(o->folder, tag, sizeof(tag));
	environment = workload_environment(&run->who, run->start.run, tag, &run->start.environment);
	rc = child_start(&run->workload,
			 &(struct child_spec){
				 .argv = (char *const *)run->start.argv.data,
				 .environment = environment.data,
				 .who = &run->who,
				 .caps = run->who.uid ? CAPS_NONE : CAPS_ALL,
				 .oom_score = OOM_RUN,
				 /* by weight where there are such; else by priority */
				 .low_io = !jobgroup_yield_io(&run->group),
				 .own = run->own.run || run->own.network ? &run->own : NULL,
				 .fds = { -1, output[0], output[1] },
				 .fd_count = 3,
				 .folder = workload_folder(&run->who, run->start.folder),
				 .cpus = run->start.cpus,
				 .gate = gate[0],
				 .failure = failure[1],
				 .close_first = run->gate,
			 },
			 err);
	close(gate[0]);
	close(failure[1]);
	strlist_free(&environment);
	return rc;
}

static int start_workload(struct jobrun *run, struct err *err)
{
	const struct supervisor_options *o = run->s->options;
	char name[32];
	int theirs[2];
	int rc = capture_open(&run->capture, run->s->loop, run->start.output, o->policy->max_output,
			      theirs, err);

	snprintf(name, sizeof(name), "run-%llu", (unsigned long long)run->start.run);
	if (!rc)
		rc = jobgroup_below(&run->group, o->group, name, jobrun_limits_cpu(run), err);
	if (!rc)
		rc = make_own(run, err);
	if (!rc)
		rc = fork_workload(run, theirs, err);
	for (int i = 0; i < 2; i++)
		if (theirs[i] >= 0)
			close(theirs[i]);
	if (rc)
		return rc;
	run->has_workload = true;
	evloop_watch(run->s->loop, run->workload.pidfd, POLLIN, jobrun_workload_ended, run);
	evloop_watch(run->s->loop, run->failure, POLLIN, jobrun_failure_ready, run);
	jobrun_limit(run);
	return jobgroup_add(&run->group, run->workload.pid, err);
}

/* A command is the account's and can't become another's; the rest is what it is from now on. */
static bool is_own(const struct jobrun *run)
{
	struct reach reach = reach_by(&run->s->options->policy->reach,
				      supervisor_is_shared(run->s));
	enum run_target target = run->start.target;

	return (target == TARGET_PROCESS || target == TARGET_THREAD || target == TARGET_USER) &&
	       reach_is_own(&reach, target == TARGET_USER);
}

static int start_measuring(struct jobrun *run, bool record, struct err *err)
{
	struct measure_options options = {
		.start = &run->start,
		.policy = run->s->options->policy,
		.who = &run->who,
		.apart = run->own.run != 0,
		.environment = run->s->environment,
		.workload = run->has_workload ? run->workload.pid : 0,
		.group = run->group.path,
		.record = record,
		.own = is_own(run),
		.most_bytes = run->most_bytes,
		.changed = jobrun_measures_changed,
		.user = run,
	};
	int rc = measure_start(&run->measures[run->measure_count], run->s->loop, &options, err);

	if (!rc)
		run->measure_count++;
	return rc;
}

int jobrun_start_all(struct jobrun *run, struct err *err)
{
	uint64_t most = run->s->options->policy->max_runtime_ns;
	int rc = 0;

	run->limited = most && (!run->start.limit_ns || run->start.limit_ns > most);
	if (run->limited)
		run->start.limit_ns = most;
	jobrun_watch_prepare(run);
	if (run->start.target == TARGET_COMMAND)
		rc = start_workload(run, err);
	if (!rc)
		jobrun_prepare_budget(run);
	/* one that counts must not count what opens the other one's rings */
	if (!rc && run->start.tool & TOOL_SAMPLE)
		rc = start_measuring(run, true, err);
	if (!rc && run->start.tool & TOOL_COUNT)
		rc = start_measuring(run, false, err);
	return rc;
}
