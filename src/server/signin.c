// SPDX-License-Identifier: Apache-2.0
#include "server/signin.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "base/map.h"
#include "server/app.h"
#include "server/field.h"
#include "server/http.h"
#include "server/ownercookie.h"
#include "server/resource.h"
#include "store/accounts.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OWNER	 "owner"
#define KNOWN	 32 /* tokens that were looked up lately */
#define KNOWN_NS (5 * NS_PER_SEC)
#define LABEL	 "browser"
/* Failures that a name may have from one address before a minute must pass. */
#define FAILURES_MOST 10
#define FAILURES_NS   (60 * NS_PER_SEC)
#define FAILURES_KEPT 256 /* pairs of the two */
#define ADDRESS_MOST  100 /* ... and an address, whatever the names */
/* Passwords that are looked at at once: each takes 64 MiB, and a thread that others wait for. */
#define HASHING_MOST 4

struct known {
	char token[TOKEN_TEXT];
	char name[128];
	struct user user;
	int64_t until_ns;
};

/* By name and address: who tries passwords keeps nobody else from signing in. */
struct failures {
	uint64_t who; /* hash of both */
	int count;
	int64_t until_ns;
};

struct signins {
	char cookie_name[32];
	struct owner_cookies *owner;
	sem_t hashing;
	pthread_mutex_t lock;
	struct known known[KNOWN];
	size_t next;
	struct failures failures[FAILURES_KEPT];
};

/* Cookies don't tell ports apart; two servers of one machine must not take each other's. */
static void name_cookie(struct signins *signins, const char *origin)
{
	const char *port = strrchr(origin, ':');
	size_t digits = port ? strspn(port + 1, "0123456789") : 0;

	snprintf(signins->cookie_name, sizeof(signins->cookie_name), "perfolio%s%.*s",
		 digits ? "-" : "", (int)(digits < 6 ? digits : 5), digits ? port + 1 : "");
}

struct signins *signins_new(const struct app *app, struct err *err)
{
	struct signins *signins = mem_alloc(sizeof(*signins));

	if (sodium_init() < 0)
		abort();
	pthread_mutex_init(&signins->lock, NULL);
	sem_init(&signins->hashing, 0, HASHING_MOST);
	name_cookie(signins, app->policy.origin);
	signins->owner = owner_cookies_open(app->store, err);
	if (signins->owner)
		return signins;
	signins_free(signins);
	return NULL;
}

void signins_free(struct signins *signins)
{
	if (!signins)
		return;
	pthread_mutex_destroy(&signins->lock);
	sem_destroy(&signins->hashing);
	owner_cookies_free(signins->owner);
	free(signins);
}

static bool same_secret(const char *a, const char *b)
{
	size_t length = strlen(b);

	return length && strlen(a) == length && !sodium_memcmp(a, b, length);
}

static const struct user owner = { .name = OWNER, .role = ROLE_RUNNER, .password = "" };

static bool recall(struct signins *signins, const char *token, struct arena *arena,
		   struct user *user)
{
	int64_t now = clock_now_ns();
	bool found = false;

	pthread_mutex_lock(&signins->lock);
	for (size_t i = 0; i < KNOWN && !found; i++) {
		const struct known *known = &signins->known[i];

		found = known->until_ns > now && same_secret(token, known->token);
		if (found) {
			*user = known->user;
			user->name = arena_strdup(arena, known->name);
			user->password = "";
		}
	}
	pthread_mutex_unlock(&signins->lock);
	return found;
}

static void remember(struct signins *signins, const char *token, const struct user *user)
{
	struct known *known;

	if (strlen(user->name) >= sizeof(known->name))
		return;
	pthread_mutex_lock(&signins->lock);
	known = &signins->known[signins->next++ % KNOWN];
	strcpy(known->token, token);
	strcpy(known->name, user->name);
	known->user = *user;
	known->until_ns = clock_now_ns() + KNOWN_NS;
	pthread_mutex_unlock(&signins->lock);
}

static void forget(struct signins *signins, const char *token)
{
	pthread_mutex_lock(&signins->lock);
	for (size_t i = 0; i < KNOWN; i++)
		if (!strcmp(signins->known[i].token, token))
			signins->known[i].until_ns = 0;
	pthread_mutex_unlock(&signins->lock);
}

static int check_token(struct request *request, const char *token, struct user *user,
		       struct err *err)
{
	struct app *app = request->app;
	int rc;

	if (same_secret(token, app->policy.token)) {
		*user = owner;
		return 0;
	}
	if (strlen(token) != TOKEN_TEXT - 1)
		return err_set(err, EACCES, "unknown token");
	if (recall(app->signins, token, &request->arena, user))
		return 0;
	rc = account_token_check(app->store, token, &request->arena, user, err);
	if (!rc)
		remember(app->signins, token, user);
	return rc;
}

