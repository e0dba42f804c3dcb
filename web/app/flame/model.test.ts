// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import type { Graph } from "../../flame/columns";
import { sumFunctions } from "../../flame/functions";
import { labelIn } from "../../flame/label";
import { LOOK, shadeOf } from "../../flame/look";
import { frameOfKey, matchTrees, pathKeys } from "../../flame/match";
import { sandwich } from "../../flame/sandwich";
import { Blend, Tree } from "../../flame/tree";
import { FOLDED, graphOf } from "./made";
import { expressionOf, forwardTree, lacksFrames, nameIn, search, treeOf, widestFrame } from "./model";
import { ordered } from "./table";

// Frames as text: their names by depth, with self and total.
function drawn(graph: Graph, tree: Tree): string[] {
	return Array.from(tree.depth, (depth, i) => `${" ".repeat(depth)}${nameIn(graph, tree, i)} ${tree.self[i]}/${tree.total[i]}`);
}

describe("changes of a graph", () => {
	const graph = graphOf(FOLDED);

	it("focus, hide and leaf first keep every sample that they show", () => {
		expect(drawn(graph, treeOf(graph, [{ what: "focus", name: "sort" }]))).toEqual(["all 0/70", " sort 30/70", "  compare 40/40"]);
		expect(drawn(graph, treeOf(graph, [{ what: "hide", name: "work" }, { what: "hide", name: "parse" }]))).toEqual([
			"all 0/100", " main 0/100", "  malloc 10/30", "   brk 20/20", "  sort 30/70", "   compare 40/40"]);
		const leaves = treeOf(graph, [{ what: "reverse" }]);
		expect(drawn(graph, leaves).filter((line) => /^ \w/.test(line))).toEqual([" brk 0/20", " compare 0/40", " malloc 0/10", " sort 0/30"]);
		expect(drawn(graph, forwardTree(graph, leaves, [{ what: "reverse" }]))).toEqual(drawn(graph, graph.tree));
	});

	it("only stacks with a function, and without it, keep their callers", () => {
		const only = treeOf(graph, [{ what: "only", name: "malloc" }]);
		expect(drawn(graph, only).filter((line) => /malloc|brk/.test(line))).toEqual(drawn(graph, graph.tree).filter((line) => /malloc|brk/.test(line)));
		expect(drawn(graph, only)).toContain(" main 0/30");
		expect(treeOf(graph, [{ what: "only", name: "malloc" }]).total[0]).toBe(30);
		expect(treeOf(graph, [{ what: "without", name: "malloc" }]).total[0]).toBe(70);
		expect(treeOf(graph, [{ what: "keep", name: "^(brk|compare)$" }]).total[0]).toBe(60);
		expect(treeOf(graph, [{ what: "drop", name: "^(brk|compare)$" }]).total[0]).toBe(40);
		expect(treeOf(graph, [{ what: "keep", name: "(" }])).toBe(graph.tree);
		expect(treeOf(graph, [{ what: "hide", name: "sort" }, { what: "only", name: "sort" }]).total[0]).toBe(0);
	});

	it("recursion collapses", () => {
		const recursive = graphOf("f;f;f;g 5\nf;f 2");
		expect(drawn(recursive, treeOf(recursive, [{ what: "collapse" }]))).toEqual(["all 0/7", " f 2/7", "  g 5/5"]);
	});

	it("functions that are not there are not hidden, and leave nothing to focus on", () => {
		expect(treeOf(graph, [{ what: "hide", name: "nobody" }])).toBe(graph.tree);
		expect(treeOf(graph, [{ what: "focus", name: "nobody" }]).total[0]).toBe(0);
	});
});

