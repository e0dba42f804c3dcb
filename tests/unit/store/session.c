// SPDX-License-Identifier: Apache-2.0
#include "store/scene.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>

static struct session get(int64_t id)
{
	struct session session = { 0 };

	EXPECT_INT(store_session_get(scene_store, id, &scene_arena, &session, &scene_err), 0);
	return session;
}

static size_t count(const struct session_filter *filter)
{
	struct sessions list = { 0 };
	size_t found;

	EXPECT_INT(store_session_list(scene_store, filter, &scene_arena, &list, &scene_err), 0);
	found = list.len;
	vec_free(&list);
	return found;
}

TEST(session_is_kept_and_changed)
{
	bool yes = true;
	struct session_patch patch = { .notes = "what was seen" }, archive = { .archived = &yes };
	struct session session;
	int64_t id;

	scene_open();
	id = scene_session("first");
	session = get(id);
	EXPECT_TEXT(session.title, "first");
	EXPECT_TEXT(session.notes, "");
	EXPECT(scene_just_now(session.created_ns));
	EXPECT(!session.archived);
	EXPECT_INT(store_session_change(scene_store, id, &patch, &scene_err), 0);
	EXPECT_INT(store_session_change(scene_store, id, &archive, &scene_err), 0);
	scene_reopen();
	session = get(id);
	EXPECT_TEXT(session.title, "first");
	EXPECT_TEXT(session.notes, "what was seen");
	EXPECT(session.archived);
	EXPECT_INT(store_session_change(scene_store, 99, &patch, &scene_err), -ENOENT);
	EXPECT_TEXT(scene_err.text, "there is no session 99");
	EXPECT_INT(store_session_get(scene_store, 99, &scene_arena, &session, &scene_err), -ENOENT);
	scene_close();
}

TEST(session_search)
{
	static const struct {
		struct session_filter filter;
		size_t found;
	} cases[] = {
		{ { .search = NULL }, 3 },
		{ { .search = "" }, 3 },
		{ { .search = "SORT" }, 2 },
		{ { .search = "quick notes" }, 1 },
		{ { .search = "  quick   sort " }, 1 },
		{ { .search = "sort nothing" }, 0 },
		{ { .search = "nightly" }, 1 },
		{ { .search = "%" }, 1 },
		{ { .search = "_" }, 0 },
		{ { .tag = "nightly" }, 1 },
		{ { .tag = "night" }, 0 },
		{ { .archived = true }, 1 },
		{ { .active = true }, 2 },
		{ { .active = true, .archived = true }, 3 },
		{ { .removed = true }, 0 },
	};
	bool yes = true;
	struct session_patch archive = { .archived = &yes, .notes = "some notes" };
	int64_t quick;

	scene_open();
	quick = scene_session("Quick sort");
	scene_session("heap sort, 100 % better");
	EXPECT_INT(store_tag(scene_store, STORE_SESSION, scene_session("other"), "nightly", true,
			     &scene_err),
		   0);
	EXPECT_INT(store_session_change(scene_store, quick, &archive, &scene_err), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		test_case("%zu: '%s'", i, cases[i].filter.search ? cases[i].filter.search : "");
		EXPECT_INT(count(&cases[i].filter), cases[i].found);
	}
	scene_close();
}

/* New ones come in and old ones go while somebody turns the pages: none is shown twice or missed.
 */
TEST(session_pages_are_stable)
{
	struct session_filter filter = { .page.limit = 10 };
	struct sessions all = { 0 };
	size_t before;

	scene_open();
	for (int i = 0; i < 35; i++)
		scene_session("s");
	do {
		before = all.len;
		EXPECT_INT(store_session_list(scene_store, &filter, &scene_arena, &all, &scene_err),
			   0);
		if (all.len > before)
			filter.page.before = vec_last(&all)->id;
		scene_session("new");
		EXPECT_INT(store_remove(scene_store, STORE_SESSION, all.data[before % all.len].id,
					1, &scene_err) == 0 ||
				   before == all.len,
			   1);
	} while (all.len > before);
	EXPECT_INT(all.len, 35);
	for (size_t i = 0; i < all.len; i++)
		EXPECT_INT(all.data[i].id, 35 - (int64_t)i);
	vec_free(&all);
	scene_close();
}

