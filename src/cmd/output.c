// SPDX-License-Identifier: Apache-2.0
#include "cmd/output.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/outbuf.h"
#include "cmd/command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int output_end_as(struct outbuf *out, const char *name, int rc, struct err *err)
{
	int written = outbuf_fini(out);

	if (rc || !written)
		return rc;
	return written == -EPIPE ? EXIT_FAILED
				 : err_set(err, -written, "%s: %s", name, strerror(-written));
}

int output_end(struct outbuf *out, int rc, struct err *err)
{
	return output_end_as(out, "standard output", rc, err);
}

static int open_part(const char *path, char **part, struct err *err)
{
	int fd;

	*part = mem_printf("%s.part", path);
	fd = open(*part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	return fd;
}

/* Closes a part that is written, and makes it the file; or removes it. */
static int close_part(const char *path, const char *part, int fd, int rc, struct err *err)
{
	if (close(fd) && !rc)
		rc = err_set(err, errno, "%s: %s", path, strerror(errno));
	if (!rc && rename(part, path))
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
	bool standard = !strcmp(path, "-");
	char *part = NULL;
	int fd = standard ? STDOUT_FILENO : open_part(path, &part, err), rc = fd;
	struct outbuf out;

	if (fd >= 0) {
		outbuf_init(&out, fd);
		outbuf_pack(&out, packing);
		rc = write(user, &out, err);
		rc = output_end_as(&out, standard ? "standard output" : path, rc, err);
		if (!standard)
			rc = close_part(path, part, fd, rc, err);
	}
	free(part);
	return rc;
}
