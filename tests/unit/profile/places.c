// SPDX-License-Identifier: Apache-2.0
#include "profile/places.h"
#include "profile/made.h"
#include "test.h"

#include <stdlib.h>

static uint32_t add_line(struct profile *profile, const char *place, const char *file)
{
	*vec_push(&profile->lines) = (struct profile_line){
		.place = interner_add(&profile->strings, place),
		.file = interner_add(&profile->strings, file),
	};
	return (uint32_t)profile->lines.len - 1;
}

static void add(struct profile *profile, const char *stack, uint32_t line, uint64_t weight)
{
	profile_add(profile, &(struct profile_row){ .stack = made_stack(profile, stack),
						    .leaf = line,
						    .weight = weight });
}

TEST(places_of_the_most_weight)
{
	struct profile *profile = made_profile();
	uint32_t *places, first, second, none, work;

	made_thread(profile, 1, 1, "prog");
	EXPECT(!profile_hot_places(profile, 0));
	first = add_line(profile, "a.c:1", "a.c");
	second = add_line(profile, "a.c:2", "a.c");
	none = add_line(profile, "work+12", "");
	add(profile, "main;work", first, 5);
	add(profile, "main;work", second, 4);
	add(profile, "other;work", second, 3);
	add(profile, "main;work", none, 100);
	places = profile_hot_places(profile, 0);
	work = profile->stacks.function[made_stack(profile, "main;work")];
	EXPECT_TEXT(profile_text(profile, places[work]), "a.c:2");
	EXPECT_INT(places[profile->stacks.function[made_stack(profile, "main")]], NO_PLACE);
	free(places);
	profile_free(profile);
}