describe("search", () => {
	it("case counts where there is a capital letter, or where it is asked for", () => {
		const graph = graphOf(FOLDED);
		const share = (text: string, exact = false) => search(graph, graph.tree, { search: text, exact, marked: "" }).share;
		expect(share("^so\\wt$")).toBeCloseTo(0.7);
		expect(share("\\Sort")).toBeCloseTo(0.7); // no capital of a name
		expect(share("SORT")).toBe(0);
		expect(share("Sort")).toBe(0);
		const shouting = graphOf("main;Sort 3\nmain;other 1");
		expect(search(shouting, shouting.tree, { search: "sort", exact: false, marked: "" }).share).toBeCloseTo(0.75);
		expect(search(shouting, shouting.tree, { search: "sort", exact: true, marked: "" }).share).toBe(0);
		expect(expressionOf({ search: "sort", exact: false, marked: "" })).toBe("(?i)sort");
		expect(expressionOf({ search: "sort", exact: true, marked: "" })).toBe("(?-i)sort");
		expect(expressionOf({ search: "", exact: false, marked: "a.b" })).toBe("(?-i)^a\\.b$");
	});

	const graph = graphOf(FOLDED);

	it("counts nested matches once", () => {
		expect(search(graph, graph.tree, { search: "malloc|brk", exact: false, marked: "" }).share).toBeCloseTo(0.3);
		expect(search(graph, graph.tree, { search: "^sort$", exact: false, marked: "" }).share).toBeCloseTo(0.7);
		expect(search(graph, graph.tree, { search: "", exact: false, marked: "compare" }).share).toBeCloseTo(0.4);
	});

	it("says of a bad expression that it is bad", () => {
		expect(search(graph, graph.tree, { search: "(", exact: false, marked: "" })).toMatchObject({ bad: true, hits: null });
	});
});

describe("sums", () => {
	it("order functions, with recursion counted once", () => {
		const graph = graphOf("a;b;a 4\na;c 6");
		const sums = sumFunctions(graph, graph.tree);
		const names = (order: "self" | "total" | "name") => Array.from(ordered(graph.functions, sums, order, null), (name) => graph.functions[name]);
		expect(sums.total[graph.functions.indexOf("a")]).toBe(10);
		expect(names("self")).toEqual(["c", "a", "b"]);
		expect(names("total")).toEqual(["a", "c", "b"]);
		expect(names("name")).toEqual(["a", "b", "c"]);
		expect(widestFrame(graph, graph.tree, graph.functions.indexOf("a"))).toBe(1);
	});
});

describe("a sandwich", () => {
	it("has callers and callees of a function", () => {
		const graph = graphOf(FOLDED);
		const made = sandwich(graph, graph.tree, graph.functions.indexOf("malloc"))!;
		expect(drawn(graph, made.callers)).toEqual(["malloc 0/30", " parse 0/10", "  main 10/10", " work 0/20", "  main 20/20"]);
		expect(drawn(graph, made.callees)).toEqual(["malloc 10/30", " brk 20/20"]);
		expect(sandwich(graph, graph.tree, -1)).toBeNull();
	});

	it("counts what calls itself once", () => {
		const graph = graphOf("a;b;a;c 3\na 2");
		const made = sandwich(graph, graph.tree, graph.functions.indexOf("a"))!;
		expect(made.callers.total[0]).toBe(5);
		expect(drawn(graph, made.callees)).toEqual(["a 2/5", " b 0/3", "  a 0/3", "   c 3/3"]);
	});
});

describe("frames of another tree", () => {
	const before = graphOf(FOLDED);
	const after = graphOf(`${FOLDED}\nmain;early 7\nother 3`);

	it("are found by their path", () => {
		const same = matchTrees(before, before.tree, after, after.tree);
		const pairs = Array.from(same, (was, now) => [nameIn(after, after.tree, now), was < 0 ? null : nameIn(before, before.tree, was)]);
		expect(pairs.filter(([name]) => name === "early" || name === "other").every(([, was]) => was === null)).toBe(true);
		expect(pairs.filter(([, was]) => was !== null).every(([now, was]) => now === was)).toBe(true);
		expect(pairs.filter(([, was]) => was === null)).toHaveLength(2);
	});

	it("have keys that hold when the tree grows", () => {
		const sort = Array.from(before.tree.face).findIndex((_, i) => nameIn(before, before.tree, i) === "sort");
		const key = pathKeys(before, before.tree)[sort]!;
		expect(nameIn(after, after.tree, frameOfKey(after, after.tree, key))).toBe("sort");
		expect(frameOfKey(after, after.tree, 12345)).toBe(0);
		expect(new Set(pathKeys(after, after.tree)).size).toBe(after.tree.length);
	});

	it("move from the old widths to the new ones without a gap", () => {
		const same = matchTrees(before, before.tree, after, after.tree);
		const widths = Float64Array.from(same, (was) => (was < 0 ? 0 : before.tree.total[was]!));
		const blend = new Blend(after.tree, widths);
		expect(blend.tree.total[0]).toBe(100);
		for (const part of [0, 0.3, 1]) {
			blend.at(part);
			const { tree } = blend;
			for (let i = 1; i < tree.length; i++) {
				const parent = tree.parent[i]!;
				expect(tree.start[i]!).toBeGreaterThanOrEqual(tree.start[parent]! - 1e-9);
				expect(tree.start[i]! + tree.total[i]!).toBeLessThanOrEqual(tree.start[parent]! + tree.total[parent]! + 1e-9);
			}
		}
		expect(Array.from(blend.tree.start)).toEqual(Array.from(after.tree.start));
	});
});

