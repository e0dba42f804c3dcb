/* SPDX-License-Identifier: Apache-2.0 */
/* A data folder for one test, short ways to fill it, and a look at whether all of it agrees. */
#ifndef UNIT_STORE_SCENE_H
#define UNIT_STORE_SCENE_H

#include "store/content.h"
#include "store/datadir.h"

extern struct datadir *scene_dir;
extern struct store *scene_store;
extern struct arena scene_arena;
extern struct err scene_err;

#define HOST "here"

void scene_open(void);	 /* a new folder, opened to serve it */
void scene_reopen(void); /* closed and opened again */
void scene_shut(void);	 /* closed; the folder stays */
void scene_empty(void);	 /* closed; there was never anything in it */
void scene_close(void);	 /* and the folder is gone */
const char *scene_path(void);

int64_t scene_session(const char *title);
int64_t scene_run(int64_t session, enum run_state state);
int64_t scene_queued(int64_t session); /* scene_run(..., RUN_QUEUED) */
struct run scene_get(int64_t run);
int64_t scene_file(int64_t run, const char *kind, const char *text);

/* Whether a time is that of the last minute. */
bool scene_just_now(int64_t time_ns);

/* How a call has ended; the words are in scene_err. */
int scene_step(int64_t run, enum run_state from, enum run_state to);

/* One number out of the database, by a connection of its own; for tests of what is inside. */
int64_t scene_number(const char *sql);
void scene_exec(const char *sql);

/*
 * Recovers, sweeps, and then expects that SQLite finds no fault, that each row has its content,
 * each content a row, that nothing is unfinished, and that a second sweep finds nothing.
 */
void scene_expect_agreement(void);

#endif
