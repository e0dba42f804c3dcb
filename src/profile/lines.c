// SPDX-License-Identifier: Apache-2.0
/* The source lines of what was sampled, in perf's words. */
#include "dwarf/dwarf.h"
#include "profile/frames.h"

#include <stdio.h>

#define NAME_LIMIT 4096

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const char *object_name(const struct profile *profile, uint32_t object)
{
	return base_name(profile_text(profile, profile->objects.data[object].path));
}

/* Without debug information: as far as the function tells. */
static void name_by_symbol(struct profile *profile, struct dso *dso,
			   const struct profile_leaf *leaf, struct profile_line *line)
{
	struct symbol symbol;
	char *text, *readable;

	if (dso && dso_find(dso, leaf->offset, &symbol)) {
		readable = symbol_demangle(symbol.name, DEMANGLE_NAME, NAME_LIMIT);
		text = mem_printf("%s+%llu", readable ? readable : symbol.name,
				  (unsigned long long)(leaf->offset - symbol.start));
		free(readable);
	} else {
		text = mem_printf("%s[%llx]", object_name(profile, leaf->object),
				  (unsigned long long)leaf->offset);
	}
	line->place = interner_add(&profile->strings, text);
	line->file = line->path = interner_add(&profile->strings, "");
	free(text);
}

static void name_line(struct profile *profile, struct dso *dso, const struct profile_leaf *leaf,
		      bool full_path, struct profile_line *line)
{
	struct dwarf_frame frame;
	const char *file;
	char *text;

	if (!dso || !dso_frames(dso, leaf->offset, &frame, 1) || !frame.file || !frame.line) {
		name_by_symbol(profile, dso, leaf, line);
		return;
	}
	file = full_path ? frame.file : base_name(frame.file);
	text = mem_printf("%s:%u", file, frame.line);
	line->place = interner_add(&profile->strings, text);
	line->file = interner_add(&profile->strings, file);
	line->path = interner_add(&profile->strings, frame.file);
	free(text);
}

/* The symbols of each object of the profile; free it. */
static struct dso **objects_of(const struct frames *frames)
{
	struct dso **objects = mem_alloc((frames->profile->objects.len + 1) * sizeof(*objects));

	vec_each (object, &frames->objects)
		if (object->known)
			objects[object->id] = object->dso;
	return objects;
}

void frames_find_lines(struct frames *frames)
{
	struct profile *profile = frames->profile;
	bool full_path = symbol_store_wants_paths(frames->naming.store);
	struct dso **objects;

	if (!symbol_store_wants_lines(frames->naming.store))
		return;
	objects = objects_of(frames);
	while (profile->lines.len < profile->leaves.len)
		vec_push(&profile->lines);
	for (size_t i = 0; i < profile->samples.len; i++) {
		uint32_t leaf = profile->samples.leaf[i];
		const struct profile_leaf *facts = &profile->leaves.data[leaf];

		if (!profile->lines.data[leaf].place)
			name_line(profile, objects[facts->object], facts, full_path,
				  &profile->lines.data[leaf]);
	}
	free(objects);
}
