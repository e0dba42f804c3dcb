// SPDX-License-Identifier: Apache-2.0
// What the numbers of a curve are of.

export interface Unit {
	words: string; // behind the name: "per second"
	sign: string; // behind a number of the axis: "/s"
	factor: number; // from what an interval counted to that
}

// These count nanoseconds.
const CLOCKS = /^(task-clock|cpu-clock|duration_time|user_time|system_time)(:\w+)?$/;

export function isClock(event: string): boolean {
	return CLOCKS.test(event);
}

// Values are of one interval; people think in seconds.
export function rateUnit(event: string, interval: number): Unit {
	if (isClock(event)) return { words: "ms of CPU time per second", sign: " ms/s", factor: 1e-6 / interval };
	return { words: "per second", sign: "/s", factor: 1 / interval };
}

export function countUnit(event: string): Unit {
	return isClock(event) ? { words: "ms of CPU time", sign: " ms", factor: 1e-6 } : { words: "", sign: "", factor: 1 };
}

const SIGNS: Record<string, string> = { "%": " %", GHz: " GHz", CPUs: " CPUs" };

export function ratioUnit(words: string): Unit {
	return { words, sign: SIGNS[words] ?? "", factor: 1 };
}

// The upper end of an axis: a round number above the highest value, so that it rests while values change a little.
export function roundTop(most: number): number {
	if (!(most > 0)) return 1;
	const power = 10 ** Math.floor(Math.log10(most));
	const steps = [1.05, 1.25, 1.6, 2.1, 2.6, 3.2, 4.2, 5.2, 6.5, 8.2, 10.5];
	return power * (steps.find((step) => most <= power * (step - 0.04)) ?? 10.5);
}
