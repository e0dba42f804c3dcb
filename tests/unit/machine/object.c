// SPDX-License-Identifier: Apache-2.0
#include "machine/object.h"
#include "test.h"

/* The table of build-ids comes before the mappings, so it decides what an object is. */
TEST(object_kind_by_build_id)
{
	static const struct {
		const char *path;
		bool kernel;
		enum object_kind want;
	} cases[] = {
		{ "/usr/bin/true", false, OBJECT_FILE },
		{ "[vdso]", false, OBJECT_VDSO },
		{ "[kernel.kallsyms]", true, OBJECT_KERNEL },
		{ "/lib/modules/6.1/kernel/fs/ext4/ext4.ko.xz", true, OBJECT_MODULE },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		static const uint8_t id[20] = { 1, 2, 3 };
		struct object_list list = { 0 };
		struct object_table table = { .all = &list };
		uint32_t index = object_add_build_id(&table, cases[i].path, cases[i].kernel, id,
						     sizeof(id));

		test_case("%s", cases[i].path);
		EXPECT_INT(object_at(&list, index)->kind, cases[i].want);
		EXPECT_INT(object_at(&list, index)->build_id_size, sizeof(id));
		object_table_free(&table);
		vec_free(&list.list);
	}
}
