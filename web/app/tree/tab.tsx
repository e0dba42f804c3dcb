// SPDX-License-Identifier: Apache-2.0
// The Call tree tab: who calls what with how much of the samples (top-down), or what they end in and who called that
// (bottom-up). Its figures are those of the flame graph; samples, changes and search are the same in both addresses.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Graph } from "../../flame/columns";
import { labelIn } from "../../flame/label";
import { frameOfKey, pathKeys } from "../../flame/match";
import { outright } from "../../flame/search";
import type { Tree } from "../../flame/tree";
import { amount, baseName, grouped, percent } from "../../flame/words";
import { copyName } from "../flame/actions";
import { type Asked, leftOut, useEvents, useGraph, useThreads } from "../flame/data";
import { Filters } from "../flame/filters";
import { FunctionMenu, functionItems, type MenuPlace } from "../flame/menu";
import { NOT_SHOWN, escaped, isGroup, isLeafFirst, nameIn, search, treesOf } from "../flame/model";
import type { TabProps } from "../flame/props";
import { SaveView } from "../flame/save";
import { useSize } from "../flame/size";
import { ALL, type FlameState, isPart, type Named } from "../flame/state";
import { Note, Refused, Waiting, useFlameState } from "../flame/tab";
import { CaseSwitch, Trail } from "../flame/toolbar";
import { type History, useHistory } from "../flame/undo";
import { go } from "../model/address";
import { count } from "../model/format";
import { type Row, callersOf, hotPath, readOpen, rowsOf, writeOpen } from "./rows";
import "../flame/flame.css";
import "./tree.css";

const ROW = 24; // pixels; tree.css has the same
const BEYOND = 12; // rows that are there before they are seen
const INDENT = 14;
const LETTER = 7.3;

export function CallTreeTab(props: TabProps) {
	const [state, change] = useFlameState(props, 1000);
	const history = useHistory(state, change);
	const events = useEvents(props);
	const threads = useThreads(props, { event: state.event || undefined });
	const answer = useGraph(props, state);
	if (answer.refusal) return <Refused refusal={answer.refusal} onReset={() => change(ALL)} />;
	if (!answer.value) return <Waiting state={props.run.state} />;
	const names = events.value?.rows.filter(({ samples }) => samples > 0).map(({ event }) => event) ?? [];
	return <CallTree tab={props} asked={answer.value} busy={answer.busy} state={state} change={change} history={history}
		filters={<Filters state={state} change={history.change} events={names} threads={threads.value} start={answer.value.graph.start} />} />;
}

interface TreeProps {
	tab: TabProps;
	asked: Asked;
	busy: boolean;
	state: FlameState;
	change: (changes: Partial<FlameState>) => void;
	history: History;
	filters: preact.ComponentChildren;
}

// Which rows are open and which one is chosen, in the address.
function usePlaces({ params, setParams }: TabProps, graph: Graph, tree: Tree) {
	const open = useMemo(() => readOpen(params.get("open")) ?? new Set(hotPath(graph, tree)), [params.get("open"), graph, tree]);
	const at = /^[0-9a-f]{1,8}$/.test(params.get("at") ?? "") ? parseInt(params.get("at")!, 16) : 0;
	const put = (now: ReadonlySet<number>, key = at) => setParams({ open: writeOpen(now), at: key ? key.toString(16) : null });
	return {
		open,
		frame: useMemo(() => frameOfKey(graph, tree, at), [graph, tree, at]),
		choose: (key: number) => setParams({ at: key.toString(16) }),
		set: (keys: number[], isOpen: boolean, key?: number) => {
			const now = new Set(open);
			for (const one of keys) isOpen ? now.add(one) : now.delete(one);
			put(now, key);
		},
		fold: () => put(new Set(), 0),
	};
}

// Matching frames, the heaviest first: the way from one to the next.
function matchesOf(graph: Graph, tree: Tree, hits: Uint8Array | null): number[] {
	const found: number[] = [];
	for (let i = 1; hits && i < tree.length; i++) if (hits[graph.functionOf[tree.face[i]!]!]) found.push(i);
	return found.sort((a, b) => tree.total[b]! - tree.total[a]! || a - b);
}

