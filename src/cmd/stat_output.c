// SPDX-License-Identifier: Apache-2.0
#include "cmd/stat_output.h"
#include "base/err.h"
#include "base/file.h"
#include "cmd/stat_options.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int open_file(struct output *output, const struct stat_options *options, struct err *err)
{
	int how = O_WRONLY | O_CREAT | O_CLOEXEC | (options->append ? O_APPEND : O_TRUNC);
	time_t now = time(NULL);
	char started[32];

	output->fd = open(options->output, how, 0666);
	if (output->fd < 0)
		return err_set(err, errno, "%s: %s", options->output, strerror(errno));
	output->own = true;
	buf_printf(&output->buf, "# started on %s\n", ctime_r(&now, started));
	return output_flush(output, err);
}

int output_open(struct output *output, const struct stat_options *options, struct err *err)
{
	*output = (struct output){ .fd = STDERR_FILENO, .name = "standard error" };
	if (options->quiet)
		return 0;
	if (options->output && strcmp(options->output, "-")) {
		output->name = options->output;
		return open_file(output, options, err);
	}
	if (!options->log_fd)
		return 0;
	output->fd = options->log_fd;
	output->name = "--log-fd";
	if (fcntl(output->fd, F_GETFD) < 0)
		return err_set(err, EBADF, "--log-fd: descriptor %d is not open", output->fd);
	return 0;
}

int output_flush(struct output *output, struct err *err)
{
	int rc = output->buf.len ? fd_write_all(output->fd, output->buf.data, output->buf.len) : 0;

	buf_clear(&output->buf);
	return rc ? err_set(err, -rc, "%s: %s", output->name, strerror(-rc)) : 0;
}

int output_close(struct output *output, struct err *err)
{
	int rc = output->own && output->fd >= 0 ? close(output->fd) : 0;

	output->own = false;
	buf_free(&output->buf);
	return rc ? err_set(err, errno, "%s: %s", output->name, strerror(errno)) : 0;
}

bool output_is_stderr(const struct output *output)
{
	return output->fd == STDERR_FILENO;
}
