// SPDX-License-Identifier: Apache-2.0
// Where the time of a run went: a bar whose parts add up, and the same of each thread.
import type { Budget, BudgetPart, BudgetThread } from "../api/schema";
import { exact, grouped, percent } from "../model/format";

const NAMES = ["ran", "cpu-queue", "disk", "pages", "other"] as const;
const SHORT: Record<(typeof NAMES)[number], string> = { ran: "Ran", "cpu-queue": "CPU queue", disk: "Disk", pages: "Memory", other: "Other" };
const SHOWN = 6; // threads; of more the table is opened by hand

export function BudgetSection({ budget, missing, took }: { budget: Budget | null | undefined; missing: string | null | undefined; took: number }) {
	if (!budget) return missing ? <p class="dim budget-note">Where the time went is not known: {missing}.</p> : null;
	const whole = budget.run.reduce((sum, part) => sum + Number(part.ns), 0) / 1e9;
	const threads = budget.thread_count;
	return (
		<section class="budget" aria-label="Where the time went">
			<h3>Where the time went <small class="dim">{exact(whole)} {whole - took > 0.001 * took ? "until the last of its processes had ended" : "from start to end"}{threads > 1 && `, ${grouped(threads)} threads`}</small></h3>
			<Bar parts={budget.run} />
			<ul class="budget-parts">
				{budget.run.map((part) => (
					<li key={part.name} class={Number(part.ns) ? "" : "dim"}>
						<i class={`part-${part.name}`} aria-hidden="true" />
						<span>{part.label}</span>
						<b>{percent(part.percent)}</b>
						<span class="dim">{exact(Number(part.ns) / 1e9)}</span>
					</li>
				))}
			</ul>
			<Notes budget={budget} />
			{threads > 1 && <Threads budget={budget} />}
		</section>
	);
}

function Bar({ parts }: { parts: BudgetPart[] }) {
	const told = parts.filter((part) => Number(part.ns));
	return (
		<div class="budget-bar" role="img" aria-label={told.map((part) => `${part.label} ${percent(part.percent)}`).join(", ")}>
			{told.map((part) => <i key={part.name} class={`part-${part.name}`} style={{ width: `${part.percent}%` }} title={`${part.label}: ${percent(part.percent)}`} />)}
		</div>
	);
}

// What it waited for beside CPU and disk, the largest first.
function waitWords(budget: Budget): string | false {
	const rows = budget.waits.filter((wait) => wait.percent >= 1).sort((a, b) => b.percent - a.percent);
	return rows.length > 0 && `Other waiting: ${rows.map((wait) => `for ${wait.label} ${percent(wait.percent)}`).join(", ")}.`;
}

function Notes({ budget }: { budget: Budget }) {
	const notes = [
		waitWords(budget),
		budget.thread_count > 1 && "Time counts as running while any thread runs, else as waiting for a CPU while any is ready, and so on.",
		budget.source === "schedstat" && `Read from /proc five times a second${budget.why ? ` (${budget.why})` : ""}: threads that ended in between are missing.`,
		!budget.knows_disk && "Waiting for the disk can't be told from other waiting.",
		budget.missing_threads > 0 && `${grouped(budget.missing_threads)} threads are missing: there were too many at once.`,
	].filter(Boolean);
	return notes.length ? <p class="dim budget-note">{notes.join(" ")}</p> : null;
}

function Threads({ budget }: { budget: Budget }) {
	const shares = (parts: BudgetPart[]) => Object.fromEntries(parts.map((part) => [part.name, part.percent])) as BudgetThread["percent"];
	const total = (parts: BudgetPart[]) => parts.reduce((sum, part) => sum + Number(part.ns), 0) / 1e9;
	const whole = total(budget.all_threads);
	return (
		<details open={budget.threads.length <= SHOWN}>
			<summary>By thread, in % of each one's time</summary>
			<div class="budget-table" tabIndex={0} role="region" aria-label="By thread">
				<table>
					<thead>
						<tr><th scope="col">Thread</th><th scope="col" class="number">Lived</th><td />{NAMES.map((name) => <th scope="col" class="number" key={name}>{SHORT[name]}</th>)}</tr>
					</thead>
					<tbody>
						<Row name={`All ${grouped(budget.thread_count)}`} life={exact(whole)} shares={shares(budget.all_threads)} />
						{budget.busiest_count < budget.thread_count && <Row name={busiestName(budget)} life={exact(total(budget.busiest_threads))} shares={shares(budget.busiest_threads)} />}
						{budget.threads.map((thread) => (
							<Row key={`${thread.pid} ${thread.tid} ${thread.name}`} name={threadName(thread)} life={exact(Number(thread.life_ns) / 1e9)} shares={thread.percent} />
						))}
					</tbody>
				</table>
			</div>
		</details>
	);
}

function busiestName(budget: Budget): string {
	return budget.busiest_count === 1 ? "The busiest" : `The ${grouped(budget.busiest_count)} busiest`;
}

function threadName(thread: BudgetThread): string {
	if (thread.tid) return `${thread.name} ${thread.tid}`;
	return thread.name ? `${thread.name}, ${grouped(thread.threads)} that ended` : `${grouped(thread.threads)} others`;
}

function Row({ name, life, shares }: { name: string; life: string; shares: BudgetThread["percent"] }) {
	return (
		<tr>
			<th scope="row" class="mono">{name}</th>
			<td class="number">{life}</td>
			<td class="budget-cell"><div class="budget-bar small" aria-hidden="true">{NAMES.map((part) => shares[part] > 0 && <i key={part} class={`part-${part}`} style={{ width: `${shares[part]}%` }} />)}</div></td>
			{NAMES.map((part) => <td class={shares[part] ? "number" : "number dim"} key={part}>{percent(shares[part])}</td>)}
		</tr>
	);
}
