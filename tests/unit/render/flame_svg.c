// SPDX-License-Identifier: Apache-2.0
#include "render/flame_svg.h"
#include "base/buf.h"
#include "base/outbuf.h"
#include "profile/made.h"
#include "render/xml.h"
#include "test.h"

#include <sys/mman.h>
#include <unistd.h>

static char *draw(const struct profile *profile, struct flame_svg_options options)
{
	struct flametree_options shape = { .group = GROUP_COMM };
	int fd = memfd_create("svg", MFD_CLOEXEC);
	struct flametree tree;
	struct outbuf out;
	char *text;
	off_t size;

	options.width = 1200;
	options.unit = options.unit ? options.unit : "samples";
	options.noun = "samples";
	EXPECT_INT(flametree_build(&tree, profile, &shape, NULL), 0);
	outbuf_init(&out, fd);
	flame_svg_write(&tree, &options, &out);
	EXPECT_INT(outbuf_fini(&out), 0);
	flametree_free(&tree);
	size = lseek(fd, 0, SEEK_END);
	text = mem_alloc((size_t)size + 1);
	EXPECT_INT(pread(fd, text, (size_t)size, 0), size);
	close(fd);
	return text;
}

TEST(flame_svg_frames)
{
	struct profile *profile = made_profile();
	char *svg;

	made_thread(profile, 5, 6, "bash");
	made_sample(profile, 1, "main;x<y>&\"z\"", 3);
	made_sample(profile, 2, "main;narrow", 1);
	svg = draw(profile, (struct flame_svg_options){ .title = "a < b", .min_width = 0.1 });
	EXPECT_CONTAINS(svg, "<title>all (4 samples, 100.00 %)</title>");
	EXPECT_CONTAINS(svg, "<title>x&lt;y&gt;&amp;&quot;z&quot; (3 samples, 75.00 %)</title>");
	EXPECT_CONTAINS(svg, "data-s=\"1\" data-w=\"3\" data-d=\"3\"");
	EXPECT_CONTAINS(svg, ">a &lt; b</text>");
	free(svg);
	svg = draw(profile, (struct flame_svg_options){ .min_width = 400, .unit = "ns" });
	EXPECT(!strstr(svg, "narrow"));
	EXPECT_CONTAINS(svg, "<title>main (4 ns, 2 samples, 100.00 %)</title>");
	free(svg);
	profile_free(profile);
}

TEST(flame_svg_of_nothing)
{
	struct profile *profile = made_profile();
	char *svg = draw(profile, (struct flame_svg_options){ .footer = "0 samples" });

	EXPECT_CONTAINS(svg, "There are no samples to show.");
	EXPECT_CONTAINS(svg, ">0 samples</text>");
	EXPECT(!strstr(svg, "<script>"));
	free(svg);
	profile_free(profile);
}

TEST(xml_lengths)
{
	EXPECT_INT(xml_length("abc"), 3);
	EXPECT_INT(xml_length("\xc3\xa9\xff\xf0\x9f\x94\xa5"), 3);
	EXPECT_INT(xml_length("\xed\xa0\x80"), 3); /* half of a pair: three bytes that are none */
}

TEST(flame_colors_map)
{
	struct flame_colors colors = { 0 };
	struct buf text = { 0 };

	flame_colors_parse(&colors,
			   "b->rgb(1,2,3)\nA::operator->->rgb(4,5,255)\nnone\nc->rgb(1,2,256)\n");
	EXPECT_INT(colors.broken, 2);
	EXPECT_INT(flame_colors_get(&colors, "b", 7), 0x010203);
	EXPECT_INT(flame_colors_get(&colors, "A::operator->", 7), 0x0405ff);
	EXPECT_INT(flame_colors_get(&colors, "new", 0x101010), 0x101010);
	flame_colors_print(&colors, &text);
	EXPECT_TEXT(buf_text(&text),
		    "A::operator->->rgb(4,5,255)\nb->rgb(1,2,3)\nnew->rgb(16,16,16)\n");
	buf_free(&text);
	flame_colors_free(&colors);
}
