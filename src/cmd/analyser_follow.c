// SPDX-License-Identifier: Apache-2.0
/*
 * A recording that is still being made: its committed part is read again and again, and what the
 * tree and the heatmap have got since goes out.  At the end the same profile becomes the index, so
 * that who has added up what was told has what every later question answers.
 */
#include "base/clock.h"
#include "base/err.h"
#include "cmd/analyser_inside.h"
#include "perfdata/reader.h"
#include "profile/build.h"
#include "profile/growth.h"

#include <errno.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOK_MS 200
/* Of a message: with their names it stays far below what one may hold. */
#define NODES_AT_ONCE 8000
#define NAMES_AT_ONCE (64 << 10)
#define CELLS_AT_ONCE 8000
#define LANES_AT_ONCE 1000
#define NOT_TOLD      UINT32_MAX

/* What was told of an event. */
struct told {
	uint32_t number; /* that the web side knows it by */
	size_t nodes, names, lanes;
	uint64_t samples, lost;
};

struct follower {
	struct analyser *a;
	struct loaded in;
	struct symbol_store *store;
	struct profile_builder *builder;
	struct growth growth;
	VEC(struct told) told; /* by event */
	uint32_t events;
};

/* One message's worth of columns. */
struct columns {
	struct wordlist names;
	VEC(uint32_t) parents, name_ids, changed;
	VEC(uint8_t) kinds;
	VEC(uint64_t) samples, counts;
	size_t name_bytes;
};

struct lane_columns {
	struct wordlist names;
	VEC(uint32_t) ids;
};

static void columns_clear(struct columns *c)
{
	c->names.len = c->parents.len = c->name_ids.len = c->changed.len = c->kinds.len = 0;
	c->samples.len = c->counts.len = c->name_bytes = 0;
}

static void columns_free(struct columns *c)
{
	vec_free(&c->names);
	vec_free(&c->parents);
	vec_free(&c->name_ids);
	vec_free(&c->changed);
	vec_free(&c->kinds);
	vec_free(&c->samples);
	vec_free(&c->counts);
}

/* New nodes, and the names that are new with them: names come in the order of their first use. */
static void add_new(struct columns *c, const struct growth_tree *tree, struct told *told)
{
	while (told->nodes < tree->nodes.len && c->parents.len < NODES_AT_ONCE &&
	       c->name_bytes < NAMES_AT_ONCE) {
		const struct growth_node *node = &tree->nodes.data[told->nodes++];

		*vec_push(&c->parents) = node->parent;
		*vec_push(&c->name_ids) = node->name;
		*vec_push(&c->kinds) = node->kind;
		for (; told->names <= node->name; told->names++) {
			*vec_push(&c->names) = tree->names.data[told->names];
			c->name_bytes += strlen(tree->names.data[told->names]) + 1;
		}
	}
}

static size_t add_changed(struct columns *c, const struct growth_tree *tree, size_t from)
{
	for (; from < tree->changed.len && c->changed.len < NODES_AT_ONCE; from++) {
		uint32_t node = tree->changed.data[from];

		*vec_push(&c->changed) = node;
		*vec_push(&c->samples) = tree->nodes.data[node].self.samples;
		*vec_push(&c->counts) = tree->nodes.data[node].self.weight;
	}
	return from;
}

#define BYTES(vec)                                                          \
	{                                                                   \
		.data = (vec).data, .size = (vec).len * sizeof(*(vec).data) \
	}

static int send_tree(struct follower *f, const struct columns *c, const struct told *told,
		     uint16_t event, bool first, struct err *err)
{
	const struct profile *profile = f->growth.profile;
	const struct growth_tree *tree = &f->growth.trees.data[event];
	struct msg_live_tree message = {
		.event = told->number,
		.event_name = first ? profile_text(profile, profile->events.data[event].name) : "",
		.first_node = told->nodes - c->parents.len,
		.names = c->names,
		.parents = BYTES(c->parents),
		.name_ids = BYTES(c->name_ids),
		.kinds = BYTES(c->kinds),
		.changed = BYTES(c->changed),
		.self_samples = BYTES(c->samples),
		.self_counts = BYTES(c->counts),
		.samples = tree->samples,
		.lost = told->lost,
	};

	return analyser_tell(f->a, &msg_live_tree, &message, err);
}

