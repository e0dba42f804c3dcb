// SPDX-License-Identifier: Apache-2.0
// A run: what it is, how it is going, and the tabs that its data allows.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { lazy } from "../widgets/lazy";
import { api, type Refusal } from "../api/client";
import { ACTIVE, OVER, type List, type Run, type Session } from "../api/core";
import type { Overview } from "../api/schema";
import { Progress } from "../bench/history";
import { notifyEnd, NotifySwitch } from "../bench/notify";
import type { TabProps } from "../flame/props";
import { go, setParams, usePlace } from "../model/address";
import { duration, exact } from "../model/format";
import { useMayRun } from "../model/me";
import { useAction, useFetch, useNow, useSoon, useStream, useTitle } from "../model/hooks";
import { asShown, atLimit, chosenIn, downloadItems, hasData, hostOf, isCounted, removeRun, runSeconds, runTitle } from "../model/runs";
import { newer } from "../model/runlist";
import { OutputTab } from "../run/output";
import { OverviewTab } from "../run/overview";
import { RawTab } from "../run/raw";
import { subscribe } from "../stream/client";
import { Ago } from "../widgets/ago";
import { Menu } from "../widgets/menu";
import { RunTags } from "../widgets/notes";
import { StateBadge } from "../widgets/state";
import { Trouble } from "../widgets/trouble";
import { Words } from "../widgets/words";

const FlameTab = lazy(() => import("../flame/tab").then((part) => part.FlameTab));
const TimeTab = lazy(() => import("../time/tab").then((part) => part.TimeTab));
const CountersTab = lazy(() => import("../run/counters").then((part) => part.CountersTab));
const CallTreeTab = lazy(() => import("../tree/tab").then((part) => part.CallTreeTab));
const FunctionsTab = lazy(() => import("../run/functions").then((part) => part.FunctionsTab));

// What a tab is given: the run, and for those of the samples what they share.
interface TabFacts {
	run: Run;
	props: TabProps;
	onTab: (tab: string) => void;
}

// Every tab of a run, in their order: its name in the address, its word, and what is in it.
const TABS: { name: string; word: string; show: (facts: TabFacts) => ComponentChildren }[] = [
	{ name: "overview", word: "Overview", show: ({ run, props, onTab }) => <OverviewTab run={run} onTab={onTab} link={props.link} /> },
	{ name: "counters", word: "Counters", show: ({ run }) => <CountersTab run={run} /> },
	{ name: "flame", word: "Flame", show: ({ props }) => <FlameTab {...props} /> },
	{ name: "time", word: "Time", show: ({ props }) => <TimeTab {...props} /> },
	{ name: "calltree", word: "Call tree", show: ({ props }) => <CallTreeTab {...props} /> },
	{ name: "functions", word: "Functions", show: ({ props }) => <FunctionsTab {...props} /> },
	{ name: "output", word: "Output", show: ({ run }) => <OutputTab run={run} /> },
	{ name: "raw", word: "Raw", show: ({ run }) => <RawTab run={run} /> },
];

interface Props {
	id: number;
	tab: string; // "": what fits
	onTab: (tab: string) => void;
	small?: boolean; // in the middle of the bench
}

// A run, kept up to date by the stream, and its end told to who wants to know.
function useRun(id: number, tell: boolean) {
	const answer = useFetch<Run>(`/runs/${id}`, {}, true);
	const soon = useSoon(answer.reload);
	const known = useRef<Run | undefined>(undefined);
	useStream([`run:${id}`], (event, data) => {
		if (event !== "run") return soon();
		answer.set((data as { run: Run }).run);
	});
	if (answer.data) known.current = known.current?.id === answer.data.id ? newer(known.current, answer.data) : answer.data;
	const run = answer.data && known.current;
	const before = useRef<Run | undefined>(undefined);
	useEffect(() => {
		if (tell && run && before.current?.id === run.id) notifyEnd(before.current, run);
		before.current = run;
	}, [run]);
	return { ...answer, data: run };
}

// What there is to see: by the data once it is over, by the tool before.
export function tabsOf(run: Run): string[] {
	const samples = run.tool === "sample" || run.tool === "both";
	const measured = run.tool === "import" || run.form.live === false ? [] : ["counters", ...(samples ? ["flame", "time"] : [])];
	const started = (run.form.target?.kind ?? "command") === "command"; // of others there is no output
	const live: string[] = OVER.includes(run.state) ? [] : [...measured, ...(started && run.tool !== "import" ? ["output"] : [])];
	const known: string[] = run.facts?.tabs ?? live;
	const shown = new Set(["overview", "raw", ...known]);
	if (shown.has("time")) shown.add("counters"); // samples over time are shown there
	if (shown.has("functions")) shown.add("calltree"); // of the same stacks
	return TABS.map(({ name }) => name).filter((name) => shown.has(name));
}

