// SPDX-License-Identifier: Apache-2.0
// What is said about an event of the catalogue.

import type { EventInfo } from "../api/core";

// As one would write it: in terms of its unit, or as the numbers of perf_event_attr.
export function encodingOf(event: EventInfo): string {
	if (event.encoding) return event.encoding;
	if (event.type === undefined) return "";
	const more = (["config1", "config2"] as const).flatMap((name) => (event[name] && Number(event[name]) ? [`, ${name} ${event[name]}`] : []));
	return `type ${event.type}, config ${event.config ?? "0x0"}${more.join("")}`;
}

// "cycles, instructions can't be measured here (no hardware counters)": the names and the first words of the reason.
export function cannot(events: { name?: string; why?: string }[]): string {
	const why = /^[^:;]+/.exec(events[0]?.why ?? "")?.[0];
	return events.length ? `${events.map((event) => event.name).join(", ")} can't be measured here${why ? ` (${why})` : ""}` : "";
}

// Of the catalogue, "TYPE:CONFIG": its letters stand for numbers that somebody has to fill in.
export function isPattern({ kind }: Pick<EventInfo, "kind">): boolean {
	return kind === "raw" || kind === "breakpoint";
}

// Why it can't be ticked, whatever the host has; "": it can.
export function whyNever(event: Pick<EventInfo, "name" | "kind">, sampled: boolean): string {
	if (isPattern(event)) return `${event.name} is a pattern: write it above, with numbers in place of the words`;
	return sampled && event.kind === "tool" ? `${event.name} can be counted, not sampled` : "";
}
