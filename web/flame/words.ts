// SPDX-License-Identifier: Apache-2.0
// Numbers for people, in the words of the command line (src/base/text.c).

export function grouped(value: number): string {
	return Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, ",");
}

export function samplesText(count: number, noun = "samples"): string {
	return `${grouped(count)} ${count === 1 && noun === "samples" ? "sample" : noun}`;
}

function fourDigits(value: number): string {
	return Number(value.toPrecision(4)).toString();
}

function duration(ns: number): string {
	const seconds = Math.floor(ns / 1e9 + 0.5);
	if (seconds >= 7200) return `${Math.floor(seconds / 3600)} h ${Math.floor(seconds / 60) % 60} min`;
	if (seconds >= 120) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
	if (ns < 1000) return `${ns} ns`;
	if (ns < 999.95e3) return `${fourDigits(ns / 1e3)} us`;
	return ns < 999.95e6 ? `${fourDigits(ns / 1e6)} ms` : `${fourDigits(ns / 1e9)} s`;
}

function bytes(value: number): string {
	const units = ["B", "KiB", "MiB", "GiB", "TiB"];
	let unit = 0;
	for (; value >= 1023.95 && unit < units.length - 1; unit++) value /= 1024;
	return `${value >= 9999.5 ? Math.round(value) : fourDigits(value)} ${units[unit]}`;
}

export function amount(value: number, unit: string): string {
	if (unit === "ns" || unit === "nanoseconds") return duration(value);
	if (unit === "bytes") return bytes(value);
	return `${grouped(value)} ${unit}`;
}

export function percent(part: number, whole: number): string {
	return `${(whole ? (100 * part) / whole : 0).toFixed(2)} %`;
}

export function baseName(path: string): string {
	const at = path.lastIndexOf("/");
	return path[0] === "[" || at < 0 || at === path.length - 1 ? path : path.slice(at + 1);
}