TEST(session_tags)
{
	struct wordlist tags = { 0 };
	int64_t id, run;

	scene_open();
	id = scene_session("s");
	run = scene_queued(id);
	EXPECT_INT(store_tag(scene_store, STORE_SESSION, id, "b", true, &scene_err), 0);
	EXPECT_INT(store_tag(scene_store, STORE_SESSION, id, "a", true, &scene_err), 0);
	EXPECT_INT(store_tag(scene_store, STORE_SESSION, id, "a", true, &scene_err), 0);
	EXPECT_INT(store_tag(scene_store, STORE_RUN, run, "c", true, &scene_err), 0);
	EXPECT_INT(store_tag(scene_store, STORE_RUN, run, "gone", false, &scene_err), 0);
	EXPECT_INT(store_tag(scene_store, STORE_RUN, run, "", true, &scene_err), -EINVAL);
	EXPECT_INT(store_tag(scene_store, STORE_RUN, 99, "c", true, &scene_err), -ENOENT);
	EXPECT_INT(get(id).tags.len, 2);
	EXPECT_TEXT(get(id).tags.data[0], "a");
	EXPECT_TEXT(scene_get(run).tags.data[0], "c");
	EXPECT_INT(store_tags(scene_store, &scene_arena, &tags, &scene_err), 0);
	EXPECT_INT(tags.len, 3);
	EXPECT_INT(store_tag(scene_store, STORE_SESSION, id, "a", false, &scene_err), 0);
	EXPECT_INT(get(id).tags.len, 1);
	scene_close();
}

TEST(session_removed_and_restored)
{
	struct session_filter removed = { .removed = true };
	struct session session;
	struct run run;
	int64_t id, queued;

	scene_open();
	id = scene_session("s");
	queued = scene_queued(id);
	EXPECT_INT(store_remove(scene_store, STORE_SESSION, id, 1000, &scene_err), 0);
	EXPECT_INT(store_session_get(scene_store, id, &scene_arena, &session, &scene_err), -ENOENT);
	EXPECT_INT(store_run_get(scene_store, queued, &scene_arena, &run, &scene_err), -ENOENT);
	EXPECT_INT(store_run_take(scene_store, HOST, &queued, &scene_err), 0);
	EXPECT_INT(store_remove(scene_store, STORE_SESSION, id, 1000, &scene_err), -ENOENT);
	EXPECT_INT(count(&removed), 1);
	EXPECT_INT(count(&(struct session_filter){ 0 }), 0);

	EXPECT_INT(store_restore(scene_store, STORE_SESSION, id, &scene_err), 0);
	EXPECT_INT(store_restore(scene_store, STORE_SESSION, id, &scene_err), -ENOENT);
	EXPECT_TEXT(get(id).title, "s");
	EXPECT_INT(get(id).runs, 1);
	EXPECT_INT(scene_get(queued).place, 1);
	scene_close();
}

TEST(session_with_a_busy_run_stays)
{
	int64_t id, run;

	scene_open();
	id = scene_session("s");
	run = scene_queued(id);
	EXPECT_INT(store_run_take(scene_store, HOST, &run, &scene_err), 1);
	EXPECT_INT(store_remove(scene_store, STORE_SESSION, id, 1, &scene_err), -EBUSY);
	EXPECT_CONTAINS(scene_err.text, "run 1 is being made; cancel it first");
	EXPECT_INT(store_remove(scene_store, STORE_RUN, run, 1, &scene_err), -EBUSY);
	EXPECT_INT(scene_step(run, RUN_STARTING, RUN_CANCELLED), 0);
	EXPECT_INT(store_remove(scene_store, STORE_SESSION, id, 1, &scene_err), 0);
	scene_close();
}
