// SPDX-License-Identifier: Apache-2.0
// A flame graph with everything that can be done to it; the Flame tab and the Time tab have one each.

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Subject, line } from "../../flame/card";
import { Colors, css } from "../../flame/color";
import type { Graph } from "../../flame/columns";
import { legendOf } from "../../flame/legend";
import { LOOK } from "../../flame/look";
import { frameOfKey, pathKeys } from "../../flame/match";
import type { Tree } from "../../flame/tree";
import type { Direction, FlameView } from "../../flame/view";
import { amount, percent } from "../../flame/words";
import { Chosen } from "./chosen";
import { Help } from "./help";
import { useKeys } from "./keys";
import { forwardTree, isGroup, isLeafFirst, nameIn, search, treeOf, widestFrame } from "./model";
import { Picture } from "./picture";
import { SandwichView } from "./sandwich";
import type { Change, FlameState } from "./state";
import { FunctionTable } from "./table";
import { Toolbar, Trail } from "./toolbar";

export interface PanelProps {
	graph: Graph;
	state: FlameState;
	change: (changes: Partial<FlameState>) => void;
	filters?: ComponentChildren; // what chooses the samples
	source: (graph: Graph, name: string) => ComponentChildren; // a link to a function's source
	busy?: boolean; // another graph is on its way
}

// Changes that can be taken back: those of the graph, not of its marks.
function useUndo({ state, change }: PanelProps) {
	const [past, setPast] = useState<Partial<FlameState>[]>([]);
	const { event, who, changes, zoom, inverted, sandwich } = state;
	return {
		can: past.length > 0,
		change: (next: Partial<FlameState>) => {
			setPast([...past.slice(-99), { event, who, changes, zoom, inverted, sandwich }]);
			change(next);
		},
		undo: () => {
			const before = past[past.length - 1];
			if (!before) return;
			setPast(past.slice(0, -1));
			change(before);
		},
	};
}

function useModel(graph: Graph, state: FlameState) {
	const { changes, palette } = state;
	const tree = useMemo(() => treeOf(graph, changes), [graph, graph.tree, changes]);
	const forward = useMemo(() => forwardTree(graph, tree, changes), [graph, tree, changes]);
	const colors = useMemo(() => new Colors(graph, LOOK, palette), [graph, graph.functionOf, palette]);
	const found = useMemo(() => search(graph, tree, state), [graph, tree, state.search, state.marked]);
	const shown = useMemo(() => ({ graph, tree, colors }), [graph, tree, colors]);
	const upright = useMemo(() => ({ graph, tree: forward, colors }), [graph, forward, colors]);
	const zoom = useMemo(() => frameOfKey(graph, tree, state.zoom), [graph, tree, state.zoom]);
	return { tree, forward, found, shown, upright, zoom };
}

function keyOf(graph: Graph, tree: Tree, frame: number): number {
	return frame < 0 ? -1 : pathKeys(graph, tree)[frame]!;
}

// How much of the samples a graph with less in it is.
function shownPart(graph: Graph, tree: Tree): string {
	const all = graph.tree.total[0] ?? 0;
	const now = tree.total[0] ?? 0;
	return now === all ? "" : ` · shown: ${amount(now, graph.unit)}, ${percent(now, all)}`;
}

function Legend({ graph, tree, state }: { graph: Graph; tree: Tree; state: FlameState }) {
	const keys = useMemo(() => legendOf(graph, tree, LOOK, state.palette), [graph, tree, state.palette]);
	return (
		<div class="flame-legend">
			{keys.map(({ color, text }) => <span key={text}>{color !== null && <i style={{ background: css(color) }} />}{text}</span>)}
		</div>
	);
}

