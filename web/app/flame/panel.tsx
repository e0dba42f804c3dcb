// SPDX-License-Identifier: Apache-2.0
// A flame graph with everything that can be done to it; the Flame tab and the Time tab have one each.

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Subject, line } from "../../flame/card";
import { Colors, css } from "../../flame/color";
import type { Graph } from "../../flame/columns";
import { legendOf } from "../../flame/legend";
import { LOOK } from "../../flame/look";
import { frameOfKey } from "../../flame/match";
import { regular } from "../../flame/search";
import type { Tree } from "../../flame/tree";
import type { FlameView } from "../../flame/view";
import { amount, percent } from "../../flame/words";
import type { MenuItem } from "../widgets/menu";
import { type Actions, actionsOf, copyName } from "./actions";
import { Chosen } from "./chosen";
import type { Cut } from "./cut";
import { Asked, leftOut } from "./data";
import { Help } from "./help";
import { useKeys } from "./keys";
import { FunctionMenu, functionItems, type MenuPlace, rowItems } from "./menu";
import { Found, escaped, expressionOf, isGroup, isLeafFirst, isNamed, nameIn, search, treesOf, widestFrame } from "./model";
import { Picture } from "./picture";
import { SaveView } from "./save";
import { SandwichView } from "./sandwich";
import { ALL, FlameState } from "./state";
import type { History } from "./undo";
import { FunctionTable } from "./table";
import { CaseSwitch, Toolbar, Trail } from "./toolbar";

export interface PanelProps {
	asked: Pick<Asked, "graph" | "changes">;
	cut: Cut | null; // what the server has of a graph that has not all frames
	state: FlameState;
	change: (changes: Partial<FlameState>) => void; // what undo does not take back
	history: History; // what it does
	filters?: ComponentChildren; // what chooses the samples
	source: (graph: Graph, name: string) => ComponentChildren; // a link to a function's source
	note?: ComponentChildren; // what to know of the samples
	busy?: boolean; // another graph is on its way
	run: number;
	ready: boolean; // it is over, and can be downloaded
	link: (tab: string, query: Record<string, string>) => string; // of another tab
}

function useModel({ graph, changes: made }: PanelProps["asked"], state: FlameState) {
	const { changes, palette } = state;
	const { tree, forward } = useMemo(() => treesOf(graph, made, changes), [graph, graph.tree, made ?? changes]);
	const colors = useMemo(() => new Colors(graph, LOOK, palette), [graph, graph.functionOf, palette]);
	const found = useMemo(() => search(graph, tree, state), [graph, tree, state.search, state.exact, state.marked]);
	const shown = useMemo(() => ({ graph, tree, colors }), [graph, tree, colors]);
	const zoom = useMemo(() => frameOfKey(graph, tree, state.zoom), [graph, tree, state.zoom]);
	const hit = useMemo(() => (found.hits ? regular(expressionOf(state)) : null), [!found.hits, state.search, state.exact, state.marked]);
	return { tree, forward, found, shown, zoom, hit };
}

// How much of the samples a graph with less in it is.
function shownPart(graph: Graph, tree: Tree): string {
	const all = (graph.tree.total[0] ?? 0) + (graph.outside ?? 0);
	const now = tree.total[0] ?? 0;
	return now === all ? "" : ` · shown: ${amount(now, graph.unit)}, ${percent(now, all)}`;
}

export function Legend({ graph, tree, palette }: { graph: Graph; tree: Tree; palette: FlameState["palette"] }) {
	const keys = useMemo(() => legendOf(graph, tree, LOOK, palette), [graph, tree, palette]);
	return (
		<span class="flame-legend">
			{keys.map(({ color, text }) => <span key={text}>{color !== null && <i style={{ background: css(color) }} />}{text}</span>)}
		</span>
	);
}

interface FindProps {
	state: FlameState;
	found: Found;
	cut: Cut | null;
	input: { current: HTMLInputElement | null };
	change: PanelProps["change"];
}

// Of all samples, whatever frames are here.
function matchedWords(found: Found, cut: Cut | null): string {
	if (found.bad) return "not a regular expression";
	if (!found.hits) return "";
	if (cut?.share.refusal) return cut.share.refusal.message;
	if (cut && (cut.share.busy || cut.share.value === null)) return "matched: …";
	return `matched: ${percent(cut?.share.value ?? found.share, 1)}`;
}

