// SPDX-License-Identifier: Apache-2.0
// A browser's notification when a run ends, for who asked for it.

import { useState } from "preact/hooks";
import { OVER, type Run } from "../api/core";
import { runTitle, stateWord } from "../model/runs";

const KEY = "perfolio-notify";

function useNotify(): { wanted: boolean; possible: boolean; toggle: () => Promise<void> } {
	const possible = "Notification" in globalThis && isSecureContext;
	const [wanted, setWanted] = useState(() => possible && localStorage.getItem(KEY) === "1" && Notification.permission === "granted");
	const toggle = async () => {
		const now = !wanted && (await Notification.requestPermission()) === "granted";
		localStorage.setItem(KEY, now ? "1" : "0");
		setWanted(now);
	};
	return { wanted, possible, toggle };
}

export function NotifySwitch() {
	const notify = useNotify();
	if (!notify.possible) return null;
	return (
		<label class="check" title="Show a browser notification when a run ends">
			<input type="checkbox" checked={notify.wanted} onChange={() => void notify.toggle()} /> Notify me when done
		</label>
	);
}

export function notifyEnd(before: Run | undefined, now: Run): void {
	if (localStorage.getItem(KEY) !== "1" || !("Notification" in globalThis) || Notification.permission !== "granted") return;
	if (!before || OVER.includes(before.state) || !OVER.includes(now.state)) return;
	const note = new Notification(`perfolio: ${stateWord(now)}`, { body: runTitle(now), tag: `run-${now.id}` });
	note.onclick = () => {
		focus();
		location.assign(`/r/${now.id}`);
	};
}
