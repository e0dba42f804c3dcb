// SPDX-License-Identifier: Apache-2.0
#include "server/ownercookie.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/vec.h"
#include "server/resource.h"
#include "store/accounts.h"

#include <inttypes.h>
#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECRET	   "owner-cookie"
#define SIGNED_OUT "owner-signed-out"
#define ENDED_MOST 200 /* one more, and all of them end */

#define NONCE_BYTES 12
#define PROOF_BYTES 20
#define BASE64	    sodium_base64_VARIANT_URLSAFE_NO_PADDING

struct cookie {
	unsigned char nonce[NONCE_BYTES];
	unsigned char proof[PROOF_BYTES];
};

struct ended {
	char text[TOKEN_TEXT];
};

struct owner_cookies {
	char secret[TOKEN_TEXT];
	pthread_mutex_t lock;
	VEC(struct ended) ended; /* signed out */
};

/* ---- the secret ---- */

/* What was kept may still be used: "SECRET UNTIL", in wall clock time. */
static bool read_secret(struct owner_cookies *cookies, const char *kept)
{
	if (!kept || strlen(kept) <= TOKEN_TEXT || kept[TOKEN_TEXT - 1] != ' ' ||
	    strtoll(kept + TOKEN_TEXT, NULL, 10) < clock_wall_ns())
		return false;
	memcpy(cookies->secret, kept, TOKEN_TEXT - 1);
	return true;
}

static void read_ended(struct owner_cookies *cookies, const char *kept)
{
	for (; kept && strlen(kept) >= TOKEN_TEXT - 1; kept += strspn(kept, " ")) {
		memcpy(vec_push(&cookies->ended)->text, kept, TOKEN_TEXT - 1);
		vec_last(&cookies->ended)->text[TOKEN_TEXT - 1] = '\0';
		kept += TOKEN_TEXT - 1;
	}
}

static int new_secret(struct owner_cookies *cookies, struct store *store, struct err *err)
{
	int64_t until = clock_wall_ns() + (int64_t)OWNER_COOKIE_DAYS * 24 * 3600 * NS_PER_SEC;
	char text[TOKEN_TEXT + 24];
	unsigned char bytes[32];
	int rc;

	randombytes_buf(bytes, sizeof(bytes));
	sodium_bin2base64(cookies->secret, sizeof(cookies->secret), bytes, sizeof(bytes), BASE64);
	snprintf(text, sizeof(text), "%s %" PRId64, cookies->secret, until);
	cookies->ended.len = 0;
	rc = store_setting_set(store, SECRET, text, err);
	return rc ? rc : store_setting_set(store, SIGNED_OUT, "", err);
}

struct owner_cookies *owner_cookies_open(struct store *store, struct err *err)
{
	struct owner_cookies *cookies = mem_alloc(sizeof(*cookies));
	const char *secret = NULL, *ended = NULL;
	struct arena arena = { 0 };
	int rc = store_setting_get(store, SECRET, &arena, &secret, err);

	pthread_mutex_init(&cookies->lock, NULL);
	if (!rc)
		rc = store_setting_get(store, SIGNED_OUT, &arena, &ended, err);
	if (!rc && read_secret(cookies, secret))
		read_ended(cookies, ended);
	else if (!rc)
		rc = new_secret(cookies, store, err);
	arena_free(&arena);
	if (!rc)
		return cookies;
	owner_cookies_free(cookies);
	return NULL;
}

void owner_cookies_free(struct owner_cookies *cookies)
{
	if (!cookies)
		return;
	pthread_mutex_destroy(&cookies->lock);
	vec_free(&cookies->ended);
	free(cookies);
}

/* ---- cookies ---- */

static void prove(const struct owner_cookies *cookies, struct cookie *cookie)
{
	crypto_generichash(cookie->proof, PROOF_BYTES, cookie->nonce, NONCE_BYTES,
			   (const unsigned char *)cookies->secret, TOKEN_TEXT - 1);
}

const char *owner_cookie_make(struct owner_cookies *cookies, struct arena *arena)
{
	char *text = arena_alloc(arena, TOKEN_TEXT);
	struct cookie cookie;

	randombytes_buf(cookie.nonce, NONCE_BYTES);
	pthread_mutex_lock(&cookies->lock);
	prove(cookies, &cookie);
	pthread_mutex_unlock(&cookies->lock);
	return sodium_bin2base64(text, TOKEN_TEXT, (const unsigned char *)&cookie, sizeof(cookie),
				 BASE64);
}

/* Whether we gave it out, signed out or not. */
static bool is_ours(const struct owner_cookies *cookies, const char *text)
{
	struct cookie cookie, proved;
	size_t size;

	if (strlen(text) != TOKEN_TEXT - 1 ||
	    sodium_base642bin((unsigned char *)&cookie, sizeof(cookie), text, strlen(text), NULL,
			      &size, NULL, BASE64) ||
	    size != sizeof(cookie))
		return false;
	proved = cookie;
	prove(cookies, &proved);
	return !sodium_memcmp(proved.proof, cookie.proof, PROOF_BYTES);
}

/* Called with the lock held. */
static bool holds(const struct owner_cookies *cookies, const char *text)
{
	if (!is_ours(cookies, text))
		return false;
	for (size_t i = 0; i < cookies->ended.len; i++)
		if (!strcmp(cookies->ended.data[i].text, text))
			return false;
	return true;
}

bool owner_cookie_holds(struct owner_cookies *cookies, const char *text)
{
	bool good;

	pthread_mutex_lock(&cookies->lock);
	good = holds(cookies, text);
	pthread_mutex_unlock(&cookies->lock);
	return good;
}

static int keep_ended(const struct owner_cookies *cookies, struct store *store, struct err *err)
{
	struct buf text = { 0 };
	int rc;

	for (size_t i = 0; i < cookies->ended.len; i++)
		buf_printf(&text, "%s%s", i ? " " : "", cookies->ended.data[i].text);
	rc = store_setting_set(store, SIGNED_OUT, buf_text(&text), err);
	buf_free(&text);
	return rc;
}

int owner_cookie_end(struct owner_cookies *cookies, struct store *store, const char *text,
		     struct err *err)
{
	int rc = 0;

	pthread_mutex_lock(&cookies->lock);
	if (holds(cookies, text) && cookies->ended.len < ENDED_MOST) {
		strcpy(vec_push(&cookies->ended)->text, text);
		rc = keep_ended(cookies, store, err);
	} else if (holds(cookies, text)) {
		rc = new_secret(cookies, store, err);
	}
	pthread_mutex_unlock(&cookies->lock);
	return rc;
}
