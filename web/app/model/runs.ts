// SPDX-License-Identifier: Apache-2.0
// What is said about runs, and done with them.

import { address, api } from "../api/client";
import { OVER, type Run, type RunState } from "../api/core";
import type { MenuItem } from "../widgets/menu";
import { toast } from "../widgets/toast";
import { changesText, filterOf, readState } from "../flame/state";
import { go, here } from "./address";
import { seconds } from "./format";

const WORDS: Record<RunState, string> = {
	queued: "waiting",
	starting: "starting",
	running: "running",
	processing: "reading",
	done: "done",
	failed: "failed",
	cancelled: "cancelled",
};

// What ended it instead of itself.
const CUT: Record<string, string> = { memory: "memory limit", disk: "disk full" };

export function stateWord(run: Run): string {
	if (run.state === "queued" && run.place) return `waiting, place ${run.place}`;
	if (run.state === "running" && run.paused) return "paused";
	if (run.state === "cancelled" && run.started_ns) return "stopped"; // what was measured until then is there
	if (atLimit(run) && run.ending) return "time limit"; // what was attached to goes on, and its limit is its end
	if (run.state === "done" && endedBadly(run)) return CUT[run.usage?.limit ?? ""] ?? endingWord(run);
	if (run.state === "done" && run.facts?.damage) return "incomplete";
	return WORDS[run.state];
}

// That the form's limit ended it is what was asked for, whatever signal did it.
export function atLimit(run: Run): boolean {
	const limited = run.usage?.limited ?? run.reason.startsWith("ended after "); // runs of 0.1.0 have words only
	return run.state === "done" && !!run.form.limit_s && limited;
}

export function endedBadly(run: Run): boolean {
	return !atLimit(run) && !!run.ending && (run.ending.kind === "signal" || run.ending.code !== 0);
}

export function endingWord(run: Run): string {
	if (!run.ending) return "";
	return run.ending.kind === "signal" ? `signal ${run.ending.code}` : `exit ${run.ending.code}`;
}

// good, bad, busy or idle: the colour of a run's state.
export function stateTone(run: Run): string {
	if (run.paused) return "warn";
	if (run.state === "failed") return "bad";
	if (atLimit(run) && run.ending) return "idle";
	if (run.state === "done") return endedBadly(run) || run.facts?.damage ? "warn" : "good";
	return run.state === "cancelled" || run.state === "queued" ? "idle" : "busy";
}

// Seconds that it took, or has taken by now.
export function runSeconds(run: Run, now: number): number | null {
	if (!run.started_ns || run.started_ns === "0") return null;
	if (run.ended_ns && run.ended_ns !== "0") return Math.max(0, seconds(run.ended_ns, run.started_ns));
	if (OVER.includes(run.state)) return null;
	return Math.max(0, now / 1000 - Number(BigInt(run.started_ns) / 1000n) / 1e6);
}

// What a person would call it.
export function runTitle(run: Run): string {
	const target = run.form.target;
	// A form keeps the command of the run before, whatever is measured now.
	if (target?.kind === "host") return "the whole host";
	if (target && target.kind !== "command") return [`${target.kind} ${target.who}`, target.name].filter(Boolean).join(": ");
	// The shell is told, but need not fill the line; the whole argv is in the Raw tab.
	if (target?.shell && target.command) return `sh: ${target.command}`;
	if (run.command) return run.command;
	if (run.form.name) return run.form.name;
	return run.tool === "import" ? "imported recording" : `run ${run.id}`;
}

// Where it was measured: of an import only what the recording says itself.
export function hostOf(run: Run): string {
	return (run.tool === "import" ? run.facts?.host : run.host) || "";
}

// Undo brings the view of it back as well, for whoever is still in its session.
export async function removeRun(run: Run): Promise<void> {
	const { words, params } = here();
	const shown = words[0] === "r" ? words[1] === String(run.id) : Number(params.get("run")) === run.id;
	const was = location.pathname + location.search;
	await api.remove(`/runs/${run.id}`);
	toast(`Removed: ${runTitle(run).slice(0, 60)}`, async () => {
		await api.post(`/runs/${run.id}/restore`);
		if (shown && here().words.join("/") === `s/${run.session}`) go(was, "step");
	});
}