/* Nodes first, all of them, and then what they count: a change never comes before its node. */
static int tell_tree(struct follower *f, uint16_t event, struct err *err)
{
	struct growth_tree *tree = &f->growth.trees.data[event];
	struct told *told = &f->told.data[event];
	struct columns c = { 0 };
	size_t changed = 0;
	int rc = 0;

	do {
		bool first = told->number == NOT_TOLD;

		if (first)
			told->number = f->events++;
		columns_clear(&c);
		add_new(&c, tree, told);
		if (told->nodes == tree->nodes.len)
			changed = add_changed(&c, tree, changed);
		rc = send_tree(f, &c, told, event, first, err);
	} while (!rc && (told->nodes < tree->nodes.len || changed < tree->changed.len));
	columns_free(&c);
	return rc;
}

static int tell_heat(struct follower *f, uint16_t event, struct err *err)
{
	const struct growth_tree *tree = &f->growth.trees.data[event];
	VEC(uint32_t) triples = { 0 };
	size_t at = 0;
	int rc = 0;

	while (!rc && at < tree->changed_cells.len) {
		struct msg_live_heat message = { .event = f->told.data[event].number,
						 .start_ns = growth_start(&f->growth) };

		triples.len = 0;
		for (; at < tree->changed_cells.len && triples.len < 3 * CELLS_AT_ONCE; at++) {
			uint32_t cell = tree->changed_cells.data[at];

			*vec_push(&triples) = cell / GROWTH_ROWS;
			*vec_push(&triples) = cell % GROWTH_ROWS;
			*vec_push(&triples) = tree->cells.data[cell].count;
		}
		message.cells = (struct ipc_bytes)BYTES(triples);
		rc = analyser_tell(f->a, &msg_live_heat, &message, err);
	}
	vec_free(&triples);
	return rc;
}

/* Lanes that are new, as many as a message takes. */
static void add_lanes(const struct follower *f, const struct growth_tree *tree, struct told *told,
		      struct lane_columns *c)
{
	const struct profile *profile = f->growth.profile;

	for (; told->lanes < tree->lanes.len && c->names.len < LANES_AT_ONCE; told->lanes++) {
		const struct growth_lane *lane = &tree->lanes.data[told->lanes];

		*vec_push(&c->ids) = lane->pid == GROWTH_CPU ? LIVE_LANE_CPU : lane->pid;
		*vec_push(&c->ids) = lane->tid;
		*vec_push(&c->names) =
			lane->pid == GROWTH_CPU
				? ""
				: profile_text(profile, profile->threads.data[lane->thread].comm);
	}
}

static int tell_lanes(struct follower *f, uint16_t event, struct err *err)
{
	const struct growth_tree *tree = &f->growth.trees.data[event];
	struct told *told = &f->told.data[event];
	struct lane_columns c = { 0 };
	size_t at = 0;
	int rc = 0;

	while (!rc && (told->lanes < tree->lanes.len || at < tree->lane_cells.len)) {
		struct msg_live_lanes message = { .event = told->number,
						  .first = told->lanes,
						  .left_out = tree->lanes_left_out };
		size_t end = told->lanes < tree->lanes.len ? 0 : at + CELLS_AT_ONCE;

		c.names.len = c.ids.len = 0;
		add_lanes(f, tree, told, &c);
		end = end < tree->lane_cells.len ? end : tree->lane_cells.len;
		message.names = c.names;
		message.ids = (struct ipc_bytes)BYTES(c.ids);
		message.cells.data = end > at ? &tree->lane_cells.data[at] : NULL;
		message.cells.size = end > at ? (end - at) * sizeof(*tree->lane_cells.data) : 0;
		at = end > at ? end : at;
		rc = analyser_tell(f->a, &msg_live_lanes, &message, err);
	}
	vec_free(&c.names);
	vec_free(&c.ids);
	return rc;
}

static int tell_growth(struct follower *f, struct err *err)
{
	const struct profile_quality *quality = &f->growth.profile->quality;
	uint64_t lost = quality->lost;
	int rc = 0;

	while (f->told.len < f->growth.trees.len)
		*vec_push(&f->told) = (struct told){ .number = NOT_TOLD };
	for (uint16_t i = 0; i < f->growth.trees.len && !rc; i++) {
		struct growth_tree *tree = &f->growth.trees.data[i];
		struct told *told = &f->told.data[i];

		if (!tree->nodes.len || (tree->samples == told->samples && lost == told->lost))
			continue;
		told->samples = tree->samples;
		told->lost = lost;
		rc = tell_tree(f, i, err);
		if (!rc)
			rc = tell_heat(f, i, err);
		if (!rc)
			rc = tell_lanes(f, i, err);
		growth_told(tree);
	}
	return rc;
}

