// SPDX-License-Identifier: Apache-2.0
// Times of a run: nanoseconds as text, since they may pass 2^53, and seconds since its start for people.

export function since(time: string, start: string): number {
	return Number(BigInt(time) - BigInt(start || "0"));
}

export function after(start: string, ns: number): string {
	return String(BigInt(start || "0") + BigInt(Math.round(ns)));
}

// Enough digits to tell milliseconds apart, and no more.
export function seconds(time: string, start: string): string {
	return `${(since(time, start) / 1e9).toFixed(3)} s`;
}