static const char *find_cookie(struct request *request)
{
	return field_cookie(request_header(request, "Cookie"), request->app->signins->cookie_name,
			    &request->arena);
}

int signin_check(struct request *request, struct user *user, bool *by_token, struct err *err)
{
	const char *shown = request_header(request, "Authorization");
	const char *cookie;

	*by_token = shown && !strncasecmp(shown, "Bearer ", 7);
	if (*by_token)
		return check_token(request, shown + 7 + strspn(shown + 7, " "), user, err);
	cookie = find_cookie(request);
	if (request->app->policy.open ||
	    (cookie && owner_cookie_holds(request->app->signins->owner, cookie))) {
		*user = owner;
		return 0;
	}
	/* the token itself is no cookie: who sees a cookie can't make others from it */
	if (cookie && !same_secret(cookie, request->app->policy.token))
		return check_token(request, cookie, user, err);
	return err_set(err, EACCES, "nobody is signed in");
}

static void set_cookie(struct request *request, const char *value, long seconds)
{
	char *text = arena_printf(&request->arena,
				  "%s=%s; Path=/; HttpOnly; SameSite=Strict; Max-Age=%ld%s",
				  request->app->signins->cookie_name, value, seconds,
				  request->app->policy.tls ? "; Secure" : "");

	reply_header(request, "Set-Cookie", text);
}

/* Those of a name at an address, or the ones to be forgotten first. Called with the lock held. */
static struct failures *find_failures(struct signins *signins, uint64_t who)
{
	struct failures *first = signins->failures;

	for (struct failures *f = signins->failures; f < signins->failures + FAILURES_KEPT; f++) {
		if (f->who == who && f->count)
			return f;
		if (f->until_ns < first->until_ns)
			first = f;
	}
	*first = (struct failures){ .who = who };
	return first;
}

#define ANYBODY "*" /* no user has that name: whoever it is that tries there */

static uint64_t who_tries(const struct request *request, const char *name)
{
	const char *address = request_address(request);

	return map_hash(name, strlen(name)) ^ 31 * map_hash(address, strlen(address));
}

/* Of a proxy on this machine, which speaks for many: none of them may keep the others out. */
static bool is_shared(const char *address)
{
	return !strcmp(address, "unix") || !strncmp(address, "127.", 4) || !strcmp(address, "::1");
}

static bool too_many_failures(struct signins *signins, uint64_t who, int most)
{
	struct failures *failures;
	bool many;

	pthread_mutex_lock(&signins->lock);
	failures = find_failures(signins, who);
	if (clock_now_ns() > failures->until_ns)
		failures->count = 0;
	many = failures->count >= most;
	pthread_mutex_unlock(&signins->lock);
	return many;
}

static void note_failure(struct signins *signins, uint64_t who)
{
	struct failures *failures;

	pthread_mutex_lock(&signins->lock);
	failures = find_failures(signins, who);
	failures->count++;
	failures->until_ns = clock_now_ns() + FAILURES_NS;
	pthread_mutex_unlock(&signins->lock);
}

/* Those of earlier sign-ins that have ended are nobody's any more. */
static int drop_expired(struct request *request, int64_t user, struct err *err)
{
	struct tokens tokens = { 0 };
	int rc = store_token_list(request->store, user, &request->arena, &tokens, err);

	for (size_t i = 0; i < tokens.len && !rc; i++)
		if (tokens.data[i].expires_ns && tokens.data[i].expires_ns < clock_wall_ns() &&
		    !strcmp(tokens.data[i].label, LABEL))
			rc = store_token_remove(request->store, user, tokens.data[i].id, err);
	vec_free(&tokens);
	return rc;
}

static int give_cookie(struct request *request, const struct user *user, struct err *err)
{
	int64_t lasts = (int64_t)OWNER_COOKIE_DAYS * 24 * 3600;
	char token[TOKEN_TEXT];
	int64_t id;
	int rc;

	if (!user->id) {
		set_cookie(request,
			   owner_cookie_make(request->app->signins->owner, &request->arena), lasts);
		return 0;
	}
	rc = drop_expired(request, user->id, err);
	if (!rc)
		rc = account_token_add(request->store, user->id, LABEL,
				       clock_wall_ns() + lasts * NS_PER_SEC, token, &id, err);
	if (!rc)
		set_cookie(request, token, lasts);
	return rc;
}

/* Who floods us with names has no way to fill the log with them. */
static int refuse(struct request *request, const char *name, const char *why, const char *remedy,
		  struct err *err)
{
	struct signins *signins = request->app->signins;
	uint64_t anybody = who_tries(request, ANYBODY);
	bool many = too_many_failures(signins, anybody, ADDRESS_MOST);

