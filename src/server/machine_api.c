// SPDX-License-Identifier: Apache-2.0
/* What is asked of the machine itself: hosts, processes, the doctor. */
#include "base/err.h"
#include "base/json.h"
#include "base/jsonread.h"
#include "jobs/private.h"
#include "server/answer.h"
#include "server/app.h"
#include "server/resource.h"
#include "server/trouble.h"
#include "server/unixaccount.h"
#include "store/datadir.h"

#include <json-c/json.h>
#include <string.h>

static void write_host(struct json *json, struct app *app, const struct reach *reach, int64_t used,
		       const struct queue *queue)
{
	const struct msg_policy *policy = &app->policy;
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
	json_flag(json, "attach", reach->attach);
	json_flag(json, "attach_others", reach->attach_others);
	json_flag(json, "other_users", reach->users);
	json_flag(json, "whole_host", reach->host);
	json_flag(json, "shared", reach->shared);
	json_flag(json, "private_tmp", policy->private_tmp);
	json_text(json, "private_tmp_why", policy->private_why);
	json_text(json, "run_network", private_network_name((enum private_network)policy->network));
	json_u64_text(json, "max_runtime_ns", policy->max_runtime_ns);
	json_u64(json, "max_output", policy->max_output);
	json_u64(json, "max_disk", policy->max_disk);
	json_u64(json, "max_export", policy->max_export);
	json_u64(json, "run_memory", policy->run_memory);
	json_u64(json, "run_tasks", policy->run_tasks);
	json_double(json, "run_cpus", (double)policy->run_cpu / 1000);
	json_flag(json, "holds_memory", policy->holds_memory);
	json_flag(json, "holds_tasks", policy->holds_tasks);
	json_int(json, "disk_used", used);
	json_int(json, "disk_left", datadir_left(app->dir, (int64_t)policy->max_disk));
	trouble_write(json, "trouble", app->dir);
	json_int(json, "queued", queued);
	if (running)
		json_int(json, "running", running);
	else
		json_text(json, "running", NULL);
	json_close(json);
}

static int get_hosts(struct request *request, struct err *err)
{
	struct reach reach = rights_reach(request->app);
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
		write_host(json, request->app, &reach, used, &queue);
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

/* Those that the one who asks could attach to; NULL: that is all of them, else why not. */
static const char *keep_own(struct request *request, struct json_object *list)
{
	struct reach reach = rights_reach(request->app);
	const char *why = reach_refuses_attach(&reach, true);
	const char *account = unix_account_of(request->app, request->user->name, &request->arena);

	for (size_t i = list && why ? json_object_array_length(list) : 0; i--;) {
		struct json_object *item = json_object_array_get_idx(list, i);

		if (!reach.attach || strcmp(jsonread_text(item, "user", ""), account) != 0)
			json_object_array_del_idx(list, i, 1);
	}
	return why;
}

static int get_server(struct request *request, struct err *err)
{
	return answer_reply(request, "server", NULL, err);
}

static int get_processes(struct request *request, struct err *err)
{
	const char *why;
	static const char *const members[] = { "pid", "parent", "user", "command", NULL };
	struct json_object *processes = NULL;
	struct json *json;
	int rc = answer_object(request, "processes", false, &processes, err);

	if (rc)
		return rc;
	why = keep_own(request, answer_list(processes, "processes"));
	json = reply_json(request);
	json_open(json, NULL, '{');
	found_write(json, answer_list(processes, "processes"), members,
		    request_text(request, "search", ""));
	json_text(json, "note", why ? why : "");
	json_close(json);
	json_object_put(processes);
	return 0;
}

const struct route machine_routes[] = {
	{ "GET", "/api/v1/hosts", RIGHT_LOOK, get_hosts },
	{ "GET", "/api/v1/doctor", RIGHT_LOOK, get_doctor, ROUTE_SLOW },
	{ "GET", "/api/v1/server", RIGHT_MEASURE, get_server, ROUTE_SLOW },
	{ "GET", "/api/v1/processes", RIGHT_MEASURE, get_processes, ROUTE_SLOW },
	{ 0 },
};
