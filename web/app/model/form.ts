// SPDX-License-Identifier: Apache-2.0
// The bench's form: what it begins with, what a run brings back, what is sent.

import type { Form, Run } from "../api/core";

export const EVERY = "c1"; // the rate of all events

export const FIRST_FORM: Form = {
	tool: "sample",
	live: true,
	target: { kind: "command", command: "", shell: false, who: "", name: "", children: true },
	environment: "",
	folder: "",
	cpus: "",
	network: "",
	events: { count: "", sample: "" },
	interval_ms: 100,
	rate: "99",
	call_graph: "dwarf",
	limit_s: 0,
	limit_memory: 0,
	limit_tasks: 0,
	limit_cpus: 0,
	repeats: 1,
	options: { stat: "", record: "" },
	tags: [],
	webhook: "",
	notes: "",
};

// The form of a run, whole: what it does not have is as in the first one.
export function formOf(run: Pick<Run, "form">): Form {
	const form = run.form;
	return {
		...FIRST_FORM,
		...form,
		rate: form.rate || (hasHappeningsOnly(form.events?.sample ?? "") ? EVERY : FIRST_FORM.rate), // an empty one means the usual
		target: { ...FIRST_FORM.target, ...form.target },
		events: { ...FIRST_FORM.events, ...form.events },
		options: { ...FIRST_FORM.options, ...form.options },
	};
}

// "a, b" as tags.
export function splitTags(text: string): string[] {
	return text.split(",").map((tag) => tag.trim()).filter(Boolean);
}

// What is sent: without the place in a batch.
export function sentForm(form: Form): Form {
	const { batch: _batch, ...rest } = form;
	return rest;
}

export function isReady(form: Form): boolean {
	const { kind, command, who } = form.target;
	if (kind === "host") return true;
	return kind === "command" ? !!command?.trim() : !!who.trim();
}

// The events of an expression, at its outermost commas: "{a,b}:u,c/x=1,y=2/".
export function splitEvents(text: string): string[] {
	const out: string[] = [];
	let depth = 0;
	let slashes = 0;
	let word = "";
	for (const sign of text) {
		if (sign === "{") depth++;
		if (sign === "}") depth--;
		if (sign === "/") slashes++;
		if (sign === "," && !depth && slashes % 2 === 0) {
			out.push(word);
			word = "";
		} else word += sign;
	}
	out.push(word);
	return out.map((one) => one.trim()).filter(Boolean);
}

export function toggleEvent(text: string, name: string): string {
	const events = splitEvents(text);
	const at = events.indexOf(name);
	if (at < 0) events.push(name);
	else events.splice(at, 1);
	return events.join(",");
}

// "sched:sched_switch", also with modifiers, but not "cycles:u": as src/server/form.c tells them apart.
function isTracepoint(event: string): boolean {
	const name = /^[^:/]+:(.+)$/.exec(event)?.[1];
	return name !== undefined && !/^[ukhGHpPSDWeIb]+$/.test(name);
}

// The kernel's own events of which each is one thing that happened: as src/server/form.c has them.
const HAPPENINGS = /^(page-faults|faults|minor-faults|major-faults|cs|context-switches|cgroup-switches|migrations|cpu-migrations|bpf-output|alignment-faults|emulation-faults)(:|$)/;
const TIMES = /^(cpu-clock|task-clock|cycles|cpu-cycles|ref-cycles)(:|$)/;

function ungrouped(text: string): string[] {
	return splitEvents(text.replace(/\}[^,]*/g, "").replace(/\{/g, ""));
}

// Whether all that is sampled has a number of its own, and needs no rate.
export function hasHappeningsOnly(text: string): boolean {
	const events = ungrouped(text);
	return events.length > 0 && events.every((event) => isTracepoint(event) || HAPPENINGS.test(event));
}

// Whether samples come as long as it runs: of that a rate tells how many there will be.
export function isOfTime(text: string): boolean {
	return ungrouped(text).every((event) => TIMES.test(event));
}

// Other events to sample. Things that happen are all taken at first, whatever rate was good for a clock.
export function withSampled(form: Form, sample: string): Partial<Form> {
	const [before, now] = [hasHappeningsOnly(form.events.sample), hasHappeningsOnly(sample)];
	const events = { ...form.events, sample };
	if (now && !before && !form.rate.startsWith("c")) return { events, rate: EVERY };
	if (!now && before && form.rate === EVERY) return { events, rate: FIRST_FORM.rate };
	return { events };
}

// Words of a command as the shell would write them, to show an argv.
export function quoted(words: string[]): string {
	return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`)).join(" ");
}