function Find({ state, found, input, change }: Omit<FindProps, "cut">) {
	return (
		<div class="flame-find">
			<input ref={input} type="search" value={state.search} autocomplete="off" spellcheck={false} aria-invalid={found.bad}
				placeholder="Search ( / )" title="Functions, by a regular expression" aria-label="Search functions by regular expression"
				onInput={(event) => change({ search: event.currentTarget.value, marked: "" })} />
			<CaseSwitch exact={state.exact} change={change} />
		</div>
	);
}

// What the search finds, and what can be done with it.
function Matched({ state, found, cut, actions }: Pick<FindProps, "state" | "found" | "cut"> & { actions: Actions }) {
	return (
		<span class="flame-match">
			<output class="flame-matched">{matchedWords(found, cut)}</output>
			{state.search && !found.bad && (
				<>
					<button type="button" title="Show only stacks with a matching function, callers included (O)" onClick={actions.only}>Only these</button>
					<button type="button" title="Remove all stacks with a matching function (X)" onClick={actions.without}>Without these</button>
				</>
			)}
		</span>
	);
}

// The chosen frame by its path: it stays chosen in a tree that grows. In another tree its function's widest frame takes
// its place, so that something is chosen after focus, hide and undo.
function useChosen(graph: Graph, tree: Tree): [number, (key: number) => void] {
	const [{ key, name }, set] = useState({ key: -1, name: "" });
	const frame = useMemo(() => {
		const same = key > 0 ? frameOfKey(graph, tree, key) : 0;
		return same || (key > 0 && name ? widestFrame(graph, tree, graph.functions.indexOf(name)) : Math.min(key, 0));
	}, [graph, tree, key, name]);
	const choose = (key: number) => set({ key, name: key > 0 ? nameIn(graph, tree, frameOfKey(graph, tree, key)) : "" });
	return [frame, choose];
}

// Why there is nothing to draw, and what brings something back.
function Nothing({ graph, state, history }: { graph: Graph; state: FlameState; history: History }) {
	const { from, to, who, event, changes } = state;
	const less = changes.slice(0, -1);
	if (changes.length && (graph.tree.total[0] || graph.outside))
		return (
			<div class="flame-empty">
				<p>Focus and hide leave no stacks.</p>
				<button type="button" onClick={() => history.change({ changes: less, zoom: 0 })}>Undo the last one</button>
			</div>
		);
	const filters = [from || to ? "this time" : "", who ? "this thread, process or CPU" : "", event ? `the event ${event}` : ""].filter(Boolean);
	return (
		<div class="flame-empty">
			<p>{filters.length ? `No samples for ${filters.join(" and ")}.` : graph.empty}</p>
			{filters.length > 0 && <button type="button" onClick={() => history.change(ALL)}>Show all samples</button>}
		</div>
	);
}

// Where else a function is shown, of a run that is over.
function elsewhere({ ready, link }: PanelProps, name: string): MenuItem[] {
	if (!ready) return [];
	return [{ label: "In the call tree", href: link("calltree", { search: `^${escaped(name)}$` }) }, { label: "In the functions", href: link("functions", { function: name }) }];
}

const LABEL = "Flame graph: arrow keys move between frames, Enter zooms, Escape resets. The table beside it has the same numbers.";

