// SPDX-License-Identifier: Apache-2.0
#include "render/script_symbol.h"
#include "base/outbuf.h"
#include "perfdata/maker.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define USER PERF_RECORD_MISC_USER
#define ALL  (SHOW_SYM | SHOW_SYMOFF | SHOW_DSO)

struct script_case {
	struct machine *machine;
	struct script_symbols symbols;
	struct outbuf out;
	int fd;
};

static void begin(struct script_case *c)
{
	c->machine = machine_new();
	script_symbols_init(&c->symbols, c->machine);
	c->fd = memfd_create("script", MFD_CLOEXEC);
	EXPECT(c->fd >= 0);
	outbuf_init(&c->out, c->fd);
}

static void end(struct script_case *c)
{
	outbuf_fini(&c->out);
	script_symbols_fini(&c->symbols);
	machine_free(c->machine);
	close(c->fd);
}

static void map(struct script_case *c, uint64_t start, uint64_t length, const char *name)
{
	struct maker maker = { 0 };

	make_record(&maker, PERF_RECORD_MMAP, USER);
	make_u32(&maker, 10);
	make_u32(&maker, 10);
	make_u64(&maker, start);
	make_u64(&maker, length);
	make_u64(&maker, 0);
	make_name(&maker, name);
	make_record_end(&maker);
	machine_take(c->machine, (const void *)(maker.out.data + maker.record),
		     maker.out.len - maker.record);
	make_free(&maker);
}

static void frame(struct script_case *c, unsigned show, uint64_t address)
{
	script_symbols_frame(&c->symbols, &c->out, show, machine_thread(c->machine, 10, 10), USER,
			     address);
}

/* All that was printed so far, and forgotten then. */
static char *printed(struct script_case *c)
{
	static char text[65536];
	ssize_t size;

	outbuf_flush(&c->out);
	size = pread(c->fd, text, sizeof(text) - 1, 0);
	text[size > 0 ? size : 0] = '\0';
	EXPECT_INT(ftruncate(c->fd, 0), 0);
	EXPECT_INT(lseek(c->fd, 0, SEEK_SET), 0);
	return text;
}

TEST(script_symbol_lines_are_perfs)
{
	static const struct {
		unsigned show;
		uint64_t address;
		const char *line;
	} cases[] = {
		{ ALL, 0x5010, "\t              10 [unknown] (/bin/prog)\n" },
		{ SHOW_SYM, 0x5010, "\t              10 [unknown]\n" },
		{ SHOW_DSO, 0x5010, "\t              10 (/bin/prog)\n" },
		{ 0, 0x5010, "\t              10\n" },
		{ ALL, 0x9010, "\t            9010 [unknown] ([unknown])\n" },
		{ 0, 0x9010, "\t            9010\n" },
	};
	struct script_case c;

	begin(&c);
	map(&c, 0x5000, 0x1000, "/bin/prog");
	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
			frame(&c, cases[i].show, cases[i].address);
			EXPECT_TEXT(printed(&c), cases[i].line);
		}
	end(&c);
}

TEST(script_symbol_forgets_what_was_mapped_before)
{
	struct script_case c;

	begin(&c);
	frame(&c, SHOW_DSO, 0x5010);
	EXPECT_TEXT(printed(&c), "\t            5010 ([unknown])\n");
	map(&c, 0x5000, 0x1000, "/bin/one");
	frame(&c, SHOW_DSO, 0x5010);
	EXPECT_TEXT(printed(&c), "\t              10 (/bin/one)\n");
	map(&c, 0x5008, 0x1000, "/bin/two");
	frame(&c, SHOW_DSO, 0x5010);
	EXPECT_TEXT(printed(&c), "\t               8 (/bin/two)\n");
	end(&c);
}

/* More lines than are kept, of more text than is kept, one of them too long for it. */
TEST(script_symbol_keeps_a_bounded_number_of_lines)
{
	char long_name[3000], longer_name[6000], *line;
	struct script_case c;

	memset(long_name, 'x', sizeof(long_name));
	memset(longer_name, 'y', sizeof(longer_name));
	long_name[0] = longer_name[0] = '/';
	long_name[sizeof(long_name) - 1] = longer_name[sizeof(longer_name) - 1] = '\0';
	begin(&c);
	map(&c, 0x100000, 0x100000, long_name);
	map(&c, 0x200000, 0x100000, longer_name);
	for (uint64_t i = 0; i < 6000; i++) {
		/* Two that come again and again among many that come twice. */
		const uint64_t at[] = { 0x100000, 0x200000, 0x100000 + i / 2 };

		for (size_t k = 0; k < ARRAY_SIZE(at); k++) {
			frame(&c, SHOW_DSO, at[k]);
			line = mem_printf("\t%16lx (%s)\n", (unsigned long)(at[k] & 0xfffff),
					  k == 1 ? longer_name : long_name);
			EXPECT_TEXT(printed(&c), line);
			free(line);
		}
	}
	end(&c);
}
