// SPDX-License-Identifier: Apache-2.0
// The lines of a function that the samples fall on.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Graph } from "../../flame/columns";
import { grouped } from "../../flame/words";
import { useAnswer } from "./data";
import type { TabProps } from "./props";
import { FlameState, filterOf } from "./state";

interface Lines {
	samples: number;
	rows: { place: string; samples: number; percent: number }[];
	left_out: number;
}

interface SourceProps {
	tab: TabProps;
	graph: Graph;
	name: string;
	state: FlameState;
}

function LineTable({ lines }: { lines: Lines }) {
	return (
		<>
			<table>
				<thead><tr><th scope="col">Samples</th><th scope="col">Share</th><th scope="col">Line</th></tr></thead>
				<tbody>
					{lines.rows.map(({ place, samples, percent }) => (
						<tr key={place}><td>{grouped(samples)}</td><td>{percent.toFixed(2)} %</td><td>{place}</td></tr>
					))}
				</tbody>
			</table>
			{lines.left_out > 0 && <p class="flame-dim">and {grouped(lines.left_out)} lines with fewer samples</p>}
		</>
	);
}

function Dialog({ tab, name, state, onClose }: SourceProps & { onClose: () => void }) {
	const dialog = useRef<HTMLDialogElement>(null);
	const query = { ...filterOf(state), function: name, limit: 200 };
	const { value, refusal } = useAnswer<Lines>((signal) => tab.api.json(`/runs/${tab.run.id}/lines`, query, signal), [name]);
	useEffect(() => dialog.current?.showModal(), []);
	return (
		<dialog class="flame-help flame-source" ref={dialog} aria-label={`Source lines of ${name}`} onClose={onClose}>
			<h2 class="flame-name">{name}</h2>
			<p class="flame-dim">Percentages are of all samples in the graph.</p>
			<div class="flame-lines" tabIndex={0} role="region" aria-label="Lines">
				{refusal ? <p role="alert">{refusal.message} {refusal.remedy}</p> : value ? <LineTable lines={value} /> : <p role="status">Reading…</p>}
			</div>
			<form method="dialog"><button>Close</button></form>
		</dialog>
	);
}

export function Source(props: SourceProps) {
	const { graph, name } = props;
	const [open, setOpen] = useState(false);
	const place = graph.places[graph.placeOf[graph.functions.indexOf(name)]!];
	return (
		<>
			<button type="button" disabled={!place} title={place ? `The hottest line is ${place}` : "No source lines: it has no debug information"}
				onClick={() => setOpen(true)}>Source</button>
			{open && <Dialog {...props} onClose={() => setOpen(false)} />}
		</>
	);
}
