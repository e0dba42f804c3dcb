// SPDX-License-Identifier: Apache-2.0
/* The folder of copies by build-id, in perf's layout: list it, add to it, take out of it. */
#include "base/err.h"
#include "base/mem.h"
#include "cmd/buildid_files.h"
#include "cmd/command.h"
#include "record/keepfolder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct buildid_cache_options {
	struct strlist add, remove, purge, update;
	const char *missing, *dir;
	bool list, purge_all, force;
	int verbose;
};

/* "a,b", as perf takes several. */
typedef int each_file(const char *folder, const char *path, bool verbose, struct err *err);

static int for_each(const struct strlist *lists, const char *folder, bool verbose,
		    each_file *function, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < lists->len && !rc; i++)
		for (const char *at = lists->data[i]; *at && !rc; at += *at == ',') {
			char *path = mem_strndup(at, strcspn(at, ","));

			if (*path)
				rc = function(folder, path, verbose, err);
			at += strlen(path);
			free(path);
		}
	return rc;
}

static int id_of_file(const char *path, struct build_id *id, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	rc = build_id_of_fd(id, fd);
	close(fd);
	return rc ? err_set(err, -rc, "%s: no build-id; link it with -Wl,--build-id", path) : 0;
}

static int add_file(const char *folder, const char *path, bool verbose, struct err *err)
{
	struct keepfolder kept;
	char real[PATH_MAX];
	struct build_id id;
	int rc = id_of_file(path, &id, err), fd;

	if (rc)
		return rc;
	if (!realpath(path, real))
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	fd = open(real, O_RDONLY | O_CLOEXEC);
	keepfolder_init(&kept, folder);
	rc = fd < 0 ? -errno : keepfolder_add(&kept, fd, real);
	if (rc == -EFBIG)
		err_set(err, EFBIG, "%s: larger than the cache takes (256 MB)", path);
	else if (rc)
		err_set(err, -rc, "%s: can't be added to %s: %s", path, folder, strerror(-rc));
	else if (verbose)
		printf("Adding %s: Ok\n", path);
	keepfolder_fini(&kept);
	if (fd >= 0)
		close(fd);
	return rc;
}

/* The link, what it leads to, and folders that are empty then. */
static void drop(const char *folder, const struct buildid_file *file)
{
	static const char *const names[] = { "elf", "debug", "kallsyms", "vdso", "probes" };
	char text[BUILD_ID_TEXT];
	char *link = mem_printf("%s/.build-id/%.2s/%s", folder, build_id_text(text, &file->id),
				text + 2);
	char *dir = mem_printf("%s/%s/%s", folder, file->path, text);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *copy = mem_printf("%s/%s", dir, names[i]);

		unlink(copy);
		free(copy);
	}
	unlink(link);
	for (char *path = dir; strlen(path) > strlen(folder) && !rmdir(path);)
		*strrchr(path, '/') = '\0';
	*strrchr(link, '/') = '\0';
	rmdir(link);
	free(link);
	free(dir);
}

/* Entries of that path; only those with this build-id if there is one. */
static int drop_path(const char *folder, const char *path, const struct build_id *id, bool verbose,
		     struct err *err)
{
	struct buildid_files kept = { 0 };
	char real[PATH_MAX];
	size_t dropped = 0;

	if (!realpath(path, real))
		snprintf(real, sizeof(real), "%s", path);
	buildid_kept(&kept, folder);
	vec_each (file, &kept)
		if (id ? build_id_same(&file->id, id) : !strcmp(file->path, real)) {
			drop(folder, file);
			dropped++;
		}
	buildid_files_free(&kept);
	if (!dropped)
		return err_set(err, ENOENT, "%s: not in %s", path, folder);
	if (verbose)
		printf("Removing %s: Ok\n", path);
	return 0;
}

static int remove_file(const char *folder, const char *path, bool verbose, struct err *err)
{
	struct build_id id;
	int rc = id_of_file(path, &id, err);

	return rc ? rc : drop_path(folder, path, &id, verbose, err);
}

static int purge_file(const char *folder, const char *path, bool verbose, struct err *err)
{
	return drop_path(folder, path, NULL, verbose, err);
}

