// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/err.h"
#include "base/vec.h"
#include "cmd/command.h"
#include "cmd/password.h"
#include "cmd/server_folder.h"
#include "jobs/accountmark.h"
#include "jobs/identity.h"
#include "jobs/unixaccounts.h"
#include "store/accounts.h"
#include "store/datadir.h"

#include <errno.h>
#include <pwd.h>
#include <sodium.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

struct user_options {
	const char *data, *role, *label, *unix_name;
	bool no_password, password, list, shared;
	int64_t expires_ns;
	uint64_t revoke;
};

#define FIELD(name) offsetof(struct user_options, name)

static const struct option_spec user_specs[] = {
	{ OPT_TEXT, 0, "data", FIELD(data), "DIR",
	  "the server's data folder; default: $XDG_DATA_HOME/perfolio, for root "
	  "/var/lib/perfolio" },
	{ OPT_HEADING, .help = "add, change" },
	{ OPT_TEXT, 0, "unix", FIELD(unix_name), "NAME",
	  "start this user's programs as the Unix account NAME; root only" },
	{ OPT_FLAG, 0, "shared", FIELD(shared), NULL,
	  "change: as the account of `serve --user` again, which others share" },
	{ OPT_TEXT, 0, "role", FIELD(role), "ROLE",
	  "viewer, who may look (add's default), or runner, who may also measure" },
	{ OPT_FLAG, 0, "password", FIELD(password), NULL, "change: ask for a new password" },
	{ OPT_HEADING, .help = "add" },
	{ OPT_FLAG, 0, "no-password", FIELD(no_password), NULL, "only tokens let this user in" },
	{ OPT_HEADING, .help = "token" },
	{ OPT_TEXT, 0, "label", FIELD(label), "TEXT", "what it is for" },
	{ OPT_DURATION, 0, "expires", FIELD(expires_ns), "TIME",
	  "how long it is valid, such as 720h; default: for ever", .unit_ns = 3600 * NS_PER_SEC },
	{ OPT_FLAG, 0, "list", FIELD(list), NULL, "show the user's tokens, but not their text" },
	{ OPT_U64, 0, "revoke", FIELD(revoke), "N", "forget the token of this number" },
	{ 0 },
};

struct user_job {
	const struct user_options *options;
	const char *path; /* of the data folder */
	struct store *store;
	const char *name; /* "" for list */
	struct arena arena;
};

/* The log of the store tells who did it; at the command line that is the account. */
static int note(struct user_job *job, const char *action, const char *detail, struct err *err)
{
	struct passwd *account = getpwuid(getuid());
	char *who = account ? mem_strdup(account->pw_name) : mem_printf("uid %d", (int)getuid());
	int rc = store_audit_add(job->store, who, action, detail, err);

	free(who);
	return rc;
}

static int note_unix(struct user_job *job, const char *action, const char *account, struct err *err)
{
	char *detail = account ? mem_printf("%s, Unix account %s", job->name, account)
			       : mem_strdup(job->name);
	int rc = note(job, action, detail, err);

	free(detail);
	return rc;
}

static int find_role(const char *name, enum role *role, struct err *err)
{
	for (int i = 0; i < ROLES; i++)
		if (!name || !strcmp(name, role_name(i))) {
			*role = i;
			return 0;
		}
	return err_set(err, EINVAL, "--role %s: viewer and runner are known", name);
}

/* Root's own list, so as root again for a moment. */
static int set_unix(struct user_job *job, const char *account, struct err *err)
{
	int rc;

	server_folder_leave();
	rc = unixaccounts_set(job->path, job->name, account, err);
	return rc ? rc : server_folder_become_owner(job->path, err);
}

/* What the supervisor knows of accounts: jobs/accountmark.h. */
static int mark(struct user_job *job, bool there, struct err *err)
{
	int rc;

	server_folder_leave();
	rc = accountmark_set(job->path, there, err);
	return rc ? rc : server_folder_become_owner(job->path, err);
}

/* Somebody has one before the mark is gone, and the mark is there before somebody has one. */
static int mark_by_rows(struct user_job *job, struct err *err)
{
	int64_t count = 0;
	int rc = store_user_count(job->store, &count, err);

	return rc || count ? rc : mark(job, false, err);
}

/* The supervisor looks again at every start; here it is said in time. */
static int check_unix(const struct user_job *job, struct err *err)
{
	struct identity who = { 0 };
	int rc;

	if (getuid())
		return err_set(err, EPERM,
			       "--unix: only root's server starts programs as others; run this "
			       "command as root");
	rc = identity_find(&who, job->options->unix_name, err);
	if (!rc)
		rc = unixaccount_check(&who, err);
	if (!rc && who.uid == geteuid())
		rc = err_set(err, EPERM, "%s: owns the data folder and answers requests", who.name);
	if (rc)
		err_prefix(err, "--unix");
	identity_fini(&who);
	return rc == -EINVAL ? -EPERM : rc;
}