describe("names in little room", () => {
	it.each([
		["std::vector<int, std::allocator<int>>::push_back(int&&)", 30, "std::vector<…>::push_back(…)"],
		["ns::inner::function(unsigned long)", 14, "function(…)"],
		["plain_c_function", 10, "plain_c_f…"],
		["operator<(A, B)", 12, "operator<(…)"],
		["a::b::Klass<int>::method(unsigned long)", 21, "Klass<…>::method(…)"],
		["void std::sort<int*, main::{lambda(int)#1}>(int*, int*)", 16, "std::sort<…>(…)"],
		["void std::sort<int*, main::{lambda(int)#1}>(int*, int*)", 8, "sort<…>"],
		["(anonymous namespace)::helper(int, char)", 14, "helper(…)"],
		["main::{lambda(int, int)#1}::operator()(int, int) const", 30, "operator()(…) const"],
		["std::function<void (int)>::operator()(int) const", 14, "operator()"],
		["main::{lambda(int)#1}::operator()", 8, "operato…"],
		["ns::Thing::operator new(unsigned long)", 16, "operator new(…)"],
		["<alloc::vec::Vec<T> as core::Drop>::drop", 12, "<…>::drop"],
		["JS:*hashWords /srv/app/lib/work.js:1:19", 30, "JS:*hashWords work.js:1:19"],
		["JS:*hashWords /srv/app/lib/work.js:1:19", 24, "hashWords work.js:1:19"],
		["JS:*hashWords /srv/app/lib/work.js:1:19", 12, "hashWords"],
		["JS:~ file:///srv/app/work.js:2:94", 14, "work.js:2:94"],
		["py::Parser.read:/srv/app/parse.py", 22, "Parser.read:parse.py"],
		["py::Parser.read:/srv/app/parse.py", 12, "Parser.read"],
		["[not shown]", 8, "[not sh…"],
		["github.com/json-iterator/go.(*Iterator).ReadString", 30, "go.(*Iterator).ReadString"],
		["github.com/json-iterator/go.(*Iterator).ReadString", 24, "(*Iterator).ReadString"],
		["runtime/pprof.(*profileBuilder).appendLocs", 12, "appendLocs"],
		["github.com/a/b.(*T[github.com/c/d.R]).M", 28, "b.(*T[github.com/c/d.R]).M"],
		["k8s.io/client-go/tools/cache.NewStore.func1", 20, "cache.NewStore.func1"],
	])("%s in %i is %s", (name, room, label) => expect(labelIn(name, room)).toBe(label));
});

describe("a graph without its narrowest frames", () => {
	it("lacks some where they would be seen in a zoom", () => {
		const graph = graphOf("main;work;sort 5000\nmain;work;[not shown] 3\nmain;parse;read 4000\nmain;parse;[not shown] 1");
		const key = (name: string) => pathKeys(graph, graph.tree)[widestFrame(graph, graph.tree, graph.functions.indexOf(name))]!;
		expect(["work", "sort", "parse", "main"].map((name) => lacksFrames(graph, key(name)))).toEqual([true, false, false, true]);
		expect(lacksFrames(graph, 12345)).toBe(false);
	});
});

describe("colours", () => {
	it.each([["all", 47866152], ["mas_walk", 2743302], ["do_syscall_64", 144129482]])("%s has the shade that src/render gives it", (name, shade) =>
		expect(shadeOf(name)).toBe(shade));

	it("have a word for each kind but groups", () => expect(LOOK.kinds.filter(({ label }) => label)).toHaveLength(6));
});
