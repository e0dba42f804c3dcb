// SPDX-License-Identifier: Apache-2.0
#include "summary/scene.h"
#include "base/text.h"
#include "test.h"

static bool takes(const struct summary_context *context, const struct summary_who *who)
{
	const struct scene *scene = (const struct scene *)context;

	return !scene->only_comm || !strcmp(scene->only_comm, who->comm);
}

/* Threads 100 to 109 are of process 100, and so on; nobody knows of those below 10. */
static uint32_t pid_of(const struct summary_context *context, uint32_t tid)
{
	(void)context;
	return tid < 10 ? SUMMARY_NO_PID : tid / 10 * 10;
}

void scene_start(struct scene *scene, const char *summary, const char *arch)
{
	*scene = (struct scene){
		.context = { .takes = takes, .pid_of = pid_of, .arch = arch },
		.summary = summary_find(summary),
	};
	EXPECT(scene->summary);
	scene->state = scene->summary->kind->start(scene->summary, &scene->context);
}

static const struct summary_need *need_of(const struct summary *summary, const char *event)
{
	for (size_t i = 0; i < summary->kind->need_count; i++)
		if (text_glob(summary->kind->needs[i].event, event))
			return &summary->kind->needs[i];
	EXPECT(!"the summary wants no such event");
	return NULL;
}

void scene_take(struct scene *scene, const struct actor *actor, uint64_t time, const char *event,
		const char *text, int64_t first, int64_t second, int64_t third)
{
	struct summary_record record = {
		.who = { .comm = actor->comm,
			 .pid = actor->pid,
			 .tid = actor->tid,
			 .cpu = actor->cpu,
			 .time = time },
		.role = need_of(scene->summary, event)->role,
		.event = strchr(event, ':') + 1,
		.numbers = { first, second, third },
		.text = text,
	};

	scene->summary->kind->take(scene->state, &record);
}

void scene_finish(struct scene *scene)
{
	scene->summary->kind->finish(scene->state, &scene->result);
}

static const struct summary_table *table_of(const struct scene *scene, const char *key)
{
	vec_each (table, &scene->result.tables)
		if (!strcmp(table->key, key))
			return table;
	EXPECT(!"there is no such table");
	return NULL;
}

size_t scene_rows(const struct scene *scene, const char *table)
{
	const struct summary_table *found = table_of(scene, table);

	EXPECT_INT(found->cells.len % found->width, 0);
	return summary_table_rows(found);
}

static const struct summary_value *value(const struct scene *scene, const char *table, size_t row,
					 const char *column)
{
	const struct summary_table *found = table_of(scene, table);

	EXPECT(row < summary_table_rows(found));
	for (size_t i = 0; i < found->width; i++)
		if (!strcmp(found->columns[i].key, column))
			return &found->cells.data[row * found->width + i];
	EXPECT(!"there is no such column");
	return NULL;
}

uint64_t scene_number(const struct scene *scene, const char *table, size_t row, const char *column)
{
	return value(scene, table, row, column)->number;
}

const char *scene_text(const struct scene *scene, const char *table, size_t row, const char *column)
{
	return value(scene, table, row, column)->text;
}

void scene_free(struct scene *scene)
{
	scene->summary->kind->free(scene->state);
	summary_result_free(&scene->result);
}
