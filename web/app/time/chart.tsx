// SPDX-License-Identifier: Apache-2.0
// The flame chart of one thread: time from left to right, callers above what they call.

import { useMemo, useState } from "preact/hooks";
import { Subject } from "../../flame/card";
import { Colors } from "../../flame/color";
import { LOOK } from "../../flame/look";
import { grouped } from "../../flame/words";
import { Answer } from "../flame/data";
import { Picture } from "../flame/picture";
import { since } from "../flame/times";
import type { ChartAnswer } from "./data";
import { TimeAxis } from "./heatmap";
import { chartGraph } from "./spans";
import { Refused } from "../flame/tab";

function Drawn({ answer }: { answer: ChartAnswer }) {
	const graph = useMemo(() => chartGraph(answer), [answer]);
	const shown = useMemo(() => ({ graph, tree: graph.tree, colors: new Colors(graph, LOOK, "kind") }), [graph]);
	const whole = graph.tree.total[0]!;
	const [place, setPlace] = useState({ graph, frame: -1, seen: [0, whole] });
	const { frame, seen } = place.graph === graph ? place : { frame: -1, seen: [0, whole] };
	const from = since(answer.from_ns, answer.start_ns);
	const subject = (at: number): Subject => ({ graph, tree: graph.tree, look: LOOK, frame: at, zoomed: Math.max(0, frame), leafFirst: false });
	if (!whole) return <p class="flame-empty">{graph.empty}</p>;
	return (
		<>
			<TimeAxis span={(seen[1]! - seen[0]!) / 1e9} from={(from + seen[0]!) / 1e9} width={900} />
			<Picture shown={shown} hits={null} inverted still zoom={Math.max(0, frame)} chosen={frame} subject={subject}
				label={`Flame chart of ${answer.comm} ${answer.tid}: the flame graph has the same functions, and a table.`}
				onChoose={(at) => setPlace({ graph, frame: at, seen })}
				onSeen={(_, low, high) => (low !== seen[0] || high !== seen[1]) && setPlace({ graph, frame, seen: [low, high] })} />
			<p class="flame-dim">
				{answer.comm} {answer.tid}: {grouped(answer.samples)} samples. A frame is drawn from one sample to the next that has it too;
				what happened between samples is not known.{answer.down_sampled ? " There are more samples than pixels: choose a shorter time to see them all." : ""}
			</p>
		</>
	);
}

export function Chart({ answer }: { answer: Answer<ChartAnswer> }) {
	return (
		<section class="time-chart flame" aria-label="Flame chart">
			{answer.refusal ? <Refused refusal={answer.refusal} /> : answer.value ? <Drawn answer={answer.value} /> : <p class="flame-empty" role="status">Loading…</p>}
		</section>
	);
}