static bool has_begun(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_size > 0;
}

/* The recorder writes a header, and at once all of it, when its events are open. */
static int open_when_it_begins(struct follower *f, int fd, struct err *err)
{
	int rc = 0;

	while (!rc && !f->a->complete && !has_begun(fd))
		rc = analyser_listen(f->a, LOOK_MS, err);
	if (rc)
		return rc;
	while ((rc = analyser_open_recording(&f->in, true, err)) && !f->a->complete) {
		*err = (struct err){ 0 };
		rc = analyser_listen(f->a, LOOK_MS, err);
		if (rc)
			return rc;
	}
	return rc;
}

/* The run's start is by CLOCK_MONOTONIC: samples from the future are by another clock. */
static void check_clock(struct growth *growth)
{
	const struct profile_samples *rows = &growth->profile->samples;

	if (!growth->rows && rows->len && rows->time[0] > (uint64_t)clock_now_ns())
		growth->began = 0;
}

static int look(struct follower *f, struct err *err)
{
	int rc = profile_builder_read(f->builder, err);

	if (rc)
		return rc;
	check_clock(&f->growth);
	growth_take(&f->growth);
	return tell_growth(f, err);
}

/* The last look comes after the web side has said that nobody writes any more. */
static int follow(struct follower *f, struct err *err)
{
	int rc = 0;

	while (!rc && !f->a->complete) {
		rc = look(f, err);
		if (!rc)
			rc = analyser_listen(f->a, LOOK_MS, err);
	}
	if (rc)
		return rc;
	analyser_limit_cpu(f->a);
	perf_reader_stop_following(f->in.reader);
	return look(f, err);
}

/*
 * A JIT may write its list long after its code was sampled.  Whoever reads the recording now has
 * all of those names, so what is kept has them too; in what was told live they are missing, which
 * is why results are asked for anew when a run has ended.  It stays as it is if that fails.
 */
static void name_what_came_late(struct follower *f)
{
	struct loaded again;
	struct err ignored = { 0 };

	analyser_limit_cpu(f->a);
	if (lseek(STDIN_FILENO, 0, SEEK_SET) || analyser_open_recording(&again, false, &ignored))
		return;
	again.profile = profile_read(again.reader, f->store, &ignored);
	if (again.profile) {
		struct loaded former = f->in;

		f->in = again;
		again = former;
	}
	loaded_close(&again);
}

/* When the run began, as the job says; 0 where it does not. */
static uint64_t began_by_job(const struct follower *f)
{
	const struct wordlist *options = &f->a->job->options;

	if (!options->len || strncmp(options->data[0], "began=", 6))
		return 0;
	return strtoull(options->data[0] + 6, NULL, 10);
}

static int follow_to_the_end(struct follower *f, struct err *err)
{
	bool late;
	int rc;

	f->store = analyser_symbols(&f->in);
	f->builder = profile_builder_new(f->in.reader, f->store);
	growth_init(&f->growth, profile_builder_profile(f->builder));
	f->growth.began = began_by_job(f);
	rc = follow(f, err);
	growth_free(&f->growth);
	vec_free(&f->told);
	late = !rc && profile_builder_named_late(f->builder);
	f->in.profile = profile_builder_take(f->builder);
	profile_builder_free(f->builder);
	if (late)
		name_what_came_late(f);
	symbols_close(f->store);
	if (!rc)
		rc = analyser_conclude(f->a, &f->in, err);
	loaded_close(&f->in);
	return rc;
}

int analyse_follow(struct analyser *a, struct err *err)
{
	const struct msg_input *file = analyser_input(a, "recording");
	struct follower f = { .a = a };
	int rc;

	if (!file || file->fd < 0 || dup2(file->fd, STDIN_FILENO) < 0)
		return err_set(err, EPROTO, "a job without its file");
	rc = analyser_fence(a, true, err);
	if (!rc)
		rc = open_when_it_begins(&f, file->fd, err);
	return rc ? rc : follow_to_the_end(&f, err);
}
