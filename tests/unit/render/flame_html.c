// SPDX-License-Identifier: Apache-2.0
#include "render/flame_html.h"
#include "base/buf.h"
#include "base/outbuf.h"
#include "profile/made.h"
#include "test.h"

#include <sys/mman.h>
#include <unistd.h>

static char *draw(const struct profile *profile, struct flame_graph graph)
{
	struct flametree_options shape = { .group = GROUP_COMM,
					   .stacks.from_leaf = graph.reversed };
	struct flame_page page = { .title = "a < b" };
	int fd = memfd_create("html", MFD_CLOEXEC);
	struct flametree tree;
	struct outbuf out;
	char *text;
	off_t size;

	EXPECT_INT(flametree_build(&tree, profile, &shape, NULL), 0);
	graph.tree = &tree;
	graph.unit = graph.unit ? graph.unit : "samples";
	outbuf_init(&out, fd);
	flame_html_begin(&page, &out);
	flame_html_graph(&graph, &out);
	flame_html_end(&out);
	EXPECT_INT(outbuf_fini(&out), 0);
	flametree_free(&tree);
	size = lseek(fd, 0, SEEK_END);
	text = mem_alloc((size_t)size + 1);
	EXPECT_INT(pread(fd, text, (size_t)size, 0), size);
	close(fd);
	return text;
}

static struct profile *two_stacks(void)
{
	struct profile *profile = made_profile();

	made_sample(profile, 1, "main;x</script>", 3);
	made_sample(profile, 2, "main;a", 200);
	return profile;
}

/* The frames are all, prog, main, a, x. */
TEST(flame_html_columns)
{
	struct profile *profile = two_stacks();
	char *html = draw(profile, (struct flame_graph){ .subtitle = "s", .footer = "f" });

	EXPECT_CONTAINS(html,
			"\"functions\":[\"all\",\"prog\",\"main\",\"a\",\"x\\u003c/script>\"]");
	EXPECT_CONTAINS(html, "\"drop\":\"AAAAAAE=\"");	 /* 0 0 0 0 1 */
	EXPECT_CONTAINS(html, "\"face\":\"AAECAwQ=\"");	 /* 0 1 2 3 4 */
	EXPECT_CONTAINS(html, "\"self\":\"AAAAyAED\"}"); /* 0 0 0 200 3 */
	EXPECT_CONTAINS(html, "\"of\":\"AAECAwQ=\"");
	EXPECT_CONTAINS(html, "\"objects\":[\"\",\"/bin/prog\"]");
	EXPECT_CONTAINS(html, "<title>a &lt; b</title>");
	EXPECT(!strstr(html, "\"samples\":"));
	EXPECT(!strstr(html, "\"fixed\":"));
	free(html);
	html = draw(profile, (struct flame_graph){ .unit = "ns" });
	EXPECT_CONTAINS(html, "\"samples\":\"AAAAAQE=\""); /* 0 0 0 1 1 */
	free(html);
	profile_free(profile);
}

TEST(flame_html_without_script)
{
	struct profile *profile = two_stacks();
	char *html = draw(profile, (struct flame_graph){ 0 });

	EXPECT_CONTAINS(html, "<tr><td>98.52 %<td>200 samples<td>a\n");
	EXPECT_CONTAINS(html, "<tr><td>1.48 %<td>3 samples<td>x&lt;/script&gt;\n");
	EXPECT(!strstr(html, "<td>main\n"));
	free(html);
	html = draw(profile, (struct flame_graph){ .reversed = true });
	EXPECT_CONTAINS(html, "<tr><td>98.52 %<td>200 samples<td>a\n");
	EXPECT(!strstr(html, "<td>main\n"));
	free(html);
	profile_free(profile);
}

TEST(flame_html_of_nothing)
{
	struct profile *profile = made_profile();
	char *html = draw(profile, (struct flame_graph){ .empty = "nothing" });

	EXPECT_CONTAINS(html, "\"empty\":\"nothing\"");
	EXPECT_CONTAINS(html, "\"drop\":\"AA==\"");
	free(html);
	profile_free(profile);
}

TEST(flame_html_fixed_colors)
{
	struct profile *profile = two_stacks();
	struct flame_colors colors = { 0 };
	char *html;

	flame_colors_parse(&colors, "a->rgb(0,0,1)\nmain->rgb(0,0,2)\nx</script>->rgb(0,0,3)\n");
	html = draw(profile, (struct flame_graph){ .fixed = &colors });
	/* Twice the colour of groups, 0xe2ded4, and 2 1 3. */
	EXPECT_CONTAINS(html, "\"fixed\":\"1L2LB9S9iwcCAQM=\"");
	flame_colors_free(&colors);
	free(html);
	profile_free(profile);
}
