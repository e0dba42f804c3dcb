// SPDX-License-Identifier: Apache-2.0
// What changes the whole graph, and what has been changed.

import { plain } from "../../flame/search";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { PALETTES, Palette } from "../../flame/color";
import type { Actions } from "./actions";
import type { Change, FlameState } from "./state";

interface ToolbarProps {
	state: FlameState;
	actions: Actions;
	canUndo: boolean;
	canReset: boolean;
	leafFirst: boolean;
	find: ComponentChildren; // the search, at the left
	filters: ComponentChildren; // what chooses the samples
	save: ComponentChildren;
	onPalette: (palette: Palette) => void;
}

function Toggle({ on, title, text, onClick }: { on: boolean; title: string; text: string; onClick: () => void }) {
	return <button type="button" aria-pressed={on} title={title} onClick={onClick}>{text}</button>;
}

// How the graph is drawn: seldom changed, so it does not take the room of the graph.
function ViewChoices({ state, actions, leafFirst, onPalette }: Pick<ToolbarProps, "state" | "actions" | "leafFirst" | "onPalette">) {
	const box = useRef<HTMLDetailsElement>(null);
	const close = () => void (box.current && (box.current.open = false));
	useEffect(() => {
		const away = (event: Event) => !box.current?.contains(event.target as Node) && close();
		document.addEventListener("pointerdown", away);
		return () => document.removeEventListener("pointerdown", away);
	}, []);
	const collapsed = state.changes.some((change) => change.what === "collapse");
	const onKey = (event: KeyboardEvent) => {
		if (event.key !== "Escape" || !box.current?.open) return;
		event.stopPropagation();
		close();
		box.current.querySelector("summary")!.focus();
	};
	return (
		<details class="flame-view" ref={box} onKeyDown={onKey}>
			<summary title="How the graph is drawn">View</summary>
			<div>
				<Toggle on={state.inverted} title="The root on top (I)" text="Icicle" onClick={actions.icicle} />
				<Toggle on={leafFirst} title="Merge stacks from the innermost function (L)" text="Leaf first" onClick={actions.reverse} />
				<Toggle on={collapsed} title="Merge recursive calls into one frame (R)" text="Collapse recursion" onClick={actions.collapse} />
				<label>Colours <select value={state.palette} onChange={(event) => onPalette(event.currentTarget.value as Palette)}>
					{PALETTES.map((name) => <option key={name} value={name}>{name}</option>)}
				</select></label>
			</div>
		</details>
	);
}

export function Toolbar({ state, actions, canUndo, canReset, leafFirst, find, filters, save, onPalette }: ToolbarProps) {
	return (
		<div class="flame-bar" role="toolbar" aria-label="View">
			{find}
			{filters}
			<span class="flame-grow" />
			<button type="button" disabled={!canReset} title="Show everything again (Esc)" onClick={actions.reset}>Reset zoom</button>
			<button type="button" disabled={!canUndo} title="Undo the last change (U)" onClick={actions.undo}>Undo</button>
			<ViewChoices state={state} actions={actions} leafFirst={leafFirst} onPalette={onPalette} />
			{save}
			<Toggle on={state.table} title="Table of functions with self and total (T)" text="Table" onClick={actions.table} />
			<button type="button" title="Keys (?)" aria-label="Keys" onClick={actions.help}>?</button>
		</div>
	);
}

export function CaseSwitch({ exact, change }: { exact: boolean; change: (changes: Partial<FlameState>) => void }) {
	return (
		<button type="button" class="flame-case" aria-pressed={exact} aria-label="Match case" onClick={() => change({ exact: !exact })}
			title="Match case. Otherwise case is ignored unless the search has a capital letter.">Aa</button>
	);
}

const WORDS = { focus: "Focus: ", hide: "Hidden: ", only: "Only with: ", without: "Without: ", keep: "Matching: ", drop: "Not matching: ", collapse: "Recursion collapsed", reverse: "Leaf first" };

// What was done to the graph, in its order; each can be taken back alone.
export function Trail({ changes, onRemove }: { changes: Change[]; onRemove: (at: number) => void }) {
	if (!changes.length) return null;
	return (
		<div class="flame-trail" role="group" aria-label="Changes to the graph">
			{changes.map((change, at) => (
				<button key={at} type="button" title="Undo this" onClick={() => onRemove(at)}>
					{WORDS[change.what]}{"name" in change ? plain(change.name) : ""} ✕
				</button>
			))}
		</div>
	);
}