static int user_add(struct user_job *job, struct err *err)
{
	char password[PASSWORD_ROOM] = "";
	struct user known;
	enum role role = ROLE_VIEWER;
	int64_t id;
	int rc = find_role(job->options->role, &role, err);

	if (!rc)
		rc = account_check_name(job->name, err);
	if (rc)
		return rc;
	/* before the password is asked for in vain */
	if (!store_user_find(job->store, job->name, &job->arena, &known, NULL))
		return err_set(err, EEXIST, "there is a user '%s' already", job->name);
	if (job->options->unix_name)
		rc = check_unix(job, err);
	if (!rc && !job->options->no_password)
		rc = password_read(password, err);
	/* the account first: nobody's programs run as the shared one for a moment */
	if (!rc && job->options->unix_name)
		rc = set_unix(job, job->options->unix_name, err);
	if (!rc)
		rc = mark(job, true, err);
	if (!rc)
		rc = account_add(job->store, job->name, role,
				 job->options->no_password ? NULL : password, &id, err);
	password_wipe(password);
	if (rc)
		return rc;
	printf("%s may sign in as a %s%s.\n", job->name, role_name(role),
	       job->options->no_password ? ", with a token: `perfolio user token` makes one" : "");
	if (job->options->unix_name)
		printf("Programs of %s run as the Unix account %s.\n", job->name,
		       job->options->unix_name);
	return note_unix(job, "user add", job->options->unix_name, err);
}

/* Who knew the password of before is signed in no more. */
static int change_sign_in(struct user_job *job, struct err *err)
{
	const struct user_options *o = job->options;
	char password[PASSWORD_ROOM] = "";
	enum role role = ROLE_VIEWER;
	struct user user;
	int rc = store_user_find(job->store, job->name, &job->arena, &user, err);

	if (!rc && o->role)
		rc = find_role(o->role, &role, err);
	if (!rc && o->password)
		rc = password_read(password, err);
	if (!rc)
		rc = account_change(job->store, &user, o->role ? role : user.role,
				    o->password ? password : NULL, err);
	password_wipe(password);
	if (rc)
		return rc;
	printf("%s %s%s; browsers have to sign in again.\n", job->name,
	       o->role ? "is a " : "has a new password", o->role ? role_name(role) : "");
	return note(job, o->password ? "user password" : "user role", job->name, err);
}

/* The owner, who has the printed link, is in no list, and may have an account all the same. */
static int change_unix(struct user_job *job, struct err *err)
{
	const char *account = job->options->unix_name;
	struct user user;
	int rc = 0;

	if (strcmp(job->name, "owner") != 0)
		rc = store_user_find(job->store, job->name, &job->arena, &user, err);
	if (!rc && account)
		rc = check_unix(job, err);
	else if (!rc && getuid())
		rc = err_set(err, EPERM, "--shared: run this command as root");
	if (!rc)
		rc = set_unix(job, account, err);
	if (rc)
		return rc;
	printf("Programs of %s run as %s%s.\n", job->name,
	       account ? "the Unix account " : "the shared account", account ? account : "");
	return note_unix(job, "user change", account ? account : "shared", err);
}

static int user_change(struct user_job *job, struct err *err)
{
	const struct user_options *o = job->options;
	bool account = o->unix_name || o->shared, sign_in = o->role || o->password;
	int rc = 0;

	if ((o->unix_name && o->shared) || (!account && !sign_in))
		return err_set(err, EINVAL,
			       "change: --role ROLE, --password, --unix NAME, or --shared");
	if (sign_in)
		rc = change_sign_in(job, err);
	return rc || !account ? rc : change_unix(job, err);
}

static const char *day(char into[static 16], int64_t time_ns)
{
	time_t seconds = time_ns / NS_PER_SEC;
	struct tm parts;

	localtime_r(&seconds, &parts);
	strftime(into, 16, "%Y-%m-%d", &parts);
	return into;
}

static const char *runs_as(const struct unixaccounts *accounts, const char *name)
{
	const char *account = unixaccounts_find(accounts, name);

	return account ? account : "(shared)";
}

static int user_list(struct user_job *job, struct err *err)
{
	struct unixaccounts accounts = { 0 };
	struct users users = { 0 };
	int width = 4;
	char since[16];
	int rc = store_user_list(job->store, &job->arena, &users, err);

	if (!rc)
		rc = unixaccounts_read(&accounts, job->path, err);

	vec_each (user, &users)
		if ((int)strlen(user->name) > width)
			width = (int)strlen(user->name);
	if (!rc && !users.len)
		fputs("Nobody yet; `perfolio user add NAME` lets somebody in.\n", stderr);
	if (users.len)
		printf("%-*s  %-6s  %-8s  %6s  %-10s  %s\n", width, "NAME", "ROLE", "PASSWORD",
		       "TOKENS", "SINCE", "RUNS AS");
	vec_each (user, &users)
		printf("%-*s  %-6s  %-8s  %6lld  %-10s  %s\n", width, user->name,
		       role_name(user->role), *user->password ? "yes" : "no",
		       (long long)user->tokens, day(since, user->created_ns),
		       runs_as(&accounts, user->name));
	vec_free(&users);
	unixaccounts_free(&accounts);
	return rc;
}

