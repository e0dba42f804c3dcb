// SPDX-License-Identifier: Apache-2.0
#include "symbol/symbol.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

static void expect(const char *name, enum demangle form, const char *want)
{
	char *text = symbol_demangle(name, form, 1000);

	test_case("%s", name);
	EXPECT_TEXT(text ? text : "(as it is)", want);
	free(text);
}

/* The wanted texts are those of c++filt and of perf. */
TEST(demangle_languages)
{
	static const struct {
		const char *mangled, *name, *params;
	} cases[] = {
		{ "_ZN5outer3BoxIlEC1El", "outer::Box<long>::Box", "outer::Box<long>::Box(long)" },
		{ "_ZNK5outer3BoxIlE4spinEl", "outer::Box<long>::spin",
		  "outer::Box<long>::spin(long) const" },
		{ "_ZZ4mainENKUllE_clEl", "main::{lambda(long)#1}::operator()",
		  "main::{lambda(long)#1}::operator()(long) const" },
		{ "_Z3foov.isra.0", "foo", "foo() [clone .isra.0]" },
		{ "_ZN3std2io5stdio6_print17h0123456789abcdefE", "std::io::stdio::_print",
		  "std::io::stdio::_print" },
		{ "_ZN45_$LT$r..Foo$LT$u64$GT$$u20$as$u20$r..Work$GT$3run17h0123456789abcdefE",
		  "<r::Foo<u64> as r::Work>::run", "<r::Foo<u64> as r::Work>::run" },
		{ "_RINvCs1234_1r3genmE", "r::gen::<u32>", "r::gen::<u32>" },
		{ "_D3foo3barFiZv", "foo.bar(int)", "foo.bar(int)" },
		{ "_Dmain", "D main", "D main" },
		{ "camlStdlib__List__map_317", "Stdlib.List.map_317", "Stdlib.List.map_317" },
		{ "camlFoo__$2b_12", "Foo.+_12", "Foo.+_12" },
		{ "Ljava/lang/Math;abs(I)I", "java.lang.Math.abs(int)", "java.lang.Math.abs(int)" },
		{ "La/B;f([[JLjava/lang/String;Z)V", "a.B.f(long[][], java.lang.String, boolean)",
		  "a.B.f(long[][], java.lang.String, boolean)" },
		{ "_ZNSo5flushEv@plt", "std::ostream::flush@plt", "std::ostream::flush()@plt" },
		{ "_ZNSo5flushEv@@GLIBCXX_3.4", "std::ostream::flush@@GLIBCXX_3.4",
		  "std::ostream::flush()@@GLIBCXX_3.4" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		expect(cases[i].mangled, DEMANGLE_NAME, cases[i].name);
		expect(cases[i].mangled, DEMANGLE_PARAMS, cases[i].params);
	}
}

TEST(demangle_leaves_alone)
{
	static const char *const names[] = {
		"",	"main", "_start", "puts@plt", "memcpy@@GLIBC_2.14",
		"_Z",	"_ZN",	"_R",	  "_D",	      "caml_main",
		"Lfoo", "L(",	"La;b(",  "La;b(Q)",  "call_me(maybe)",
		"@plt",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		expect(names[i], DEMANGLE_PARAMS, "(as it is)");
}

TEST(demangle_limit)
{
	char *text = symbol_demangle("_ZN5outer3BoxIlE4spinEl", DEMANGLE_NAME, 10);

	EXPECT_TEXT(text, "outer::Box");
	free(text);
	text = symbol_demangle("_D3foo3barFiZv", DEMANGLE_NAME, 3);
	EXPECT_TEXT(text, "foo");
	free(text);
	text = symbol_demangle("camlStdlib__List", DEMANGLE_NAME, 6);
	EXPECT_TEXT(text, "Stdlib");
	free(text);
}

/* Each parameter is a pair of the one before: 40 of them would be some terabytes. */
TEST(demangle_that_would_never_end)
{
	char name[2000] = "_Z1f1aIiiE", *text;
	size_t at = strlen(name);

	for (int i = 0; i < 36; i++) {
		char reference[3] = { (char)(i < 10 ? '0' + i : 'A' + i - 10), '_', 0 };

		at += (size_t)snprintf(name + at, sizeof(name) - at, "S_IS%sS%sE", reference,
				       reference);
	}
	text = symbol_demangle(name, DEMANGLE_PARAMS, 5000);
	EXPECT(text);
	EXPECT(strlen(text) <= 5000);
	free(text);
}
