// SPDX-License-Identifier: Apache-2.0
#include "base/cpuset.h"
#include "base/err.h"
#include "base/file.h"

#include <ctype.h>
#include <errno.h>

#define CPU_LIMIT 65536 /* far more than any kernel is built for; keeps "0-4294967295" harmless */

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int parse_number(const char **at, long *number)
{
	char *end;

	if (!isdigit((unsigned char)**at))
		return -EINVAL;
	errno = 0;
	*number = strtol(*at, &end, 10);
	*at = end;
	return errno || *number >= CPU_LIMIT ? -ERANGE : 0;
}

/* Marks one element of the list, "3" or "0-7", and moves *at behind it. */
static int parse_range(const char **at, bool *marks)
{
	long first, last;

	if (parse_number(at, &first))
		return -EINVAL;
	last = first;
	if (**at == '-') {
		++*at;
		if (parse_number(at, &last) || last < first)
			return -EINVAL;
	}
	memset(marks + first, true, (size_t)(last - first + 1) * sizeof(*marks));
	if (**at == ',')
		++*at;
	else if (**at && **at != '\n')
		return -EINVAL;
	return 0;
}

int cpuset_parse(struct cpuset *set, const char *text, struct err *err)
{
	bool marks[CPU_LIMIT] = { 0 };
	const char *at = text;

	while (*at && *at != '\n')
		if (parse_range(&at, marks))
			return err_set(err, EINVAL, "'%s' is not a list of CPUs; write 0-3,8",
				       text);
	vec_each (cpu, set)
		marks[*cpu] = true;
	set->len = 0;
	for (int cpu = 0; cpu < CPU_LIMIT; cpu++)
		if (marks[cpu])
			*vec_push(set) = cpu;
	return 0;
}

int cpuset_online(struct cpuset *set, struct err *err)
{
	struct err why = { 0 };
	size_t size;
	char *text = file_read("/sys/devices/system/cpu/online", &size, &why);
	int rc;

	if (!text)
		return err_set(err, why.code, "%s", why.text);
	rc = cpuset_parse(set, text, err);
	free(text);
	return rc;
}

bool cpuset_has(const struct cpuset *set, int cpu)
{
	return set->len && bsearch(&cpu, set->data, set->len, sizeof(cpu), by_number);
}

void cpuset_free(struct cpuset *set)
{
	vec_free(set);
}