function CallTree({ tab, asked, busy, state, change, history, filters }: TreeProps) {
	const { graph } = asked;
	const { tree } = useMemo(() => treesOf(graph, asked.changes, state.changes), [graph, asked.changes ?? state.changes]);
	const found = useMemo(() => search(graph, tree, state), [graph, tree, state.search, state.exact, state.marked]);
	const matches = useMemo(() => matchesOf(graph, tree, found.hits), [graph, tree, found.hits]);
	const places = usePlaces(tab, graph, tree);
	const rows = useMemo(() => rowsOf(graph, tree, places.open), [graph, tree, places.open]);
	const keys = pathKeys(graph, tree);
	const input = useRef<HTMLInputElement>(null);
	const [menu, setMenu] = useState<(MenuPlace & { frame: number }) | null>(null);
	const bottomUp = isLeafFirst(state.changes);
	const turn = () => {
		const without = state.changes.filter((made) => made.what !== "reverse");
		tab.setParams({ open: null, at: null });
		history.change({ changes: bottomUp ? without : [...without, { what: "reverse" }], zoom: 0 });
	};
	const reveal = (frame: number) => frame && places.set(callersOf(graph, tree, frame), true, keys[frame]!);
	// A search that came with the address is shown at once.
	useEffect(() => {
		if (matches.length && !places.frame) reveal(matches[0]!);
	}, [matches]);
	const next = (step: number) => {
		if (!matches.length) return;
		const at = matches.indexOf(places.frame);
		reveal(matches[(at + step + matches.length) % matches.length]!);
	};
	const toggle = ({ frame, leaf, open }: Row) => {
		// What was left out of the graph comes with its caller.
		if (nameIn(graph, tree, frame) === NOT_SHOWN) change({ zoom: keys[tree.parent[frame]!]! });
		else if (!leaf) places.set([keys[frame]!], !open, keys[frame]!);
	};
	const changeBy = (what: Named, frame: number) => {
		const name = nameIn(graph, tree, frame);
		if (!frame || name === NOT_SHOWN || (what !== "focus" && isGroup(graph, tree, frame))) return;
		history.change({ changes: [...state.changes, { what, name }], zoom: 0 });
	};
	const act: TreeActions = { choose: places.choose, toggle, change: changeBy, next, copy: (frame) => void copyName(nameIn(graph, tree, frame)), undo: history.undo, turn, search: () => input.current?.focus(), hot: (frame) => places.set(hotPath(graph, tree, frame), true, keys[frame]!), menu: (frame, x, y) => setMenu({ frame, name: nameIn(graph, tree, frame), x, y }) };
	return (
		<div class="tree flame" aria-busy={busy}>
			<div class="flame-bar" role="toolbar" aria-label="Call tree">
				<div class="flame-find">
					<input ref={input} data-search type="search" value={state.search} autocomplete="off" spellcheck={false} aria-invalid={found.bad} placeholder="Search ( / )" title="Functions, by a regular expression" aria-label="Search functions by regular expression"
						onInput={(event) => change({ search: event.currentTarget.value, marked: "" })}
						onKeyDown={(event) => event.key === "Enter" ? next(event.shiftKey ? -1 : 1) : event.key === "Escape" && change({ search: "" })} />
					<CaseSwitch exact={state.exact} change={change} />
				</div>
				{filters}
				<span class="flame-grow" />
				<div class="segments" role="group" aria-label="Direction">
					<button type="button" aria-pressed={!bottomUp} title="From the outermost function to its callees" onClick={() => bottomUp && turn()}>Top-down</button>
					<button type="button" aria-pressed={bottomUp} title="From the innermost function to its callers (L)" onClick={() => bottomUp || turn()}>Bottom-up</button>
				</div>
				<button type="button" disabled={!history.can} title="Undo the last change (U)" onClick={history.undo}>Undo</button>
				<SaveView run={tab.run.id} state={{ ...state, zoom: 0 }} graph={graph} tree={tree} />
			</div>
			<Trail changes={state.changes} onRemove={(at) => history.change({ changes: state.changes.filter((_, i) => i !== at), zoom: 0 })} />
			<p class="flame-subtitle">
				<span>{graph.subtitle}</span>
				{state.search && <output class="flame-matched">{found.bad ? "not a regular expression" : `matched: ${count(matches.length, "frame")}`}</output>}
				{matches.length > 0 && <span class="flame-match"><button type="button" onClick={() => next(-1)}>Previous</button><button type="button" onClick={() => next(1)}>Next</button>
					<button type="button" title="Only stacks with a function that matches; its callers stay" onClick={() => history.change({ changes: [...state.changes, { what: "keep", name: outright(state.search, state.exact) }], search: "", zoom: 0 })}>Only these</button></span>}
				<Note tab={tab} part={isPart(state)} />
				<span class="flame-match tree-fold">
					<button type="button" title="Open the path that most samples take (*)" onClick={() => act.hot(places.frame)}>Hot path</button>
					<button type="button" onClick={places.fold}>Fold all</button>
				</span>
			</p>
			<Rows graph={graph} tree={tree} rows={rows} chosen={places.frame} hits={found.hits} act={act} label={bottomUp ? "Call tree, bottom-up" : "Call tree, top-down"} />
			<p class="flame-dim tree-foot">{leftOut(graph)}</p>
			{menu && <FunctionMenu place={menu} onClose={() => setMenu(null)} items={functionItems({
				change: (what) => changeBy(what, menu.frame), around: () => go(tab.link("flame", shared(state, { sandwich: menu.name }))),
				mark: () => change({ marked: menu.name, search: "" }), find: () => change({ search: `^${escaped(menu.name)}$`, marked: "" }), copy: () => act.copy(menu.frame),
				others: [{ label: "In the flame graph", href: tab.link("flame", shared(state, { zoom: keys[menu.frame]!.toString(16) })) }, { label: "In the functions", href: tab.link("functions", shared(state, { function: menu.name })) }],
			}, isGroup(graph, tree, menu.frame))} />}
		</div>
	);
}

