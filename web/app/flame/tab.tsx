// SPDX-License-Identifier: Apache-2.0
// The Flame tab of a run.

import { useMemo, useRef } from "preact/hooks";
import type { Graph } from "../../flame/columns";
import { useCut } from "./cut";
import { Answer, Asked, isLive, isReady, useEvents, useGraph, useThreads } from "./data";
import { Filters } from "./filters";
import { useLiveGraph } from "./live";
import { FlamePanel } from "./panel";
import type { Refusal, TabProps } from "./props";
import { useNote } from "./quality";
import { useSize } from "./size";
import { Source } from "./source";
import { ALL, FlameState, STANDARD, isPart, readState, writeState } from "./state";
import { useHistory } from "./undo";
import "./flame.css";

const NARROW = 700; // pixels; flame.css has the same

// The view in the address. What is changed within one turn of events adds up. Where there is no room beside
// the graph its table comes on request.
export function useFlameState({ params, setParams }: TabProps, width: number): [FlameState, (changes: Partial<FlameState>) => void] {
	const standard = useMemo(() => ({ ...STANDARD, table: !width || width > NARROW }), [width > NARROW, !width]);
	const asked = params.toString();
	const kept = useRef<{ asked: string; standard: FlameState; state: FlameState } | null>(null);
	if (kept.current?.asked !== asked || kept.current.standard !== standard) kept.current = { asked, standard, state: readState(params, standard) };
	const change = (changes: Partial<FlameState>) => {
		kept.current!.state = { ...kept.current!.state, ...changes };
		setParams(writeState(kept.current!.state, standard));
	};
	return [kept.current.state, change];
}

// What the API refused, with a way back: most often the address asks for what is not there.
export function Refused({ refusal, onReset }: { refusal: Refusal; onReset?: (() => void) | undefined }) {
	return (
		<div class="flame flame-empty" role="alert">
			<p>{refusal.message}{refusal.remedy ? `: ${refusal.remedy}` : ""}</p>
			{onReset && <button type="button" onClick={onReset}>Show all samples</button>}
		</div>
	);
}

export function Waiting({ state }: { state: string }) {
	const text = state === "processing" ? "Reading the recording; the graph appears in a moment."
		: isReady(state) ? "Loading the graph…" : isLive(state) ? "Recording; waiting for the first samples…" : "The run is waiting in the queue.";
	return <p class="flame-empty" role="status">{text}</p>;
}

// What is wrong with the stacks, where something is, and where more of it is said.
export function Note({ tab, part }: { tab: TabProps; part: boolean }) {
	const all = useNote(tab);
	const text = all && part ? `Of the whole run: ${all}` : all;
	return text ? <a class="flame-note" href={tab.link("overview", {})} title={`${text} See the Overview for details.`}>⚠ {text}</a> : null;
}

// What is known of a finished run, or, until it is there, the last of the stream.
export function useShown<T>(answer: Answer<T>, live: T | null, of: number | string): T | null {
	const last = useRef<{ of: number | string; live: T } | null>(null);
	if (live) last.current = { of, live };
	return answer.value ?? live ?? (last.current?.of === of ? last.current.live : null);
}

// A graph of the stream has all its frames.
export function asLive(graph: Graph | undefined): Asked | null {
	return graph ? { graph, changes: null, query: {} } : null;
}

export function FlameTab(props: TabProps) {
	const [box, { width }] = useSize();
	return <div class="flame-tab" ref={box}><Shown {...props} width={width} /></div>;
}

function Shown(props: TabProps & { width: number }) {
	const { run } = props;
	const [state, change] = useFlameState(props, props.width);
	const events = useEvents(props);
	const threads = useThreads(props, { event: state.event || undefined });
	const history = useHistory(state, change);
	const answer = useGraph(props, state);
	const live = useLiveGraph(props, state.event, state.who);
	const asked = useShown(answer, asLive(live?.graph), run.id);
	const cut = useCut(props, state, answer.value);
	const names = live?.events ?? events.value?.rows.filter(({ samples }) => samples > 0).map(({ event }) => event) ?? [];
	if (answer.refusal) return <Refused refusal={answer.refusal} onReset={() => change(ALL)} />;
	if (!asked) return <Waiting state={run.state} />;
	return (
		<FlamePanel asked={asked} cut={cut} state={state} change={change} history={history} busy={answer.busy} note={<Note tab={props} part={isPart(state)} />} run={run.id} ready={isReady(run.state)} link={props.link}
			filters={<Filters state={state} change={history.change} events={names} threads={live?.threads ?? threads.value} start={asked.graph.start} />}
			source={(shown, name) => <Source key={name} tab={props} graph={shown} name={name} state={state} />} />
	);
}
