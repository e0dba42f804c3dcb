// SPDX-License-Identifier: Apache-2.0
// What waits, of all sessions: the order is changed by dragging or with Alt and the arrow keys.
import { useState } from "preact/hooks";
import { api } from "../api/client";
import type { List, Queue, Run } from "../api/core";
import { useAction, useFetch, useSoon, useStream } from "../model/hooks";
import { grouped } from "../model/format";
import { runTitle } from "../model/runs";
import { Trouble } from "../widgets/trouble";

// Rows that are shown at first, and at most.
const FEW = 6;
const MANY = 100;

// Whom `run` is to stand before, when it moves by `step` places; undefined: it stays.
export function placeAfterStep(order: number[], run: number, step: number): number | null | undefined {
	const at = order.indexOf(run);
	const to = at + step;
	if (at < 0 || to < 0 || to >= order.length || !step) return undefined;
	return step < 0 ? order[to]! : (order[to + 1] ?? null);
}

interface Props {
	session: number;
	chosen: number;
	onChoose: (run: Run) => void; // of this session
}

export function QueueBox({ session, chosen, onChoose }: Props) {
	const queue = useFetch<List<Run> & Pick<Queue, "left_out">>("/queue");
	const waiting = (queue.data?.items ?? []).filter((run) => run.state === "queued");
	const count = waiting.length + (queue.data?.left_out ?? 0);
	const soon = useSoon(queue.reload, waiting.length > MANY ? 1500 : 120);
	const may = waiting.some((run) => run.may?.change);
	const [all, setAll] = useState(false);
	const [dragged, setDragged] = useState(0);
	const move = useAction((run: number, before: number | null) => api.post<unknown>(`/runs/${run}/move`, { before }).then(queue.reload));
	const cancel = useAction((run: number) => api.post(`/runs/${run}/cancel`));
	useStream(["queue"], soon);
	const shown = waiting.slice(0, all ? MANY : FEW);
	if (!waiting.length) return null;
	const order = waiting.map((run) => run.id);
	const onKey = (event: KeyboardEvent, run: Run) => {
		const step = run.may?.change && event.altKey ? { ArrowUp: -1, ArrowDown: 1 }[event.key] : undefined;
		const before = step ? placeAfterStep(order, run.id, step) : undefined;
		if (before === undefined) return;
		event.preventDefault();
		void move.run(run.id, before);
	};
	return (
		<section class="queue" aria-label="Queue">
			<h2>Queue {may && <small class="dim">drag to reorder, or Alt ↑ ↓</small>}</h2>
			<ol>
				{shown.map((run) => (
					<li
						key={run.id} draggable={!!run.may?.change} tabIndex={0} class={dragged === run.id ? "dragged" : run.id === chosen ? "chosen" : undefined} data-run={run.id} aria-label={`${run.place}. ${runTitle(run)}`}
						onKeyDown={(event) => onKey(event, run)}
						onDragStart={() => setDragged(run.id)}
						onDragEnd={() => setDragged(0)}
						onDragOver={(event) => dragged && event.preventDefault()}
						onDrop={(event) => {
							event.preventDefault();
							const down = order.indexOf(dragged) < order.indexOf(run.id);
							if (dragged && dragged !== run.id) void move.run(dragged, down ? (order[order.indexOf(run.id) + 1] ?? null) : run.id);
							setDragged(0);
						}}
					>
						{run.may?.change && <span class="grip" aria-hidden="true">⠿</span>}
						{run.session === session
							? <button type="button" class="link mono ellipsis" aria-current={run.id === chosen} title={runTitle(run)} onClick={() => onChoose(run)}>{runTitle(run)}</button>
							: <a class="link mono ellipsis" href={`/r/${run.id}`} title={runTitle(run)}>{runTitle(run)}</a>}
						{run.session !== session && <small class="dim">another session</small>}
						{run.may?.change && <button type="button" class="quiet" aria-label={`Cancel ${runTitle(run)}`} onClick={() => void cancel.run(run.id)}>Cancel</button>}
					</li>
				))}
			</ol>
			{count > shown.length && (
				all ? <p class="dim">{grouped(count - shown.length)} more are waiting.</p>
				: <button type="button" class="quiet" onClick={() => setAll(true)}>{grouped(count - shown.length)} more</button>
			)}
			<Trouble refusal={move.refusal ?? cancel.refusal} />
		</section>
	);
}
