// SPDX-License-Identifier: Apache-2.0
// What changes the whole graph, and what has been changed.

import { PALETTES, Palette } from "../../flame/color";
import type { Actions } from "./actions";
import type { Change, FlameState } from "./state";

interface ToolbarProps {
	state: FlameState;
	actions: Actions;
	canUndo: boolean;
	canReset: boolean;
	leafFirst: boolean;
	onPalette: (palette: Palette) => void;
}

function Toggle({ on, title, text, onClick }: { on: boolean; title: string; text: string; onClick: () => void }) {
	return <button type="button" aria-pressed={on} title={title} onClick={onClick}>{text}</button>;
}

export function Toolbar({ state, actions, canUndo, canReset, leafFirst, onPalette }: ToolbarProps) {
	const collapsed = state.changes.some((change) => change.what === "collapse");
	return (
		<div class="flame-bar" role="toolbar" aria-label="View">
			<button type="button" disabled={!canReset} title="Show everything again (Esc)" onClick={actions.reset}>Reset zoom</button>
			<button type="button" disabled={!canUndo} title="Undo the last change (U)" onClick={actions.undo}>Undo</button>
			<span class="flame-sep" />
			<Toggle on={state.inverted} title="The root on top (I)" text="Icicle" onClick={actions.icicle} />
			<Toggle on={leafFirst} title="Merge stacks from the innermost function (L)" text="Leaf first" onClick={actions.reverse} />
			<Toggle on={collapsed} title="Merge recursive calls into one frame (R)" text="Collapse recursion" onClick={actions.collapse} />
			<span class="flame-sep" />
			<label>Colours <select value={state.palette} onChange={(event) => onPalette(event.currentTarget.value as Palette)}>
				{PALETTES.map((name) => <option key={name} value={name}>{name}</option>)}
			</select></label>
			<span class="flame-grow" />
			<Toggle on={state.table} title="Table of functions with self and total (T)" text="Table" onClick={actions.table} />
			<button type="button" title="Keys (?)" aria-label="Keys" onClick={actions.help}>?</button>
		</div>
	);
}

const WORDS = { focus: "Focus: ", hide: "Hidden: ", collapse: "Recursion collapsed", reverse: "Leaf first" };

// What was done to the graph, in its order; each can be taken back alone.
export function Trail({ changes, onRemove }: { changes: Change[]; onRemove: (at: number) => void }) {
	if (!changes.length) return null;
	return (
		<div class="flame-trail" role="group" aria-label="Changes to the graph">
			{changes.map((change, at) => (
				<button key={at} type="button" title="Undo this" onClick={() => onRemove(at)}>
					{WORDS[change.what]}{"name" in change ? change.name : ""} ✕
				</button>
			))}
		</div>
	);
}
