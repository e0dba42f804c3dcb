/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unit tests: TEST(name) { ... } registers itself; the results come out through cmocka as TAP.
 *
 * Rows of cases call test_case(LABEL) first, so that a failure names its row.  An EXPECT that does
 * not hold says what it got and wanted and ends that test.
 */
#ifndef UNIT_TEST_H
#define UNIT_TEST_H

#include "base/err.h"
#include "base/mem.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef void test_function(void **state);

void test_register(const char *name, test_function *function);
void test_case(const char *format, ...) __attribute__((format(printf, 1, 2)));

void test_int(long long got, long long want, const char *what, const char *file, int line);
void test_double(double got, double want, double within, const char *what, const char *file,
		 int line);
void test_text(const char *got, const char *want, const char *what, const char *file, int line);
void test_contains(const char *text, const char *part, const char *what, const char *file,
		   int line);

#define TEST(name)                                                     \
	static void test_##name(void **);                              \
	__attribute__((constructor)) static void register_##name(void) \
	{                                                              \
		test_register(#name, test_##name);                     \
	}                                                              \
	static void test_##name(__attribute__((unused)) void **test_state)

#define EXPECT(condition)      test_int(!!(condition), 1, #condition, __FILE__, __LINE__)
#define EXPECT_BOOL(got, want) test_int(!!(got), !!(want), #got, __FILE__, __LINE__)
#define EXPECT_INT(got, want) \
	test_int((long long)(got), (long long)(want), #got, __FILE__, __LINE__)
#define EXPECT_TEXT(got, want)	       test_text(got, want, #got, __FILE__, __LINE__)
#define EXPECT_CONTAINS(text, part)    test_contains(text, part, #text, __FILE__, __LINE__)
#define EXPECT_NEAR(got, want, within) test_double(got, want, within, #got, __FILE__, __LINE__)

#endif