// Those that hold raw data of the measured program.
const RAW = ["perf.data", "script"];

// format, name, who reads it, what it is made of
const FORMATS: [string, string, string, "recording" | "samples" | "counters" | "all"][] = [
	["perf.data", "perf.data", "the whole recording, for perf", "recording"],
	["hdf5", "HDF5", "pandas, h5py, MATLAB", "all"],
	["counters.csv", "CSV of counters", "a spreadsheet", "counters"],
	["csv", "CSV of samples", "a spreadsheet", "samples"],
	["svg", "SVG", "flame graph, one picture", "samples"],
	["html", "HTML", "flame graph, one page", "samples"],
	["script", "perf script", "text, one block per sample", "recording"],
	["folded", "Folded stacks", "flamegraph.pl, inferno", "samples"],
	["json", "d3 JSON", "d3-flame-graph", "samples"],
	["pprof", "pprof", "go tool pprof", "samples"],
	["speedscope", "speedscope", "speedscope.app", "samples"],
	["firefox", "Firefox Profiler", "profiler.firefox.com", "samples"],
];

// Whether there is something to look at or to download: not of a program that could not be started.
export function hasData(run: Run): boolean {
	return OVER.includes(run.state) && !!run.facts?.tabs?.some((tab) => tab === "counters" || tab === "flame");
}

// What was measured is looked at when a run has ended, also of one that was stopped or failed: until then nobody
// knows what there is, and it is shown as what it is, being read.
export function asShown(run: Run): Run {
	const unread = OVER.includes(run.state) && !!run.started_ns && !run.facts?.tabs;
	return unread ? { ...run, state: "processing" } : run;
}

// Whether it has counters: by what was found once it is over, by the tool before.
export function isCounted({ tool, facts }: Pick<Run, "tool" | "facts">): boolean {
	return facts?.tabs ? facts.tabs.includes("counters") : tool === "count" || tool === "both";
}

export interface Download {
	format: string;
	label: string;
	hint: string;
	href: string;
}

type Chosen = Record<string, string | undefined>;

// What the address chooses of a run's samples: event, time, thread, and what was done to the graph. {}: all.
export function chosenIn(params: URLSearchParams): Chosen {
	const state = readState(params);
	const all = { ...filterOf(state), changes: changesText(state.changes) || undefined };
	return Object.fromEntries(Object.entries(all).filter(([, value]) => value));
}

// What a format takes of it: a recording is what it is, and counters have a time and nothing else.
function takenBy(what: string, format: string, chosen: Chosen): Chosen {
	if (format === "perf.data") return {};
	return what === "counters" ? { from: chosen["from"], to: chosen["to"] } : chosen;
}

export function downloads(run: Run, chosen: Chosen = {}): Download[] {
	const tabs = run.facts?.tabs;
	const sampled = tabs ? tabs.includes("flame") : run.tool !== "count";
	const counted = tabs ? tabs.includes("counters") : run.tool !== "sample";
	const has = { all: sampled || counted, samples: sampled, counters: counted, recording: sampled && (run.tool !== "import" || run.facts?.format === "a recording") };
	const allowed = (format: string) => run.may?.raw !== false || !RAW.includes(format);
	return FORMATS.filter(([format, , , what]) => has[what] && allowed(format)).map(([format, label, hint, what]) => {
		const taken = takenBy(what, format, chosen);
		const part = Object.values(taken).some(Boolean);
		return { format, label, hint: part ? `${hint}; only what is selected` : hint, href: address(`/runs/${run.id}/export/${format}`, taken) };
	});
}

export function downloadItems(run: Run, chosen: Chosen = {}): MenuItem[] {
	return downloads(run, chosen).map(({ label, hint, href }) => ({ label, hint, href, download: true }));
}
