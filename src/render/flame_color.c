// SPDX-License-Identifier: Apache-2.0
#include "render/flame_color.h"

/* The first is the kernel's own among objects. */
static const uint32_t hues[] = { 0x8cc4ec, 0xf0a860, 0x70c4a4, 0xf2dc78,
				 0xb9a7e6, 0xe48f74, 0xe3b3d3, 0xb9bd7c };

static const char *const palette_names[PALETTES] = { "kind", "name", "warm", "object" };

int flame_palette_find(const char *name)
{
	for (int i = 0; i < PALETTES; i++)
		if (!strcmp(name, palette_names[i]))
			return i;
	return -1;
}

const char *flame_palette_name(enum flame_palette palette)
{
	return palette_names[palette];
}

const uint32_t *flame_hues(size_t *count)
{
	*count = ARRAY_SIZE(hues);
	return hues;
}

static uint64_t hash_of(const char *text)
{
	uint64_t hash = map_hash(text, strlen(text));

	/* Whatever the table's hash is good for, its upper bits need not be. */
	hash ^= hash >> 33;
	hash *= 0xff51afd7ed558ccdu;
	return hash ^ hash >> 33;
}

static uint32_t hue_of(uint64_t hash)
{
	return (uint32_t)(hash % ARRAY_SIZE(hues));
}

static uint32_t lightness_of(uint64_t hash)
{
	return (uint32_t)(hash >> 40 & 0x3f);
}

/* Between the colour itself and one that is a quarter nearer to white. */
static uint32_t lighten(uint32_t color, uint64_t hash)
{
	uint32_t part = lightness_of(hash), result = 0;

	for (int shift = 0; shift < 24; shift += 8) {
		uint32_t value = color >> shift & 0xff;

		result |= (value + (255 - value) * part / 256) << shift;
	}
	return result;
}

uint32_t flame_kind_color(enum flame_kind kind)
{
	static const uint32_t colors[FLAME_KINDS] = { 0xf0a35e, 0xf2d76b, 0x86b8e8, 0x6cc4a0,
						      0xd6a2cf, 0xc6c6c6, 0xe2ded4 };

	return colors[kind];
}

const char *flame_kind_label(enum flame_kind kind)
{
	static const char *const names[FLAME_KINDS] = { "user",	   "library", "kernel", "JIT",
							"inlined", "no name", "" };

	return names[kind];
}

uint32_t flame_object_color(const char *name)
{
	if (!*name)
		return flame_kind_color(FLAME_UNKNOWN);
	return !strncmp(name, "[kernel", 7) ? hues[0]
					    : hues[1 + hash_of(name) % (ARRAY_SIZE(hues) - 1)];
}

const char *flame_object_path(const struct flametree *tree, uint32_t node)
{
	uint32_t function = tree->nodes.data[node].function, object;

	if (function == NO_FUNCTION)
		return "";
	object = tree->profile->functions.data[function].object;
	return profile_text(tree->profile, tree->profile->objects.data[object].path);
}

const char *flame_object(const struct flametree *tree, uint32_t node)
{
	const char *path = flame_object_path(tree, node), *slash = strrchr(path, '/');

	return slash && slash[1] && *path != '[' ? slash + 1 : path;
}

struct warmth {
	uint32_t red, green, blue; /* below 50, 256 and 30 */
};

static struct warmth warmth_of(uint64_t hash)
{
	return (struct warmth){ (uint32_t)(hash % 50), (uint32_t)(hash >> 8 & 0xff),
				(uint32_t)(hash >> 16) % 30 };
}

/* From yellow over orange to red. */
static uint32_t warm(uint64_t hash)
{
	struct warmth w = warmth_of(hash);

	return (205 + w.red) << 16 | (70 + w.green * 150 / 255) << 8 | (40 + w.blue);
}

uint32_t flame_shade(const char *name)
{
	uint64_t hash = hash_of(name);
	struct warmth w = warmth_of(hash);

	return hue_of(hash) | lightness_of(hash) << 3 | w.red << 9 | w.green << 15 | w.blue << 23;
}

uint32_t flame_color(const struct flametree *tree, uint32_t node, enum flame_palette palette)
{
	enum flame_kind kind = (enum flame_kind)tree->nodes.data[node].kind;
	uint64_t hash = hash_of(flame_name(tree, node));

	if (kind == FLAME_GROUP)
		return flame_kind_color(kind);
	switch (palette) {
	case PALETTE_NAME: return lighten(hues[hue_of(hash)], hash);
	case PALETTE_WARM: return warm(hash);
	case PALETTE_OBJECT: return lighten(flame_object_color(flame_object(tree, node)), hash);
	default: return lighten(flame_kind_color(kind), hash);
	}
}
