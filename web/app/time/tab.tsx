// SPDX-License-Identifier: Apache-2.0
// The Time tab of a run: when it happened, and the flame graph or chart of the time that is chosen.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useCut } from "../flame/cut";
import { type Answer, Asked, isReady, useEvents, useGraph, useThreads } from "../flame/data";
import { Filters } from "../flame/filters";
import { useLiveGraph } from "../flame/live";
import { FlamePanel } from "../flame/panel";
import type { TabProps } from "../flame/props";
import { useSize } from "../flame/size";
import { Source } from "../flame/source";
import { ALL, FlameState, filterOf, isPart } from "../flame/state";
import { Note, Refused, Waiting, asLive, useFlameState, useShown } from "../flame/tab";
import { after, since } from "../flame/times";
import { History, useHistory } from "../flame/undo";
import { useCounters } from "../run/data";
import { View } from "../run/view";
import { Chart } from "./chart";
import { Counters } from "./counters";
import { type HeatAnswer, Lanes, useChart, useHeat, useLanes, useLiveHeat } from "./data";
import { Heat, Range } from "./heat";
import { Heatmap } from "./heatmap";
import { LaneMap, inPlaces, whoOf } from "./lanes";
import { useLiveLanes } from "./live_lanes";
import { Line, counterLines, sampleLine } from "./lines";
import "./time.css";

const LANES: [Lanes, string][] = [["none", "Seconds"], ["cpu", "CPUs"], ["thread", "Threads"]];

const BELOW: ["graph" | "chart", string][] = [["graph", "Flame graph"], ["chart", "Flame chart"]];

interface ChoiceProps<T extends string> {
	label: string;
	all: [T, string][];
	value: T;
	why: string; // there is no choice yet; ""
	onChoose: (value: T) => void;
}

// Its place is kept while there is nothing to choose from.
function Choice<T extends string>({ label, all, value, why, onChoose }: ChoiceProps<T>) {
	return (
		<div class="time-choice" role="group" aria-label={label} title={why}>
			{all.map(([name, text]) => <button key={name} type="button" disabled={why !== ""} aria-pressed={name === value} onClick={() => onChoose(name)}>{text}</button>)}
		</div>
	);
}

const COUNTER_WIDTH = 1200;

// Counters of the recording, also while it goes on: then their columns grow, and the view tells of it.
// Of a range that is chosen they are asked for again, so that its means are of its own points.
function useLines({ run }: TabProps, heat: Heat | null, range: Range | null): { lines: Line[]; view: View } {
	const view = useMemo(() => new View(), []);
	const [start, setStart] = useState("");
	const offset = heat && start ? since(start, heat.start) / 1e9 : 0;
	const [from, to] = range ? [range[0] / 1e9 - offset, range[1] / 1e9 - offset] : [0, 0];
	const chosen = useMemo((): Range | null => (range && start ? [from, to] : null), [!range || !start, from, to]);
	const { counters, curves } = useCounters(run, view, chosen, heat && run.counted ? COUNTER_WIDTH : 0, false);
	useEffect(() => setStart(counters?.start_ns ?? ""), [counters?.start_ns]);
	useEffect(() => () => view.stop(), []);
	const lines = useMemo(() => {
		if (!heat) return [];
		return [sampleLine(heat), ...(curves ? counterLines(curves, since(counters!.start_ns, heat.start) / 1e9) : [])];
	}, [heat, curves, curves?.sources[0]?.length]);
	return { lines, view };
}

// The flame chart of the chosen thread, or of the busiest of what is chosen.
function ChartBelow({ tab, state }: { tab: TabProps; state: FlameState }) {
	const filter = filterOf(state);
	const busiest = useThreads(tab, filter).value?.rows[0]?.tid;
	const tid = state.who[0] === "t" ? Number(state.who.slice(1)) : busiest;
	const answer = useChart(tab, tid === undefined ? null : { event: filter["event"], from: filter["from"], to: filter["to"], tid });
	return <Chart answer={answer} />;
}

// The range that the address holds, since the heatmap's beginning.
function rangeIn(state: FlameState, heat: Heat): Range | null {
	if (!state.from && !state.to) return null;
	return [state.from ? since(state.from, heat.start) : 0, state.to ? since(state.to, heat.start) : heat.columns * 1e9];
}

interface GraphProps {
	tab: TabProps;
	state: FlameState;
	change: (changes: Partial<FlameState>) => void;
	history: History;
	live: Asked | null;
}

function GraphBelow({ tab, state, change, history, live }: GraphProps) {
	const graph = useGraph(tab, state);
	const cut = useCut(tab, state, graph.value);
	const shown = useShown(graph, live, tab.run.id);
	if (graph.refusal) return <Refused refusal={graph.refusal} onReset={() => change(ALL)} />;
	if (!shown) return <Waiting state={tab.run.state} />;
	return <FlamePanel asked={shown} cut={cut} state={state} change={change} history={history} busy={graph.busy} note={<Note tab={tab} part={isPart(state)} />} run={tab.run.id} ready={isReady(tab.run.state)} link={tab.link}
		source={(made, name) => <Source key={name} tab={tab} graph={made} name={name} state={state} />} />;
}

