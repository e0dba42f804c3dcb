// SPDX-License-Identifier: Apache-2.0
// What happened, what it means, what to look at next.
import { OVER, type Run } from "../api/core";
import type { Finding, OutputPage, Overview, Quality, QueryTop, RunSummary } from "../api/schema";
import { exact, grouped, moment, percent, seconds } from "../model/format";
import { type Answer, useFetch, useWidth } from "../model/hooks";
import { endedBadly, hasData } from "../model/runs";
import { lazy } from "../widgets/lazy";
import { BudgetSection } from "./budget";
import { totalWords } from "./units";
import { Trouble } from "../widgets/trouble";
import { Words } from "../widgets/words";
import { labelIn, spoken } from "../../flame/label";

const MiniFlame = lazy(() => import("../widgets/mini_flame").then((part) => part.MiniFlame));
const TAB_WORDS: Record<string, string> = { flame: "See it in the flame graph", functions: "See the functions", counters: "See the counters", time: "See it over time", output: "See the output" };

const MOST_FIGURES = 12;
const FIGURE = 106; // pixels that one takes
const NAME = 60; // letters of a function's name in a sentence or a list

type Link = (tab: string, query: Record<string, string>) => string;

export function OverviewTab({ run, onTab, link }: { run: Run; onTab: (tab: string) => void; link: Link }) {
	const over = OVER.includes(run.state);
	// what slept has no sample, and yet its time is known
	const some = hasData(run) || (run.state === "done" && run.tool === "sample" && !endedBadly(run));
	const may = run.may?.repeat;
	const overview = useFetch<Overview>(over ? `/runs/${run.id}/overview` : null);
	const summary = useFetch<RunSummary>(some ? `/runs/${run.id}/summary` : null);
	const sampled = run.facts?.tabs ? run.facts.tabs.includes("flame") : run.tool !== "count";
	const top = useFetch<QueryTop>(some && sampled ? `/runs/${run.id}/top` : null, { limit: 8 });
	const quality = useFetch<Quality>(some && sampled ? `/runs/${run.id}/quality` : null);
	const [first, ...others] = overview.data?.findings ?? [];
	// each part of the time is in the bar and need not stand among the figures as well
	const parts = new Set<string>(overview.data?.budget?.run.flatMap((part) => [part.name, part.label]) ?? []);
	const figures = summary.data?.figures.filter((figure) => !parts.has(figure.name)).slice(0, MOST_FIGURES) ?? [];
	// what stands among the figures is not said beside the sentence as well
	const told = new Set([...parts, ...figures.flatMap((figure) => [figure.label, figure.name])].map((name) => name.toLowerCase()));
	if (!over) return <Meanwhile run={run} onTab={onTab} />;
	if (!some)
		return (
			<div class="hint">
				<Trouble refusal={overview.refusal} onRetry={overview.reload} />
				<h2><Words text={overview.data?.sentence ?? " "} room={NAME} /></h2>
				{first && <Remedy finding={first} />}
				{endedBadly(run) && run.may?.raw && run.facts?.tabs?.includes("output") && <LastWords run={run} />}
				{!may || run.tool === "import" ? null : link("overview", {}).startsWith("/s/")
					? <p class="dim">“Use settings” in the history loads this run's settings into the form, to change and start again.</p>
					: <p class="dim"><a href={`/s/${run.session}?run=${run.id}`}>Open its session</a> to change its settings and start it again.</p>}
			</div>
		);
	const totals = !!summary.data?.counters.length && <Totals summary={summary.data} link={link} />;
	// All at once: what came piece by piece would push the rest about.
	if ([overview, summary, top, quality].some((answer) => answer.busy && !answer.data && !answer.refusal)) return <div class="overview waiting" aria-busy="true" />;
	return (
		<div class="overview">
			<Trouble refusal={overview.refusal} onRetry={overview.reload} />
			<section class="sentence" aria-label="What limited it" aria-busy={overview.busy}>
				<h2><Words text={overview.data?.sentence ?? " "} room={NAME} /></h2>
				{first && <Remedy finding={first} />}
				{first && <EvidenceLine run={run} finding={first} link={link} without={told} />}
			</section>
			<BudgetSection budget={overview.data?.budget} missing={overview.data?.budget_missing} took={seconds(summary.data?.duration_ns ?? 0)} />
			<Figures figures={figures} />
			<div class="overview-columns">
				<div>
					{!sampled && totals}
					{sampled && (
						<section aria-label="Flame graph">
							<h3><Words text={graphWords(summary.data?.samples_of)} room={NAME} /> <small><a href={link("flame", {})}>open the flame graph</a></small></h3>
							<a href={link("flame", {})}><div class="preview-box"><MiniFlame run={run.id} labels class="preview" /></div></a>
						</section>
					)}
					{others.length > 0 && (
						<section aria-label="Findings">
							<h3>What else stands out</h3>
							<ul class="findings">
								{others.map((finding) => (
									<li key={finding.rule + finding.text}>
										<p><Words text={finding.text} room={NAME} /></p>
										<Remedy finding={finding} />
										<EvidenceLine run={run} finding={finding} link={link} />
									</li>
								))}
							</ul>
						</section>
					)}
				</div>
				<div>
					{sampled && <TopFunctions top={top} link={link} />}
					{sampled && <Trust quality={quality.data} summary={summary.data} />}
					{sampled && totals}
				</div>
			</div>
		</div>
	);
}

