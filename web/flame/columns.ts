// SPDX-License-Identifier: Apache-2.0
// A graph as it comes from src/render/flame_columns.c: names once, frames as columns of numbers.

import { Tree, makeTree } from "./tree";

export interface Graph {
	event: string;
	unit: string;
	noun: string; // what samples are: an import may count something else
	subtitle: string;
	footer: string;
	empty: string;
	start: string; // nanoseconds: the run's first sample; "": not known
	hidden: number; // frames that are left out, being narrower than
	least: number; // this share of 1
	outside?: number; // of the whole graph that it is a part of: what it has not, in its unit
	functions: string[];
	objects: string[]; // paths; 0 is ""
	places: string[]; // "file.c:12"; 0 is ""
	objectColors: number[];
	objectOf: Uint32Array; // by function
	shadeOf: Uint32Array;
	placeOf: Uint32Array;
	fixedOf: Uint32Array | null;
	functionOf: Uint32Array; // by face: a function as one kind of frame
	kindOf: Uint32Array;
	tree: Tree;
}

type Columns = Record<string, string | undefined>;

// What src/render/flame_columns.c writes.
interface Written {
	event: string;
	unit: string;
	noun?: string;
	subtitle: string;
	footer: string;
	empty: string;
	start_ns?: string;
	hidden?: number;
	least?: number;
	functions: string[];
	objects: string[];
	places: string[];
	object_colors: number[];
	columns: Columns;
}

function bytesOf(base64: string): Uint8Array {
	const text = atob(base64);
	const bytes = new Uint8Array(text.length);
	for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
	return bytes;
}

// LEB128: seven bits a byte, the lowest first. Numbers above 2^53 lose their last digits. `into` has room
// for as many numbers as there are bytes; given is how many they were.
function readNumbers(bytes: Uint8Array, into: Uint32Array | Float64Array): number {
	let count = 0;
	for (let at = 0; at < bytes.length; count++) {
		let byte = bytes[at++]!;
		let value = byte & 0x7f;
		for (let scale = 0x80; byte >= 0x80; scale *= 0x80) {
			byte = bytes[at++]!;
			value += (byte & 0x7f) * scale;
		}
		into[count] = value;
	}
	return count;
}

function ids(columns: Columns, name: string): Uint32Array {
	const bytes = bytesOf(columns[name] ?? "");
	const into = new Uint32Array(bytes.length);
	return into.subarray(0, readNumbers(bytes, into));
}

function amounts(columns: Columns, name: string): Float64Array | null {
	const column = columns[name];
	if (column === undefined) return null;
	const bytes = bytesOf(column);
	const into = new Float64Array(bytes.length);
	return into.subarray(0, readNumbers(bytes, into));
}

// Each frame's depth: one more than that of the frame before it, less what was dropped.
function depthsOf(drops: Uint32Array): Uint32Array {
	for (let i = 0, depth = -1; i < drops.length; i++) drops[i] = depth = depth + 1 - drops[i]!;
	return drops;
}

export function readGraph(text: string): Graph {
	const written = JSON.parse(text) as Written;
	const columns = written.columns;
	const self = amounts(columns, "self") ?? new Float64Array(0);
	return {
		event: written.event,
		unit: written.unit,
		noun: written.noun ?? "samples",
		subtitle: written.subtitle,
		footer: written.footer,
		empty: written.empty,
		start: written.start_ns ?? "",
		hidden: written.hidden ?? 0,
		least: written.least ?? 0,
		functions: written.functions,
		objects: written.objects,
		places: written.places,
		objectColors: written.object_colors,
		objectOf: ids(columns, "object"),
		shadeOf: ids(columns, "shade"),
		placeOf: ids(columns, "place"),
		fixedOf: columns["fixed"] === undefined ? null : ids(columns, "fixed"),
		functionOf: ids(columns, "of"),
		kindOf: ids(columns, "kind"),
		tree: makeTree({
			depth: depthsOf(ids(columns, "drop")),
			face: ids(columns, "face"),
			self,
			samples: amounts(columns, "samples") ?? self,
		}),
	};
}
