// SPDX-License-Identifier: Apache-2.0
#include "server/signin.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "server/app.h"
#include "server/field.h"
#include "server/guesses.h"
#include "server/http.h"
#include "server/ownercookie.h"
#include "server/resource.h"
#include "server/tickets.h"
#include "server/unixaccount.h"

#include <errno.h>
#include <semaphore.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LABEL "browser"
/* Passwords that are looked at at once: each takes 64 MiB, and a thread that others wait for. */
#define HASHING_MOST   4
#define HASHING_WAIT_S 10 /* of who has signed in from there before */

struct signins {
	char cookie_name[32];
	struct owner_cookies *owner;
	struct tickets *tickets;
	int64_t version;      /* of the store, at the last look */
	struct store *people; /* a connection of its own: nobody waits for what others write */
	struct guesses *guesses;
	sem_t hashing;
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
	signins->guesses = guesses_new();
	sem_init(&signins->hashing, 0, HASHING_MOST);
	name_cookie(signins, app->policy.origin);
	signins->tickets = tickets_new();
	signins->owner = owner_cookies_open(app->dir, err);
	signins->people = signins->owner ? store_open_again(app->store, err) : NULL;
	if (signins->people)
		return signins;
	signins_free(signins);
	return NULL;
}

void signins_free(struct signins *signins)
{
	if (!signins)
		return;
	guesses_free(signins->guesses);
	sem_destroy(&signins->hashing);
	owner_cookies_free(signins->owner);
	tickets_free(signins->tickets);
	store_close(signins->people);
	free(signins);
}

static struct guess guess_of(const struct request *request, const char *name)
{
	return (struct guess){ name, request_address(request), clock_now_ns() };
}

bool signins_changed(struct signins *signins)
{
	int64_t before = signins->version;

	return !store_version(signins->people, &signins->version, NULL) &&
	       signins->version != before;
}

static const struct user owner = { .name = OWNER_NAME, .role = ROLE_OWNER, .password = "" };

int signin_again(struct signins *signins, const struct credential *by, struct arena *arena,
		 struct user *user, struct err *err)
{
	int rc;

	if (by->kind == BY_OWNER_COOKIE &&
	    !owner_cookie_still_holds(signins->owner, by->hash, by->series))
		return err_set(err, EACCES, "signed out");
	if (by->kind != BY_TOKEN && by->kind != BY_COOKIE) {
		*user = owner;
		return 0;
	}
	rc = store_token_find(signins->people, by->hash, by->kind == BY_COOKIE, arena, user, err);
	return rc == -ENOENT ? err_set(err, EACCES, "%s", err ? err->text : "") : rc;
}

static int check_token(struct request *request, const char *token, struct user *user,
		       struct credential *by, struct err *err)
{
	token_hash(token, by->hash);
	by->kind = strcmp(by->hash, request->app->policy.token_hash) ? BY_TOKEN : BY_PRINTED_TOKEN;
	return signin_again(request->app->signins, by, &request->arena, user, err);
}

/* Who lost the page's storage comes so, and who got hold of a cookie: one line a minute is enough.
 */
static int refuse_unproved(struct request *request, const char *name, struct err *err)
{
	struct guess guess = guess_of(request, name);

	if (guess_note(request->app->signins->guesses, &guess))
		store_audit_add(request->store, name, "cookie-refused",
				arena_printf(&request->arena, "%s: it came without its proof",
					     request_address(request)),
				NULL);
	return err_set(err, EKEYREJECTED, "the cookie came without its proof");
}

/*
 * What is nobody's: forged, or of somebody who was removed or signed out.  One line a minute of
 * all, so that whoever has many addresses fills no log.
 */
static void note_unknown(struct request *request, const char *action)
{
	struct guess guess = { action, "", clock_now_ns() };

	if (guess_note(request->app->signins->guesses, &guess))
		store_audit_add(request->store, "", action,
				arena_printf(&request->arena, "%s: it is nobody's",
					     request_address(request)),
				NULL);
}

static int check_cookie(struct request *request, const char *cookie, struct user *user,
			struct credential *by, struct err *err)
{
	const char *proof = request_header(request, PROOF_HEADER);
	struct signins *signins = request->app->signins;
	int rc;

	token_hash(cookie, by->hash);
	by->kind = owner_cookie_holds(signins->owner, cookie, &by->series) ? BY_OWNER_COOKIE
									   : BY_COOKIE;
	rc = signin_again(signins, by, &request->arena, user, err);
	if (rc == -EACCES)
		note_unknown(request, "cookie-refused");
	if (rc || (proof && cookie_is_proved(signins->owner, cookie, proof)))
		return rc;
	return refuse_unproved(request, user->name, err);
}

int signin_check(struct request *request, const char *ticket, const char *address,
		 struct user *user, struct credential *by, struct err *err)
{
	const char *shown = request_header(request, "Authorization");
	struct signins *signins = request->app->signins;
	char cookie[TOKEN_TEXT];
	int rc;

