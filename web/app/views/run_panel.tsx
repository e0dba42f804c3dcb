// SPDX-License-Identifier: Apache-2.0
// A run: what it is, how it is going, and the tabs that its data allows.
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { lazy } from "../widgets/lazy";
import { api } from "../api/client";
import { ACTIVE, OVER, type Run } from "../api/core";
import { Progress } from "../bench/history";
import type { TabProps } from "../flame/props";
import { setParams, usePlace } from "../model/address";
import { dateText, duration } from "../model/format";
import { useAction, useFetch, useNow, useSoon, useStream, useTitle } from "../model/hooks";
import { downloadItems, hasData, removeRun, runSeconds, runTitle } from "../model/runs";
import { OutputTab } from "../run/output";
import { OverviewTab } from "../run/overview";
import { RawTab } from "../run/raw";
import { subscribe } from "../stream/client";
import { Menu } from "../widgets/menu";
import { StateBadge } from "../widgets/state";
import { Trouble } from "../widgets/trouble";

const FlameTab = lazy(() => import("../flame/tab").then((part) => part.FlameTab));
const TimeTab = lazy(() => import("../time/tab").then((part) => part.TimeTab));
const CountersTab = lazy(() => import("../run/counters").then((part) => part.CountersTab));
const FunctionsTab = lazy(() => import("../run/functions").then((part) => part.FunctionsTab));

const TABS: [string, string][] = [
	["overview", "Overview"],
	["counters", "Counters"],
	["flame", "Flame"],
	["time", "Time"],
	["functions", "Functions"],
	["output", "Output"],
	["raw", "Raw"],
];

interface Props {
	id: number;
	tab: string; // "": what fits
	onTab: (tab: string) => void;
	small?: boolean; // in the middle of the bench
}

// A run, kept up to date by the stream.
export function useRun(id: number) {
	const answer = useFetch<Run>(`/runs/${id}`);
	const soon = useSoon(answer.reload);
	useStream([`run:${id}`], (event, data) => {
		if (event === "run") answer.set((data as { run: Run }).run);
		else soon();
	});
	return answer;
}

// What there is to see: by the data once it is over, by the tool before.
export function tabsOf(run: Run): string[] {
	const samples = run.tool === "sample" || run.tool === "both";
	const counts = run.tool === "count" || run.tool === "both";
	const live: string[] = OVER.includes(run.state) ? [] : [...(counts ? ["counters"] : []), ...(samples ? ["flame", "time"] : []), "output"];
	const known: string[] = run.facts?.tabs ?? live;
	const shown = new Set(["overview", "raw", ...known]);
	if (shown.has("samples")) shown.add("counters"); // samples over time are shown there
	return TABS.map(([name]) => name).filter((name) => shown.has(name));
}

export function firstTab(run: Run): string {
	const tabs = tabsOf(run);
	if (OVER.includes(run.state)) return "overview";
	return tabs.includes("flame") ? "flame" : tabs.includes("counters") ? "counters" : "overview";
}

export function RunPanel({ id, tab, onTab, small }: Props) {
	const run = useRun(id);
	const { params } = usePlace();
	useTitle(small || !run.data ? "" : runTitle(run.data));
	if (!run.data)
		return <div class="run-panel" aria-busy={run.busy}><Trouble refusal={run.refusal} onRetry={run.reload} /></div>;
	const tabs = tabsOf(run.data);
	const shown = tabs.includes(tab) ? tab : firstTab(run.data);
	return (
		<div class="run-panel">
			{params.get("full") !== "1" && (
				<>
					<RunHead run={run.data} small={small ?? false} />
					<TabList tabs={tabs} shown={shown} onTab={onTab} />
				</>
			)}
			<div role="tabpanel" id="tab-panel" aria-labelledby={`tab-${shown}`} tabIndex={-1} class={`tab-panel tab-${shown}`}>
				<Shown name={shown} run={run.data} small={small ?? false} onTab={onTab} />
			</div>
		</div>
	);
}

