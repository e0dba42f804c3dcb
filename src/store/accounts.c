// SPDX-License-Identifier: Apache-2.0
#include "store/accounts.h"
#include "base/err.h"

#include <ctype.h>
#include <errno.h>
#include <sodium.h>

#define TOKEN_BYTES  32
#define TOKEN_BASE64 sodium_base64_VARIANT_URLSAFE_NO_PADDING
#define NAME_MOST    64

_Static_assert(TOKEN_HASH == 2 * crypto_generichash_BYTES + 1, "room");
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

static int hash_new_password(const char *password, char into[static crypto_pwhash_STRBYTES],
			     struct err *err)
{
	if (strlen(password) < PASSWORD_LEAST)
		return err_set(err, EINVAL, "a password has at least %d letters", PASSWORD_LEAST);
	return hash_password(password, into, err);
}

int account_add(struct store *store, const char *name, enum role role, const char *password,
		int64_t *id, struct err *err)
{
	char hash[crypto_pwhash_STRBYTES] = "";
	struct user user = { .name = name, .role = role, .password = hash };
	int rc = ready(err);

	if (!rc)
		rc = account_check_name(name, err);
	if (!rc && !strcmp(name, OWNER_NAME))
		rc = err_set(err, EINVAL,
			     "'%s' is who has the server's own link; choose another name", name);
	if (!rc && password)
		rc = hash_new_password(password, hash, err);
	return rc ? rc : store_user_add(store, &user, id, err);
}

int account_change(struct store *store, const struct user *user, enum role role,
		   const char *password, struct err *err)
{
	char hash[crypto_pwhash_STRBYTES] = "";
	struct user changed = *user;
	int rc = ready(err);

	changed.role = role;
	if (!rc && password) {
		changed.password = hash;
		rc = hash_new_password(password, hash, err);
	}
	return rc ? rc : store_user_change(store, &changed, err);
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

void token_hash(const char *token, char into[static TOKEN_HASH])
{
	unsigned char bytes[crypto_generichash_BYTES];

	crypto_generichash(bytes, sizeof(bytes), (const unsigned char *)token, strlen(token), NULL,
			   0);
	sodium_bin2hex(into, TOKEN_HASH, bytes, sizeof(bytes));
}

int account_token_add(struct store *store, const struct token *row, char token[static TOKEN_TEXT],
		      int64_t *id, struct err *err)
{
	unsigned char bytes[TOKEN_BYTES];
	struct token hashed = *row;
	char hash[TOKEN_HASH];
	int rc = ready(err);

	if (rc)
		return rc;
	randombytes_buf(bytes, sizeof(bytes));
	sodium_bin2base64(token, TOKEN_TEXT, bytes, sizeof(bytes), TOKEN_BASE64);
	sodium_memzero(bytes, sizeof(bytes));
	token_hash(token, hash);
	hashed.hash = hash;
	return store_token_add(store, &hashed, id, err);
}

int account_token_check(struct store *store, const char *token, struct arena *arena,
			struct user *into, struct err *err)
{
	char hash[TOKEN_HASH];
	int rc = ready(err);

	if (rc)
		return rc;
	token_hash(token, hash);
	rc = store_token_find(store, hash, false, arena, into, err);
	return rc == -ENOENT ? err_set(err, EACCES, "%s", err ? err->text : "") : rc;
}
