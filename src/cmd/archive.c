// SPDX-License-Identifier: Apache-2.0
/* What is needed to read a recording on another machine: its objects, packed in perf's layout. */
#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/buildid_files.h"
#include "cmd/command.h"
#include "record/keepfolder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct archive_options {
	const char *input, *output, *dir;
};

/* Makes sure that the folder has it; false if there is no file with this build-id. */
static bool keep(struct keepfolder *folder, const struct buildid_file *file)
{
	struct build_id id;
	int fd;
	bool kept;

	if (buildid_is_kept(folder->dir, &file->id))
		return true;
	fd = open(file->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	kept = !build_id_of_fd(&id, fd) && build_id_same(&id, &file->id) &&
	       !keepfolder_add(folder, fd, file->path);
	close(fd);
	return kept;
}

/* The names that go into it, for tar: the link and the folder it leads to. */
static void put_names(FILE *list, const char *folder, const struct build_id *id)
{
	char text[BUILD_ID_TEXT], target[4096];
	char *link = mem_printf("%s/.build-id/%.2s/%s", folder, build_id_text(text, id), text + 2);
	ssize_t length = readlink(link, target, sizeof(target) - 1);

	if (length > 6) {
		target[length] = '\0';
		fprintf(list, ".build-id/%.2s/%s\n", text, text + 2);
		fprintf(list, "%s\n", target + 6);
	}
	free(link);
}

static int run_tar(const char *folder, const char *names, const char *output, struct err *err)
{
	int fd = file_create(output, 0, err), status;
	pid_t pid;

	if (fd < 0)
		return fd;
	pid = fork();
	if (!pid) {
		dup2(fd, STDOUT_FILENO);
		execlp("tar", "tar", "czf", "-", "-C", folder, "-T", names, (char *)NULL);
		_exit(127);
	}
	close(fd);
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return err_set(err, errno, "tar: %s", strerror(errno));
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return err_set(err, EIO, "%s",
			       WIFEXITED(status) && WEXITSTATUS(status) == 127
				       ? "tar is not installed"
				       : "tar failed");
	return 0;
}

static int pack(struct keepfolder *folder, const struct buildid_files *files, const char *output,
		struct err *err)
{
	char names[] = "/tmp/perfolio-archive-XXXXXX";
	int fd = mkstemp(names), rc;
	FILE *list = fd >= 0 ? fdopen(fd, "w") : NULL;
	size_t packed = 0;

	if (!list)
		return err_set(err, errno, "%s: %s", names, strerror(errno));
	vec_each (file, files) {
		if (!keep(folder, file)) {
			log_line(LOG_NOTE, "%s: no file with its build-id; left out", file->path);
			continue;
		}
		put_names(list, folder->dir, &file->id);
		packed++;
	}
	rc = fclose(list) ? err_set(err, errno, "%s: %s", names, strerror(errno)) : 0;
	if (!rc && !packed)
		rc = err_set(err, ENOENT, "none of what it ran is here or in %s", folder->dir);
	if (!rc)
		rc = run_tar(folder->dir, names, output, err);
	unlink(names);
	if (!rc)
		printf("Now please run:\n\n$ tar xvf %s -C ~/.debug\n\nwherever you need to run "
		       "'perfolio report' on.\n",
		       output);
	return rc;
}

static int archive_run(void *options, int argc, char **argv, struct err *err)
{
	const struct archive_options *o = options;
	const char *input = load_path(o->input ? o->input : argc ? argv[0] : NULL);
	struct buildid_files files = { 0 };
	struct keepfolder folder;
	char *output;
	int rc;

	if (argc > (o->input ? 0 : 1))
		return err_set(err, EINVAL, "unexpected argument '%s'", argv[argc - 1]);
	rc = buildid_files_of(&files, input, err);
	if (!rc && !files.len)
		rc = err_set(err, ENODATA, "%s: no build-ids; record without -B", input);
	keepfolder_init(&folder, o->dir);
	if (!rc && !folder.dir)
		rc = err_set(err, ENOENT, "there is no home folder; use --buildid-dir DIR");
	output = o->output ? mem_strdup(o->output)
			   : mem_printf("%s.tar.gz", strcmp(input, "-") ? input : "perf.data");
	if (!rc)
		rc = pack(&folder, &files, output, err);
	free(output);
	keepfolder_fini(&folder);
	buildid_files_free(&files);
	return rc;
}

#define FIELD(name) offsetof(struct archive_options, name)

static const struct option_spec archive_specs[] = {
	{ OPT_TEXT, 'i', "input", FIELD(input), "FILE", "read FILE instead of perf.data" },
	{ OPT_TEXT, 'o', "output", FIELD(output), "FILE", "write FILE; default: INPUT.tar.gz" },
	{ OPT_TEXT, 0, "buildid-dir", FIELD(dir), "DIR", "instead of ~/.debug" },
	{ 0 },
};

const struct command cmd_archive = {
	.name = "archive",
	.args = "[FILE]",
	.summary = "pack what a recording ran, to read it on another machine",
	.example = "perfolio archive perf.data",
	.options = archive_specs,
	.options_size = sizeof(struct archive_options),
	.run = archive_run,
};
