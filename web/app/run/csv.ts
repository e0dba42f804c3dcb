// SPDX-License-Identifier: Apache-2.0
// Words and numbers of CSV, and the samples of a plot as such a file.

import type { SamplePoints } from "../api/schema";
import type { Range } from "./view";

export function csvWord(text: string): string {
	return /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

export function csvNumber(value: number): string {
	return Number.isNaN(value) ? "" : String(Number(value.toPrecision(12)));
}

export function samplesCsv(data: SamplePoints, [from, to]: Range): string {
	const lines = [`seconds,value${data.unit ? ` ${csvWord(data.unit)}` : ""},address,function,object,cpu,thread`];
	data.t.forEach((t, at) => {
		if (t / 1e9 < from || t / 1e9 > to) return;
		const place = data.functions[data.function[at] ?? -1];
		lines.push([(t / 1e9).toFixed(9), data.value[at], data.ip[at] ?? "", csvWord(place?.name ?? ""), csvWord(place?.object ?? ""), data.cpu[at], data.tid[at]].join(","));
	});
	return `${lines.join("\n")}\n`;
}
