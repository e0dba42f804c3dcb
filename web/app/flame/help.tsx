// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef } from "preact/hooks";

const KEYS: [string, string][] = [
	["↑ ↓ ← →", "move from frame to frame"],
	["Enter", "zoom to the chosen frame"],
	["Esc", "clear the search, reset the zoom"],
	["/", "search"],
	["F  H  M  C", "focus, hide, highlight, copy the chosen function"],
	["S", "its callers above, its callees below"],
	["U, Ctrl-Z", "undo"],
	["I  L  R  T", "icicle, leaf first, collapse recursion, table"],
	["Ctrl-wheel", "zoom around the pointer; drag to move"],
	["↑ ↓ ← →, Shift", "on the map of the Time tab: move, choose a time; Enter shows it, Space only that lane, Esc all"],
];

export function Help({ onClose }: { onClose: () => void }) {
	const dialog = useRef<HTMLDialogElement>(null);
	useEffect(() => dialog.current?.showModal(), []);
	return (
		<dialog class="flame-help" ref={dialog} aria-label="Keys" onClose={onClose}>
			<h2>Keys</h2>
			<dl>{KEYS.map(([key, text]) => <><dt>{key}</dt><dd>{text}</dd></>)}</dl>
			<p>The address holds the view: send it to somebody, or keep it as a bookmark.</p>
			<form method="dialog"><button>Close</button></form>
		</dialog>
	);
}