static void print_kept(const char *folder)
{
	struct buildid_files kept = { 0 };
	char text[BUILD_ID_TEXT];

	buildid_kept(&kept, folder);
	vec_each (file, &kept)
		printf("%s %s\n", build_id_text(text, &file->id), file->path);
	buildid_files_free(&kept);
}

static void purge_all(const char *folder)
{
	struct buildid_files kept = { 0 };

	buildid_kept(&kept, folder);
	vec_each (file, &kept)
		drop(folder, file);
	buildid_files_free(&kept);
}

static int print_missing(const char *folder, const char *input, struct err *err)
{
	struct buildid_files files = { 0 };
	char text[BUILD_ID_TEXT];
	int rc = buildid_files_of(&files, input, err);

	vec_each (file, &files)
		if (!buildid_is_kept(folder, &file->id))
			printf("%s %s\n", build_id_text(text, &file->id), file->path);
	buildid_files_free(&files);
	return rc;
}

static int buildid_cache_run(void *options, int argc, char **argv, struct err *err)
{
	const struct buildid_cache_options *o = options;
	bool verbose = o->verbose > 0;
	char *folder;
	int rc = 0;

	if (argc)
		return err_set(err, EINVAL, "unexpected argument '%s'", argv[0]);
	if (!o->list && !o->add.len && !o->remove.len && !o->purge.len && !o->update.len &&
	    !o->purge_all && !o->missing)
		return err_set(err, EINVAL, "needs one of -l, -a, -u, -r, -p, -P and -M");
	folder = buildid_folder(o->dir);
	if (!folder)
		return err_set(err, ENOENT, "there is no home folder; use --buildid-dir DIR");
	if (o->purge_all)
		purge_all(folder);
	rc = for_each(&o->purge, folder, verbose, purge_file, err);
	if (!rc)
		rc = for_each(&o->remove, folder, verbose, remove_file, err);
	if (!rc)
		rc = for_each(&o->add, folder, verbose, add_file, err);
	if (!rc)
		rc = for_each(&o->update, folder, verbose, add_file, err);
	if (!rc && o->missing)
		rc = print_missing(folder, o->missing, err);
	if (!rc && o->list)
		print_kept(folder);
	free(folder);
	return rc;
}

static void buildid_cache_release(void *options)
{
	struct buildid_cache_options *o = options;

	strlist_free(&o->add);
	strlist_free(&o->remove);
	strlist_free(&o->purge);
	strlist_free(&o->update);
}

#define FIELD(name) offsetof(struct buildid_cache_options, name)

static const struct option_spec buildid_cache_specs[] = {
	{ OPT_FLAG, 'l', "list", FIELD(list), NULL, "what is in it" },
	{ OPT_LIST, 'a', "add", FIELD(add), "FILES", "keep copies of these, with commas between" },
	{ OPT_LIST, 'u', "update", FIELD(update), "FILES", "the same" },
	{ OPT_LIST, 'r', "remove", FIELD(remove), "FILES",
	  "take out the copy with the build-id of each of these" },
	{ OPT_LIST, 'p', "purge", FIELD(purge), "FILES",
	  "take out all copies that were made of these paths" },
	{ OPT_FLAG, 'P', "purge-all", FIELD(purge_all), NULL, "take out everything" },
	{ OPT_TEXT, 'M', "missing", FIELD(missing), "FILE",
	  "what this recording ran and is not in it" },
	{ OPT_TEXT, 0, "buildid-dir", FIELD(dir), "DIR", "instead of ~/.debug" },
	{ OPT_COUNT, 'v', "verbose", FIELD(verbose), NULL,
	  "name each file that is added or removed" },
	{ OPT_FLAG, 'f', "force", FIELD(force), NULL,
	  "taken and ignored: files of others are read anyway", .hidden = true },
	{ 0 },
};

const struct command cmd_buildid_cache = {
	.name = "buildid-cache",
	.summary = "keep copies of programs by build-id, for names later",
	.example = "perfolio buildid-cache -l",
	.options = buildid_cache_specs,
	.options_size = sizeof(struct buildid_cache_options),
	.run = buildid_cache_run,
	.release = buildid_cache_release,
};