// The same samples in another tab.
function shared({ event, who, from, to }: FlameState, more: Record<string, string>): Record<string, string> {
	return { ...Object.fromEntries(Object.entries({ event, who, from, to }).filter(([, value]) => value)), ...more };
}

interface TreeActions {
	choose: (key: number) => void;
	toggle: (row: Row) => void;
	change: (what: Named, frame: number) => void;
	next: (step: number) => void;
	copy: (frame: number) => void;
	undo: () => void;
	turn: () => void;
	search: () => void;
	hot: (frame: number) => void;
	menu: (frame: number, x: number, y: number) => void;
}

interface RowsProps {
	graph: Graph;
	tree: Tree;
	rows: Row[];
	chosen: number; // a frame; 0: none
	hits: Uint8Array | null;
	act: TreeActions;
	label: string;
}

const CHANGES: Record<string, Named> = { f: "focus", h: "hide", o: "only", x: "without" };

// Only the rows that are seen are in the page.
function Rows({ graph, tree, rows, chosen, hits, act, label }: RowsProps) {
	const [box, { width, height }] = useSize();
	const [top, setTop] = useState(0);
	const keys = pathKeys(graph, tree);
	const at = useMemo(() => rows.findIndex((row) => row.frame === chosen), [rows, chosen]);
	const first = Math.max(0, Math.floor(top / ROW) - BEYOND);
	const shown = rows.slice(first, first + Math.ceil(height / ROW) + 2 * BEYOND);
	useEffect(() => {
		const element = box.current;
		if (!element || at < 0) return;
		const y = at * ROW;
		if (y < element.scrollTop) element.scrollTop = Math.max(0, y - ROW);
		else if (y + 3 * ROW > element.scrollTop + element.clientHeight) element.scrollTop = y + 3 * ROW - element.clientHeight;
	}, [at, chosen]);
	const onKey = (event: KeyboardEvent) => {
		if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector(".popup")) return;
		const row = rows[at];
		const page = Math.max(1, Math.floor(height / ROW) - 2);
		const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1, PageDown: at + page, PageUp: at - page }[event.key];
		if (to !== undefined) {
			const next = rows[Math.max(0, Math.min(rows.length - 1, to))];
			if (next) act.choose(keys[next.frame]!);
		} else if (!row) return;
		else if (event.key === "ArrowRight") row.open ? act.choose(keys[rows[at + 1]!.frame]!) : act.toggle(row);
		else if (event.key === "ArrowLeft") row.open ? act.toggle(row) : row.level > 1 && act.choose(keys[tree.parent[row.frame]!]!);
		else if (event.key === "Enter" || event.key === " ") act.toggle(row);
		else if (event.key === "*") act.hot(row.frame);
		else if (event.key === "n" || event.key === "N") act.next(event.shiftKey ? -1 : 1);
		else if (event.key === "c") act.copy(row.frame);
		else if (event.key === "l") act.turn();
		else if (event.key === "u") act.undo();
		else if (CHANGES[event.key]) act.change(CHANGES[event.key]!, row.frame);
		else return;
		event.preventDefault();
		event.stopPropagation();
	};
	const onMenu = (event: MouseEvent) => {
		const element = (event.target as Element).closest<HTMLElement>("[data-frame]") ?? box.current?.querySelector<HTMLElement>("[aria-selected=true]");
		const frame = Number(element?.dataset["frame"] ?? 0);
		if (!element || !frame || nameIn(graph, tree, frame) === NOT_SHOWN) return;
		event.preventDefault();
		const bounds = element.getBoundingClientRect();
		act.choose(keys[frame]!);
		act.menu(frame, event.clientX || bounds.left + 200, event.clientY || bounds.bottom);
	};
	const narrow = width < 640;
	return (
		<div class="tree-rows" ref={box} role="treegrid" tabIndex={0} aria-label={`${label}: arrow keys move and open, Enter opens and folds`} aria-rowcount={rows.length + 1} aria-activedescendant={at < 0 ? undefined : `row-${keys[chosen]!.toString(16)}`}
			onKeyDown={onKey} onScroll={(event) => setTop(event.currentTarget.scrollTop)} onContextMenu={onMenu}>
			<div role="row" class="tree-row tree-head" aria-rowindex={1}>
				<span role="columnheader">Total</span>
				<span role="columnheader" class="tree-more">{unitHead(graph)}</span>
				<span role="columnheader">Self</span>
				<span role="columnheader" class="tree-more">{unitHead(graph)}</span>
				<span role="columnheader" class="tree-more">{graph.noun === "samples" ? "Samples" : graph.noun}</span>
				<span role="columnheader">Function</span>
			</div>
			<div role="rowgroup" class="tree-sheet" style={{ height: `${rows.length * ROW}px` }}>
				{shown.map((row, place) => (
					<TreeRow key={keys[row.frame]} graph={graph} tree={tree} row={row} index={first + place} id={`row-${keys[row.frame]!.toString(16)}`} chosen={row.frame === chosen}
						hit={!!hits && !!hits[graph.functionOf[tree.face[row.frame]!]!]} room={Math.max(10, Math.floor((width - (narrow ? 160 : 430) - row.level * INDENT) / LETTER))}
						onChoose={() => act.choose(keys[row.frame]!)} onToggle={() => act.toggle(row)} />
				))}
			</div>
		</div>
	);
}

