// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "base/clock.h"
#include "base/terminal.h"

#include <ctype.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Puts commas between groups of three in the run of digits from first to end. */
static void group_digits(char *first, char *end)
{
	size_t digits = (size_t)(end - first), commas = digits ? (digits - 1) / 3 : 0;
	char *to = end + commas;

	memmove(to, end, strlen(end) + 1);
	for (size_t i = 0; i < digits; i++) {
		if (i && i % 3 == 0)
			*--to = ',';
		*--to = *--end;
	}
}

char *text_decimal(char into[static TEXT_NUMBER], double value, int decimals, bool grouped)
{
	char *first = into, *end;

	if (fabs(value) >= 1e18 || !isfinite(value)) { /* beyond what is read digit by digit */
		snprintf(into, TEXT_NUMBER, "%.*g", decimals + 1, value);
		return into;
	}
	snprintf(into, TEXT_NUMBER, "%.*f", decimals, value);
	if (!grouped)
		return into;
	if (*first == '-')
		first++;
	for (end = first; isdigit((unsigned char)*end);)
		end++;
	group_digits(first, end);
	return into;
}

char *text_grouped(char into[static TEXT_NUMBER], uint64_t value)
{
	int length = snprintf(into, TEXT_NUMBER, "%" PRIu64, value);

	group_digits(into, into + length);
	return into;
}

/* "3 h 25 min": a large unit and how many of the small one are left over. */
static char *two_units(char into[static TEXT_NUMBER], uint64_t count, unsigned each,
		       const char *large, const char *small)
{
	snprintf(into, TEXT_NUMBER, "%" PRIu64 " %s %02u %s", count / each, large,
		 (unsigned)(count % each), small);
	return into;
}

char *text_bytes(char into[static TEXT_NUMBER], uint64_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double value = (double)bytes;
	size_t unit = 0;

	while (value >= 1023.95 && unit + 1 < ARRAY_SIZE(units)) {
		value /= 1024;
		unit++;
	}
	snprintf(into, TEXT_NUMBER, value >= 9999.5 ? "%.0f %s" : "%.4g %s", value, units[unit]);
	return into;
}

char *text_duration(char into[static TEXT_NUMBER], int64_t ns)
{
	static const struct {
		double ns;
		const char *name;
	} units[] = { { 1e3, "us" }, { 1e6, "ms" }, { 1e9, "s" } };
	const uint64_t minute = 60, hour = 3600;
	uint64_t seconds = ((uint64_t)ns + NS_PER_SEC / 2) / NS_PER_SEC;
	size_t i = 0;

	if (ns > 0 && seconds >= hour)
		return two_units(into, seconds / minute, 60, "h", "min");
	if (ns > 0 && seconds >= 2 * minute)
		return two_units(into, seconds, 60, "min", "s");
	if (ns > -1000 && ns < 1000) {
		snprintf(into, TEXT_NUMBER, "%" PRId64 " ns", ns);
		return into;
	}
	/* 999.96 would be rounded to 1000: that is one of the next unit */
	while (i + 1 < ARRAY_SIZE(units) && fabs((double)ns) >= 999.95 * units[i].ns)
		i++;
	snprintf(into, TEXT_NUMBER, "%.4g %s", (double)ns / units[i].ns, units[i].name);
	return into;
}

/* The stream that a pager shows on a terminal, and its columns. */
static FILE *paged;
static int paged_width;

/* The standard streams may be guarded ones, which have none of their own (base/terminal). */
static int descriptor_of(FILE *out)
{
	return out == stdout ? STDOUT_FILENO : out == stderr ? STDERR_FILENO : fileno(out);
}

void text_remember_terminal(FILE *out)
{
	paged_width = text_width(out);
	paged = out;
	terminal_paged();
}

bool text_is_terminal(FILE *out)
{
	return out == paged || isatty(descriptor_of(out));
}

const char *text_color(FILE *out, enum text_color color)
{
	static const char *const codes[] = {
		[COLOR_OFF] = "\033[0m",   [COLOR_BOLD] = "\033[1m",  [COLOR_DIM] = "\033[2m",
		[COLOR_GOOD] = "\033[32m", [COLOR_WARN] = "\033[33m", [COLOR_BAD] = "\033[31m",
	};
	const char *term = getenv("TERM"), *refused = getenv("NO_COLOR");

	if ((refused && *refused) || !term || !strcmp(term, "dumb") || !text_is_terminal(out))
		return "";
	return terminal_code(descriptor_of(out), codes[color]);
}

