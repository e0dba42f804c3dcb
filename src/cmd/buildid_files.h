/* SPDX-License-Identifier: Apache-2.0 */
/* What a recording ran, by build-id, and the folder in which copies of it are kept. */
#ifndef CMD_BUILDID_FILES_H
#define CMD_BUILDID_FILES_H

#include "base/vec.h"
#include "cmd/load.h"
#include "perfdata/buildid.h"

struct err;

struct buildid_file {
	struct build_id id;
	char *path;
};

struct buildid_files VEC_OF(struct buildid_file);

/* Those of the header, or where there are none those of the mappings; each once, in that order. */
int buildid_files_of(struct buildid_files *files, const char *input, struct err *err);
void buildid_files_free(struct buildid_files *files);

/* The folder of copies: `dir`, or ~/.debug; to be freed. */
char *buildid_folder(const char *dir);
/* Whether the folder holds it. */
bool buildid_is_kept(const char *folder, const struct build_id *id);
/* What the folder holds, sorted by path. */
void buildid_kept(struct buildid_files *files, const char *folder);

#endif