// A file was brought in for its picture; what was measured here begins with its answer.
export function firstTab(run: Run): string {
	const tabs = tabsOf(run);
	if (run.tool === "import") return tabs.includes("flame") ? "flame" : "overview";
	if (OVER.includes(run.state) || run.state === "queued") return "overview";
	return tabs.includes("flame") ? "flame" : tabs.includes("counters") ? "counters" : "overview";
}

// Whoever watched a run to its end goes on looking at the same tab, unless there is nothing in it.
function useShownTab(run: Run | undefined, asked: string): { shown: string; watched: boolean } {
	const before = useRef({ id: 0, tab: "", watched: false });
	if (!run) return { shown: "", watched: false };
	const over = OVER.includes(run.state);
	const { tab, watched } = before.current.id === run.id ? before.current : { tab: "", watched: false };
	const tabs = tabsOf(run);
	const kept = over && watched && run.tool !== "import" && hasData(run) && tabs.includes(tab) ? tab : firstTab(run);
	before.current = { id: run.id, tab: tabs.includes(asked) ? asked : kept, watched: watched || !over };
	return { shown: before.current.tab, watched: before.current.watched };
}

export function RunPanel({ id, tab, onTab, small }: Props) {
	const run = useRun(id, !small); // the bench tells of all of its runs
	const shownRun = useMemo(() => run.data && asShown(run.data), [run.data]);
	const { params } = usePlace();
	const session = useFetch<Session>(small || !run.data ? null : `/sessions/${run.data.session}`);
	const { shown, watched } = useShownTab(shownRun, tab);
	useTitle(...(small ? [null] as [null] : [run.data ? runTitle(run.data) : `Run ${id}`, session.data?.title]));
	if (run.refusal?.status === 404) return <div class="run-panel"><Gone id={id} refusal={run.refusal} onBack={run.reload} /></div>;
	if (!run.data || !shownRun)
		return <div class="run-panel" aria-busy={run.busy}><Trouble refusal={run.refusal} onRetry={run.reload} /></div>;
	return (
		<div class="run-panel">
			{params.get("full") !== "1" && (
				<>
					<RunHead run={run.data} small={small ?? false} session={session.data} told={shown === "overview" && OVER.includes(shownRun.state) && !hasData(run.data)} />
					<div class="tab-row">
						<TabList tabs={tabsOf(shownRun)} shown={shown} onTab={onTab} />
						{small && <Expand />}
					</div>
					{watched && shown !== "overview" && <Result run={shownRun} onTab={onTab} />}
				</>
			)}
			<div role="tabpanel" id="tab-panel" aria-labelledby={`tab-${shown}`} tabIndex={-1} class={`tab-panel tab-${shown}`}>
				{/* Plots stay when another run is chosen: only their data are fetched. */}
				<Shown key={shown === "counters" ? "counters" : `${shown}-${run.data.id}`} name={shown} run={shownRun} small={small ?? false} onTab={onTab} />
			</div>
		</div>
	);
}

// The run alone, without the form and the history beside it; the address says so.
function Expand() {
	const { params } = usePlace();
	const wide = params.get("wide") === "1";
	return (
		<button type="button" class="expand" aria-pressed={wide} title={wide ? "Show the form and the history" : "Give the run the whole window"} onClick={() => setParams({ wide: wide ? null : "1" })}>
			{wide ? "Shrink" : "Expand"}
		</button>
	);
}

// The answer comes to whoever has watched; it does not take away what is looked at, and has its place before.
function Result({ run, onTab }: { run: Run; onTab: (tab: string) => void }) {
	const overview = useFetch<Overview>(hasData(run) ? `/runs/${run.id}/overview` : null);
	if (!overview.data) return <p class="result dim">{OVER.includes(run.state) ? " " : "The diagnosis appears when the run ends."}</p>;
	return (
		<p class="result" role="status">
			<span class="ellipsis"><Words text={overview.data.sentence} /></span>
			<button type="button" onClick={() => onTab("overview")}>Overview</button>
		</p>
	);
}

// It may have been removed by somebody else, or just now by the button above; or it never was.
function Gone({ id, refusal, onBack }: { id: number; refusal: Refusal; onBack: () => void }) {
	const may = useMayRun();
	const removed = useFetch<List<Run>>(may ? `/runs?removed=true&before=${id + 1}&limit=1` : null);
	const back = useAction(() => api.post(`/runs/${id}/restore`).then(onBack));
	return (
		<div class="hint">
			<Trouble refusal={back.refusal ?? refusal} />
			{removed.data?.items[0]?.id === id && removed.data.items[0].may?.change && <p><button type="button" disabled={back.busy} onClick={() => void back.run()}>Restore run {id}</button></p>}
		</div>
	);
}

