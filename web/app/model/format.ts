// SPDX-License-Identifier: Apache-2.0
// Numbers and times for people: grouped, with units, as the commands print them.

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

export function grouped(value: number | string): string {
	const text = typeof value === "number" ? String(Math.round(value)) : value;
	return text.replace(/\B(?=(\d{3})+$)/g, ",");
}

export function bytes(value: number | string): string {
	let size = Number(value);
	let unit = 0;
	while (size >= 1024 && unit < UNITS.length - 1) {
		size /= 1024;
		unit++;
	}
	return `${unit && size < 100 ? size.toFixed(1) : Math.round(size)} ${UNITS[unit]}`;
}

export function percent(value: number): string {
	return `${value.toFixed(2)} %`;
}

// 1,234,567 as 1.23 M: for axes and small places.
export function short(value: number): string {
	const size = Math.abs(value);
	if (size >= 1e12) return `${trim(value / 1e12)} T`;
	if (size >= 1e9) return `${trim(value / 1e9)} G`;
	if (size >= 1e6) return `${trim(value / 1e6)} M`;
	if (size >= 1e4) return `${trim(value / 1e3)} k`;
	return trim(value);
}

function trim(value: number): string {
	if (Number.isInteger(value)) return grouped(value);
	if (Math.abs(value) >= 100) return grouped(value);
	const text = Math.abs(value) >= 10 ? value.toFixed(1) : value.toPrecision(3);
	return text.includes("e") ? text : text.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
}

// Nanoseconds, also as text, as seconds; differences of two times keep all digits.
export function seconds(ns: string | number, since: string | number = 0): number {
	return Number(BigInt(ns) - BigInt(since)) / 1e9;
}

export function duration(value: number): string {
	if (value < 0) return "0 s";
	if (value && value < 0.0995) return `${(value * 1e3).toPrecision(3).replace(/\.?0+$/, "")} ms`;
	if (value < 9.95) return `${value.toFixed(2)} s`;
	if (value < 59.95) return `${value.toFixed(1)} s`;
	return exact(Math.round(value));
}

// As the commands and the server's sentences say it, to four digits: what is measured has one time everywhere.
export function exact(value: number): string {
	const whole = Math.round(value);
	if (whole >= 3600) return `${Math.floor(whole / 3600)} h ${String(Math.floor(whole / 60) % 60).padStart(2, "0")} min`;
	if (whole >= 120) return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s`;
	const [size, unit] = ([[1e-6, "us"], [1e-3, "ms"]] as const).find(([ns]) => value < 999.95 * ns) ?? [1, "s"];
	return value <= 0 ? "0 s" : `${Number((value / size).toPrecision(4))} ${unit}`;
}

// A moment on the axis of a run: as many digits as the shown span needs.
export function moment(value: number, span: number): string {
	const digits = span > 20 ? 1 : span > 2 ? 2 : span > 0.2 ? 3 : span > 0.002 ? 5 : 6;
	return `${value.toFixed(digits)} s`;
}

export function date(ns: string | number): Date {
	return new Date(Number(BigInt(ns) / 1_000_000n));
}

export function exactText(ns: string | number): string {
	return date(ns).toLocaleString(undefined, { dateStyle: "full", timeStyle: "medium" });
}

export function ago(ns: string | number, now: number): string {
	const passed = Math.max(0, (now - date(ns).getTime()) / 1000);
	if (passed < 45) return "just now";
	if (passed < 90 * 60) return `${Math.max(1, Math.round(passed / 60))} min ago`;
	if (passed < 36 * 3600) return `${Math.round(passed / 3600)} h ago`;
	if (passed < 14 * 86400) return `${Math.round(passed / 86400)} days ago`;
	return date(ns).toLocaleDateString(undefined, { dateStyle: "medium" });
}

export function count(value: number, one: string, many = `${one}s`): string {
	return `${grouped(value)} ${value === 1 ? one : many}`;
}