// What the widths of the graph count.
function graphWords(event: string | null | undefined): string {
	if (event === null || event === undefined) return "Where the CPU time went";
	return event ? `Where \`${event}\` came from` : "Where its samples are";
}

// What it printed last says most often why it failed.
function LastWords({ run }: { run: Run }) {
	const output = useFetch<OutputPage>(`/runs/${run.id}/output`, { last: 2000 });
	const text = output.data?.pieces.map((piece) => piece.text).join("").trimEnd();
	if (output.data && !text) return <p class="dim">It printed nothing.</p>;
	return <pre class="terminal last-words" tabIndex={0} aria-label="Last output" aria-busy={output.busy}>{text?.split("\n").slice(-12).join("\n")}</pre>;
}

function Meanwhile({ run, onTab }: { run: Run; onTab: (tab: string) => void }) {
	const read = run.state === "processing";
	const words = run.state === "queued" ? "Waiting in the queue; this link stays valid." : read ? "Reading the results." : "Measuring.";
	return (
		<div class="hint" role="status">
			<p>{words} The overview appears {read ? "in a moment" : "when the run ends"}.</p>
			{run.state === "running" && run.form.live !== false && (
				<p>
					Meanwhile, live: {run.tool !== "count" && <button type="button" onClick={() => onTab("flame")}>the flame graph</button>}{" "}
					{run.tool !== "sample" && <button type="button" onClick={() => onTab("counters")}>the counters</button>}{" "}
					{(run.form.target?.kind ?? "command") === "command" && <button type="button" onClick={() => onTab("output")}>the output</button>}
				</p>
			)}
		</div>
	);
}

function Remedy({ finding }: { finding: Finding }) {
	return finding.remedy ? <p class="remedy">What helps: <Words text={finding.remedy} />.</p> : null;
}

function EvidenceLine({ run, finding, link, without }: { run: Run; finding: Finding; link: Link; without?: Set<string> }) {
	// What was only counted has no flame graph: its counters are the next best.
	const tabs: string[] = run.facts?.tabs ?? [];
	const tab = finding.tab === "overview" ? undefined : [finding.tab, "counters"].find((name) => name && tabs.includes(name));
	const query: Record<string, string> = finding.function && tab === "functions" ? { function: finding.function } : {};
	return (
		<p class="evidence">
			{finding.evidence.filter((one) => !without?.has(one.name.toLowerCase())).map((one) => <span class="chip" key={one.name}><span class="dim">{one.name}</span> {one.text}</span>)}
			{tab && <a href={link(tab, query)}>{TAB_WORDS[tab] ?? tab}</a>}
		</p>
	);
}

