// SPDX-License-Identifier: Apache-2.0
// The keys, by `?`.
import { useEffect, useRef } from "preact/hooks";

const KEYS: [string, string][] = [
	["/", "search"],
	["Esc", "clear the search, close a dialog, reset the zoom"],
	["?", "this help"],
	["g s", "all sessions"],
	["g m", "machines"],
	["1 … 8", "tabs of a run"],
	["Enter", "in the command: start the run; Ctrl Enter works anywhere"],
	["Alt ↑ ↓", "move a queued run"],
	["← → + −", "pan and zoom the focused plot"],
	["arrows, Enter", "move in a flame graph, zoom into a frame"],
];

export function Help({ open, onClose }: { open: boolean; onClose: () => void }) {
	const dialog = useRef<HTMLDialogElement>(null);
	useEffect(() => {
		if (open && !dialog.current!.open) dialog.current!.showModal();
		if (!open && dialog.current!.open) dialog.current!.close();
	}, [open]);
	return (
		<dialog ref={dialog} onClose={onClose} aria-labelledby="help-title">
			<h2 id="help-title">Keys</h2>
			<dl class="keys">
				{KEYS.map(([key, text]) => (
					<>
						<dt><kbd>{key}</kbd></dt>
						<dd>{text}</dd>
					</>
				))}
			</dl>
			<form method="dialog"><button>Close</button></form>
		</dialog>
	);
}
