// SPDX-License-Identifier: Apache-2.0
#include "jobs/serving.h"
#include "base/err.h"
#include "base/json.h"
#include "base/jsonread.h"
#include "base/log.h"
#include "base/mem.h"
#include "jobs/folder.h"
#include "jobs/jobgroup.h"
#include "jobs/listener.h"
#include "jobs/ownfolder.h"
#include "jobs/policy.h"
#include "jobs/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME	 "serving"
#define NEW_NAME NAME ".new"
#define MOST	 (64 << 10)

static void write_json(FILE *out, const struct supervisor_options *o)
{
	const struct policy *policy = o->policy;
	struct json json = json_to(out);

	json_open(&json, NULL, '{');
	json_text(&json, "perfolio", PERFOLIO_VERSION);
	json_text(&json, "origin", o->listener->origin);
	json_text(&json, "socket", o->listener->path);
	json_flag(&json, "loopback", o->listener->loopback);
	json_flag(&json, "tls", o->tls_cert >= 0);
	json_flag(&json, "open", o->open);
	json_text(&json, "web_user", policy->web.name);
	json_text(&json, "workload_user", policy->workload.name);
	json_flag(&json, "as_root", policy->as_root);
	json_flag(&json, "allow_others",
		  policy->reach.allow_attach || policy->reach.allow_users ||
			  policy->reach.allow_host);
	json_flag(&json, "private_tmp", policy->private_tmp);
	json_text(&json, "private_tmp_why", policy->private_why.text);
	json_text(&json, "run_network", private_network_name(policy->network));
	json_u64_text(&json, "max_runtime_ns", policy->max_runtime_ns);
	json_u64(&json, "max_disk", policy->max_disk);
	json_u64(&json, "run_memory", policy->run.memory);
	json_flag(&json, "memory_held", o->group->parts[GROUP_MEMORY].path);
	json_u64(&json, "run_tasks", policy->run.tasks);
	json_flag(&json, "tasks_held", o->group->parts[GROUP_TASKS].path);
	json_close(&json);
}

void serving_note(const struct supervisor_options *options)
{
	struct err err = { 0 };
	int folder = ownfolder_open(options->folder->path, true, &err);
	int fd = folder < 0 ? -1
			    : openat(folder, NEW_NAME,
				     O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (out)
		write_json(out, options);
	if (!out || fclose(out) || renameat(folder, NEW_NAME, folder, NAME))
		log_line(LOG_DEBUG, "how the server is set up can't be noted");
	if (folder >= 0)
		close(folder);
}

struct json_object *serving_read(const char *data, struct err *err)
{
	int folder = ownfolder_open(data, false, err);
	int fd = folder < 0 ? -1 : openat(folder, NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct json_object *object = NULL;
	char *text = mem_alloc(MOST + 1);
	ssize_t size = fd < 0 ? -1 : read(fd, text, MOST);

	if (folder >= 0 && fd < 0)
		err_set(err, errno, NAME ": %s", strerror(errno));
	else if (fd >= 0 && size < 0)
		err_set(err, EIO, NAME ": can't be read");
	if (size >= 0)
		object = jsonread(text, (size_t)size, NAME, err);
	free(text);
	if (fd >= 0)
		close(fd);
	if (folder >= 0)
		close(folder);
	return object;
}
