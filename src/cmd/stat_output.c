// SPDX-License-Identifier: Apache-2.0
#include "cmd/stat_output.h"
#include "base/err.h"
#include "base/file.h"
#include "cmd/stat_options.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static int open_file(struct output *output, const struct stat_options *options, struct err *err)
{
	time_t now = time(NULL);
	char started[32];

	output->fd = file_create(options->output, options->append ? O_APPEND : 0, err);
	if (output->fd < 0)
		return output->fd;
	output->own = true;
	buf_printf(&output->buf, "# started on %s\n", ctime_r(&now, started));
	return output_flush(output, err);
}

static int use_descriptor(struct output *output, int fd, struct err *err)
{
	output->fd = fd;
	output->name = "--log-fd";
	if (fcntl(fd, F_GETFD) < 0)
		return err_set(err, EBADF, "--log-fd: descriptor %d is not open", fd);
	return 0;
}

int output_open(struct output *output, const struct stat_options *options, struct err *err)
{
	int rc = 0;

	*output = (struct output){ .fd = STDERR_FILENO, .name = "standard error" };
	if (options->quiet)
		return 0;
	if (options->output && strcmp(options->output, "-")) {
		output->name = options->output;
		rc = open_file(output, options, err);
	} else if (options->log_fd) {
		rc = use_descriptor(output, options->log_fd, err);
	}
	output->terminal = !rc && isatty(output->fd);
	return rc;
}

int output_width(const struct output *output)
{
	struct winsize size;

	if (ioctl(output->fd, TIOCGWINSZ, &size) || size.ws_col < 20)
		return INT_MAX;
	return size.ws_col;
}

/* perf pads its lines; on a terminal the blanks of one that is just too long become an empty line.
 */
static void trim_lines(struct buf *buf)
{
	size_t to = 0;

	for (size_t from = 0; from < buf->len; from++) {
		if (buf->data[from] == '\n')
			while (to && buf->data[to - 1] == ' ')
				to--;
		buf->data[to++] = buf->data[from];
	}
	buf->len = to;
}

void output_sentence(struct output *output, const char *text)
{
	int width = output_width(output), column = 0;

	while (*text) {
		int length = (int)strcspn(text, " \n");

		if (column && column + 1 + length > width) {
			buf_puts(&output->buf, "\n     ");
			column = 5;
		}
		if (column) {
			buf_putc(&output->buf, ' ');
			column++;
		}
		buf_add(&output->buf, text, (size_t)length);
		column += length;
		text += length;
		text += *text == ' ';
		if (*text == '\n') {
			buf_putc(&output->buf, '\n');
			column = 0;
			text++;
		}
	}
}

int output_flush(struct output *output, struct err *err)
{
	int rc = 0;

	if (output->terminal)
		trim_lines(&output->buf);
	if (output->buf.len)
		rc = fd_write_all(output->fd, output->buf.data, output->buf.len);
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
