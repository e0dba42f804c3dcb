// SPDX-License-Identifier: Apache-2.0
#include "store/accounts.h"
#include "base/err.h"

#include <ctype.h>
#include <errno.h>
#include <sodium.h>

#define TOKEN_BYTES  32
#define TOKEN_BASE64 sodium_base64_VARIANT_URLSAFE_NO_PADDING
#define TOKEN_HASH   (2 * crypto_generichash_BYTES + 1)
#define NAME_MOST    64

_Static_assert(TOKEN_TEXT == sodium_base64_ENCODED_LEN(TOKEN_BYTES, TOKEN_BASE64), "room");

static int ready(struct err *err)
{
	return sodium_init() < 0 ? err_set(err, EIO, "libsodium does not work here") : 0;
}

int account_check_name(const char *name, struct err *err)
{
	size_t length = strlen(name);

	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("._-@+", name[i]))
			return err_set(err, EINVAL,
				       "'%s' can't be a user's name: letters, digits and . _ - @ + "
				       "may be in one",
				       name);
	if (!length || length > NAME_MOST || name[0] == '-')
		return err_set(err, EINVAL,
			       "'%s' can't be a user's name: it has 1 to %d letters and does not "
			       "begin with -",
			       name, NAME_MOST);
	return 0;
}

static int hash_password(const char *password, char into[static crypto_pwhash_STRBYTES],
			 struct err *err)
{
	if (crypto_pwhash_str(into, password, strlen(password), crypto_pwhash_OPSLIMIT_INTERACTIVE,
			      crypto_pwhash_MEMLIMIT_INTERACTIVE))
		return err_set(err, ENOMEM, "no memory to hash a password; it takes 64 MiB");
	return 0;
}

int account_add(struct store *store, const char *name, enum role role, const char *password,
		int64_t *id, struct err *err)
{
	char hash[crypto_pwhash_STRBYTES] = "";
	struct user user = { .name = name, .role = role, .password = hash };
	int rc = ready(err);

	if (!rc)
		rc = account_check_name(name, err);
	if (!rc && password && strlen(password) < PASSWORD_LEAST)
		rc = err_set(err, EINVAL, "a password has at least %d letters", PASSWORD_LEAST);
	if (!rc && password)
		rc = hash_password(password, hash, err);
	return rc ? rc : store_user_add(store, &user, id, err);
}

int account_sign_in(struct store *store, const char *name, const char *password,
		    struct arena *arena, struct user *into, struct err *err)
{
	char hash[crypto_pwhash_STRBYTES];
	int rc = ready(err);

	if (!rc)
		rc = store_user_find(store, name, arena, into, err);
	if (rc && rc != -ENOENT)
		return rc;
	if (rc || !*into->password)
		hash_password(password, hash, NULL); /* takes as long as looking */
	else if (!crypto_pwhash_str_verify(into->password, password, strlen(password)))
		return 0;
	return err_set(err, EACCES, "wrong name or password");
}

static void hash_token(const char *token, char into[static TOKEN_HASH])
{
	unsigned char bytes[crypto_generichash_BYTES];

	crypto_generichash(bytes, sizeof(bytes), (const unsigned char *)token, strlen(token), NULL,
			   0);
	sodium_bin2hex(into, TOKEN_HASH, bytes, sizeof(bytes));
}

int account_token_add(struct store *store, int64_t user, const char *label, int64_t expires_ns,
		      char token[static TOKEN_TEXT], int64_t *id, struct err *err)
{
	unsigned char bytes[TOKEN_BYTES];
	char hash[TOKEN_HASH];
	struct token row = { .user = user, .label = label, .hash = hash, .expires_ns = expires_ns };
	int rc = ready(err);

	if (rc)
		return rc;
	randombytes_buf(bytes, sizeof(bytes));
	sodium_bin2base64(token, TOKEN_TEXT, bytes, sizeof(bytes), TOKEN_BASE64);
	hash_token(token, hash);
	return store_token_add(store, &row, id, err);
}

int account_token_check(struct store *store, const char *token, struct arena *arena,
			struct user *into, struct err *err)
{
	char hash[TOKEN_HASH];
	int rc = ready(err);

	if (rc)
		return rc;
	hash_token(token, hash);
	rc = store_token_find(store, hash, arena, into, err);
	return rc == -ENOENT ? err_set(err, EACCES, "%s", err ? err->text : "") : rc;
}

int account_token_remove(struct store *store, int64_t user, const char *token, struct err *err)
{
	struct tokens tokens = { 0 };
	struct arena arena = { 0 };
	char hash[TOKEN_HASH];
	int rc = ready(err);

	if (!rc)
		rc = store_token_list(store, user, &arena, &tokens, err);
	if (!rc)
		hash_token(token, hash);
	for (size_t i = 0; i < tokens.len && !rc; i++)
		if (!strcmp(tokens.data[i].hash, hash))
			rc = store_token_remove(store, user, tokens.data[i].id, err);
	vec_free(&tokens);
	arena_free(&arena);
	return rc;
}