export function FlamePanel(props: PanelProps) {
	const { state, cut } = props;
	const { graph, changes: made } = props.asked;
	const { tree, forward, found, shown, zoom, hit } = useModel(props.asked, state);
	const { change, undo, can } = props.history;
	const [chosen, choose] = useChosen(graph, tree);
	const [whole, setWhole] = useState(true);
	const [help, setHelp] = useState(false);
	const input = useRef<HTMLInputElement>(null);
	const view = useRef<FlameView | null>(null);
	const leafFirst = isLeafFirst(made ?? state.changes);
	const subject = (frame: number): Subject => ({ graph, tree, look: LOOK, frame, zoomed: zoom, leafFirst });
	const actions = actionsOf({
		graph, tree, state, chosen, choose, change, undo, mark: props.change, help: () => setHelp(true),
		get view() { return view.current; },
		get input() { return input.current; },
	});
	const calls = useRef({ actions, mark: props.change });
	calls.current = { actions, mark: props.change };
	const [row, setRow] = useState<MenuPlace | null>(null); // of the table: a function, wherever its frames are
	// A hundred rows need not be compared for each zoom.
	const table = useMemo(() => state.table && (
		<FunctionTable graph={graph} tree={forward} totals={cut?.totals ?? null} expression={found.expression} marked={state.marked} order={state.order}
			onOrder={(order) => calls.current.mark({ order })} onChoose={(name) => calls.current.actions.pick(name)} onMenu={setRow} />
	), [graph, forward, cut?.totals.value, cut?.totals.refusal, !cut, found.expression, state.marked, state.order, state.table]);
	const [menu, setMenu] = useState<(MenuPlace & { group: boolean }) | null>(null);
	const openMenu = (frame: number, x: number, y: number) => {
		if (!isNamed(graph, tree, frame)) return;
		actions.choose(frame);
		setMenu({ name: nameIn(graph, tree, frame), group: isGroup(graph, tree, frame), x, y });
	};
	useKeys(actions, state.inverted, !help);
	useEffect(() => void (state.sandwich && setWhole(true)), [state.sandwich]);

	const name = chosen < 0 ? "" : nameIn(graph, tree, chosen);
	const group = chosen >= 0 && isGroup(graph, tree, chosen);
	return (
		<div class="flame" data-table={state.table ? "on" : "off"} aria-busy={[props, cut?.totals, cut?.share, cut?.halves].some((one) => one?.busy)}>
			<Toolbar state={state} actions={actions} canUndo={can} canReset={!whole || state.zoom > 0} leafFirst={isLeafFirst(state.changes)}
				find={<Find state={state} found={found} input={input} change={props.change} />} filters={props.filters}
				save={props.ready ? <SaveView run={props.run} state={state} graph={graph} tree={tree} /> : <span class="menu"><button type="button" disabled title="Available when the run ends">Save</button></span>}
				onPalette={(palette) => props.change({ palette })} />
			<Trail changes={state.changes} onRemove={actions.takeBack} />
			<p class="flame-subtitle">
				<span>{graph.subtitle + shownPart(graph, tree)}</span>
				<Matched state={state} found={found} cut={cut} actions={actions} />
				{props.note}
				<Legend graph={graph} tree={forward} palette={state.palette} />
			</p>
			<div class="flame-main">
				<section class="flame-graph" aria-label="Flame graph">
					{!tree.total[0] ? <Nothing graph={graph} state={state} history={props.history} /> : state.sandwich ? (
						<SandwichView graph={graph} tree={forward} cut={cut} name={state.sandwich} palette={state.palette} expression={hit} onName={actions.show} onClose={actions.sandwich} />
					) : (
						<Picture shown={shown} hits={found.hits} inverted={state.inverted} zoom={zoom} chosen={chosen} minimap way={leafFirst ? "leaf" : "root"} subject={subject}
							label={LABEL} onChoose={actions.click} onMenu={openMenu} onSeen={setWhole} hold={(made) => (view.current = made)} />
					)}
					<Chosen name={name} facts={name && line(subject(chosen))} root={!isNamed(graph, tree, chosen)} group={group || !isNamed(graph, tree, chosen)} actions={actions}
						source={isNamed(graph, tree, chosen) && !group ? props.source(graph, name) : null} />
				</section>
				{table}
			</div>
			<footer class="flame-foot"><p>{[graph.footer, !state.sandwich && leftOut(graph), !state.sandwich && graph.hidden ? "Zoom in to see them." : ""].filter(Boolean).join(" ")}</p></footer>
			{menu && <FunctionMenu place={menu} onClose={() => setMenu(null)} items={functionItems({
				zoom: actions.enter, change: actions.change, around: actions.sandwich, mark: actions.mark, find: () => actions.find(menu.name), copy: actions.copy,
				others: elsewhere(props, menu.name),
			}, menu.group)} />}
			{row && <FunctionMenu place={row} onClose={() => setRow(null)} items={rowItems({
				change: (what) => change({ changes: [...state.changes, { what, name: row.name }], zoom: 0 }), around: () => change({ sandwich: row.name }),
				mark: () => props.change({ marked: state.marked === row.name ? "" : row.name }), find: () => actions.find(row.name), copy: () => void copyName(row.name), others: elsewhere(props, row.name),
			})} />}
			{help && <Help onClose={() => setHelp(false)} />}
		</div>
	);
}
