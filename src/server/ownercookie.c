// SPDX-License-Identifier: Apache-2.0
#include "server/ownercookie.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/vec.h"
#include "store/datadir.h"

#include <errno.h>
#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#define KEY_FILE   "cookie.key"
#define SIGNED_OUT "owner-signed-out" /* in the store: hashes */
#define ENDED_MOST 200		      /* one more, and all of them end */

#define NONCE_BYTES 12
#define MARK_BYTES  20
#define KEY_BYTES   32
#define PROOF_BYTES 32
#define BASE64	    sodium_base64_VARIANT_URLSAFE_NO_PADDING

struct cookie {
	unsigned char nonce[NONCE_BYTES];
	unsigned char mark[MARK_BYTES]; /* of the nonce, under the key */
};
_Static_assert(TOKEN_TEXT == sodium_base64_ENCODED_LEN(sizeof(struct cookie), BASE64), "room");
_Static_assert(TOKEN_TEXT == sodium_base64_ENCODED_LEN(PROOF_BYTES, BASE64), "room");

/* As the file has it. */
struct keys {
	unsigned char owner[KEY_BYTES]; /* of the owner's cookies */
	unsigned char proof[KEY_BYTES]; /* never changed: users' cookies have days of their own */
	int64_t owner_until_ns;		/* by the wall clock */
};

struct ended {
	char hash[TOKEN_HASH];
};

struct owner_cookies {
	struct keys *keys; /* sodium_malloc() */
	struct datadir *dir;
	pthread_mutex_t lock; /* for all below, and the owner's key */
	unsigned series;      /* of keys: the hash of a cookie does not tell */
	VEC(struct ended) ended;
};

/* ---- the keys ---- */

static void read_ended(struct owner_cookies *cookies, const char *kept)
{
	for (; kept && strlen(kept) >= TOKEN_HASH - 1; kept += strspn(kept, " ")) {
		memcpy(vec_push(&cookies->ended)->hash, kept, TOKEN_HASH - 1);
		kept += TOKEN_HASH - 1;
	}
}

static int keep_ended(const struct owner_cookies *cookies, struct err *err)
{
	struct buf text = { 0 };
	int rc;

	for (size_t i = 0; i < cookies->ended.len; i++)
		buf_printf(&text, "%s%s", i ? " " : "", cookies->ended.data[i].hash);
	rc = store_setting_set(datadir_store(cookies->dir), SIGNED_OUT, buf_text(&text), err);
	buf_free(&text);
	return rc;
}

static int change_owner_key(struct owner_cookies *cookies, struct err *err)
{
	struct keys *keys = cookies->keys;
	int rc;

	randombytes_buf(keys->owner, KEY_BYTES);
	keys->owner_until_ns = clock_wall_ns() +
			       (int64_t)OWNER_COOKIE_DAYS * 24 * 3600 * NS_PER_SEC;
	cookies->series++;
	cookies->ended.len = 0;
	rc = datadir_secret_write(cookies->dir, KEY_FILE, keys, sizeof(*keys), err);
	return rc ? rc : keep_ended(cookies, err);
}

/* Before there was this file the key stood in the database; of that nothing is to be found there.
 */
static int make_keys(struct owner_cookies *cookies, struct err *err)
{
	struct err scrub = { 0 };

	if (store_scrub(datadir_store(cookies->dir), &scrub))
		log_line(LOG_WARN, "what was deleted may still be found in the database: %s",
			 scrub.text);
	randombytes_buf(cookies->keys->proof, KEY_BYTES);
	return change_owner_key(cookies, err);
}

static int read_keys(struct owner_cookies *cookies, struct err *err)
{
	struct keys *keys = cookies->keys;
	struct arena arena = { 0 };
	const char *ended = NULL;
	struct err unread = { 0 };
	int rc = datadir_secret_read(cookies->dir, KEY_FILE, keys, sizeof(*keys), &unread);

	if (rc == -ENOENT)
		return make_keys(cookies, err);
	if (rc)
		return err_set(err, -rc, "%s", unread.text);
	if (keys->owner_until_ns < clock_wall_ns())
		return change_owner_key(cookies, err);
	rc = store_setting_get(datadir_store(cookies->dir), SIGNED_OUT, &arena, &ended, err);
	if (!rc)
		read_ended(cookies, ended);
	arena_free(&arena);
	return rc;
}

struct owner_cookies *owner_cookies_open(struct datadir *dir, struct err *err)
{
	struct owner_cookies *cookies = mem_alloc(sizeof(*cookies));

