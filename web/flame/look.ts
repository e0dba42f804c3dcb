// SPDX-License-Identifier: Apache-2.0
// Kinds, hues and shades for a page that gets its graphs from a server: the tables and the hash of
// src/render/flame_color.c and src/base/map.c. A file made by `perfolio flame` brings its own look.

import type { Look } from "./color";

export const LOOK: Look = {
	kinds: [
		{ name: "user", label: "user", color: 0xf0a35e },
		{ name: "library", label: "library", color: 0xf2d76b },
		{ name: "kernel", label: "kernel", color: 0x86b8e8 },
		{ name: "jit", label: "JIT", color: 0x6cc4a0 },
		{ name: "inlined", label: "inlined", color: 0xd6a2cf },
		{ name: "unknown", label: "no name", color: 0xc6c6c6 },
		{ name: "group", label: "", color: 0xe2ded4 },
	],
	hues: [0x8cc4ec, 0xf0a860, 0x70c4a4, 0xf2dc78, 0xb9a7e6, 0xe48f74, 0xe3b3d3, 0xb9bd7c],
};

const MASK = (1n << 64n) - 1n;

function hash(name: string): bigint {
	const bytes = new TextEncoder().encode(name);
	const words = new DataView(bytes.buffer);
	let value = 0xcbf29ce484222325n ^ BigInt(bytes.length);
	let at = 0;
	for (; at + 8 <= bytes.length; at += 8) {
		value = ((value ^ words.getBigUint64(at, true)) * 0x9e3779b97f4a7c15n) & MASK;
		value ^= value >> 32n;
	}
	for (; at < bytes.length; at++) value = ((value ^ BigInt(bytes[at]!)) * 0x100000001b3n) & MASK;
	value = ((value ^ (value >> 29n)) * 0xbf58476d1ce4e5b9n) & MASK;
	value ^= value >> 33n;
	value = (value * 0xff51afd7ed558ccdn) & MASK;
	return value ^ (value >> 33n);
}

// What a name's colours are made of, as in the column `shade`: a name looks the same while it streams.
export function shadeOf(name: string): number {
	const value = hash(name);
	const part = (from: bigint, mask: bigint) => Number((value >> from) & mask);
	const warmth = [Number(value % 50n), part(8n, 0xffn), Number(((value >> 16n) & 0xffffffffn) % 30n)];
	return part(0n, 7n) | (part(40n, 0x3fn) << 3) | (warmth[0]! << 9) | (warmth[1]! << 15) | (warmth[2]! << 23);
}
