// SPDX-License-Identifier: Apache-2.0
/*
 * `serve`: the guard, inside it the supervisor, and as --role the processes that this starts.
 */
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/leaks.h"
#include "cmd/analyser.h"
#include "cmd/command.h"
#include "cmd/fenced.h"
#include "cmd/look.h"
#include "cmd/option_check.h"
#include "cmd/serve_options.h"
#include "cmd/server_folder.h"
#include "jobs/accountmark.h"
#include "jobs/caps.h"
#include "jobs/folder.h"
#include "jobs/guard.h"
#include "jobs/jobgroup.h"
#include "jobs/listener.h"
#include "jobs/orphans.h"
#include "jobs/policy.h"
#include "jobs/private.h"
#include "jobs/roles.h"
#include "jobs/supervisor.h"
#include "server/web_main.h"
#include "store/accounts.h"
#include "store/datadir.h"
#include "store/people.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#define TOKEN_BYTES 24

struct serve {
	const struct serve_options *options;
	struct policy policy;
	struct folder folder;
	struct listener listener;
	struct jobgroup group;
	int tls_cert, tls_key;
	char token[2 * TOKEN_BYTES + 1]; /* until it was shown */
	char token_hash[TOKEN_HASH];
};

/* ---- the processes that the supervisor starts ---- */

static int be_web(const struct serve_options *options, struct err *err)
{
	struct web_side side = {
		.channel = ROLE_CHANNEL,
		.listener = ROLE_LISTENER,
		.tls_cert = -1,
		.tls_key = -1,
		.data = options->data,
		.check_options = option_check,
	};
	int rc;

	if (fcntl(ROLE_TLS_CERT, F_GETFD) >= 0) {
		side.tls_cert = ROLE_TLS_CERT;
		side.tls_key = ROLE_TLS_KEY;
	}
	rc = web_side_main(&side, err);
	/* What libraries and checkers do at exit() they can't do inside the fence. */
	if (!rc)
		_exit(leaks_found() ? EXIT_FAILED : EXIT_DONE);
	return rc;
}