int text_width(FILE *out)
{
	struct winsize size;

	if (out == paged)
		return paged_width;
	if (ioctl(descriptor_of(out), TIOCGWINSZ, &size) || size.ws_col < 20)
		return 80;
	return size.ws_col;
}

/* Columns that a piece of UTF-8 takes: its characters, all of them narrow in what we print. */
static int columns(const char *text, int length)
{
	int count = 0;

	for (int i = 0; i < length; i++)
		count += ((unsigned char)text[i] & 0xc0) != 0x80;
	return count;
}

void text_wrap(FILE *out, const char *text, int indent, int width)
{
	int column = indent, pending = 0; /* spaces that wait for a word: none end a line */

	while (*text) {
		int length = (int)strcspn(text, " \n"), wide = columns(text, length);

		if (column > indent && column + 1 + wide > width) {
			putc('\n', out);
			column = pending = indent;
		} else if (column > indent && length) {
			pending = 1;
			column++;
		}
		if (length)
			fprintf(out, "%*s", pending, "");
		for (int i = 0; i < length; i++)
			putc(text[i] == TEXT_HARD_SPACE ? ' ' : text[i], out);
		pending = length ? 0 : pending;
		column += wide;
		text += length;
		text += strspn(text, " ");
		if (*text == '\n') {
			putc('\n', out);
			column = pending = indent;
			text++;
		}
	}
	putc('\n', out);
}

const char *text_plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

static int min(int a, int b)
{
	return a < b ? a : b;
}

int text_distance(const char *a, const char *b, int limit)
{
	enum { LONGEST = 64 };
	size_t la = strlen(a), lb = strlen(b);
	int rows[3][LONGEST + 1];
	int *before = rows[0], *last = rows[1], *now = rows[2];

	if (la > LONGEST || lb > LONGEST || (la > lb ? la - lb : lb - la) * 2 > (size_t)limit)
		return limit;
	for (size_t j = 0; j <= lb; j++)
		last[j] = (int)j * 2;
	for (size_t i = 1; i <= la; i++) {
		int *spare = before;
		int nearest = (int)i * 2;

		now[0] = nearest;
		for (size_t j = 1; j <= lb; j++) {
			bool same = a[i - 1] == b[j - 1];
			bool alike = tolower((unsigned char)a[i - 1]) ==
				     tolower((unsigned char)b[j - 1]);

			now[j] = last[j - 1] + (same ? 0 : alike ? 1 : 2);
			now[j] = min(now[j], min(last[j], now[j - 1]) + 2);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = min(now[j], before[j - 2] + 2);
			nearest = min(nearest, now[j]);
		}
		if (nearest >= limit) /* rows only grow; a swap from the one before costs a step */
			return limit;
		before = last;
		last = now;
		now = spare;
	}
	return min(last[lb], limit);
}

int text_typo_of(const char *typed, const char *name)
{
	size_t shorter = strlen(typed) < strlen(name) ? strlen(typed) : strlen(name);
	int distance = text_distance(typed, name, 5);

	if (!*typed || !distance || distance == 5 || shorter < 3)
		return 0;
	if (distance > 2 && (shorter < 6 || tolower((unsigned char)*typed) != *name))
		return 0;
	return distance;
}

bool text_glob(const char *pattern, const char *text)
{
	return fnmatch(pattern, text, 0) == 0;
}

int text_hex_digit(char digit)
{
	if (!isxdigit((unsigned char)digit))
		return -1;
	return isdigit((unsigned char)digit) ? digit - '0' : (digit | 0x20) - 'a' + 10;
}

bool text_contains(const char *text, const char *word)
{
	return strcasestr(text, word) != NULL;
}

size_t text_utf8_length(const char *bytes)
{
	const unsigned char *text = (const unsigned char *)bytes;
	size_t length;

	if (text[0] < 0x80)
		return 1;
	if (text[0] >= 0xc2 && text[0] <= 0xdf)
		length = 2;
	else if (text[0] >= 0xe0 && text[0] <= 0xef)
		length = 3;
	else if (text[0] >= 0xf0 && text[0] <= 0xf4)
		length = 4;
	else
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f) ||
	    (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f))
		return 0;
	return length;
}

char *text_utf8(const char *text)
{
	char *copy = mem_alloc(3 * strlen(text) + 1), *at = copy;

	while (*text) {
		size_t length = text_utf8_length(text);

		if (length) {
			memcpy(at, text, length);
			at += length;
		} else {
			memcpy(at, "\xef\xbf\xbd", 3);
			at += 3;
		}
		text += length ? length : 1;
	}
	*at = '\0';
	return copy;
}