	cookies->dir = dir;
	pthread_mutex_init(&cookies->lock, NULL);
	cookies->keys = sodium_malloc(sizeof(*cookies->keys));
	if (!cookies->keys)
		abort(); /* out of memory, as in base/mem.c */
	if (!read_keys(cookies, err))
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
	sodium_free(cookies->keys); /* wipes it */
	free(cookies);
}

/* ---- cookies of the owner ---- */

static void mark(const struct owner_cookies *cookies, struct cookie *cookie)
{
	crypto_generichash(cookie->mark, MARK_BYTES, cookie->nonce, NONCE_BYTES,
			   cookies->keys->owner, KEY_BYTES);
}

void owner_cookie_make(struct owner_cookies *cookies, char text[static TOKEN_TEXT])
{
	struct cookie cookie;

	randombytes_buf(cookie.nonce, NONCE_BYTES);
	pthread_mutex_lock(&cookies->lock);
	mark(cookies, &cookie);
	pthread_mutex_unlock(&cookies->lock);
	sodium_bin2base64(text, TOKEN_TEXT, (const unsigned char *)&cookie, sizeof(cookie), BASE64);
	sodium_memzero(&cookie, sizeof(cookie));
}

/* Whether we gave it out, signed out or not. */
static bool is_ours(const struct owner_cookies *cookies, const char *text)
{
	struct cookie cookie, marked;
	size_t size = 0;
	bool ours;

	if (strlen(text) != TOKEN_TEXT - 1)
		return false;
	ours = !sodium_base642bin((unsigned char *)&cookie, sizeof(cookie), text, TOKEN_TEXT - 1,
				  NULL, &size, NULL, BASE64) &&
	       size == sizeof(cookie);
	if (ours) {
		marked = cookie;
		mark(cookies, &marked);
		ours = !sodium_memcmp(marked.mark, cookie.mark, MARK_BYTES);
		sodium_memzero(&marked, sizeof(marked));
	}
	sodium_memzero(&cookie, sizeof(cookie));
	return ours;
}

/* Called with the lock held. */
static bool has_ended(const struct owner_cookies *cookies, const char *hash)
{
	for (size_t i = 0; i < cookies->ended.len; i++)
		if (!strcmp(cookies->ended.data[i].hash, hash))
			return true;
	return false;
}

bool owner_cookie_holds(struct owner_cookies *cookies, const char *text, unsigned *series)
{
	char hash[TOKEN_HASH];
	bool good;

	token_hash(text, hash);
	pthread_mutex_lock(&cookies->lock);
	good = is_ours(cookies, text) && !has_ended(cookies, hash);
	*series = cookies->series;
	pthread_mutex_unlock(&cookies->lock);
	return good;
}

bool owner_cookie_still_holds(struct owner_cookies *cookies, const char *hash, unsigned series)
{
	bool good;

	pthread_mutex_lock(&cookies->lock);
	good = series == cookies->series && !has_ended(cookies, hash);
	pthread_mutex_unlock(&cookies->lock);
	return good;
}

int owner_cookie_end(struct owner_cookies *cookies, const char *hash, struct err *err)
{
	int rc;

	pthread_mutex_lock(&cookies->lock);
	if (cookies->ended.len < ENDED_MOST) {
		strcpy(vec_push(&cookies->ended)->hash, hash);
		rc = keep_ended(cookies, err);
	} else {
		rc = change_owner_key(cookies, err);
	}
	pthread_mutex_unlock(&cookies->lock);
	return rc;
}

/* ---- proofs ---- */

static void prove(const struct owner_cookies *cookies, const char *cookie,
		  unsigned char proof[static PROOF_BYTES])
{
	crypto_generichash(proof, PROOF_BYTES, (const unsigned char *)cookie, strlen(cookie),
			   cookies->keys->proof, KEY_BYTES);
}

void cookie_prove(const struct owner_cookies *cookies, const char *cookie,
		  char proof[static TOKEN_TEXT])
{
	unsigned char bytes[PROOF_BYTES];

	prove(cookies, cookie, bytes);
	sodium_bin2base64(proof, TOKEN_TEXT, bytes, sizeof(bytes), BASE64);
	sodium_memzero(bytes, sizeof(bytes));
}

bool cookie_is_proved(const struct owner_cookies *cookies, const char *cookie, const char *proof)
{
	unsigned char wanted[PROOF_BYTES], shown[PROOF_BYTES];
	size_t size = 0;
	bool proved;

	proved = !sodium_base642bin(shown, sizeof(shown), proof, strlen(proof), NULL, &size, NULL,
				    BASE64) &&
		 size == sizeof(shown);
	prove(cookies, cookie, wanted);
	proved = proved && !sodium_memcmp(shown, wanted, sizeof(wanted));
	sodium_memzero(wanted, sizeof(wanted));
	sodium_memzero(shown, sizeof(shown));
	return proved;
}
