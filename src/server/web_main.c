// SPDX-License-Identifier: Apache-2.0
#include "server/web_main.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "jobs/sandbox.h"
#include "server/analysis.h"
#include "server/app.h"
#include "server/http.h"
#include "server/hub.h"
#include "server/jobs.h"
#include "server/link.h"
#include "server/live.h"
#include "server/mhd.h"
#include "server/possible.h"
#include "server/profiles.h"
#include "server/resource.h"
#include "server/rights.h"
#include "server/scheduler.h"
#include "server/signin.h"
#include "server/stream.h"
#include "server/webhook.h"
#include "store/datadir.h"
#include "store/store.h"

#include <errno.h>
#include <signal.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define PEM_MOST (1 << 20)

static struct link *link_to_stop;

static void on_signal(int number)
{
	(void)number;
	link_stop(link_to_stop);
}

static void catch_signals(struct link *link)
{
	struct sigaction action = { .sa_handler = on_signal };

	link_to_stop = link;
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* Each connection, each file of a reply and each mapped index needs one. */
static void raise_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* The whole of a small file by its descriptor, from its beginning. */
static char *read_pem(int fd, struct err *err)
{
	struct stat info;
	char *text;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &info) || info.st_size > PEM_MOST) {
		err_set(err, EINVAL, "the file for TLS can't be read");
		return NULL;
	}
	text = mem_alloc((size_t)info.st_size + 1);
	if (pread(fd, text, (size_t)info.st_size, 0) == info.st_size)
		return text;
	err_set(err, EIO, "the file for TLS can't be read");
	free(text);
	return NULL;
}

/*
 * Runs that the supervisor is at, or has just ended, go on; others were interrupted.  What it would
 * hold if it had heard of it, it was never told: that one can wait again.
 */
static int recover(struct app *app, struct err *err)
{
	const struct held_runs *held = link_held(app->link);
	struct datadir_alive alive = { held->data, held->len, .all = app->policy.again };
	struct datadir_sweep sweep;

	return datadir_recover(app->dir, &alive, &sweep, err);
}

static int open_store(struct app *app, const char *path, struct err *err)
{
	app->dir = datadir_open(path, DATADIR_SERVE, err);
	if (!app->dir)
		return -err->code;
	app->store = datadir_store(app->dir);
	return recover(app, err);
}

static int start_http(struct app *app, const struct web_side *side, struct err *err)
{
	struct http_options options = { .listen = side->listener };
	char *cert = read_pem(side->tls_cert, err), *key = NULL;

	if (side->tls_cert >= 0 && cert)
		key = read_pem(side->tls_key, err);
	if (side->tls_cert < 0 || key) {
		options.tls_cert = cert;
		options.tls_key = key;
		app->http = http_start(app, &options, err);
	}
	free(cert);
	if (key)
		sodium_memzero(key, strlen(key));
	free(key);
	return app->http ? 0 : -err->code;
}

/* Once all libraries are loaded, and before there are threads. */
static int confine(const struct app *app, const struct web_side *side, struct err *err)
{
	struct sandbox sandbox = { .profile = SANDBOX_WEB,
				   .uid = SANDBOX_STAY,
				   .writable = side->data,
				   .network = app->policy.webhooks.len };
	struct buf missing = { 0 };
	int rc = dir_make(side->data, err);

	if (!rc)
		rc = sandbox_enter(&sandbox, &missing, err);
	if (!rc && missing.len)
		log_line(LOG_WARN, "the web side is not confined as it should be: %s",
			 missing.data);
	buf_free(&missing);
	return rc;
}

static int start_analysis(struct app *app, struct err *err)
{
	int rc;

	app->jobs = jobs_new(app);
	app->analysis = analysis_new(app);
	rc = jobs_begin(app->jobs, err);
	return rc ? rc : analysis_begin(app->analysis, err);
}

static int start_live(struct app *app, struct err *err)
{
	uint64_t epoch;
	int rc = stream_epoch(app->store, &epoch, err);

	if (rc)
		return rc;
	app->hub = hub_new(epoch, NULL);
	app->live = live_new(app->dir, app->hub, run_write_masked);
	return live_start(app->live, err);
}

/* What the supervisor says first is from a friend; all that comes later is heard in the fence. */
static int start_fenced(struct app *app, const struct web_side *side, struct err *err)
{
	int rc = mhd_load(err) ? 0 : -err->code;

	if (rc)
		return rc;
	app->link = link_open(side->channel, app, err);
	if (!app->link)
		return -err->code;
	catch_signals(app->link);
	return confine(app, side, err);
}

static int remake_index(void *state, int64_t run, struct err *err)
{
	struct app *app = state;

	(void)err;
	analysis_remake(app->analysis, run);
	return 0;
}

/* In the order of struct app. */
static int start(struct app *app, const struct web_side *side, struct err *err)
{
	int rc = start_fenced(app, side, err);

	if (!rc)
		rc = open_store(app, side->data, err);
	if (!rc)
		app->profiles = profiles_new(&(struct profiles_options){
			.dir = app->dir, .remake = remake_index, .state = app });
	if (!rc)
		rc = start_live(app, err);
	if (rc)
		return rc;
	app->webhook = webhook_new(app); /* told by the analysis */
	rc = start_analysis(app, err);
	if (rc)
		return rc;
	app->scheduler = scheduler_new(app);
	app->costs = costs_new();
	app->rights = rights_new();
	app->signins = signins_new(app, err);
	rc = app->signins ? start_http(app, side, err) : -err->code;
	return rc ? rc : scheduler_start(app->scheduler, err);
}

static void stop(struct app *app)
{
	if (app->hub)
		hub_stop(app->hub);
	if (app->jobs)
		jobs_end(app->jobs); /* requests may wait for one */
	http_stop(app->http);
	signins_free(app->signins);
	rights_free(app->rights);
	costs_free(app->costs);
	scheduler_free(app->scheduler);
	webhook_free(app->webhook);
	analysis_free(app->analysis);
	jobs_free(app->jobs);
	live_free(app->live);
	hub_free(app->hub);
	profiles_free(app->profiles);
	link_close(app->link);
	datadir_close(app->dir);
	arena_free(&app->arena);
}

int web_side_main(const struct web_side *side, struct err *err)
{
	struct app app = { .check_options = side->check_options };
	int rc;

	raise_descriptors();
	rc = start(&app, side, err);
	if (!rc)
		rc = link_send(app.link, &msg_up, &(struct msg_up){ 0 }, err);
	if (!rc)
		rc = link_run(app.link, err);
	stop(&app);
	return rc;
}