export function FlamePanel(props: PanelProps) {
	const { graph, state } = props;
	const { tree, forward, found, shown, upright, zoom } = useModel(graph, state);
	const { change, undo, can } = useUndo(props);
	const [chosenKey, setChosenKey] = useState(-1);
	const [whole, setWhole] = useState(true);
	const [help, setHelp] = useState(false);
	const input = useRef<HTMLInputElement>(null);
	const view = useRef<FlameView | null>(null);
	const leafFirst = isLeafFirst(state.changes);
	const chosen = useMemo(() => (chosenKey < 0 ? -1 : chosenKey ? frameOfKey(graph, tree, chosenKey) || -1 : 0), [graph, tree, chosenKey]);
	const subject = (frame: number): Subject => ({ graph, tree, look: LOOK, frame, zoomed: zoom, leafFirst });

	const choose = (frame: number) => setChosenKey(keyOf(graph, tree, frame));
	const zoomTo = (frame: number) => keyOf(graph, tree, frame) !== state.zoom && change({ zoom: keyOf(graph, tree, frame) });
	const add = (made: Change) => change({ changes: [...state.changes, made], zoom: 0 });
	const toggle = (what: "collapse" | "reverse") => {
		const without = state.changes.filter((made) => made.what !== what);
		change({ changes: without.length < state.changes.length ? without : [...state.changes, { what }], zoom: 0 });
	};
	const focusOn = (what: "focus" | "hide") => {
		if (chosen <= 0 || (what === "hide" && isGroup(graph, tree, chosen))) return;
		setChosenKey(-1);
		add({ what, name: nameIn(graph, tree, chosen) });
	};
	const mark = (name: string) => props.change({ marked: state.marked === name ? "" : name });
	const chooseFunction = (name: number) => {
		if (state.sandwich) change({ sandwich: graph.functions[name]! });
		else mark(graph.functions[name]!);
		choose(widestFrame(graph, tree, name));
	};
	const sandwich = () => {
		if (state.sandwich) change({ sandwich: "" });
		else if (chosen > 0 && !isGroup(graph, tree, chosen)) change({ sandwich: nameIn(graph, tree, chosen) });
	};
	const escape = () => {
		input.current?.blur();
		if (state.search || state.marked) props.change({ search: "", marked: "" });
		else setChosenKey(-1);
		if (state.zoom) change({ zoom: 0 });
		else if (!whole) view.current?.zoomTo(0);
	};
	const arrow = (direction: Direction) => view.current && choose(view.current.neighbour(chosen, direction));
	const actions = {
		focus: () => focusOn("focus"),
		hide: () => focusOn("hide"),
		mark: () => chosen > 0 && mark(nameIn(graph, tree, chosen)),
		copy: () => chosen >= 0 && void navigator.clipboard?.writeText(nameIn(graph, tree, chosen)),
		sandwich,
		undo,
		reset: () => (state.zoom ? change({ zoom: 0 }) : view.current?.zoomTo(0)),
		icicle: () => change({ inverted: !state.inverted }),
		reverse: () => toggle("reverse"),
		collapse: () => toggle("collapse"),
		table: () => props.change({ table: !state.table }),
		help: () => setHelp(true),
		search: () => input.current?.focus(),
		enter: () => chosen >= 0 && zoomTo(chosen),
		escape,
		arrow,
	};
	// A hundred rows need not be compared for each zoom.
	const calls = useRef({ chooseFunction, change: props.change });
	calls.current = { chooseFunction, change: props.change };
	const table = useMemo(() => state.table && (
		<FunctionTable graph={graph} tree={forward} found={found.found} marked={state.marked} order={state.order}
			onOrder={(order) => calls.current.change({ order })} onChoose={(name) => calls.current.chooseFunction(name)} />
	), [graph, forward, found.found, state.marked, state.order, state.table]);
	useKeys(actions, state.inverted, !help);
	useEffect(() => void (state.sandwich && setWhole(true)), [state.sandwich]);

	const empty = !tree.total[0];
	return (
		<div class="flame" data-table={state.table ? "on" : "off"} aria-busy={props.busy ?? false}>
			<div class="flame-head">
				<div class="flame-find">
					<input ref={input} type="search" value={state.search} placeholder="Search functions (regular expression)" aria-label="Search functions by regular expression"
						autocomplete="off" spellcheck={false} aria-invalid={found.bad} onInput={(event) => props.change({ search: event.currentTarget.value, marked: "" })} />
					<output class="flame-matched">{found.bad ? "not a regular expression" : found.hits ? `matched: ${percent(found.share, 1)}` : ""}</output>
				</div>
				{props.filters}
			</div>
			<Toolbar state={state} actions={actions} canUndo={can} canReset={!whole || state.zoom > 0} onPalette={(palette) => props.change({ palette })} leafFirst={leafFirst} />
			<Trail changes={state.changes} onRemove={(at) => change({ changes: state.changes.filter((_, i) => i !== at), zoom: 0 })} />
			<p class="flame-subtitle">{graph.subtitle + shownPart(graph, tree)}</p>
			<div class="flame-main">
				<section class="flame-graph" aria-label="Flame graph">
					{empty ? (
						<p class="flame-empty">{state.changes.length ? "Nothing is left of the graph: undo the last change." : graph.empty}</p>
					) : state.sandwich ? (
						<SandwichView shown={upright} name={state.sandwich} hits={found.hits} onName={(name) => choose(widestFrame(graph, tree, name))} onClose={sandwich} />
					) : (
						<Picture shown={shown} hits={found.hits} inverted={state.inverted} zoom={zoom} chosen={chosen} minimap subject={subject}
							label="Flame graph: arrow keys move between frames, Enter zooms, Escape resets. The table beside it has the same figures."
							onChoose={(frame) => (choose(frame), zoomTo(frame))} onSeen={setWhole} hold={(made) => (view.current = made)} />
					)}
					<Chosen name={chosen < 0 ? "" : nameIn(graph, tree, chosen)} facts={chosen < 0 ? "" : line(subject(chosen))} root={chosen === 0} group={chosen >= 0 && isGroup(graph, tree, chosen)}
						actions={actions} source={chosen > 0 && !isGroup(graph, tree, chosen) ? props.source(graph, nameIn(graph, tree, chosen)) : null} />
				</section>
				{table}
			</div>
			<footer class="flame-foot">
				<Legend graph={graph} tree={forward} state={state} />
				<p>{graph.footer}</p>
			</footer>
			{help && <Help onClose={() => setHelp(false)} />}
		</div>
	);
}
