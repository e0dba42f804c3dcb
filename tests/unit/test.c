// SPDX-License-Identifier: Apache-2.0
#include "test.h"
#include "base/vec.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

/* Asking for too much memory fails under the sanitizers too, instead of ending the test. */
const char *__asan_default_options(void);
const char *__tsan_default_options(void);

const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

const char *__tsan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static VEC(struct CMUnitTest) tests;
static char label[200];

void test_register(const char *name, test_function *function)
{
	*vec_push(&tests) = (struct CMUnitTest){ .name = name, .test_func = function };
}

void test_case(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(label, sizeof(label), format, args);
	va_end(args);
}

static void fail_at(const char *file, int line)
{
	if (label[0])
		print_error("  in case '%s'\n", label);
	_fail(file, line);
}

void test_int(long long got, long long want, const char *what, const char *file, int line)
{
	if (got == want)
		return;
	print_error("%s is %lld (%#llx), expected %lld (%#llx)\n", what, got,
		    (unsigned long long)got, want, (unsigned long long)want);
	fail_at(file, line);
}

void test_double(double got, double want, double within, const char *what, const char *file,
		 int line)
{
	if (fabs(got - want) <= within)
		return;
	print_error("%s is %g, expected %g within %g\n", what, got, want, within);
	fail_at(file, line);
}

void test_text(const char *got, const char *want, const char *what, const char *file, int line)
{
	if (got == want || (got && want && !strcmp(got, want)))
		return;
	print_error("%s is \"%s\", expected \"%s\"\n", what, got ? got : "(null)",
		    want ? want : "(null)");
	fail_at(file, line);
}

void test_contains(const char *text, const char *part, const char *what, const char *file, int line)
{
	if (text && strstr(text, part))
		return;
	print_error("%s is \"%s\", expected to hold \"%s\"\n", what, text ? text : "(null)", part);
	fail_at(file, line);
}

static int forget_case(void **state)
{
	(void)state;
	label[0] = '\0';
	return 0;
}

int main(int argc, char **argv)
{
	int failed;

	if (argc > 1) /* one of them, or several: "overview_*" */
		cmocka_set_test_filter(argv[1]);
	vec_each (test, &tests)
		test->setup_func = forget_case;
	cmocka_set_message_output(CM_OUTPUT_TAP);
	failed = _cmocka_run_group_tests(argv[0], tests.data, tests.len, NULL, NULL);
	vec_free(&tests);
	return failed ? 1 : 0;
}
