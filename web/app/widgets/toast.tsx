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

const timers = new Map<number, ReturnType<typeof setTimeout>>();

// As long as somebody points at it, or is in it by keyboard, a note stays.
function hold(serial: number): void {
	clearTimeout(timers.get(serial));
	timers.delete(serial);
}

function drop(serial: number): void {
	hold(serial);
	set(toasts.filter((one) => one.serial !== serial));
}

function expire({ serial, undo }: Toast): void {
	hold(serial);
	timers.set(serial, setTimeout(() => drop(serial), undo ? 15000 : 5000));
}

export function toast(text: string, undo?: () => Promise<unknown>): void {
	const one: Toast = undo ? { serial: ++serial, text, undo } : { serial: ++serial, text };
	set([...toasts.slice(-3), one]);
	expire(one);
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
				<div class="toast" key={one.serial} onPointerEnter={() => hold(one.serial)} onPointerLeave={() => expire(one)} onFocusIn={() => hold(one.serial)} onFocusOut={() => expire(one)}>
					<span>{one.text}</span>
					{one.undo && <button type="button" onClick={() => void back(one)}>Undo</button>}
					<button type="button" class="quiet" aria-label="Close" onClick={() => drop(one.serial)}>×</button>
				</div>
			))}
		</div>
	);
}