	if (ticket) {
		if (ticket_take(signins->tickets, ticket, address, by))
			return err_set(err, EACCES, "the ticket holds no more");
		return signin_again(signins, by, &request->arena, user, err);
	}
	if (shown && !strncasecmp(shown, "Bearer ", 7)) {
		rc = check_token(request, shown + 7 + strspn(shown + 7, " "), user, by, err);
		if (rc == -EACCES)
			note_unknown(request, "token-refused");
		return rc;
	}
	if (request->app->policy.open) {
		*user = owner;
		return 0;
	}
	if (!field_cookie(request_header(request, "Cookie"), signins->cookie_name, cookie,
			  sizeof(cookie)))
		return err_set(err, EACCES, "nobody is signed in");
	rc = check_cookie(request, cookie, user, by, err);
	sodium_memzero(cookie, sizeof(cookie));
	return rc;
}

static void set_cookie(struct request *request, const char *value, long seconds)
{
	char *text = arena_printf(&request->arena,
				  "%s=%s; Path=/; HttpOnly; SameSite=Strict; Max-Age=%ld%s",
				  request->app->signins->cookie_name, value, seconds,
				  request->app->policy.tls ? "; Secure" : "");

	reply_header(request, "Set-Cookie", text);
}

/* Those of earlier sign-ins that have ended are nobody's any more. */
static int drop_expired(struct request *request, int64_t user, struct err *err)
{
	struct tokens tokens = { 0 };
	int rc = store_token_list(request->store, user, &request->arena, &tokens, err);

	for (size_t i = 0; i < tokens.len && !rc; i++)
		if (tokens.data[i].browser && tokens.data[i].expires_ns < clock_wall_ns())
			rc = store_token_remove(request->store, user, tokens.data[i].id, err);
	vec_free(&tokens);
	return rc;
}

static int make_user_cookie(struct request *request, int64_t user, int64_t until_ns,
			    char cookie[static TOKEN_TEXT], struct err *err)
{
	struct token row = {
		.user = user, .label = LABEL, .browser = true, .expires_ns = until_ns
	};
	int64_t id;
	int rc = drop_expired(request, user, err);

	return rc ? rc : account_token_add(request->store, &row, cookie, &id, err);
}

static int give_cookie(struct request *request, const struct user *user,
		       char proof[static TOKEN_TEXT], struct err *err)
{
	int64_t lasts = (int64_t)OWNER_COOKIE_DAYS * 24 * 3600;
	struct owner_cookies *cookies = request->app->signins->owner;
	char cookie[TOKEN_TEXT];
	int rc = 0;

	if (!user->id)
		owner_cookie_make(cookies, cookie);
	else
		rc = make_user_cookie(request, user->id, clock_wall_ns() + lasts * NS_PER_SEC,
				      cookie, err);
	if (!rc) {
		set_cookie(request, cookie, lasts);
		cookie_prove(cookies, cookie, proof);
	}
	sodium_memzero(cookie, sizeof(cookie));
	return rc;
}

/* Who floods us with names has no way to fill the log with them. */
static int refuse(struct request *request, const char *name, const char *why, const char *remedy,
		  struct err *err)
{
	struct guess guess = guess_of(request, name);

	if (guess_failed(request->app->signins->guesses, &guess))
		store_audit_add(request->store, name, "sign-in-refused", guess.address, NULL);
	return reply_error(request, 401, "sign-in", remedy, err, "%s", why);
}

/* It is said of every name alike, so nobody learns which there are. */
static int try_later(struct request *request, const char *name, int64_t wait_ns, struct err *err)
{
	long long seconds = (wait_ns + NS_PER_SEC - 1) / NS_PER_SEC;

	reply_header(request, "Retry-After", arena_printf(&request->arena, "%lld", seconds));
	return reply_error(request, 429, "too-many",
			   arena_printf(&request->arena, "Wait %lld seconds.", seconds), err,
			   "too many attempts to sign in%s%s have failed", *name ? " as " : "",
			   name);
}

/* Nobody guesses a token: who has one is not kept out by those who try. */
static int try_token(struct request *request, const char *token, struct user *user, struct err *err)
{
	struct guess guess = guess_of(request, "");
	struct credential by;
	int64_t wait_ns;
	int rc = check_token(request, token, user, &by, err);

	if (rc != -EACCES)
		return rc;
	wait_ns = guess_wait(request->app->signins->guesses, &guess);
	return wait_ns ? try_later(request, "", wait_ns, err)
		       : refuse(request, "", "The token is unknown or has expired.",
				"Use the link that the server printed when it started.", err);
}

/* Strangers don't wait for their turn: they would keep all threads. */
static bool begin_hashing(struct signins *signins, const struct guess *guess)
{
	struct timespec until;

	if (!guess_is_known(signins->guesses, guess))
		return !sem_trywait(&signins->hashing);
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += HASHING_WAIT_S;
	return !sem_clockwait(&signins->hashing, CLOCK_MONOTONIC, &until);
}

