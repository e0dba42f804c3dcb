// SPDX-License-Identifier: Apache-2.0
/* What the web side is told at its start, and what is done with what it says. */
#include "base/buf.h"
#include "base/cpuset.h"
#include "base/err.h"
#include "jobs/listener.h"
#include "jobs/policy.h"
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
	struct msg_policy said = {
		.kernel = machine.release,
		.host = machine.nodename,
		.cpu_model = cpu_model(&model),
		.perfolio = PERFOLIO_VERSION,
		.workload_user = policy->workload.name,
		.as_root = policy->as_root,
		.attach = policy->attach,
		.other_users = policy->other_users,
		.whole_host = policy->whole_host,
		.max_runtime_ns = policy->max_runtime_ns,
		.max_output = policy->max_output,
		.max_disk = policy->max_disk,
		.analyser_ns = policy->analyser_ns,
		.token = o->token,
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
	supervisor_tell(s, &msg_policy, &said);
	runs_tell(s);
	supervisor_tell(s, &msg_ready, &ready);
	vec_free(&said.hosts);
	vec_free(&said.webhooks);
	cpuset_free(&cpus);
	buf_free(&model);
}

static int be_up(struct supervisor *s)
{
	bool first = !s->ever_up;

	s->up = s->ever_up = true;
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
	else if (type == &msg_analyse)
		analysers_start(s->analysers, message);
	else if (type == &msg_stop_job)
		analysers_stop(s->analysers, ((struct msg_stop_job *)message)->job);
	else
		return err_set(err, EPROTO, "it sent '%s', which it is sent", type->name);
	return 0;
}
