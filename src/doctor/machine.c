// SPDX-License-Identifier: Apache-2.0
/* What is around the kernel (a hypervisor) and around this process (a container). */
#include "base/file.h"
#include "doctor/probe.h"

#include <stdio.h>

bool probe_machine(struct checkup *c, struct finding *f)
{
	const struct hypervisor *hypervisor = &c->host.hypervisor;
	char kernel[120];

	if (file_line(kernel, sizeof(kernel), "%s/proc/sys/kernel/osrelease", c->root) < 0)
		snprintf(kernel, sizeof(kernel), "of unknown version");
	f->what = hypervisor->name ? SAY(c, "virtual, under %s; Linux %s", hypervisor->name, kernel)
				   : SAY(c, "bare metal; Linux %s", kernel);
	f->evidence = hypervisor->evidence[0] ? SAY(c, "%s", hypervisor->evidence) : NULL;
	return true;
}

static const char *seccomp_remedy(const struct host *host)
{
	switch (host->container) {
	case HOST_DOCKER:
	case HOST_PODMAN:
		return "start it with --cap-add PERFMON; engines older than Docker 23 also need "
		       "--security-opt seccomp=unconfined";
	case HOST_KUBERNETES:
		return "securityContext: capabilities.add [PERFMON], and seccompProfile.type "
		       "Unconfined where the default filter still refuses";
	default: return "start it with a filter that allows perf_event_open";
	}
}

bool probe_container(struct checkup *c, struct finding *f)
{
	const struct host *host = &c->host;

	if (host->container == HOST_NO_CONTAINER && !host->seccomp) {
		f->what = "none";
		return true;
	}
	f->what = SAY(c, "%s%s%s",
		      host->container ? host_container_name(host->container) : "a sandbox",
		      host->seccomp ? ", with a seccomp filter" : "",
		      host->user_namespace ? ", without root on the machine" : "");
	if (host->user_namespace) {
		f->state = DOCTOR_LIMITED;
		f->meaning = "in a user namespace no capability counts for measuring";
		f->remedy = "the machine's root decides: sysctl kernel.perf_event_paranoid";
	} else if (host->seccomp && !c->measures) {
		f->state = DOCTOR_LIMITED;
		f->meaning = "its filter refuses to open events";
		f->remedy = seccomp_remedy(host);
	} else {
		f->meaning = "events can be opened in it";
	}
	return true;
}
