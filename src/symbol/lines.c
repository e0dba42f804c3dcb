// SPDX-License-Identifier: Apache-2.0
/* From addresses of an object to its source. */
#include "symbol/debugfile.h"
#include "symbol/find.h"
#include "symbol/store.h"

/* The file with the debug information: the object's own, or one that was split from it. */
static struct dwarf *open_lines(struct dso *object)
{
	struct finder f = finder_of(object);
	struct elf_file code = { 0 }, debug;
	struct dwarf_source source;
	bool found, has_code;

	f.wish = FIND_LINES;
	f.wanted = *dso_build_id(object); /* of the file that the names are from */
	has_code = find_code(&f, &code);
	if (has_code && debugfile_has_lines(&code)) {
		source = debugfile_source(code, buf_text(&f.source), object);
		buf_free(&f.source);
		return dwarf_new(&source);
	}
	found = find_debug(&f, has_code ? &code : NULL, &debug);
	if (found)
		source = debugfile_source(debug, buf_text(&f.source), object);
	elf_file_close(&code);
	buf_free(&f.source);
	return found ? dwarf_new(&source) : NULL;
}

size_t dso_frames(struct dso *object, uint64_t address, struct dwarf_frame *frames, size_t room)
{
	uint64_t own = dso_address(object, address);
	size_t count = 0;

	if (object->key.kind != DSO_FILE)
		return 0;
	pthread_mutex_lock(&object->lock);
	if (!object->lines_tried) {
		object->lines_tried = true;
		object->lines = open_lines(object);
	}
	if (object->lines)
		count = dwarf_find(object->lines, own, frames, room);
	pthread_mutex_unlock(&object->lock);
	return count;
}

enum lines_state dso_lines_state(struct dso *object)
{
	enum lines_state state = LINES_UNREAD;

	pthread_mutex_lock(&object->lock);
	if (object->lines_tried)
		state = LINES_NONE;
	if (object->lines)
		switch (dwarf_state(object->lines)) {
		case DWARF_GOOD: state = LINES_GOOD; break;
		case DWARF_DAMAGED: state = LINES_DAMAGED; break;
		case DWARF_TIRED: state = LINES_TIRED; break;
		}
	pthread_mutex_unlock(&object->lock);
	return state;
}

const char *symbol_store_given_up(struct symbol_store *store)
{
	const char *path = NULL;

	pthread_mutex_lock(&store->lock);
	vec_each (object, &store->objects)
		if (dso_lines_state(*object) == LINES_TIRED)
			path = (*object)->key.path;
	pthread_mutex_unlock(&store->lock);
	return path;
}