static int try_password(struct request *request, const char *name, const char *password,
			struct user *user, struct err *err)
{
	struct signins *signins = request->app->signins;
	struct guess guess = guess_of(request, name);
	int64_t wait_ns;
	int rc = account_check_name(name, err);

	if (rc)
		return rc;
	wait_ns = guess_wait(signins->guesses, &guess);
	if (wait_ns)
		return try_later(request, name, wait_ns, err);
	if (!begin_hashing(signins, &guess)) {
		guess_unmade(signins->guesses, &guess);
		return reply_error(request, 429, "too-many", "Try again in a moment.", err,
				   "many sign in right now");
	}
	rc = account_sign_in(request->store, name, password, &request->arena, user, err);
	sem_post(&signins->hashing);
	if (!rc)
		guess_good(signins->guesses, &guess);
	return rc == -EACCES ? refuse(request, name, "Wrong name or password.", "", err) : rc;
}

/* With a token the name is whose that is, and what else is said does not count. */
static int sign_in(struct request *request, const char *token, const char *name,
		   const char *password, struct user *user, char proof[static TOKEN_TEXT],
		   struct err *err)
{
	int rc = *token ? try_token(request, token, user, err)
			: try_password(request, name, password, user, err);

	if (!rc)
		rc = give_cookie(request, user, proof, err);
	if (!rc)
		rc = store_audit_add(request->store, user->name, "sign-in",
				     request_address(request), err);
	return rc;
}

/* proof: of the cookie that goes along; NULL where there is none. */
static void write_user(struct json *json, struct request *request, const struct user *user,
		       const char *proof)
{
	json_open(json, NULL, '{');
	json_text(json, "name", user->name);
	json_text(json, "role", role_name(user->role));
	json_text(json, "unix_user", unix_account_of(request->app, user->name, &request->arena));
	json_flag(json, "open", request->app->policy.open);
	if (proof)
		json_text(json, "proof", proof);
	json_close(json);
}

static int post_sign_in(struct request *request, struct err *err)
{
	const char *token, *name, *password;
	char proof[TOKEN_TEXT];
	struct user user = { 0 };
	int rc = body_text(request, "token", "", &token, err);

	if (!rc)
		rc = body_text(request, "name", "", &name, err);
	if (!rc)
		rc = body_text(request, "password", "", &password, err);
	if (!rc && !*token && !*name)
		rc = err_set(err, EINVAL, "give a token, or name and password");
	if (!rc)
		rc = sign_in(request, token, name, password, &user, proof, err);
	if (!rc)
		write_user(reply_json(request), request, &user, proof);
	sodium_memzero(proof, sizeof(proof));
	return rc;
}

static int post_sign_out(struct request *request, struct err *err)
{
	int rc = 0;

	if (request->by->kind == BY_COOKIE)
		rc = store_token_end(request->store, request->by->hash, err);
	else if (request->by->kind == BY_OWNER_COOKIE)
		rc = owner_cookie_end(request->app->signins->owner, request->by->hash, err);
	set_cookie(request, "", 0);
	if (!rc)
		audit(request, "sign-out", "%s", request_address(request));
	return rc;
}

/* The address is compared as it stands: the browser must ask for it in the same letters. */
static int post_ticket(struct request *request, struct err *err)
{
	const char *path;
	char ticket[TOKEN_TEXT];
	struct json *json;
	int rc = body_text(request, "path", "", &path, err);

	if (!rc && (strncmp(path, "/api/v1/", 8) || strchr(path, '#')))
		rc = err_set(err, EINVAL, "`path` must be an address below /api/v1/");
	if (rc)
		return rc;
	if (ticket_make(request->app->signins->tickets, request->by, request->user->id, path,
			ticket))
		return reply_error(request, 429, "too-many", "Wait half a minute.", err,
				   "too many tickets are waiting to be used");
	json = reply_json(request);
	json_open(json, NULL, '{');
	json_text(json, "address",
		  arena_printf(&request->arena, "%s%cticket=%s", path,
			       strchr(path, '?') ? '&' : '?', ticket));
	json_int(json, "seconds", TICKET_SECONDS);
	json_close(json);
	sodium_memzero(ticket, sizeof(ticket));
	return 0;
}

static int get_me(struct request *request, struct err *err)
{
	(void)err;
	write_user(reply_json(request), request, request->user, NULL);
	return 0;
}

const struct route signin_routes[] = {
	{ "POST", "/api/v1/sign-in", RIGHT_LOOK, post_sign_in,
	  ROUTE_PUBLIC | ROUTE_SLOW | ROUTE_SECRET },
	{ "POST", "/api/v1/sign-out", RIGHT_LOOK, post_sign_out, ROUTE_NO_BODY },
	{ "POST", "/api/v1/tickets", RIGHT_LOOK, post_ticket, ROUTE_SECRET },
	{ "GET", "/api/v1/me", RIGHT_LOOK, get_me },
	{ 0 },
};