static int user_remove(struct user_job *job, struct err *err)
{
	struct user user;
	int rc = store_user_find(job->store, job->name, &job->arena, &user, err);

	if (!rc)
		rc = store_user_remove(job->store, user.id, err);
	/* whoever gets that name later starts with the shared one */
	if (!rc && !getuid())
		rc = set_unix(job, NULL, err);
	if (!rc)
		rc = mark_by_rows(job, err);
	return rc ? rc : note(job, "user remove", job->name, err);
}

/* A label may have come from somebody else: it must not give orders to the terminal. */
static char *harmless(struct arena *arena, const char *text)
{
	char *copy = arena_strdup(arena, text);

	for (char *c = copy; *c; c++)
		if ((unsigned char)*c < ' ' || *c == '\x7f')
			*c = '?';
	return copy;
}

static int list_tokens(struct user_job *job, const struct user *user, struct err *err)
{
	struct tokens tokens = { 0 };
	char since[16], until[16];
	int rc = store_token_list(job->store, user->id, &job->arena, &tokens, err);

	if (tokens.len)
		printf("%6s  %-10s  %-10s  %s\n", "N", "SINCE", "EXPIRES", "LABEL");
	vec_each (token, &tokens)
		printf("%6lld  %-10s  %-10s  %s\n", (long long)token->id,
		       day(since, token->created_ns),
		       token->expires_ns ? day(until, token->expires_ns) : "never",
		       harmless(&job->arena, token->label));
	vec_free(&tokens);
	return rc;
}

static int make_token(struct user_job *job, const struct user *user, struct err *err)
{
	int64_t left_ns = job->options->expires_ns, until_ns = 0, id;
	char token[TOKEN_TEXT];
	int rc;

	if (left_ns < 0)
		return err_set(err, EINVAL, "--expires: that time is over");
	if (left_ns)
		until_ns = clock_wall_ns() + left_ns;
	rc = account_token_add(job->store,
			       &(struct token){ .user = user->id,
						.label = job->options->label,
						.expires_ns = until_ns },
			       token, &id, err);
	if (!rc)
		rc = note(job, "token add", job->name, err);
	if (!rc)
		puts(token);
	sodium_memzero(token, sizeof(token));
	return rc;
}

static int user_token(struct user_job *job, struct err *err)
{
	struct user user;
	int rc = store_user_find(job->store, job->name, &job->arena, &user, err);

	if (rc)
		return rc;
	if (job->options->list)
		return list_tokens(job, &user, err);
	if (!job->options->revoke)
		return make_token(job, &user, err);
	rc = store_token_remove(job->store, user.id, (int64_t)job->options->revoke, err);
	return rc ? rc : note(job, "token revoke", job->name, err);
}

static const struct action {
	const char *name;
	int words; /* that follow it */
	int (*run)(struct user_job *job, struct err *err);
} actions[] = {
	{ "add", 1, user_add },	      { "change", 1, user_change }, { "list", 0, user_list },
	{ "remove", 1, user_remove }, { "token", 1, user_token },
};

static const struct action *find_action(int argc, char **argv, struct err *err)
{
	if (!argc)
		err_set(err, EINVAL, "add, change, list, remove or token?");
	for (size_t i = 0; argc && i < ARRAY_SIZE(actions); i++) {
		if (strcmp(actions[i].name, argv[0]))
			continue;
		if (argc - 1 == actions[i].words)
			return &actions[i];
		err_set(err, EINVAL,
			actions[i].words ? "%s: the name of one user follows"
					 : "%s: nothing follows",
			argv[0]);
		return NULL;
	}
	if (argc)
		err_set(err, EINVAL, "'%s': add, change, list, remove and token are known",
			argv[0]);
	return NULL;
}

static int user_run(void *options, int argc, char **argv, struct err *err)
{
	const struct action *action = find_action(argc, argv, err);
	struct user_job job = { .options = options, .name = argc > 1 ? argv[1] : "" };
	struct datadir *dir;
	char *path;
	int rc;

	if (!action)
		return -EINVAL;
	path = server_folder(job.options->data);
	job.path = path;
	dir = server_folder_become_owner(path, err) ? NULL : datadir_open(path, DATADIR_ROWS, err);
	if (!dir) {
		server_folder_leave();
		free(path);
		return -EIO; /* never the -EINVAL of wrong usage */
	}
	job.store = datadir_store(dir);
	rc = action->run(&job, err);
	arena_free(&job.arena);
	datadir_close(dir);
	server_folder_leave();
	free(path);
	return rc;
}

const struct command cmd_user = {
	.name = "user",
	.args = "add|change|list|remove|token [NAME]",
	.summary = "say who may sign in to the server",
	.example = "perfolio user add --role runner ann",
	.options = user_specs,
	.options_size = sizeof(struct user_options),
	.run = user_run,
};