// In as few rows as there is room for, and those of one length: none stands alone.
function Figures({ figures }: { figures: RunSummary["figures"] }) {
	const [box, width] = useWidth<HTMLDListElement>();
	const rows = Math.ceil(figures.length / Math.max(2, Math.floor(width / FIGURE)));
	const columns = Math.ceil(figures.length / rows) || 1;
	return (
		<dl class="figures" ref={box} style={{ "--columns": columns, "--rest": rows * columns - figures.length + 1 || 1 }}>
			{figures.map((figure) => (
				<div key={figure.name} title={figure.note}>
					<dt>{figure.label}</dt>
					<dd>{figure.text}</dd>
					{figure.note && <dd class="dim note">{figure.note}</dd>}
				</div>
			))}
		</dl>
	);
}

function TopFunctions({ top, link }: { top: Answer<QueryTop>; link: Link }) {
	return (
		<section aria-label="Functions with the most samples">
			<h3>Top functions <small class="dim">self</small></h3>
			<Trouble refusal={top.refusal} />
			<table class="bars">
				<tbody>
					{top.data?.rows.filter((row) => row.self_samples > 0).map((row) => (
						<tr key={`${row.function}${row.object}`}>
							<td class="number share" style={{ "--part": `${row.self_percent}%` }}>{percent(row.self_percent)}</td>
							<td class="ellipsis"><a class="mono" href={link("functions", { function: row.function ?? "" })} title={`${row.function} in ${row.object}`} aria-label={spoken(row.function ?? "", NAME)}>{labelIn(row.function ?? "[unknown]", NAME)}</a></td>
						</tr>
					))}
				</tbody>
			</table>
		</section>
	);
}

// Of what is sampled or counted, that time is missing.
function pausedWords(paused: string | undefined): string {
	return paused && paused !== "0" ? `, but for ${exact(seconds(paused))} that it was paused` : "";
}

// What was counted, in all or since the counters were reset.
function Totals({ summary: { counters, reset_ns, start_ns, counted_ns, paused_ns }, link }: { summary: RunSummary; link: Link }) {
	const since = reset_ns && start_ns ? `since the reset at ${moment(seconds(reset_ns, start_ns), 10)}` : (counted_ns ? `in all, over ${exact(seconds(counted_ns))}` : "in all") + pausedWords(paused_ns);
	return (
		<section class="totals" aria-label="Counters">
			<h3>Counted <small class="dim">{since}</small> <small><a href={link("counters", {})}>over time</a></small></h3>
			<table>
				<tbody>
					{counters.map((one) => (
						<tr key={one.event}>
							<th scope="row" class="mono">{one.event}</th>
							{one.share_counted > 0
								? <td class="number" title={one.scale === 1 ? undefined : `${grouped(one.total)} counts of ${one.scale} ${one.unit}`}>{totalWords(one, one.total)}</td>
								: <td class="dim">not counted</td>}
							<td class="dim">{one.share_counted > 0 && one.share_counted < 0.999 && `scaled: counted ${percent(100 * one.share_counted)} of the time`}</td>
						</tr>
					))}
				</tbody>
			</table>
		</section>
	);
}

const FEW = 100; // samples: as src/profile/trust.c has it
const MUCH = 5; // per cent that are missing: whatever the reason, that is not good

// More than chance has it in so many samples is a share that is missing, whatever it is called elsewhere.
function skippedWord(percent: number, samples: number, fault: boolean): string {
	const share = percent / 100;
	if (fault || share > 1.96 * Math.sqrt((share * (1 - share)) / Math.max(1, samples))) return "Caution";
	return samples < FEW ? "Too few" : "Good";
}

