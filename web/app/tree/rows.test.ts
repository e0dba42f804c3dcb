// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { pathKeys } from "../../flame/match";
import { graphOf } from "../flame/made";
import { nameIn } from "../flame/model";
import { callersOf, hotPath, readOpen, rowsOf, writeOpen } from "./rows";

const graph = graphOf("a;b;c 5\na;b;d 20\na;e 3\nf 2");
const { tree } = graph;
const names = (open: Set<number>) => rowsOf(graph, tree, open).map(({ frame, level, leaf }) => `${" ".repeat(level - 1)}${nameIn(graph, tree, frame)}${leaf ? "." : ""}`);
const keyOf = (name: string) => pathKeys(graph, tree)[Array.from({ length: tree.length }, (_, i) => i).find((i) => nameIn(graph, tree, i) === name)!]!;

test("the heaviest come first, and only what is open is there", () => {
	expect(names(new Set())).toEqual(["a", "f."]);
	expect(names(new Set([keyOf("a")]))).toEqual(["a", " b", " e.", "f."]);
	expect(names(new Set([keyOf("a"), keyOf("b")]))).toEqual(["a", " b", "  d.", "  c.", " e.", "f."]);
	expect(names(new Set([keyOf("b")]))).toEqual(["a", "f."]); // its caller is folded
});

test("the hot path ends where no callee has most of it", () => {
	expect(names(new Set(hotPath(graph, tree)))).toEqual(["a", " b", "  d.", "  c.", " e.", "f."]);
	const even = graphOf("a;b 1\na;c 1\na;d 1");
	expect(hotPath(even, even.tree).length).toBe(1);
});

test("what is open comes back from the address", () => {
	const open = new Set([1, 0xdeadbeef, 7]);
	expect(readOpen(writeOpen(open))).toEqual(open);
	expect(readOpen(writeOpen(new Set()))).toEqual(new Set());
	expect(readOpen(null)).toBe(null);
	expect(readOpen("zz.5.123456789.")).toEqual(new Set([5]));
	const deep = Array.from({ length: tree.length }, (_, i) => i).find((i) => nameIn(graph, tree, i) === "c")!;
	expect(callersOf(graph, tree, deep)).toEqual([keyOf("b"), keyOf("a")]);
});
