// SPDX-License-Identifier: Apache-2.0
#include "cmd/output.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/outbuf.h"
#include "cmd/command.h"
#include "cmd/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int output_end_as(struct outbuf *out, const char *name, int rc, struct err *err)
{
	int written = outbuf_fini(out);

	if (rc || !written)
		return rc;
	if (written == -EPIPE && pager_is_used())
		return EXIT_DONE; /* the user has seen enough */
	return written == -EPIPE ? EXIT_FAILED
				 : err_set(err, -written, "%s: %s", name, strerror(-written));
}

int output_end(struct outbuf *out, int rc, struct err *err)
{
	return output_end_as(out, "standard output", rc, err);
}

bool output_is_special(const char *path)
{
	struct stat st;

	return !strcmp(path, "-") || (!stat(path, &st) && !S_ISREG(st.st_mode)) ||
	       file_is_descriptor(path);
}

int output_check_apart(const char *output, const char *input, struct err *err)
{
	struct stat from, to;

	if (!strcmp(output, "-") || stat(output, &to) || !S_ISREG(to.st_mode) ||
	    (strcmp(input, "-") ? stat(input, &from) : fstat(STDIN_FILENO, &from)) ||
	    from.st_dev != to.st_dev || from.st_ino != to.st_ino)
		return 0;
	return err_set(err, EINVAL, "-o '%s' would overwrite the input", output);
}

/* What is written until it is whole; a link stays one, its file is what gets new. */
static int open_part(const char *path, char **whole, char **part, struct err *err)
{
	*whole = file_lead(path, err);
	return *whole ? file_beside(*whole, part, err) : -err->code;
}

/* A device or a pipe takes what is written; renaming a file over it would replace it. */
static int open_special(const char *path, struct err *err)
{
	int fd;

	if (strcmp(path, "-"))
		return file_create(path, 0, err);
	fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? err_set(err, errno, "%s: %s", path, strerror(errno)) : fd;
}

/* Makes a part that is written the file; or removes it. */
static int end_part(const char *path, const char *whole, const char *part, int rc, struct err *err)
{
	if (!rc && rename(part, whole))
		rc = err_set(err, errno, "%s: %s", path, strerror(errno));
	if (rc)
		unlink(part);
	else
		fprintf(stderr, "%s\n", path);
	return rc;
}

int output_file(const char *path, enum packing packing,
		int (*write)(void *user, struct outbuf *out, struct err *err), void *user,
		struct err *err)
{
	const char *name = strcmp(path, "-") ? path : "standard output";
	char *whole = NULL, *part = NULL;
	int fd = output_is_special(path) ? open_special(path, err)
					 : open_part(path, &whole, &part, err);
	struct outbuf out;
	int rc = fd;

	if (fd >= 0) {
		outbuf_init(&out, fd);
		outbuf_pack(&out, packing);
		rc = write(user, &out, err);
		rc = output_end_as(&out, name, rc, err);
		if (close(fd) && !rc)
			rc = err_set(err, errno, "%s: %s", name, strerror(errno));
		if (part)
			rc = end_part(path, whole, part, rc, err);
	}
	free(whole);
	free(part);
	return rc;
}
