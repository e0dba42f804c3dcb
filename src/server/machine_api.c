// SPDX-License-Identifier: Apache-2.0
/* What is asked of the machine itself: hosts, processes, the doctor. */
#include "base/err.h"
#include "base/json.h"
#include "server/answer.h"
#include "server/app.h"
#include "server/resource.h"
#include "store/datadir.h"

#include <json-c/json.h>

static void write_host(struct json *json, const struct msg_policy *policy, int64_t used,
		       const struct queue *queue)
{
	int64_t queued = 0, running = 0;

	vec_each (entry, queue) {
		queued += entry->waits;
		running = entry->waits ? running : entry->run;
	}
	json_open(json, NULL, '{');
	json_text(json, "name", policy->host);
	json_text(json, "kernel", policy->kernel);
	json_text(json, "perfolio", policy->perfolio);
	json_text(json, "cpu_model", policy->cpu_model);
	json_u64(json, "cpus", policy->cpus);
	json_text(json, "workload_user", policy->workload_user);
	json_flag(json, "as_root", policy->as_root);
	json_flag(json, "attach", policy->attach);
	json_flag(json, "other_users", policy->other_users);
	json_flag(json, "whole_host", policy->whole_host);
	json_u64_text(json, "max_runtime_ns", policy->max_runtime_ns);
	json_u64(json, "max_output", policy->max_output);
	json_u64(json, "max_disk", policy->max_disk);
	json_int(json, "disk_used", used);
	json_int(json, "queued", queued);
	if (running)
		json_int(json, "running", running);
	else
		json_text(json, "running", NULL);
	json_close(json);
}

static int get_hosts(struct request *request, struct err *err)
{
	struct queue queue = { 0 };
	struct json *json;
	int64_t used;
	int rc = datadir_bytes(request->app->dir, &used, err);

	if (!rc)
		rc = store_queue(request->store, &queue, err);
	if (!rc) {
		json = reply_json(request);
		json_open(json, NULL, '{');
		json_open(json, "items", '[');
		write_host(json, &request->app->policy, used, &queue);
		json_close(json);
		json_close(json);
	}
	vec_free(&queue);
	return rc;
}

static int get_doctor(struct request *request, struct err *err)
{
	return answer_reply(request, "doctor", NULL, err);
}

static int get_processes(struct request *request, struct err *err)
{
	static const char *const members[] = { "pid", "parent", "user", "command", NULL };
	struct json_object *processes = NULL;
	struct json *json;
	int rc = answer_object(request, "processes", false, &processes, err);

	if (rc)
		return rc;
	json = reply_json(request);
	json_open(json, NULL, '{');
	found_write(json, answer_list(processes, "processes"), members,
		    request_text(request, "search", ""));
	json_close(json);
	json_object_put(processes);
	return 0;
}

const struct route machine_routes[] = {
	{ "GET", "/api/v1/hosts", ROLE_VIEWER, get_hosts },
	{ "GET", "/api/v1/doctor", ROLE_VIEWER, get_doctor, ROUTE_SLOW },
	{ "GET", "/api/v1/processes", ROLE_RUNNER, get_processes, ROUTE_SLOW },
	{ 0 },
};
