// SPDX-License-Identifier: Apache-2.0
#include "base/vec.h"
#include "test.h"

TEST(vec_grows_and_keeps_its_elements)
{
	VEC(uint64_t) numbers = { 0 };
	uint64_t sum = 0;

	for (uint64_t i = 0; i < 100000; i++)
		*vec_push(&numbers) = i;
	EXPECT_INT(numbers.len, 100000);
	EXPECT(numbers.cap >= numbers.len);
	EXPECT_INT(*vec_last(&numbers), 99999);
	vec_each (number, &numbers)
		sum += *number;
	EXPECT_INT(sum, 4999950000);
	vec_free(&numbers);
	EXPECT_INT(numbers.len, 0);
	vec_each (number, &numbers)
		EXPECT(!"an empty one has nothing to visit");
}

TEST(vec_pushes_zeroed_elements)
{
	VEC(struct {
		int a;
		char *b;
	})
	pairs = { 0 };

	for (int i = 0; i < 20; i++) {
		vec_push(&pairs)->a = 7;
		pairs.len = 0; /* what is pushed next stands where a 7 was */
		EXPECT_INT(vec_push(&pairs)->a, 0);
		EXPECT(vec_last(&pairs)->b == NULL);
		pairs.len = (size_t)i;
	}
	vec_free(&pairs);
}

TEST(vec_reserves_what_is_asked_for)
{
	VEC(int) numbers = { 0 };
	int *data;

	vec_reserve(&numbers, 1000);
	data = numbers.data;
	for (int i = 0; i < 1000; i++)
		*vec_push(&numbers) = i;
	EXPECT(numbers.data == data);
	vec_free(&numbers);
}

TEST(strlist_owns_its_strings)
{
	struct strlist list = { 0 };
	char word[] = "one";

	strlist_add(&list, word);
	word[0] = 'x';
	strlist_add(&list, "");
	EXPECT_INT(list.len, 2);
	EXPECT_TEXT(list.data[0], "one");
	EXPECT_TEXT(list.data[1], "");
	strlist_free(&list);
	EXPECT_INT(list.len, 0);
}
