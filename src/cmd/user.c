// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/err.h"
#include "base/vec.h"
#include "cmd/command.h"
#include "cmd/password.h"
#include "cmd/server_folder.h"
#include "store/accounts.h"
#include "store/datadir.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

struct user_options {
	const char *data, *role, *label;
	bool no_password, list;
	int64_t expires_ns;
	uint64_t revoke;
};

#define FIELD(name) offsetof(struct user_options, name)

static const struct option_spec user_specs[] = {
	{ OPT_TEXT, 0, "data", FIELD(data), "DIR",
	  "the server's data folder; default: $XDG_DATA_HOME/perfolio, for root "
	  "/var/lib/perfolio" },
	{ OPT_HEADING, .help = "add" },
	{ OPT_TEXT, 0, "role", FIELD(role), "ROLE",
	  "viewer, who may look (the default), or runner, who may also measure" },
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

static int find_role(const char *name, enum role *role, struct err *err)
{
	for (int i = 0; i < ROLES; i++)
		if (!name || !strcmp(name, role_name(i))) {
			*role = i;
			return 0;
		}
	return err_set(err, EINVAL, "--role %s: viewer and runner are known", name);
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
	if (!job->options->no_password)
		rc = password_read(password, err);
	if (!rc)
		rc = account_add(job->store, job->name, role,
				 job->options->no_password ? NULL : password, &id, err);
	password_wipe(password);
	if (rc)
		return rc;
	printf("%s may sign in as a %s%s.\n", job->name, role_name(role),
	       job->options->no_password ? ", with a token: `perfolio user token` makes one" : "");
	return note(job, "user add", job->name, err);
}

static const char *day(char into[static 16], int64_t time_ns)
{
	time_t seconds = time_ns / NS_PER_SEC;
	struct tm parts;

	localtime_r(&seconds, &parts);
	strftime(into, 16, "%Y-%m-%d", &parts);
	return into;
}

static int user_list(struct user_job *job, struct err *err)
{
	struct users users = { 0 };
	int width = 4;
	char since[16];
	int rc = store_user_list(job->store, &job->arena, &users, err);

	vec_each (user, &users)
		if ((int)strlen(user->name) > width)
			width = (int)strlen(user->name);
	if (!rc && !users.len)
		fputs("Nobody yet; `perfolio user add NAME` lets somebody in.\n", stderr);
	if (users.len)
		printf("%-*s  %-6s  %-8s  %6s  %s\n", width, "NAME", "ROLE", "PASSWORD", "TOKENS",
		       "SINCE");
	vec_each (user, &users)
		printf("%-*s  %-6s  %-8s  %6lld  %s\n", width, user->name, role_name(user->role),
		       *user->password ? "yes" : "no", (long long)user->tokens,
		       day(since, user->created_ns));
	vec_free(&users);
	return rc;
}

static int user_remove(struct user_job *job, struct err *err)
{
	struct user user;
	int rc = store_user_find(job->store, job->name, &job->arena, &user, err);

	if (!rc)
		rc = store_user_remove(job->store, user.id, err);
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
	rc = account_token_add(job->store, user->id, job->options->label, until_ns, token, &id,
			       err);
	if (!rc)
		rc = note(job, "token add", job->name, err);
	if (!rc)
		puts(token);
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
	{ "add", 1, user_add },
	{ "list", 0, user_list },
	{ "remove", 1, user_remove },
	{ "token", 1, user_token },
};

static const struct action *find_action(int argc, char **argv, struct err *err)
{
	if (!argc)
		err_set(err, EINVAL, "add, list, remove or token?");
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
		err_set(err, EINVAL, "'%s': add, list, remove and token are known", argv[0]);
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
	dir = server_folder_become_owner(path, err) ? NULL : datadir_open(path, DATADIR_ROWS, err);
	free(path);
	if (!dir) {
		server_folder_leave();
		return -EIO; /* never the -EINVAL of wrong usage */
	}
	job.store = datadir_store(dir);
	rc = action->run(&job, err);
	arena_free(&job.arena);
	datadir_close(dir);
	server_folder_leave();
	return rc;
}

const struct command cmd_user = {
	.name = "user",
	.args = "add|list|remove|token [NAME]",
	.summary = "say who may sign in to the server",
	.example = "perfolio user add --role runner ann",
	.options = user_specs,
	.options_size = sizeof(struct user_options),
	.run = user_run,
};
