// SPDX-License-Identifier: Apache-2.0
// Short notes at the foot of the page, with a way back where something was removed.
import { useEffect, useState } from "preact/hooks";
import { asRefusal } from "../model/hooks";

interface Toast {
	serial: number;
	text: string;
	undo?: () => Promise<unknown>;
}

let serial = 0;
let toasts: Toast[] = [];
let changed: () => void = () => {};

function set(now: Toast[]): void {
	toasts = now;
	changed();
}

function drop(serial: number): void {
	set(toasts.filter((one) => one.serial !== serial));
}

export function toast(text: string, undo?: () => Promise<unknown>): void {
	const one: Toast = undo ? { serial: ++serial, text, undo } : { serial: ++serial, text };
	set([...toasts.slice(-3), one]);
	setTimeout(() => drop(one.serial), undo ? 15000 : 5000);
}

async function back(one: Toast): Promise<void> {
	drop(one.serial);
	try {
		await one.undo!();
	} catch (reason) {
		const refusal = asRefusal(reason);
		toast(`${refusal.message}. ${refusal.remedy}`);
	}
}

export function Toasts() {
	const [, redraw] = useState(0);
	useEffect(() => {
		changed = () => redraw((value) => value + 1);
		return () => void (changed = () => {});
	}, []);
	return (
		<div class="toasts" role="status" aria-live="polite">
			{toasts.map((one) => (
				<div class="toast" key={one.serial}>
					<span>{one.text}</span>
					{one.undo && <button type="button" onClick={() => void back(one)}>Undo</button>}
					<button type="button" class="quiet" aria-label="Close" onClick={() => drop(one.serial)}>×</button>
				</div>
			))}
		</div>
	);
}
