// SPDX-License-Identifier: Apache-2.0
// A function with its callers above it and its callees below.

import { useMemo, useState } from "preact/hooks";
import type { Subject } from "../../flame/card";
import { sandwich } from "../../flame/sandwich";
import { sumFunctions } from "../../flame/functions";
import type { Tree } from "../../flame/tree";
import { Shown } from "../../flame/view";
import { LOOK } from "../../flame/look";
import { amount, percent } from "../../flame/words";
import { Picture } from "./picture";

interface SandwichProps {
	shown: Shown; // the whole graph; its tree from the roots on
	name: string;
	hits: Uint8Array | null;
	onName: (name: number) => void; // a frame was chosen
	onClose: () => void;
}

interface HalfProps {
	shown: Shown;
	whole: Tree;
	hits: Uint8Array | null;
	label: string;
	callers: boolean;
	onName: (name: number) => void;
}

function Half({ shown, whole, hits, label, callers, onName }: HalfProps) {
	const [place, setPlace] = useState({ tree: shown.tree, zoom: 0, chosen: -1 });
	const { zoom, chosen } = place.tree === shown.tree ? place : { zoom: 0, chosen: -1 };
	const { graph, tree } = shown;
	const subject = (frame: number): Subject =>
		({ graph, tree, look: LOOK, frame, zoomed: zoom, leafFirst: callers, whole: whole.total[0] });
	return (
		<Picture shown={shown} hits={hits} inverted={!callers} zoom={zoom} chosen={chosen} label={label} subject={subject}
			onChoose={(frame) => {
				setPlace({ tree, zoom: frame, chosen: frame });
				onName(graph.functionOf[tree.face[frame]!]!);
			}} />
	);
}

export function SandwichView({ shown, name, hits, onName, onClose }: SandwichProps) {
	const { graph, tree, colors } = shown;
	const id = graph.functions.indexOf(name);
	const made = useMemo(() => (id < 0 ? null : sandwich(graph, tree, id)), [graph, tree, id]);
	const sums = useMemo(() => sumFunctions(graph, tree), [graph, tree]);
	const callers = useMemo(() => made && { graph, tree: made.callers, colors }, [made, graph, colors]);
	const callees = useMemo(() => made && { graph, tree: made.callees, colors }, [made, graph, colors]);
	const whole = tree.total[0]!;
	const figure = (value: number) => `${amount(value, graph.unit)}, ${percent(value, whole)}`;
	return (
		<section class="flame-sandwich" aria-label={`Callers and callees of ${name}`}>
			<header>
				<p><b class="flame-name">{name}</b> {made && <span>total {figure(sums.total[id]!)} · self {figure(sums.self[id]!)}</span>}</p>
				<button type="button" onClick={onClose}>Back to the whole graph</button>
			</header>
			{callers && callees ? (
				<>
					<h2>Callers</h2>
					<Half shown={callers} whole={tree} hits={hits} label={`Callers of ${name}`} callers onName={onName} />
					<h2>Callees</h2>
					<Half shown={callees} whole={tree} hits={hits} label={`Callees of ${name}`} callers={false} onName={onName} />
				</>
			) : <p class="flame-empty">None of these samples is in {name}.</p>}
		</section>
	);
}
