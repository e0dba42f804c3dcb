// SPDX-License-Identifier: Apache-2.0
// The flame chart of one thread: time from left to right, callers above what they call.

import { useMemo, useRef, useState } from "preact/hooks";
import { Subject, line, nameOf } from "../../flame/card";
import { Colors } from "../../flame/color";
import { LOOK } from "../../flame/look";
import type { FlameView } from "../../flame/view";
import { grouped } from "../../flame/words";
import { Answer } from "../flame/data";
import { directionOf } from "../flame/keys";
import { Legend } from "../flame/panel";
import { Picture } from "../flame/picture";
import { since } from "../flame/times";
import { AsTable } from "./as_table";
import type { ChartAnswer } from "./data";
import { TimeAxis } from "./heatmap";
import { chartGraph, longestSpans } from "./spans";
import { Refused } from "../flame/tab";

function Drawn({ answer }: { answer: ChartAnswer }) {
	const graph = useMemo(() => chartGraph(answer), [answer]);
	const shown = useMemo(() => ({ graph, tree: graph.tree, colors: new Colors(graph, LOOK, "kind") }), [graph]);
	const whole = graph.tree.total[0]!;
	const start = { graph, zoom: 0, chosen: -1, seen: [0, whole] };
	const [kept, setPlace] = useState(start);
	const place = kept.graph === graph ? kept : start;
	const { zoom, chosen, seen } = place;
	const view = useRef<FlameView | null>(null);
	const from = since(answer.from_ns, answer.start_ns);
	const subject = (frame: number): Subject => ({ graph, tree: graph.tree, look: LOOK, frame, zoomed: zoom, leafFirst: false });
	const press = (event: KeyboardEvent) => {
		const direction = directionOf(event.key, true);
		if (direction && view.current) setPlace({ ...place, chosen: view.current.neighbour(chosen, direction) });
		else if (event.key === "Enter" && chosen >= 0) setPlace({ ...place, zoom: chosen });
		else if (event.key === "Escape") setPlace({ ...place, zoom: 0, chosen: -1 });
		else return;
		event.preventDefault();
	};
	if (!whole) return <p class="flame-empty">{graph.empty}</p>;
	return (
		<div class="time-drawn" onKeyDown={press}>
			<TimeAxis span={(seen[1]! - seen[0]!) / 1e9} from={(from + seen[0]!) / 1e9} width={900} />
			<Picture shown={shown} hits={null} inverted still zoom={zoom} chosen={chosen} subject={subject} hold={(made) => (view.current = made)}
				label={`Flame chart of ${answer.comm} ${answer.tid}: arrow keys move between frames, Enter zooms, Escape resets. The table below has the longest.`}
				onChoose={(frame) => setPlace({ ...place, zoom: frame, chosen: frame })}
				onSeen={(_, low, high) => (low !== seen[0] || high !== seen[1]) && setPlace((before) => ({ ...(before.graph === graph ? before : start), seen: [low, high] }))} />
			<p role="status">{chosen >= 0 && <><b class="flame-name">{nameOf(subject(chosen))}</b> <span class="flame-dim">{line(subject(chosen))}</span></>}</p>
			<p class="flame-subtitle"><span>Colours are by function, inlined or not</span><Legend graph={graph} tree={graph.tree} palette="kind" /></p>
			<p class="flame-dim">
				{answer.comm} {answer.tid}: {grouped(answer.samples)} samples. A frame is drawn from one sample to the next that has it too;
				what happened between samples is not known.{answer.down_sampled ? " More samples than pixels: select a shorter time to see them all." : ""}
			</p>
			<SpanTable answer={answer} />
		</div>
	);
}

const MOST_SPANS = 100;

function SpanTable({ answer }: { answer: ChartAnswer }) {
	const time = (ns: number) => `${(ns / 1e9).toFixed(3)} s`;
	const heads = ["From", "Length", "Samples", "Depth", "Function"];
	return (
		<AsTable label="The longest spans" heads={heads} rows={() => longestSpans(answer, MOST_SPANS).map((row) => (
			<tr key={row}>
				<td>{time(answer.t[row]!)}</td>
				<td>{time(answer.length[row]!)}</td>
				<td>{grouped(answer.count[row]!)}</td>
				<td>{answer.level[row]! + 1}</td>
				<td>{answer.functions[answer.function[row]!]!.name}</td>
			</tr>
		))} />
	);
}

export function Chart({ answer }: { answer: Answer<ChartAnswer> }) {
	return (
		<section class="time-chart flame" aria-label="Flame chart">
			{answer.refusal ? <Refused refusal={answer.refusal} /> : answer.value ? <Drawn answer={answer.value} /> : <p class="flame-empty" role="status">Loading…</p>}
		</section>
	);
}
