// SPDX-License-Identifier: Apache-2.0
// A flame chart as a tree of frames that stand at their times, for the renderer of flame graphs.

import type { Graph } from "../../flame/columns";
import { LOOK, shadeOf } from "../../flame/look";
import { GROUP } from "../../flame/reshape";
import { makeTimeline, makeTree } from "../../flame/tree";
import { since } from "../flame/times";
import type { ChartAnswer } from "./data";

const UNKNOWN = 5;

// Callers before what they call, from left to right; a caller begins no later than what it calls.
function inOrder({ t, level }: ChartAnswer): number[] {
	return Array.from(t.keys()).sort((a, b) => t[a]! - t[b]! || level[a]! - level[b]!);
}

function kindOf(name: string): number {
	const kind = LOOK.kinds.findIndex((one) => one.name === name);
	return kind < 0 ? UNKNOWN : kind;
}

// Rows of the answer, the longest first, of equals the caller.
export function longestSpans({ length, level }: ChartAnswer, most: number): number[] {
	return Array.from(length.keys()).sort((a, b) => length[b]! - length[a]! || level[a]! - level[b]!).slice(0, most);
}

// Times in the tree are nanoseconds since the beginning of the range; its root is the thread.
export function chartGraph(answer: ChartAnswer): Graph {
	const from = since(answer.from_ns, answer.start_ns);
	const span = Math.max(1, since(answer.to_ns, answer.from_ns));
	const order = inOrder(answer);
	const count = order.length + 1;
	const root = answer.functions.length;
	const names = [...answer.functions.map(({ name }) => name), `${answer.comm} ${answer.tid}`];
	const objects = ["", ...new Set(answer.functions.map(({ object }) => object).filter(Boolean))];
	const frames = { depth: new Uint32Array(count), face: new Uint32Array(count), self: new Float64Array(count), samples: new Float64Array(count) };
	const start = new Float64Array(count);
	const total = new Float64Array(count);
	const path = [0];
	[frames.face[0], total[0], frames.self[0]] = [root, span, span];
	order.forEach((row, at) => {
		const i = at + 1;
		const depth = answer.level[row]! + 1;
		const begin = Math.max(0, answer.t[row]! - from);
		const end = Math.min(span, answer.t[row]! + answer.length[row]! - from);
		frames.depth[i] = depth;
		frames.face[i] = answer.function[row]!;
		start[i] = begin;
		total[i] = frames.self[i] = Math.max(0, end - begin);
		frames.samples[i] = answer.count[row]!;
		path.length = Math.min(path.length, depth);
		const parent = path[depth - 1] ?? 0;
		frames.self[parent]! -= total[i]!;
		if (parent) frames.samples[parent]! -= frames.samples[i]!;
		path[depth] = i;
	});
	const objectOf = [...answer.functions.map(({ object }) => Math.max(0, objects.indexOf(object))), 0];
	const kinds = [...answer.functions.map(({ kind }) => kindOf(kind)), GROUP];
	const grey = LOOK.kinds[UNKNOWN]!.color;
	return {
		event: "", unit: "ns", noun: "samples", subtitle: "", footer: "", empty: "This thread has no samples in that time.", start: answer.start_ns, hidden: 0, least: 0,
		functions: names,
		objects,
		places: [""],
		objectColors: objects.map(() => grey),
		objectOf: Uint32Array.from(objectOf),
		shadeOf: Uint32Array.from(names, shadeOf),
		placeOf: new Uint32Array(names.length),
		fixedOf: null,
		functionOf: Uint32Array.from(names.keys()),
		kindOf: Uint32Array.from(kinds),
		tree: order.length ? makeTimeline(frames, start, total) : makeTree({ ...frames, self: new Float64Array(1), samples: new Float64Array(1) }),
	};
}