	note_failure(signins, anybody);
	note_failure(signins, who_tries(request, name));
	if (!many)
		store_audit_add(request->store, name, "sign-in-refused", request_address(request),
				NULL);
	return reply_error(request, 401, "sign-in", remedy, err, "%s", why);
}

static int try_later(struct request *request, const char *name, struct err *err)
{
	return reply_error(request, 429, "too-many", "Wait a minute.", err,
			   "too many attempts to sign in%s%s from %s have failed",
			   *name ? " as " : "", name, request_address(request));
}

/* Nobody guesses a token: who has one is not kept out by those who try passwords. */
static int try_token(struct request *request, const char *token, struct user *user, struct err *err)
{
	bool many = too_many_failures(request->app->signins, who_tries(request, ""), FAILURES_MOST);
	int rc = check_token(request, token, user, err);

	if (rc != -EACCES)
		return rc;
	return many ? try_later(request, "", err)
		    : refuse(request, "", "The token is unknown or has expired.",
			     "Use the link that the server printed when it started.", err);
}

static int try_password(struct request *request, const char *name, const char *password,
			struct user *user, struct err *err)
{
	struct signins *signins = request->app->signins;
	int rc = account_check_name(name, err);

	if (rc)
		return rc;
	if (too_many_failures(signins, who_tries(request, name), FAILURES_MOST) ||
	    (!is_shared(request_address(request)) &&
	     too_many_failures(signins, who_tries(request, ANYBODY), ADDRESS_MOST)))
		return try_later(request, name, err);
	if (sem_trywait(&signins->hashing))
		return reply_error(request, 429, "too-many", "Try again in a moment.", err,
				   "many sign in right now");
	rc = account_sign_in(request->store, name, password, &request->arena, user, err);
	sem_post(&signins->hashing);
	return rc == -EACCES ? refuse(request, name, "Wrong name or password.", "", err) : rc;
}

/* With a token the name is whose that is, and what else is said does not count. */
static int sign_in(struct request *request, const char *token, const char *name,
		   const char *password, struct user *user, struct err *err)
{
	int rc = *token ? try_token(request, token, user, err)
			: try_password(request, name, password, user, err);

	if (!rc)
		rc = give_cookie(request, user, err);
	if (!rc)
		rc = store_audit_add(request->store, user->name, "sign-in",
				     request_address(request), err);
	return rc;
}

static void write_user(struct json *json, const struct request *request, const struct user *user)
{
	json_open(json, NULL, '{');
	json_text(json, "name", user->name);
	json_text(json, "role", role_name(user->role));
	json_flag(json, "open", request->app->policy.open);
	json_close(json);
}

static int post_sign_in(struct request *request, struct err *err)
{
	const char *token, *name, *password;
	struct user user = { 0 };
	int rc = body_text(request, "token", "", &token, err);

	if (!rc)
		rc = body_text(request, "name", "", &name, err);
	if (!rc)
		rc = body_text(request, "password", "", &password, err);
	if (!rc && !*token && !*name)
		rc = err_set(err, EINVAL, "give a token, or name and password");
	if (!rc)
		rc = sign_in(request, token, name, password, &user, err);
	if (!rc)
		write_user(reply_json(request), request, &user);
	return rc;
}

static int post_sign_out(struct request *request, struct err *err)
{
	const char *cookie = find_cookie(request);
	struct user user;
	int rc = 0;

	if (cookie && !account_token_check(request->store, cookie, &request->arena, &user, NULL)) {
		forget(request->app->signins, cookie);
		rc = account_token_remove(request->store, user.id, cookie, err);
	} else if (cookie) {
		rc = owner_cookie_end(request->app->signins->owner, request->store, cookie, err);
	}
	set_cookie(request, "", 0);
	if (!rc)
		audit(request, "sign-out", "%s", request_address(request));
	return rc;
}

static int get_me(struct request *request, struct err *err)
{
	(void)err;
	write_user(reply_json(request), request, request->user);
	return 0;
}

/* The link that the server printed: the token leaves the address bar at once. */
int signin_by_link(struct request *request, const char *token, const char *to, struct err *err)
{
	struct user user = { 0 };
	int rc = sign_in(request, token, "", "", &user, err);

	if (rc)
		return rc;
	reply_bytes(request, "text/plain", "", 0);
	reply_status(request, 303);
	reply_header(request, "Location", to);
	reply_header(request, "Cache-Control", "no-store");
	return 0;
}

const struct route signin_routes[] = {
	{ "POST", "/api/v1/sign-in", ROLE_VIEWER, post_sign_in, ROUTE_PUBLIC | ROUTE_SLOW },
	{ "POST", "/api/v1/sign-out", ROLE_VIEWER, post_sign_out, ROUTE_NO_BODY },
	{ "GET", "/api/v1/me", ROLE_VIEWER, get_me },
	{ 0 },
};
