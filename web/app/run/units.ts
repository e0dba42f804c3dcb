// SPDX-License-Identifier: Apache-2.0
// What the numbers of a curve are of.

import { exact, grouped, short } from "../model/format";

export interface Unit {
	words: string; // behind the name: "per second"
	sign: string; // behind a number of the axis: "/s"
	factor: number; // from what the API tells to that
}

// These count nanoseconds.
const CLOCKS = /^(task-clock|cpu-clock|duration_time|user_time|system_time)(:\w+)?$/;

export function isClock(event: string): boolean {
	return CLOCKS.test(event);
}

// What is counted, and for an event with a scale of its own what one count stands for: 2^-32 Joules.
export interface Counted {
	event: string;
	unit: string; // "": a plain count
	scale: number;
}

// Of an event by its place in an answer.
export function countedOf({ events, units, scales }: { events: string[]; units: string[]; scales: number[] }, index: number): Counted {
	return { event: events[index] ?? "", unit: units[index] ?? "", scale: scales[index] ?? 1 };
}

// Of what is counted in a second: intervals are not equally long, and people think in seconds.
export function rateUnit({ event, unit, scale }: Counted): Unit {
	if (isClock(event)) return { words: "ms of CPU time per second", sign: " ms/s", factor: 1e-6 };
	if (unit === "Joules") return { words: "watts: Joules per second", sign: " W", factor: scale };
	return { words: unit ? `${unit} per second` : "per second", sign: unit ? ` ${unit}/s` : "/s", factor: scale };
}

export function countUnit({ event, unit, scale }: Counted): Unit {
	if (isClock(event)) return { words: "ms of CPU time", sign: " ms", factor: 1e-6 };
	return { words: unit, sign: unit ? ` ${unit}` : "", factor: scale };
}

// A sum over time; in full where it is a plain count.
export function totalWords({ event, unit, scale }: Counted, total: number | string): string {
	if (isClock(event)) return exact(Number(total) / 1e9);
	return unit || scale !== 1 ? `${short(Number(total) * scale)}${unit && ` ${unit}`}` : grouped(total);
}

// Of the values of samples.
export function sampleUnit(unit: string | null): Unit {
	if (unit === "ns") return { words: "ms", sign: " ms", factor: 1e-6 };
	if (unit === "bytes") return { words: "MiB", sign: " MiB", factor: 1 / (1 << 20) };
	return { words: unit ?? "", sign: unit ? ` ${unit}` : "", factor: 1 };
}

const SIGNS: Record<string, string> = { "%": " %", GHz: " GHz", CPUs: " CPU" };

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

// Round numbers up the axis of counts.
export function levels(most: number): number[] {
	const power = 10 ** Math.floor(Math.log10(Math.max(1, most / 4)));
	const step = [1, 2, 5, 10].map((times) => times * power).find((one) => most / one <= 5)!;
	return Array.from({ length: Math.floor(most / step) }, (_, at) => (at + 1) * step);
}
