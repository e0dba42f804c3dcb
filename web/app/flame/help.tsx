// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef } from "preact/hooks";

const KEYS: [string, string][] = [
	["↑ ↓ ← →", "move from frame to frame"],
	["Enter", "zoom to the chosen frame"],
	["Esc", "clear the search, reset the zoom"],
	["/", "search"],
	["F  H  M  C", "focus, hide, highlight, copy the chosen function"],
	["O  X", "only stacks that match the search or contain the chosen function; without them"],
	["S", "its callers above, its callees below"],
	["right click", "menu of a frame or of a row in a table"],
	["U, Ctrl-Z", "undo"],
	["I  L  R  T", "icicle, leaf first, collapse recursion, table"],
	["Ctrl-wheel", "zoom around the pointer; drag to move"],
	["↑ ↓ ← →, Shift", "on the Time tab's map: move, select a time range; Enter shows it, Space shows only that lane, Esc everything"],
];

export function Help({ onClose }: { onClose: () => void }) {
	const dialog = useRef<HTMLDialogElement>(null);
	useEffect(() => dialog.current?.showModal(), []);
	return (
		<dialog class="flame-help" ref={dialog} aria-label="Keys" onClose={onClose}>
			<h2>Keys</h2>
			<dl>{KEYS.map(([key, text]) => <><dt>{key}</dt><dd>{text}</dd></>)}</dl>
			<p>The address includes the view: share it, or bookmark it.</p>
			<form method="dialog"><button>Close</button></form>
		</dialog>
	);
}
