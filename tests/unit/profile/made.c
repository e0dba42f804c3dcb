// SPDX-License-Identifier: Apache-2.0
#include "made.h"

struct profile *made_profile(void)
{
	struct profile *profile = profile_new();

	*vec_push(&profile->events) = (struct profile_event){
		.name = interner_add(&profile->strings, "cpu-clock"),
		.unit = interner_add(&profile->strings, "ns"),
		.scale = 1,
	};
	profile_object(profile, "/bin/prog", &(struct build_id){ 0 }, DSO_FILE);
	made_thread(profile, 1, 1, "prog");
	return profile;
}

uint32_t made_stack(struct profile *profile, const char *frames)
{
	char *copy = mem_strdup(frames), *rest = copy, *frame;
	uint32_t stack = STACK_ROOT;

	while ((frame = strsep(&rest, ";")) && *frame)
		stack = profile_stack(profile, stack,
				      profile_function(profile, frame, 1, FRAME_USER), false);
	free(copy);
	return stack;
}

uint32_t made_thread(struct profile *profile, uint32_t pid, uint32_t tid, const char *comm)
{
	struct profile_thread thread = { .pid = pid, .tid = tid };

	thread.comm = interner_add(&profile->strings, comm);
	return profile_thread(profile, &thread);
}

void made_sample(struct profile *profile, uint64_t time, const char *frames, uint64_t weight)
{
	profile_add(profile, &(struct profile_row){
				     .time = time,
				     .weight = weight,
				     .stack = made_stack(profile, frames),
			     });
}
