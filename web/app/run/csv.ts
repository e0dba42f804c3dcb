// SPDX-License-Identifier: Apache-2.0
// Words and numbers of CSV; samples and histograms as such files.

import type { CountersHistogram, SamplePoints } from "../api/schema";
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

// Values as they were counted.
export function histogramCsv({ event, edges, counts }: CountersHistogram): string {
	const name = csvWord(event);
	return [`${name} from,${name} to,intervals`, ...counts.map((count, at) => [edges[at]!, edges[at + 1]!].map(csvNumber).concat(String(count)).join(","))].join("\n") + "\n";
}