function unitHead({ unit, noun }: Graph): string {
	return unit === "ns" || unit === "nanoseconds" ? "Time" : unit === noun ? "" : unit;
}

interface TreeRowProps {
	graph: Graph;
	tree: Tree;
	row: Row;
	index: number;
	id: string;
	chosen: boolean;
	hit: boolean;
	room: number;
	onChoose: () => void;
	onToggle: () => void;
}

function figure(value: number, { unit, noun }: Graph): string {
	return ["ns", "nanoseconds", "bytes"].includes(unit) ? amount(value, unit) : unit === noun ? "" : grouped(value);
}

function TreeRow({ graph, tree, row, index, id, chosen, hit, room, onChoose, onToggle }: TreeRowProps) {
	const { frame, level, open, leaf } = row;
	const whole = tree.total[0]! || 1;
	const name = nameIn(graph, tree, frame);
	const group = isGroup(graph, tree, frame);
	const object = group ? "" : graph.objects[graph.objectOf[graph.functionOf[tree.face[frame]!]!]!] ?? "";
	const missing = name === NOT_SHOWN;
	const part = (value: number) => ({ "--part": `${((100 * value) / whole).toFixed(1)}%` });
	return (
		<div role="row" id={id} class={`tree-row${hit ? " tree-hit" : ""}`} data-frame={frame} data-function={name} aria-rowindex={index + 2} aria-level={level} aria-posinset={row.at} aria-setsize={row.of} aria-expanded={leaf && !missing ? undefined : open} aria-selected={chosen}
			style={{ transform: `translateY(${index * ROW}px)` }} onClick={onChoose} onDblClick={onToggle}>
			<span role="gridcell" class="number share" style={part(tree.total[frame]!)}>{percent(tree.total[frame]!, whole)}</span>
			<span role="gridcell" class="number tree-more">{figure(tree.total[frame]!, graph)}</span>
			<span role="gridcell" class="number share" style={part(tree.self[frame]!)}>{percent(tree.self[frame]!, whole)}</span>
			<span role="gridcell" class="number tree-more">{figure(tree.self[frame]!, graph)}</span>
			<span role="gridcell" class="number tree-more">{grouped(tree.totalSamples[frame]!)}</span>
			<span role="gridcell" class="tree-name" style={{ paddingLeft: `${(level - 1) * INDENT}px` }} title={`${name}${object ? `, ${object}` : ""}`}>
				<span class="twisty" aria-hidden="true" onClick={(event) => (event.stopPropagation(), onToggle())}>{missing ? "+" : leaf ? "" : open ? "▾" : "▸"}</span>
				<span class={group ? "tree-group" : "mono"}>{missing ? "narrower frames: open to fetch them" : labelIn(name, room)}</span>
				{object && <span class="dim tree-object"> {baseName(object)}</span>}
			</span>
		</div>
	);
}
