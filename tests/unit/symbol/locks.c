// SPDX-License-Identifier: Apache-2.0
/* The order of locks that symbol/store.h tells; ThreadSanitizer says where it is not kept. */
#include "symbol/symbol.h"
#include "test.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define OBJECTS 64

/* Files that are not there: their readings ask the store where their process sees its files. */
static void *read_many(void *user)
{
	struct symbol_store *store = user;
	char path[64];

	for (int i = 0; i < OBJECTS; i++) {
		struct dso_key key = { .kind = DSO_FILE, .path = path, .pid = getpid() };

		snprintf(path, sizeof(path), "/nowhere/object-%d", i);
		dso_read(symbol_dso(store, &key));
	}
	return NULL;
}

TEST(locks_asking_all_objects_while_some_are_read)
{
	struct symbol_options options = { .cache_dir = "", .buildid_dir = "/nowhere" };
	struct dso_key last = { .kind = DSO_FILE, .path = "/nowhere/object-63", .pid = getpid() };
	struct symbol_store *store = symbol_store_new(&options);
	struct dso *object = symbol_dso(store, &last);
	pthread_t thread;

	EXPECT_INT(pthread_create(&thread, NULL, read_many, store), 0);
	while (dso_state(object) == DSO_UNREAD)
		EXPECT(!symbol_store_given_up(store, GIVEN_UP_LINES));
	pthread_join(thread, NULL);
	EXPECT_INT(dso_state(object), DSO_MISSING);
	EXPECT(!symbol_store_given_up(store, GIVEN_UP_LINES));
	symbol_store_free(store);
}
