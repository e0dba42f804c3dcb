// SPDX-License-Identifier: Apache-2.0
/* Frames expanded to the functions that were inlined there, once for each address. */
#include "dwarf/dwarf.h"
#include "profile/frames.h"

/* The list for a place of an object; 0, the empty one, if nothing is inlined there. */
static uint32_t make_list(struct frames *frames, const struct frame_object *object,
			  const struct recent_place *place, uint64_t offset)
{
	struct dwarf_frame found[DWARF_DEPTH];
	size_t count = object->dso ? dso_frames(object->dso, offset, found, DWARF_DEPTH) : 0;
	uint8_t kind = frames->profile->functions.data[place->function].kind;
	uint32_t list = (uint32_t)frames->inlined.len;

	if (count < 2 || place->nameless_in)
		return 0;
	*vec_push(&frames->inlined) = (uint32_t)count - 1;
	for (size_t i = 0; i + 1 < count; i++)
		*vec_push(&frames->inlined) =
			frames_function(frames, found[i].name ? found[i].name : UNKNOWN_NAME,
					object->id, (enum frame_kind)kind);
	return list;
}

size_t frames_expand(struct frames *frames, const struct recent_place *place, bool returned,
		     uint32_t *functions, size_t kept)
{
	/* There must be room for the addresses that are still to come. */
	const size_t most = KEPT_MAX - 2 * FRAMES_MAX - 1;
	size_t at = place->leaf * (size_t)2 + returned;
	const uint32_t *list;

	while (frames->expansions.len <= at)
		vec_push(&frames->expansions);
	if (!frames->expansions.data[at])
		frames->expansions.data[at] =
			1 + make_list(frames, &frames->objects.data[place->object - 1], place,
				      place->offset - returned);
	list = frames->inlined.data + frames->expansions.data[at] - 1;
	for (uint32_t i = 1; i <= *list && kept < most; i++)
		functions[kept++] = list[i] | FUNCTION_INLINED;
	return kept;
}
