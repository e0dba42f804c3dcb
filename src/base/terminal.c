// SPDX-License-Identifier: Apache-2.0
#include "base/terminal.h"
#include "base/buf.h"
#include "base/file.h"

#include <errno.h>
#include <langinfo.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* All that we ever send. */
static const char *const codes[] = {
	"\033[0m",  "\033[m",	"\033[1m", "\033[2m",	    "\033[31m", "\033[32m",
	"\033[33m", "\033[35m", "\033[K",  "\033[H\033[2J", "\r",
};

#define CODES	    (sizeof(codes) / sizeof(*codes))
#define SECRET	    16			 /* digits */
#define CODE_LENGTH (1 + SECRET + 1 + 1) /* escape, secret, which one, 'm' */

static struct {
	bool is_terminal[3]; /* at the start, by descriptor */
	bool paged;
	char secret[SECRET + 1];
	char made[CODES][CODE_LENGTH + 1];
	pthread_mutex_t lock;	   /* of what follows */
	char rest[3][CODE_LENGTH]; /* what may go on in the next piece */
	size_t rest_size[3];
} state = { .lock = PTHREAD_MUTEX_INITIALIZER };

bool terminal_is_guarded(int fd)
{
	if (!*state.secret)
		return false; /* nobody has asked for it: a server, or a test */
	if (fd == STDOUT_FILENO || fd == STDERR_FILENO)
		return state.is_terminal[fd] && (state.paged || isatty(fd));
	return isatty(fd);
}

const char *terminal_code(int fd, const char *code)
{
	if (!terminal_is_guarded(fd))
		return code;
	for (size_t i = 0; i < CODES; i++)
		if (!strcmp(codes[i], code))
			return state.made[i];
	return "";
}

/* Which of our codes begins there; -1: none does, -2: perhaps, if more follows. */
static int find_code(const char *at, size_t size)
{
	size_t secret = size - 1 < SECRET ? size - 1 : SECRET;
	int which;

	if (memcmp(at + 1, state.secret, secret))
		return -1;
	if (size < CODE_LENGTH)
		return -2;
	which = at[1 + SECRET] - 'A';
	return which >= 0 && which < (int)CODES && at[CODE_LENGTH - 1] == 'm' ? which : -1;
}

/* The length of the character at a byte above ASCII, as its bytes tell; 0: it is none. */
static size_t character(const unsigned char *at, size_t size, uint32_t *value)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;

	if (at[0] < 0xc2 || at[0] > 0xf4)
		return 0;
	*value = at[0] & (0x7fU >> length);
	for (size_t i = 1; i < length && i < size; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		*value = *value << 6 | (at[i] & 0x3f);
	}
	if (size >= length && (*value < least[length] || *value > 0x10ffff))
		return 0;
	return length;
}

static bool is_harmful(uint32_t value)
{
	return value < 0xa0 || value == 0x61c || value == 0x200e || value == 0x200f ||
	       (value >= 0x202a && value <= 0x202e) || (value >= 0x2066 && value <= 0x2069);
}

static void show_bytes(struct buf *into, const char *at, size_t size)
{
	for (size_t i = 0; i < size; i++)
		buf_printf(into, "\\x%02x", (unsigned char)at[i]);
}

/* How many bytes were dealt with; fewer than there are: the rest may go on. */
static size_t make_plain(struct buf *into, const char *bytes, size_t size)
{
	bool utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	size_t i = 0, length;
	uint32_t value;

	while (i < size) {
		unsigned char byte = (unsigned char)bytes[i];

		if ((byte >= ' ' && byte < 0x7f) || byte == '\n' || byte == '\t') {
			buf_putc(into, bytes[i++]);
			continue;
		}
		if (byte == '\033') {
			int which = find_code(bytes + i, size - i);

			if (which == -2)
				break;
			if (which >= 0) {
				buf_puts(into, codes[which]);
				i += CODE_LENGTH;
				continue;
			}
		}
		length = 1;
		if (byte >= 0x80 && utf8) {
			length = character((const unsigned char *)bytes + i, size - i, &value);
			if (length > size - i)
				break;
			if (length && !is_harmful(value)) {
				buf_add(into, bytes + i, length);
				i += length;
				continue;
			}
			length = length ? length : 1;
		} else if (byte >= 0xa0) { /* a character of another set of 8 bits */
			buf_putc(into, bytes[i++]);
			continue;
		}
		show_bytes(into, bytes + i, length);
		i += length;
	}
	return i;
}

int terminal_write(int fd, const void *bytes, size_t size)
{
	struct buf all = { 0 }, plain = { 0 };
	size_t place = fd == STDERR_FILENO ? 2 : fd == STDOUT_FILENO ? 1 : 0, used;
	int rc;

	pthread_mutex_lock(&state.lock);
	buf_add(&all, state.rest[place], state.rest_size[place]);
	buf_add(&all, bytes, size);
	used = make_plain(&plain, all.data, all.len);
	state.rest_size[place] = all.len - used;
	memcpy(state.rest[place], all.data + used, all.len - used);
	rc = fd_write_plain(fd, plain.data, plain.len);
	pthread_mutex_unlock(&state.lock);
	buf_free(&all);
	buf_free(&plain);
	return rc;
}

static ssize_t write_stream(void *cookie, const char *bytes, size_t size)
{
	int rc = fd_write_all((int)(intptr_t)cookie, bytes, size);

	errno = -rc;
	return rc ? 0 : (ssize_t)size;
}

static FILE *guarded_stream(int fd, FILE *old, int buffering)
{
	FILE *stream = fopencookie((void *)(intptr_t)fd, "w",
				   (cookie_io_functions_t){ .write = write_stream });

	if (!stream)
		return old;
	setvbuf(stream, NULL, buffering, BUFSIZ);
	return stream;
}

void terminal_guard(void)
{
	uint64_t secret;

	state.is_terminal[STDOUT_FILENO] = isatty(STDOUT_FILENO);
	state.is_terminal[STDERR_FILENO] = isatty(STDERR_FILENO);
	if (getrandom(&secret, sizeof(secret), GRND_NONBLOCK) != sizeof(secret))
		secret = (uint64_t)(uintptr_t)&secret ^ (uint64_t)getpid() << 40;
	snprintf(state.secret, sizeof(state.secret), "%016llx", (unsigned long long)secret);
	for (size_t i = 0; i < CODES; i++)
		snprintf(state.made[i], sizeof(state.made[i]), "\033%s%cm", state.secret,
			 (char)('A' + i));
	if (state.is_terminal[STDOUT_FILENO])
		stdout = guarded_stream(STDOUT_FILENO, stdout, _IOLBF);
	if (state.is_terminal[STDERR_FILENO])
		stderr = guarded_stream(STDERR_FILENO, stderr, _IONBF);
}

void terminal_paged(void)
{
	state.paged = true;
}