// Lanes, also at the end of a run in the order in which they came: whoever looks at one finds it where it was.
function useSteady(answer: Answer<HeatAnswer>, growing: HeatAnswer | null, of: string): HeatAnswer | null {
	const shown = useShown(answer, growing, of);
	const order = useRef({ of, places: new Map<string, number>() });
	if (order.current.of !== of) order.current = { of, places: new Map() };
	if (growing) order.current.places = new Map(growing.items?.map((lane, at) => [whoOf(lane), at]));
	return useMemo(() => shown && { ...shown, items: inPlaces(shown.items ?? [], order.current.places) }, [shown]);
}

const FEW_SECONDS = 3; // columns that say nothing yet: threads over time say more

export function TimeTab(props: TabProps) {
	const [box, { width }] = useSize();
	const [over] = useState(isReady(props.run.state)); // what is looked at while it goes on stays as it is
	const [short, setShort] = useState<boolean | null>(null); // null: not known yet
	const usual: Lanes = over && short ? "thread" : "none";
	const lanes = LANES.find(([name]) => name === props.params.get("lanes"))?.[0] ?? usual;
	const choose = (name: Lanes) => props.setParams({ lanes: name === usual ? null : name });
	return (
		<div class={`time-tab ${lanes === "none" ? "" : "time-laned"} ${over ? "" : "time-grown"}`} ref={box}>
			<Shown {...props} width={width} lanes={lanes} decided={!over || short !== null} over={over} onLanes={choose} onSeconds={(count) => setShort(count < FEW_SECONDS)} />
		</div>
	);
}

// What has come until now of a recording that goes on, of what is chosen.
function useGrowing(tab: TabProps, event: number, who: string, lanes: Lanes) {
	const all = useLiveHeat(tab, event);
	const apart = useLiveLanes(tab, event, lanes !== "none" || who !== "");
	return { heat: who ? apart && apart.heatOf(who) : all, lanes: lanes === "none" || !apart ? null : apart.lanesBy(lanes) };
}

interface ShownProps extends TabProps {
	width: number;
	lanes: Lanes;
	decided: boolean; // which lanes are the usual ones
	over: boolean; // from the beginning: all comes at once
	onLanes: (lanes: Lanes) => void;
	onSeconds: (count: number) => void; // how many there are
}

function Shown(props: ShownProps) {
	const { params, setParams, run, lanes } = props;
	const [state, change] = useFlameState(props, props.width);
	const history = useHistory(state, change);
	const chart = params.get("below") === "chart";
	const events = useEvents(props);
	const threads = useThreads(props, { event: state.event || undefined }).value;
	const answer = useHeat(props, filterOf(state));
	const live = useLiveGraph(props, state.event, state.who);
	const { heat: growing, lanes: growingLanes } = useGrowing(props, live?.event ?? 0, state.who, lanes);
	const heat = useShown(answer, growing, run.id);
	const asked = useLanes(props, state.event, lanes);
	const laned = { ...asked, value: useSteady(asked, growingLanes, `${run.id} ${lanes}`) };
	const { lines, view } = useLines(props, heat, heat && rangeIn(state, heat));
	useLayoutEffect(() => void (heat && props.onSeconds(heat.columns)), [heat?.columns]);
	// How high the lanes are is not known before they come: what is below them waits, and then stays where it is.
	const complete = props.decided && (lanes === "none" || !!laned.value || !!laned.refusal);
	const begun = useRef(false);
	begun.current ||= !!heat && (complete || !props.over);
	if (answer.refusal) return <Refused refusal={answer.refusal} onReset={() => change(ALL)} />;
	if (!heat || !begun.current) return <Waiting state={run.state} />;
	const later = isReady(run.state) ? "" : "Available when the run ends";
	const range = rangeIn(state, heat);
	const choose = (made: Range | null) => history.change(made ? { from: after(heat.start, made[0]), to: after(heat.start, made[1]), zoom: 0 } : { from: "", to: "" });
	const names = live?.events ?? events.value?.rows.filter(({ samples }) => samples > 0).map(({ event }) => event) ?? [];
	const inLanes = lanes !== "none" && laned.value?.items;
	const span = inLanes ? since(laned.value!.to_ns ?? laned.value!.end_ns, heat.start) / 1e9 : heat.columns;
	return (
		<>
			<div class="time-head flame">
				<Filters state={state} change={history.change} events={names} threads={live?.threads ?? threads} start={heat.start} />
				<Choice label="Rows of the map" all={LANES} value={lanes} why="" onChoose={props.onLanes} />
				<Choice label="Below the map" all={BELOW} value={chart && isReady(run.state) ? "chart" : "graph"} why={later} onChoose={(name) => setParams({ below: name === "chart" ? name : null })} />
			</div>
			<Counters lines={lines} span={span} range={range} onRange={choose} view={view} />
			{lanes === "none" ? <Heatmap heat={heat} range={range} busy={answer.busy} onRange={choose} />
				: laned.refusal ? <Refused refusal={laned.refusal} />
					: laned.value ? <LaneMap answer={laned.value} who={state.who} range={range} busy={laned.busy} fixed={live && lanes === "cpu" ? "Stacks of one CPU are available when the run ends" : ""} onRange={choose} onWho={(who) => history.change({ who, zoom: 0 })} />
						: <p class="flame-empty time-none time-coming" role="status">Loading…</p>}
			{chart && isReady(run.state) ? <ChartBelow tab={props} state={state} /> : <GraphBelow tab={props} state={state} change={change} history={history} live={asLive(live?.graph)} />}
		</>
	);
}