function Shown({ name, run, small, onTab }: { name: string; run: Run; small: boolean; onTab: (tab: string) => void }) {
	const { params } = usePlace();
	const link = (tab: string, query: Record<string, string>) => {
		const words = new URLSearchParams(small ? { run: String(run.id), tab, ...query } : query).toString();
		return `${small ? `/s/${run.session}` : `/r/${run.id}/${tab}`}${words && `?${words}`}`;
	};
	const props: TabProps = { run, params, setParams, api, subscribe, link };
	switch (name) {
		case "counters": return <CountersTab run={run} />;
		case "flame": return <FlameTab {...props} />;
		case "time": return <TimeTab {...props} />;
		case "functions": return <FunctionsTab {...props} />;
		case "output": return <OutputTab run={run} />;
		case "raw": return <RawTab run={run} />;
		default: return <OverviewTab run={run} onTab={onTab} link={link} />;
	}
}

function TabList({ tabs, shown, onTab }: { tabs: string[]; shown: string; onTab: (tab: string) => void }) {
	const onKey = (event: KeyboardEvent) => {
		const at = tabs.indexOf(shown);
		const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
		if (to === undefined) return;
		event.preventDefault();
		const next = tabs[(to + tabs.length) % tabs.length]!;
		onTab(next);
		requestAnimationFrame(() => document.getElementById(`tab-${next}`)?.focus());
	};
	// On a phone not all tabs fit.
	useEffect(() => document.getElementById(`tab-${shown}`)?.scrollIntoView({ block: "nearest", inline: "nearest" }), [shown]);
	return (
		<div class="tabs" role="tablist" aria-label="Views of the run" onKeyDown={onKey}>
			{TABS.filter(([name]) => tabs.includes(name)).map(([name, word]) => (
				<button type="button" role="tab" id={`tab-${name}`} key={name} aria-selected={name === shown} aria-controls="tab-panel" tabIndex={name === shown ? 0 : -1} onClick={() => onTab(name)}>
					{word}
				</button>
			))}
		</div>
	);
}

function RunHead({ run, small }: { run: Run; small: boolean }) {
	const active = ACTIVE.includes(run.state);
	const now = useNow(active ? 250 : 0);
	const took = runSeconds(run, now);
	return (
		<div class="run-head">
			<div class="run-title">
				{small ? <h2 class="mono ellipsis" title={runTitle(run)}><a href={`/r/${run.id}`}>{runTitle(run)}</a></h2> : <h1 class="mono ellipsis" title={runTitle(run)}>{runTitle(run)}</h1>}
				<p class="run-facts">
					<StateBadge run={run} />
					{took !== null && <span>{duration(took)}</span>}
					{!small && <a href={`/s/${run.session}?run=${run.id}`}>session {run.session}</a>}
					<span class="dim">run {run.id} · {run.tool} · <time>{dateText(run.created_ns)}</time></span>
				</p>
			</div>
			<Actions run={run} />
			<div class="run-progress">{active && <Progress run={run} took={took} />}</div>
			{run.reason && <p class="trouble">{run.reason}</p>}
		</div>
	);
}

function Actions({ run }: { run: Run }) {
	const action = useAction(async (what: string) => {
		if (what === "remove") await removeRun(run);
		else await api.post(`/runs/${run.id}/${what}`);
	});
	const button = (what: string, word: ComponentChildren, title: string) => (
		<button type="button" disabled={action.busy} title={title} onClick={() => void action.run(what)}>{word}</button>
	);
	const over = OVER.includes(run.state);
	return (
		<div class="run-actions">
			{run.state === "running" && run.tool !== "import" && (
				<>
					{button("pause", "Pause", "Stop counting; the program goes on")}
					{button("resume", "Resume", "Count again")}
					{run.tool !== "sample" && button("reset", "Reset", "Start the counters at nought")}
				</>
			)}
			{!over && run.state !== "processing" && button("cancel", run.state === "queued" ? "Cancel" : "Stop", "End it; what was measured is kept")}
			{over && run.tool !== "import" && button("rerun", "Again", "Queue the same run again")}
			{hasData(run) && <Menu class="right" label="Download" title={`Download run ${run.id}`} items={downloadItems(run)} />}
			{over && button("remove", "Remove", "Remove; it can be undone")}
			<Trouble refusal={action.refusal} />
		</div>
	);
}
