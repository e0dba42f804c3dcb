// SPDX-License-Identifier: Apache-2.0
/* What the web side is told at its start, and what is done with what it says. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/cpuset.h"
#include "base/err.h"
#include "jobs/folder.h"
#include "jobs/jobgroup.h"
#include "jobs/listener.h"
#include "jobs/policy.h"
#include "jobs/private.h"
#include "jobs/serving.h"
#include "jobs/supervisor_inside.h"
#include "perfdata/hostinfo.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

/* The payload is a length of 4 bytes and a text with its NUL. */
static const char *cpu_model(struct buf *payload)
{
	struct hostinfo info = { 0 };

	return hostinfo_payload(&info, FEATURE_CPUDESC, payload) && payload->len > 4
		       ? payload->data + 4
		       : "";
}

void greet(struct supervisor *s)
{
	const struct supervisor_options *o = s->options;
	const struct policy *policy = o->policy;
	struct utsname machine;
	struct cpuset cpus = { 0 };
	struct buf model = { 0 };
	struct arena arena = { 0 };
	struct private_ids kept = { 0 };
	struct msg_policy said = {
		.kernel = machine.release,
		.host = machine.nodename,
		.cpu_model = cpu_model(&model),
		.perfolio = PERFOLIO_VERSION,
		.workload_user = policy->workload.name,
		.as_root = policy->as_root,
		.attach = policy->reach.attach,
		.other_users = policy->reach.users,
		.whole_host = policy->reach.host,
		.allow_attach = policy->reach.allow_attach,
		.allow_users = policy->reach.allow_users,
		.allow_host = policy->reach.allow_host,
		.shared = supervisor_is_shared(s),
		.private_tmp = policy->private_tmp,
		.private_why = policy->private_why.text,
		.network = policy->network,
		.max_runtime_ns = policy->max_runtime_ns,
		.max_output = policy->max_output,
		.max_disk = policy->max_disk,
		.max_share = policy->max_share,
		.max_export = policy->max_export,
		.run_memory = policy->run.memory,
		.run_tasks = policy->run.tasks,
		.run_cpu = policy->run.cpu,
		.holds_memory = o->group->parts[GROUP_MEMORY].path,
		.holds_tasks = o->group->parts[GROUP_TASKS].path,
		.analyser_ns = policy->analyser_ns,
		.token_hash = o->token_hash,
		.origin = o->listener->origin,
		.open = o->open,
		.tls = o->tls_cert >= 0,
		.again = s->ever_up,
	};
	struct msg_ready ready = { .runs = s->runs.len };

	uname(&machine);
	cpuset_online(&cpus, NULL);
	said.cpus = cpus.len;
	vec_each (host, &o->listener->hosts)
		*vec_push(&said.hosts) = *host;
	vec_each (webhook, o->webhooks)
		*vec_push(&said.webhooks) = *webhook;
	private_list(o->folder->path, &kept);
	vec_each (run, &kept)
		*vec_push(&said.private_runs) = arena_printf(&arena, "%llu",
							     (unsigned long long)*run);
	supervisor_tell(s, &msg_policy, &said);
	runs_tell(s);
	supervisor_tell(s, &msg_ready, &ready);
	vec_free(&said.hosts);
	vec_free(&said.webhooks);
	vec_free(&said.private_runs);
	vec_free(&kept);
	arena_free(&arena);
	cpuset_free(&cpus);
	buf_free(&model);
}

static int be_up(struct supervisor *s)
{
	bool first = !s->ever_up;

	s->up = s->ever_up = true;
	if (first)
		serving_note(s->options);
	if (first && s->options->up)
		s->options->up(s->options->user);
	return 0;
}

int dispatch(struct supervisor *s, const struct ipc_type *type, void *message, struct err *err)
{
	if (type == &msg_up)
		return be_up(s);
	if (type == &msg_start)
		runs_start(s, message);
	else if (type == &msg_cancel)
		runs_cancel(s, ((struct msg_cancel *)message)->run);
	else if (type == &msg_control)
		runs_control(s, message);
	else if (type == &msg_forget)
		runs_forget(s, ((struct msg_forget *)message)->run);
	else if (type == &msg_ask)
		questions_ask(s->questions, message);
	else if (type == &msg_unask)
		questions_drop(s->questions, ((struct msg_unask *)message)->question);
	else if (type == &msg_analysed)
		privates_drop(s->privates, ((struct msg_analysed *)message)->run);
	else if (type == &msg_analyse)
		analysers_start(s->analysers, message);
	else if (type == &msg_stop_job)
		analysers_stop(s->analysers, ((struct msg_stop_job *)message)->job);
	else
		return err_set(err, EPROTO, "it sent '%s', which it is sent", type->name);
	return 0;
}
