// SPDX-License-Identifier: Apache-2.0
#include "store/accounts.h"
#include "store/scene.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>

TEST(accounts_names)
{
	static const struct {
		const char *name;
		bool good;
	} cases[] = {
		{ "ann", true },       { "ann.b-c_d@host+1", true },
		{ "", false },	       { "-x", false },
		{ "a b", false },      { "a/b", false },
		{ "a\nb", false },     { "a'b", false },
		{ "\xc3\xa9", false }, { "0", true },
		{ ".", true },
	};
	char longest[66];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = { 0 };

		test_case("'%s'", cases[i].name);
		EXPECT_INT(account_check_name(cases[i].name, &err), cases[i].good ? 0 : -EINVAL);
		EXPECT_BOOL(err.text[0], !cases[i].good);
	}
	memset(longest, 'a', sizeof(longest));
	longest[64] = '\0';
	EXPECT_INT(account_check_name(longest, NULL), 0);
	longest[64] = 'a';
	longest[65] = '\0';
	EXPECT_INT(account_check_name(longest, NULL), -EINVAL);
}

TEST(accounts_passwords)
{
	struct user user = { 0 };
	int64_t id;

	scene_open();
	EXPECT_INT(account_add(scene_store, "ann", ROLE_RUNNER, "short", &id, &scene_err), -EINVAL);
	EXPECT_CONTAINS(scene_err.text, "at least 8");
	EXPECT_INT(account_add(scene_store, "ann", ROLE_RUNNER, "correct horse", &id, &scene_err),
		   0);
	EXPECT_INT(account_add(scene_store, "ann", ROLE_VIEWER, NULL, &id, &scene_err), -EEXIST);
	EXPECT_CONTAINS(scene_err.text, "there is a user 'ann' already");
	EXPECT_INT(account_add(scene_store, "bob", ROLE_VIEWER, NULL, &id, &scene_err), 0);
	EXPECT_INT(account_sign_in(scene_store, "ann", "correct horse", &scene_arena, &user,
				   &scene_err),
		   0);
	EXPECT_INT(user.role, ROLE_RUNNER);
	EXPECT_INT(strncmp(user.password, "$argon2id$", 10), 0);
	EXPECT_INT(account_sign_in(scene_store, "ann", "Correct horse", &scene_arena, &user,
				   &scene_err),
		   -EACCES);
	EXPECT_TEXT(scene_err.text, "wrong name or password");
	scene_err = (struct err){ 0 };
	EXPECT_INT(account_sign_in(scene_store, "eve", "", &scene_arena, &user, &scene_err),
		   -EACCES);
	EXPECT_TEXT(scene_err.text, "wrong name or password");
	EXPECT_INT(account_sign_in(scene_store, "bob", "", &scene_arena, &user, &scene_err),
		   -EACCES);
	scene_close();
}

TEST(accounts_tokens)
{
	char token[TOKEN_TEXT], other[TOKEN_TEXT], old[TOKEN_TEXT];
	struct tokens tokens = { 0 };
	struct users users = { 0 };
	struct user user;
	int64_t ann, bob, id, later;

	scene_open();
	EXPECT_INT(account_add(scene_store, "bob", ROLE_VIEWER, NULL, &bob, &scene_err), 0);
	EXPECT_INT(account_add(scene_store, "ann", ROLE_RUNNER, NULL, &ann, &scene_err), 0);
	EXPECT_INT(account_token_add(
			   scene_store,
			   &(struct token){ .user = ann, .label = "laptop", .expires_ns = 0 },
			   token, &id, &scene_err),
		   0);
	EXPECT_INT(account_token_add(
			   scene_store,
			   &(struct token){ .user = ann, .label = "ci", .expires_ns = INT64_MAX },
			   other, &later, &scene_err),
		   0);
	EXPECT_INT(account_token_add(
			   scene_store,
			   &(struct token){ .user = ann, .label = "old", .expires_ns = 1000 }, old,
			   &later, &scene_err),
		   0);
	EXPECT_INT(strlen(token), TOKEN_TEXT - 1);
	EXPECT(strcmp(token, other));
	EXPECT_INT(account_token_check(scene_store, token, &scene_arena, &user, &scene_err), 0);
	EXPECT_INT(user.id, ann);
	EXPECT_INT(user.tokens, 3);
	EXPECT_INT(account_token_check(scene_store, other, &scene_arena, &user, &scene_err), 0);
	EXPECT_INT(account_token_check(scene_store, old, &scene_arena, &user, &scene_err), -EACCES);
	EXPECT_INT(account_token_check(scene_store, "", &scene_arena, &user, &scene_err), -EACCES);
	EXPECT_CONTAINS(scene_err.text, "unknown or expired token");
	/* what a browser has is no token for a program */
	EXPECT_INT(account_token_add(scene_store,
				     &(struct token){ .user = bob, .browser = true, .label = "" },
				     old, &later, &scene_err),
		   0);
	EXPECT_INT(account_token_check(scene_store, old, &scene_arena, &user, &scene_err), -EACCES);
	EXPECT_INT(store_token_remove(scene_store, bob, later, &scene_err), 0);

	EXPECT_INT(store_token_list(scene_store, ann, &scene_arena, &tokens, &scene_err), 0);
	EXPECT_INT(tokens.len, 3);
	EXPECT_TEXT(tokens.data[0].label, "laptop");
	EXPECT(strcmp(tokens.data[0].hash, token)); /* kept hashed only */
	vec_free(&tokens);
	EXPECT_INT(store_token_remove(scene_store, bob, id, &scene_err), -ENOENT);
	EXPECT_INT(store_token_remove(scene_store, ann, id, &scene_err), 0);
	EXPECT_INT(account_token_check(scene_store, token, &scene_arena, &user, &scene_err),
		   -EACCES);

	EXPECT_INT(store_user_list(scene_store, &scene_arena, &users, &scene_err), 0);
	EXPECT_INT(users.len, 2);
	EXPECT_TEXT(users.data[0].name, "ann");
	vec_free(&users);
	EXPECT_INT(store_user_remove(scene_store, ann, &scene_err), 0);
	EXPECT_INT(store_user_remove(scene_store, ann, &scene_err), -ENOENT);
	EXPECT_INT(account_token_check(scene_store, other, &scene_arena, &user, &scene_err),
		   -EACCES);
	EXPECT_INT(scene_number("SELECT count(*) FROM token"), 0);
	EXPECT_INT(account_token_add(scene_store,
				     &(struct token){ .user = ann, .label = "x", .expires_ns = 0 },
				     token, &id, &scene_err),
		   -EINVAL);
	scene_close();
}
