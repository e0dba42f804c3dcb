// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { frameAt } from "../../flame/tree";
import type { ChartAnswer } from "./data";
import { chartGraph } from "./spans";

const answer: ChartAnswer = {
	tid: 8, comm: "prog", start_ns: "1000", from_ns: "1100", to_ns: "2100", samples: 5, down_sampled: false,
	t: [700, 100, 100, 300], length: [200, 400, 200, 100], level: [0, 0, 1, 1], function: [0, 0, 1, 2], count: [1, 4, 2, 1],
	functions: [{ name: "main", object: "/bin/prog", kind: "user" }, { name: "read", object: "", kind: "kernel" }, { name: "odd", object: "", kind: "new" }],
};

describe("a flame chart", () => {
	const graph = chartGraph(answer);
	const { tree } = graph;
	const name = (frame: number) => graph.functions[graph.functionOf[tree.face[frame]!]!];

	it("has its frames at their times", () => {
		expect(Array.from(tree.face, (_, i) => `${tree.depth[i]} ${name(i)} ${tree.start[i]}+${tree.total[i]}`)).toEqual([
			"0 prog 8 0+1000", "1 main 0+400", "2 read 0+200", "2 odd 200+100", "1 main 600+200"]);
		expect([frameAt(tree, 1, 700), frameAt(tree, 1, 500), frameAt(tree, 2, 250)].map((i) => (i < 0 ? null : name(i)))).toEqual(["main", null, "odd"]);
	});

	it("has samples of its own and in all", () => {
		expect(Array.from(tree.totalSamples)).toEqual([5, 4, 2, 1, 1]);
		expect(Array.from(tree.samples)).toEqual([0, 1, 2, 1, 1]);
		expect(tree.self[1]).toBe(100);
	});

	it("draws unknown kinds as unknown, and nothing as nothing", () => {
		expect(graph.kindOf[2]).toBe(5);
		expect(chartGraph({ ...answer, t: [], length: [], level: [], function: [], count: [] }).tree.total[0]).toBe(0);
	});
});
