// SPDX-License-Identifier: Apache-2.0
// A function with its callers above it and its callees below.

import { useMemo, useState } from "preact/hooks";
import type { Subject } from "../../flame/card";
import { Colors, Palette } from "../../flame/color";
import type { Graph } from "../../flame/columns";
import { sandwich } from "../../flame/sandwich";
import { findNames, sumFunctions } from "../../flame/functions";
import type { Tree } from "../../flame/tree";
import { LOOK } from "../../flame/look";
import { amount, percent } from "../../flame/words";
import type { Cut, Halves } from "./cut";
import { leftOut } from "./data";
import { Picture } from "./picture";

interface SandwichProps {
	graph: Graph; // the whole
	tree: Tree; // from the roots on
	cut: Cut | null; // what the server has of it, where the tree has not all frames
	name: string;
	palette: Palette;
	expression: RegExp | null; // what is highlighted
	onName: (name: string) => void; // a frame was chosen
	onClose: () => void;
}

interface HalfProps {
	graph: Graph;
	whole: number;
	palette: Palette;
	expression: RegExp | null;
	label: string;
	callers: boolean;
	onName: (name: string) => void;
}

function Half({ graph, whole, palette, expression, label, callers, onName }: HalfProps) {
	const { tree } = graph;
	const shown = useMemo(() => ({ graph, tree, colors: new Colors(graph, LOOK, palette) }), [graph, palette]);
	const hits = useMemo(() => expression && findNames(graph.functions, expression), [graph, expression]);
	const [place, setPlace] = useState({ tree, zoom: 0, chosen: -1 });
	const { zoom, chosen } = place.tree === tree ? place : { zoom: 0, chosen: -1 };
	const subject = (frame: number): Subject => ({ graph, tree, look: LOOK, frame, zoomed: zoom, leafFirst: callers, whole });
	return (
		<Picture shown={shown} hits={hits} inverted={!callers} zoom={zoom} chosen={chosen} label={label} subject={subject}
			onChoose={(frame) => {
				setPlace({ tree, zoom: frame, chosen: frame });
				onName(graph.functions[graph.functionOf[tree.face[frame]!]!]!);
			}} />
	);
}

interface Figures extends Halves {
	self: number;
	total: number;
}

// Of the frames that are here; null: none of them is the function's.
function halvesOf(graph: Graph, tree: Tree, name: string): Figures | null {
	const id = graph.functions.indexOf(name);
	const made = id < 0 ? null : sandwich(graph, tree, id);
	if (!made) return null;
	const { self, total } = sumFunctions(graph, tree);
	return { self: self[id]!, total: total[id]!, callers: { ...graph, tree: made.callers }, callees: { ...graph, tree: made.callees } };
}

// The same from the server, of all frames; undefined: it is on its way.
function askedHalves({ halves, totals }: Cut, name: string): Figures | null | undefined {
	if (!halves.value || !totals.value || halves.busy || totals.busy) return undefined;
	const { names, self } = totals.value;
	const total = halves.value.callees.tree.total[0]!;
	return total ? { ...halves.value, total, self: self.reduce((sum, own, at) => (names[at] === name ? sum + own : sum), 0) } : null;
}

export function SandwichView({ graph, tree, cut, name, palette, expression, onName, onClose }: SandwichProps) {
	const here = useMemo(() => (cut ? null : halvesOf(graph, tree, name)), [graph, tree, !cut, name]);
	const there = useMemo(() => cut && askedHalves(cut, name), [cut?.halves.value, cut?.totals.value, cut?.halves.busy, cut?.totals.busy, name]);
	const made = cut ? there : here;
	const whole = tree.total[0]!;
	const figure = (value: number) => `${amount(value, graph.unit)}, ${percent(value, whole)}`;
	const refusal = cut?.halves.refusal ?? cut?.totals.refusal;
	const half = { whole, palette, expression, onName };
	return (
		<section class="flame-sandwich" aria-label={`Callers and callees of ${name}`}>
			<header>
				<p><b class="flame-name">{name}</b> {made && <span>total {figure(made.total)} · self {figure(made.self)}</span>}</p>
				<button type="button" onClick={onClose}>Back to the whole graph</button>
			</header>
			{made ? (
				<>
					<h2>Callers</h2>
					<Half graph={made.callers} label={`Callers of ${name}`} callers {...half} />
					<p class="flame-dim">{cut && leftOut(made.callers)}</p>
					<h2>Callees</h2>
					<Half graph={made.callees} label={`Callees of ${name}`} callers={false} {...half} />
					<p class="flame-dim">{cut && leftOut(made.callees)}</p>
				</>
			) : <p class="flame-empty">{refusal ? refusal.message : made === undefined ? "Searching all frames…" : `No samples in ${name} here.`}</p>}
		</section>
	);
}
