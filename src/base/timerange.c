// SPDX-License-Identifier: Apache-2.0
#include "base/timerange.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/options.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* "12.5" of *text to ns, to the last digit; *text is moved past it.  False if there is no number.
 */
static bool take_seconds(const char **text, uint64_t *ns)
{
	uint64_t place = NS_PER_SEC / 10;
	char *end;

	*ns = strtoull(*text, &end, 10) * NS_PER_SEC;
	if (end == *text)
		return false;
	if (*end == '.')
		for (end++; *end >= '0' && *end <= '9'; end++, place /= 10)
			*ns += (uint64_t)(*end - '0') * place;
	*text = end;
	return true;
}

static int parse_seconds(struct time_range *range, const char *text)
{
	if (*text != ',' && !take_seconds(&text, &range->start))
		return -EINVAL;
	if (*text++ != ',')
		return -EINVAL;
	if (*text && !take_seconds(&text, &range->end))
		return -EINVAL;
	return *text || (range->end && range->end < range->start) ? -EINVAL : 0;
}

/* "10%-20%" or "10%/2" as shares of the whole. */
static int parse_share(const char *text, double *from, double *to)
{
	char *end;
	double share = strtod(text, &end);
	long which;

	if (end == text || *end != '%' || share < 0 || share > 100)
		return -EINVAL;
	if (end[1] == '-') {
		const char *rest = end + 2;

		*from = share / 100;
		*to = strtod(rest, &end) / 100;
		return end == rest || strcmp(end, "%") || *to <= *from || *to > 1 ? -EINVAL : 0;
	}
	which = end[1] == '/' ? strtol(end + 2, &end, 10) : 1;
	if (which < 1 || (*end && strcmp(end, "%")))
		return -EINVAL;
	*from = share / 100 * (double)(which - 1);
	*to = share / 100 * (double)which;
	return *from >= 1 ? -EINVAL : 0;
}

static int parse_part(struct time_range *range, const char *text, const struct time_range *whole)
{
	double from, to, length;

	if (parse_share(text, &from, &to))
		return -EINVAL;
	if (!whole)
		return -ENODATA;
	length = (double)(whole->end - whole->start);
	range->start = whole->start + (uint64_t)(from * length);
	range->end = to >= 1 ? whole->end : whole->start + (uint64_t)(to * length);
	return 0;
}

static int parse_relative(struct time_range *range, const char *text,
			  const struct time_range *whole)
{
	const char *dash = strchr(text, '-');
	char *begin = mem_strndup(text, (size_t)(dash - text));
	int64_t from = 0, to = 0;
	int rc = *begin ? duration_parse(begin, NS_PER_SEC, &from, NULL) : 0;

	if (!rc && dash[1])
		rc = duration_parse(dash + 1, NS_PER_SEC, &to, NULL);
	free(begin);
	if (rc || (dash[1] && to <= from))
		return -EINVAL;
	if (!whole)
		return -ENODATA;
	range->start = whole->start + (uint64_t)from;
	range->end = dash[1] ? whole->start + (uint64_t)to : 0;
	return 0;
}

size_t time_range_length(const char *text)
{
	return strcspn(text, strchr(text, '%') ? ", " : " ");
}

int time_range_parse(struct time_range *range, const char *text, const struct time_range *whole,
		     struct err *err)
{
	int rc;

	*range = (struct time_range){ 0 };
	if (strchr(text, '%'))
		rc = parse_part(range, text, whole);
	else if (strchr(text, '-'))
		rc = parse_relative(range, text, whole);
	else
		rc = parse_seconds(range, text);
	if (rc == -ENODATA)
		return err_set(err, ENODATA,
			       "--time '%s': the recording does not say when it begins and ends; "
			       "use START,STOP in seconds of its clock",
			       text);
	return rc ? err_set(err, EINVAL,
			    "--time '%s': must be FROM-TO after the start (10s-20s), START,STOP of "
			    "the clock in seconds (12.5,13), or 10%%-20%%",
			    text)
		  : 0;
}
