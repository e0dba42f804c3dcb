// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"
#include "base/buf.h"
#include "test.h"

#include <pthread.h>
#include <stdatomic.h>

static void collect(enum log_level level, const char *text, void *user)
{
	buf_printf(user, "%d:%s\n", (int)level, text);
}

TEST(log_shows_up_to_its_level)
{
	struct buf said = { 0 };

	log_set_sink(collect, &said);
	log_line(LOG_NOTE, "note %d", 1);
	log_line(LOG_INFO, "hidden");
	log_set_level(LOG_DEBUG);
	log_line(LOG_DEBUG, "shown");
	log_set_level(LOG_ERROR);
	log_line(LOG_WARN, "hidden too");
	log_set_level(LOG_NOTE);
	log_set_sink(NULL, NULL);
	EXPECT_TEXT(buf_text(&said), "2:note 1\n4:shown\n");
	buf_free(&said);
}

TEST(log_obeys_no_control_characters)
{
	struct buf said = { 0 };

	log_set_sink(collect, &said);
	log_line(LOG_WARN, "%s",
		 "red \x1b[31m, two\r\nlines, \xc2\x9b"
		 "2J, sch\xc3\xb6n \x7f\n");
	log_set_sink(NULL, NULL);
	EXPECT_TEXT(buf_text(&said), "1:red \\x1b[31m, two\\x0d\\x0alines, \\xc2\\x9b"
				     "2J, sch\xc3\xb6n \\x7f\n");
	buf_free(&said);
}

TEST(log_once_says_each_text_once)
{
	struct buf said = { 0 };

	log_set_sink(collect, &said);
	for (int i = 0; i < 10; i++)
		log_once(LOG_WARN, "no PMU on CPU %d", i / 5);
	log_set_sink(NULL, NULL);
	EXPECT_TEXT(buf_text(&said), "1:no PMU on CPU 0\n1:no PMU on CPU 1\n");
	buf_free(&said);
}

static void count(enum log_level level, const char *text, void *user)
{
	(void)level, (void)text;
	atomic_fetch_add((atomic_int *)user, 1);
}

static void *say_hundred(void *unused)
{
	for (int i = 0; i < 100; i++)
		log_once(LOG_WARN, "thing %d", i);
	return unused;
}

TEST(log_once_holds_over_threads)
{
	atomic_int times = 0;
	pthread_t threads[4];

	log_set_sink(count, &times);
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		EXPECT_INT(pthread_create(&threads[i], NULL, say_hundred, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	log_set_sink(NULL, NULL);
	EXPECT_INT(times, 100);
}
