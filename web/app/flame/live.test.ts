// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { LiveTree, TreeGrowth } from "../../flame/live";
import { pathKeys } from "../../flame/match";
import { nameIn } from "./model";

const GROUP = 6;

function growth(part: Partial<TreeGrowth>): TreeGrowth {
	return { first: 0, names: [], parents: [], name_ids: [], kinds: [], changed: [], self: [], counts: [], samples: 0, lost: 0, ...part };
}

function shown({ graph }: LiveTree): string[] {
	const { tree } = graph;
	return Array.from(tree.depth, (depth, i) => `${" ".repeat(depth)}${nameIn(graph, tree, i)} ${tree.samples[i]}:${tree.total[i]}`);
}

const first = growth({
	names: ["all", "prog", "zeta"], parents: [0, 0, 1], name_ids: [0, 1, 2], kinds: [GROUP, GROUP, 0],
	changed: [2], self: [3], counts: ["300"], samples: 3,
});

describe("a live tree", () => {
	it("grows, with siblings in the order of their names", () => {
		const tree = new LiveTree("cpu-clock");
		expect(tree.add(first)).toBe(true);
		expect(shown(tree)).toEqual(["all 0:300", " prog 0:300", "  zeta 3:300"]);
		expect(tree.add(growth({ first: 3, names: ["alpha"], parents: [1, 3], name_ids: [3, 2], kinds: [0, 0], changed: [2, 4], self: [4, 1], counts: [400, "100"], samples: 5, lost: 1 }))).toBe(true);
		expect(shown(tree)).toEqual(["all 0:500", " prog 0:500", "  alpha 0:100", "   zeta 1:100", "  zeta 4:400"]);
		expect([tree.samples, tree.lost, tree.graph.unit]).toEqual([5, 1, "ns"]);
	});

	it("keeps its graph, so that a view can go on with it", () => {
		const tree = new LiveTree("cycles");
		tree.add(first);
		const graph = tree.graph;
		tree.add(growth({ first: 3, changed: [2], self: [9], counts: [900] }));
		expect(tree.graph).toBe(graph);
		expect(graph.tree.total[0]).toBe(900);
	});

	it("refuses what does not go on from where it is", () => {
		const tree = new LiveTree("cycles");
		tree.add(first);
		expect(tree.add(growth({ first: 7, parents: [0], name_ids: [0], kinds: [0] }))).toBe(false);
		expect(shown(tree)).toHaveLength(3);
	});

	it("merges the threads of a program, and shows one where it is asked to", () => {
		const tree = new LiveTree("cycles");
		tree.add(growth({
			names: ["all", "a b", "a b-7/8", "f", "a b-7/9"], parents: [0, 0, 1, 2, 1, 4, 1], name_ids: [0, 1, 2, 3, 4, 3, 3],
			kinds: [GROUP, GROUP, GROUP, 0, GROUP, 0, 0], changed: [3, 5, 6], self: [3, 4, 5], counts: [30, 40, 50], samples: 12,
		}));
		expect(shown(tree)).toEqual(["all 0:120", " a b 0:120", "  f 12:120"]);
		expect(tree.threads).toEqual([{ comm: "a b", pid: "7", tid: "8", samples: 3 }, { comm: "a b", pid: "7", tid: "9", samples: 4 }]);
		tree.show("t9");
		expect(shown(tree)).toEqual(["all 0:40", " a b 0:40", "  f 4:40"]);
		tree.add(growth({ first: 7, names: ["g"], parents: [5, 3], name_ids: [5, 5], kinds: [0, 0], changed: [5, 7, 8], self: [6, 1, 2], counts: [60, 10, 20], samples: 17 }));
		expect(shown(tree)).toEqual(["all 0:70", " a b 0:70", "  f 6:70", "   g 1:10"]);
		tree.show("p7");
		expect(shown(tree)).toEqual(["all 0:120", " a b 0:120", "  f 9:120", "   g 3:30"]);
		tree.show("t77");
		expect(shown(tree)).toEqual(["all 0:0"]);
		tree.show("");
		expect(shown(tree)).toEqual(["all 0:170", " a b 0:170", "  f 14:170", "   g 3:30"]);
	});

	it("keeps the order of its frames, whatever comes", () => {
		const tree = new LiveTree("cycles");
		const names = ["all", "prog", "prog-1/1", "prog-1/2", ...Array.from({ length: 30 }, (_, i) => `f${(i * 7) % 30}`)];
		tree.add(growth({ names, parents: [0, 0, 1, 1], name_ids: [0, 1, 2, 3], kinds: [GROUP, GROUP, GROUP, GROUP] }));
		let seed = 7;
		const random = (below: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
		let before: number[] = [];
		for (let first = 4; first < 300; first++) {
			tree.add(growth({ first, parents: [2 + random(first - 2)], name_ids: [4 + random(30)], kinds: [0], changed: [first], self: [1 + random(9)], counts: [1] }));
			const now = Array.from(pathKeys(tree.graph, tree.graph.tree));
			const kept = now.filter((key) => before.includes(key));
			expect(kept).toEqual(before);
			before = now;
		}
	});
});