static int be_role(const struct serve_options *options, int argc, char **argv, struct err *err)
{
	if (!strcmp(options->role, "processes"))
		return look_processes(err);
	if (!strcmp(options->role, "check") && argc == 1)
		return look_check(argv[0], err);
	if (!strcmp(options->role, "plan"))
		return look_plan(argv, argc, err);
	if (!strcmp(options->role, "plan-events"))
		return look_plan_events(argv, argc, err);
	if (!strcmp(options->role, "sweep") && argc == 1)
		return private_remove(options->data, strtoull(argv[0], NULL, 10), err);
	if (!strcmp(options->role, "target"))
		return look_target(argv, argc, options->run_user, err);
	if (fcntl(ROLE_CHANNEL, F_GETFD) < 0)
		return err_set(err, EBADF, "--role: is for processes that the server starts");
	for (int fd = ROLE_CHANNEL; fd <= ROLE_TLS_KEY; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	if (!strcmp(options->role, "web"))
		return be_web(options, err);
	if (!strcmp(options->role, "analyser"))
		analyser_main(&(struct analyser_start){
			.channel = ROLE_CHANNEL,
			.kallsyms = ROLE_KALLSYMS,
			.imported = options->imported,
			.memory = options->analyser_memory,
			.user = options->run_user,
			.cpu_s = (uint64_t)(options->analyser_ns / NS_PER_SEC),
		});
	return err_set(err, EINVAL, "--role %s: web or analyser", options->role);
}

/* ---- the server ---- */

static int make_token(struct serve *serve, struct err *err)
{
	unsigned char bytes[TOKEN_BYTES];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return err_set(err, EIO, "no random numbers from the kernel");
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(serve->token + 2 * i, 3, "%02x", bytes[i]);
	sodium_memzero(bytes, sizeof(bytes));
	token_hash(serve->token, serve->token_hash);
	return 0;
}

static int open_tls(struct serve *serve, struct err *err)
{
	const struct serve_options *o = serve->options;
	const char *paths[] = { o->tls_cert, o->tls_key };
	int *fds[] = { &serve->tls_cert, &serve->tls_key };

	for (int i = 0; i < 2 && paths[i]; i++) {
		*fds[i] = open(paths[i], O_RDONLY | O_CLOEXEC);
		if (*fds[i] < 0)
			return err_set(err, errno, "%s: %s", paths[i], strerror(errno));
	}
	return 0;
}

static int listen_there(struct serve *serve, struct err *err)
{
	const struct serve_options *o = serve->options;
	struct listener_options options = {
		.address = o->listen,
		.tls = o->tls_cert != NULL,
		.names = &o->names,
	};
	int rc = listener_open(&serve->listener, &options, err);

	if (!rc && serve->listener.loopback && o->open)
		fprintf(stderr,
			"perfolio: --open: whoever has a program on this machine can start others "
			"as "
			"user %s here, and see and remove all results, without signing in\n",
			serve->policy.workload.name);
	if (rc || serve->listener.loopback)
		return rc;
	if (o->open)
		return err_set(err, EPERM,
			       "--open: other machines reach %s, and nobody would have to sign in",
			       serve->listener.origin);
	if (!o->tls_cert && !o->insecure)
		return err_set(
			err, EPERM,
			"other machines reach %s, and what they send, passwords too, could be "
			"read on the way; give --tls-cert and --tls-key, or --insecure where "
			"something else encrypts",
			serve->listener.origin);
	if (!o->tls_cert)
		fprintf(stderr,
			"perfolio: --insecure: other machines reach %s, and what they send can be "
			"read on the way\n",
			serve->listener.origin);
	return 0;
}

/*
 * Whether somebody besides the owner has an account, by the rows: in a process that has become the
 * web side's user for good, while there is no web side.  0, 1; anything else: nobody knows.
 */
static int look_at_accounts(const struct serve *serve)
{
	char *path = mem_printf("%s/perfolio.db", serve->folder.path);
	struct store *store;
	int64_t count = 1;
	pid_t child;
	int status = -1;

	child = fork();
	if (!child) {
		store = identity_become(&serve->policy.web) ? NULL : store_open(path, NULL, NULL);
		if (store && !store_user_count(store, &count, NULL))
			status = count > 0;
		store_close(store);
		_exit(status);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	free(path);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* `user add` leaves a mark for the supervisor; accounts of 0.1.0 have none. */
static int mark_accounts(const struct serve *serve, struct err *err)
{
	if (!file_exists("%s/perfolio.db", serve->folder.path) || !look_at_accounts(serve))
		return 0;
	return accountmark_set(serve->folder.path, true, err);
}

static int prepare(struct serve *serve, struct err *err)
{
	const struct serve_options *o = serve->options;
	struct policy_options policy = {
		.user = o->user,
		.web_user = o->web_user,
		.as_root = o->as_root,
		.deny = o->deny,
		.allow = o->allow,
		.private_tmp = o->private_tmp,
		.network = o->run_network,
		.max_runtime_ns = (uint64_t)o->max_runtime_ns,
		.max_output = o->max_output,
		.max_disk = o->max_disk,
		.max_share = o->max_share,
		.max_export = o->max_export,
		.run = { .memory = o->run_memory, .tasks = o->run_tasks, .cpu = o->run_cpu },
		.analyser_memory = o->analyser_memory,
		.analyser_ns = (uint64_t)o->analyser_ns,
	};
	char *path = server_folder(o->data), tag[64];
	int rc;

	policy.data = path;
	rc = policy_make(&serve->policy, &policy, err);
	if (!rc)
		rc = open_tls(serve, err);
	if (!rc)
		rc = folder_open(&serve->folder, path, &serve->policy.web, err);
	if (!rc)
		rc = mark_accounts(serve, err);
	if (!rc)
		rc = listen_there(serve, err);
	if (!rc) {
		folder_tag(&serve->folder, tag, sizeof(tag));
		jobgroup_open(&serve->group, tag, &jobgroup_here);
		if (!serve->group.path) /* there is no other trace of what was left */
			orphans_kill_of(tag);
	}
	free(path);
	return rc;
}

/*
 * The token is in what follows the #, which browsers keep to themselves: no log has it.  Nor have
 * we from then on, and so it is not written through stdio, which would keep it.
 */
static void show_link(void *user)
{
	struct serve *serve = user;
	const struct listener *listener = &serve->listener;
	size_t room = strlen(listener->path ? listener->path : listener->origin) + 100;
	char *line = mem_alloc(room);

	if (listener->path)
		snprintf(line, room, "unix:%s, with the token %s\n", listener->path, serve->token);
	else if (serve->options->open)
		snprintf(line, room, "%s/\n", listener->origin);
	else
		snprintf(line, room, "%s/#token=%s\n", listener->origin, serve->token);
	fflush(stdout);
	fd_write_all(STDOUT_FILENO, line, strlen(line));
	sodium_memzero(line, strlen(line));
	sodium_memzero(serve->token, sizeof(serve->token));
	sodium_stackzero((size_t)16 << 10);
	free(line);
	if (isatty(STDOUT_FILENO) && isatty(STDERR_FILENO))
		fprintf(stderr,
			"Open that link in a browser; Ctrl+C ends the server.  Programs are "
			"started "
			"as user %s,\nand what is measured is kept in %s.\n",
			serve->policy.workload.name, serve->folder.path);
}

/* Programs that run as root may have all that root has, and so has who starts them. */
static int give_up_rights(const struct serve *serve, struct err *err)
{
	int rc;

	if (serve->policy.as_root || geteuid())
		return 0;
	rc = caps_keep(caps_supervisor());
	if (!rc && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		rc = -errno;
	return rc ? err_set(err, -rc, "capabilities: %s", strerror(-rc)) : 0;
}

static int supervise(void *user)
{
	struct serve *serve = user;
	struct supervisor_options options = {
		.policy = &serve->policy,
		.folder = &serve->folder,
		.listener = &serve->listener,
		.group = &serve->group,
		.tls_cert = serve->tls_cert,
		.tls_key = serve->tls_key,
		.open = serve->options->open,
		.webhooks = &serve->options->webhooks,
		.token_hash = serve->token_hash,
		.up = show_link,
		.user = serve,
	};
	struct err err = { 0 };
	int rc = make_token(serve, &err); /* here: the guard has no business with it */

	if (!rc)
		rc = give_up_rights(serve, &err);
	if (!rc)
		rc = supervisor_run(&options, &err);
	jobgroup_close(&serve->group); /* the guard does it too, if it is still there */
	if (rc < 0 && *err.text)       /* else the web side has said it */
		fprintf(stderr, "perfolio: %s\n", err.text);
	return rc < 0 ? EXIT_FAILED : rc;
}

static void release(struct serve *serve)
{
	jobgroup_close(&serve->group);
	listener_close(&serve->listener);
	folder_close(&serve->folder);
	policy_fini(&serve->policy);
	for (int *fd = (int[]){ serve->tls_cert, serve->tls_key, -2 }; *fd != -2; fd++)
		if (*fd >= 0)
			close(*fd);
}

/* As the owner of the folder, since what root wrote there the server could not use. */
static int collect_garbage(const struct serve_options *o, struct err *err)
{
	struct datadir_sweep sweep = { 0 };
	char *path = server_folder(o->data);
	struct datadir *dir = NULL;
	int rc = server_folder_become_owner(path, err);

	if (!rc && !file_exists("%s/perfolio.db", path))
		rc = err_set(err, ENOENT, "%s: no server has used this folder", path);
	if (!rc) {
		dir = datadir_open(path, DATADIR_SERVE, err);
		rc = dir ? 0 : -EIO;
	}
	if (!rc)
		rc = datadir_recover(dir, NULL, &sweep, err);
	if (!rc)
		rc = datadir_gc(dir, clock_wall_ns(), &sweep, err);
	if (!rc)
		printf("%lld removed runs and sessions, %lld files without a row, %lld rows "
		       "without a file\n",
		       (long long)sweep.purged, (long long)sweep.orphans, (long long)sweep.missing);
	datadir_close(dir);
	server_folder_leave();
	free(path);
	return rc;
}

static int serve_run(void *options, int argc, char **argv, struct err *err)
{
	struct serve serve = {
		.options = options,
		.folder = { .fd = -1, .own = -1 },
		.listener = { .fd = -1, .held = -1 },
		.tls_cert = -1,
		.tls_key = -1,
	};
	int rc;

	if (serve.options->role)
		return be_role(options, argc, argv, err);
	if (argc)
		return err_set(err, EINVAL, "unknown option '%s'", argv[0]);
	rc = serve_options_read(options, err);
	if (!rc)
		rc = serve_options_check(options, err);
	if (!rc && serve.options->gc)
		return collect_garbage(options, err);
	if (!rc)
		rc = prepare(&serve, err);
	if (!rc)
		rc = guard_run(supervise, &serve, &serve.group, err);
	release(&serve);
	return rc;
}

/*
 * Recorders leave memory of processes with this name out (record/ownproc.h), whatever the program's
 * file is called; those that we start by /proc/self/exe would be "exe" else.
 */
static const struct command *begin(int argc, char **argv, struct strlist *words, struct err *err)
{
	prctl(PR_SET_NAME, "perfolio", 0, 0, 0);
	return fenced_command(argc, argv, words, err);
}

const struct command cmd_serve = {
	.name = "serve",
	.summary = "measure and look at results in the browser, with sessions and a queue",
	.example = "perfolio serve",
	.options = serve_option_specs,
	.options_size = sizeof(struct serve_options),
	.defaults = &serve_option_defaults,
	.run = serve_run,
	.stands_for = begin,
	.release = serve_options_release,
};
