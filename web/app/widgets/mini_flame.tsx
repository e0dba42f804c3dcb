// SPDX-License-Identifier: Apache-2.0
// A flame graph as a picture: no names, no hands; a link to the real one is around it.
import { useEffect, useRef, useState } from "preact/hooks";
import { Colors } from "../../flame/color";
import { type Graph, readGraph } from "../../flame/columns";
import { LOOK } from "../../flame/look";
import { paint } from "../../flame/paint";
import type { Tree } from "../../flame/tree";
import { api } from "../api/client";
import { count } from "../model/format";

const known = new Map<number, Promise<Graph | null>>();

// Of a run that is over: asked for once, and coarsely.
function graphOf(run: number): Promise<Graph | null> {
	if (!known.has(run)) known.set(run, api.text(`/runs/${run}/flame`, { least: 0.004 }).then(readGraph).catch(() => null));
	return known.get(run)!;
}

// The last level at which nearly everything is still one frame: what every stack begins with tells nothing.
function trunk({ levelAt, level, total, rows }: Tree): number {
	const wide = (depth: number) => level.subarray(levelAt[depth], levelAt[depth + 1]).some((frame) => total[frame]! >= 0.9 * total[0]!);
	let depth = 0;
	while (depth + 1 < rows && wide(depth + 1)) depth++;
	return depth;
}

interface Cut {
	foot: number; // rows that are not drawn, at the bottom
	top: number; // and above
}

function draw(canvas: HTMLCanvasElement, graph: Graph, labels: boolean): Cut {
	const { tree } = graph;
	const ratio = devicePixelRatio || 1;
	const { clientWidth: width, clientHeight: height } = canvas;
	const [least, most] = labels ? [18, 20] : [2, 6];
	const row = Math.max(least!, Math.min(most!, height / tree.rows));
	canvas.width = Math.round(width * ratio);
	canvas.height = Math.round(height * ratio);
	const context = canvas.getContext("2d", { willReadFrequently: true });
	if (!context || !width || !tree.total[0]) return { foot: 0, top: 0 };
	// Of a deep graph only what is above its trunk is shown, as far as there is room.
	const foot = Math.min(trunk(tree), Math.max(0, Math.ceil(tree.rows - height / row)));
	const y = (depth: number) => Math.round(height - (depth - foot + 1) * row);
	const area = { from: 0, to: tree.total[0], height, ratio, row: Math.ceil(row), gap: labels ? 1 : 0, y, labels };
	paint(context, area, { graph, tree, colors: new Colors(graph, LOOK, "kind"), hits: null, zoomed: 0 });
	return { foot, top: Math.max(0, tree.rows - foot - Math.floor(height / row + 0.01)) };
}

// The frames of which the rows that are left out consist: the widest of each.
function footNames({ tree, functions, functionOf }: Graph, rows: number): string[] {
	return Array.from({ length: rows }, (_, depth) => {
		const level = Array.from(tree.level.subarray(tree.levelAt[depth], tree.levelAt[depth + 1]));
		const widest = level.reduce((a, b) => (tree.total[b]! > tree.total[a]! ? b : a));
		return functions[functionOf[tree.face[widest]!]!]!;
	});
}

export function cutWords(foot: string[], top: number): string {
	const parts = [
		top ? `${count(top, "row")} at the top` : "",
		foot.length ? `${count(foot.length, "row")} at the bottom, where nearly all stacks begin: ${foot.join(" → ")}` : "",
	].filter(Boolean);
	return parts.length ? `Not shown: ${parts.join(", and ")}` : "";
}

// With labels it says what it does not show: a graph that begins in the middle would be taken for the whole.
export function MiniFlame({ run, labels = false, class: name }: { run: number; labels?: boolean; class: string }) {
	const canvas = useRef<HTMLCanvasElement>(null);
	const [cut, setCut] = useState({ foot: [] as string[], top: 0 });
	useEffect(() => {
		let graph: Graph | null = null;
		const show = () => {
			if (!graph || !canvas.current) return;
			const { foot, top } = draw(canvas.current, graph, labels);
			if (labels) setCut({ foot: footNames(graph, foot), top });
		};
		const observer = new ResizeObserver(show);
		observer.observe(canvas.current!);
		void graphOf(run).then((found) => {
			graph = found;
			show();
		});
		return () => observer.disconnect();
	}, [run]);
	const picture = <canvas ref={canvas} class={`mini-flame ${name}`} role="img" aria-label="Flame graph, small" />;
	if (!labels) return picture;
	const words = cutWords(cut.foot, cut.top);
	return (
		<>
			{picture}
			<p class="mini-foot dim ellipsis" title={words}>{words}</p>
		</>
	);
}