function Shown({ name, run, small, onTab }: { name: string; run: Run; small: boolean; onTab: (tab: string) => void }) {
	const { params } = usePlace();
	const wide = small && params.get("wide") === "1";
	const link = (tab: string, query: Record<string, string>) => {
		const words = new URLSearchParams(small ? { run: String(run.id), tab, ...(wide ? { wide: "1" } : {}), ...query } : query).toString();
		return `${small ? `/s/${run.session}` : `/r/${run.id}/${tab}`}${words && `?${words}`}`;
	};
	const props: TabProps = { run: { ...run, counted: isCounted(run) }, params, setParams, api, subscribe, link };
	return <>{(TABS.find((tab) => tab.name === name) ?? TABS[0]!).show({ run, props, onTab })}</>;
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
	return (
		<div class="tabs" role="tablist" aria-label="Views of the run" onKeyDown={onKey}>
			{TABS.filter(({ name }) => tabs.includes(name)).map(({ name, word }) => (
				<button type="button" role="tab" id={`tab-${name}`} key={name} aria-selected={name === shown} aria-controls="tab-panel" tabIndex={name === shown ? 0 : -1} onClick={() => onTab(name)}>
					{word}
				</button>
			))}
		</div>
	);
}

function Crumbs({ run, session }: { run: Run; session: Session | undefined }) {
	return (
		<nav class="crumbs" aria-label="Where this run belongs">
			<a href="/">Sessions</a>
			<a class="ellipsis" href={`/s/${run.session}?run=${run.id}`}>{session ? session.title || `Session ${session.id}` : "…"}</a>
			<span aria-current="page">Run {run.id}</span>
		</nav>
	);
}

// told: why it failed is said below, with what helps.
function RunHead({ run, small, session, told }: { run: Run; small: boolean; session: Session | undefined; told: boolean }) {
	const seen = asShown(run);
	const active = ACTIVE.includes(seen.state);
	const now = useNow(active ? 250 : 0);
	const took = runSeconds(run, now);
	const host = hostOf(run);
	return (
		<div class="run-head">
			<div class="run-title">
				{!small && <Crumbs run={run} session={session} />}
				{small ? <h2 class="mono ellipsis" title={runTitle(run)}><a href={`/r/${run.id}`}>{runTitle(run)}</a></h2> : <h1 class="mono ellipsis" title={runTitle(run)}>{runTitle(run)}</h1>}
				<p class="run-facts">
					<StateBadge run={seen} />
					{took !== null && <span>{OVER.includes(run.state) ? exact(took) : duration(took)}</span>}
					<span class="dim">{small && `run ${run.id} · `}{run.tool} · <Ago ns={run.created_ns} />{!run.may?.change && ` · by ${run.person}`}</span>
					{host && !small && <span class="dim">on {host}</span>}
					<RunTags run={run} key={run.id} />
				</p>
			</div>
			<Actions run={run} small={small} />
			<div class="run-progress">{active && <Progress run={seen} took={took} />}</div>
			{run.facts?.damage && <p class="warn damage" role="status">This recording is incomplete ({run.facts.damage}): all numbers cover only the part that could be read.</p>}
			{run.reason && !told && <p class={atLimit(run) ? "notes" : "trouble"}>{run.reason}</p>}
			{run.form.notes && <p class="notes">{run.form.notes}</p>}
		</div>
	);
}

function Actions({ run, small }: { run: Run; small: boolean }) {
	const { params } = usePlace();
	const action = useAction(async (what: string) => {
		if (what === "remove") {
			await removeRun(run);
			if (!small) go(`/s/${run.session}`);
		} else await api.post(`/runs/${run.id}/${what}`);
		if (what === "cancel") document.getElementById("tab-panel")?.focus(); // its button goes, and none that removes may come in its place
	});
	const button = (what: string, word: ComponentChildren, title: string, key = what) => (
		<button key={key} type="button" disabled={action.busy} title={title} onClick={() => void action.run(what)}>{word}</button>
	);
	const over = OVER.includes(run.state);
	const change = run.may?.change ?? false;
	return (
		<div class="run-actions">
			{change && run.state === "running" && (
				<>
					{run.paused ? button("resume", "Resume", "Continue measuring", "pause") : button("pause", "Pause", "Stop measuring for now; the program continues")}
					{run.tool !== "sample" && button("reset", "Reset", "Reset counters")}
				</>
			)}
			{change && !over && button("cancel", run.state === "queued" ? "Cancel" : "Stop", "End the run; what was measured is kept")}
			{run.may?.repeat && over && run.tool !== "import" && button("rerun", "Again", "Queue the same run again")}
			{hasData(run) && <Menu class="right" label="Download" title={`Download run ${run.id}`} items={downloadItems(run, chosenIn(params))} />}
			{!over && !small && <NotifySwitch />}
			{change && over && button("remove", "Remove", "Remove (you can undo this)")}
			<Trouble refusal={action.refusal} />
		</div>
	);
}