// How far the numbers can be believed.
function Trust({ quality, summary }: { quality: Quality | undefined; summary: RunSummary | undefined }) {
	const trust = quality?.trust;
	if (!trust) return null;
	const lost = trust.lost_percent ?? 0;
	const own = summary?.samples === undefined || summary.samples === trust.samples;
	const noun = summary?.events[0]?.noun; // what an import counts, where that is no samples
	const cut = trust.cut_percent ?? 0;
	const unknown = trust.unknown_percent ?? 0;
	const faults = trust.faults ?? [];
	const has = (...reasons: string[]) => faults.some((fault) => reasons.includes(fault.reason ?? ""));
	const judge = (good: boolean) => (good ? "Good" : "Caution");
	const sound = (part: string, share: number) => judge(share < MUCH && !faults.some((fault) => fault.part === part && !fault.reason?.startsWith("caller-")));
	const known = (value: number | null | undefined, text: string) => (value === null ? "not recorded" : text);
	const covered = trust.covered_percent;
	const paused = summary?.paused_ns !== undefined && summary.paused_ns !== "0" ? exact(seconds(summary.paused_ns)) : "";
	const coverage = has("coverage-unclear") ? "Can't tell" : judge(Math.abs((covered ?? 0) - 100) <= 5 && !has("idle-samples"));
	const rows: [string, string, string][] = [
		[noun || (own || !trust.event ? "Samples" : `Samples of ${trust.event}`), grouped((noun && summary?.samples) || (trust.samples ?? 0)), has("few-samples") ? "Too few" : "Good"],
		["Lost", known(trust.lost, percent(lost)), trust.lost === null ? "Can't tell" : judge(!has("lost", "all-lost"))],
		...(quality?.has_stacks === false || trust.cut_percent === null ? [] : [["Stacks cut short", percent(cut), sound("stacks", cut)] satisfies [string, string, string]]),
		...(trust.skipped_percent ? [["Stacks without a direct caller", percent(trust.skipped_percent), skippedWord(trust.skipped_percent, trust.samples ?? 0, has("caller-skipped", "caller-skipped-no-table"))] satisfies [string, string, string]] : []),
		...(has("caller-unclear") ? [["Stacks that may lack a direct caller", percent(trust.unclear_percent ?? 0), "Can't tell"] satisfies [string, string, string]] : []),
		["Functions without a name", percent(unknown), sound("names", unknown)],
		...(trust.throttled === null ? [] : [["Throttled", String(trust.throttled ?? 0), judge(!trust.throttled)] satisfies [string, string, string]]),
		...(covered === undefined || covered === null ? [] : [[`${trust.idle_percent === undefined ? "CPU time" : "Time of all CPUs"} covered by samples${paused ? ", while not paused" : ""}`, percent(covered), coverage] satisfies [string, string, string]]),
	];
	return (
		<section class="trust" aria-label="Data quality">
			<h3>Data quality</h3>
			<table>
				<tbody>
					{rows.map(([name, text, word]) => (
						<tr key={name}><th scope="row">{name}</th><td class="number">{text}</td><td class={word === "Good" ? "good" : "warn"}>{word}</td></tr>
					))}
				</tbody>
			</table>
			<p class={`verdict ${trust.good ? "good" : "warn"}`}>{trust.verdict}</p>
			{paused && <p>Measuring was paused for {paused}: this is of the rest.</p>}
			{faults.length > 0 && (
				<ul class="faults" aria-label="What is wrong">
					{faults.map((fault) => <li key={`${fault.reason}${fault.object ?? ""}`} title={fault.see ? `See: ${fault.see}` : undefined}><Words text={fault.text ?? ""} /></li>)}
				</ul>
			)}
			{trust.remedy && <p class="remedy">What helps most: <Words text={trust.remedy} />.</p>}
		</section>
	);
}
