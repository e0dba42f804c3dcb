// SPDX-License-Identifier: Apache-2.0
// What the form stands for before it is started: counters, size, cost, permission, and the command lines.
import type { Form, Plan } from "../api/core";
import { cannot } from "../model/events";
import { isReady, quoted, sentForm } from "../model/form";
import { bytes, duration, grouped } from "../model/format";
import { useEffect, useState } from "preact/hooks";
import { api, type Refusal } from "../api/client";
import { asRefusal, useLater } from "../model/hooks";
import { CopyLine } from "../widgets/copy";
import { Trouble } from "../widgets/trouble";

export interface Planned {
	plan: Plan | undefined;
	refusal: Refusal | undefined;
	limited: boolean; // the form had a time limit then: it may have been changed since
}

// What counters and samples cost is known before it is said what runs.
const ANY = { kind: "command", command: "true", shell: false, who: "", name: "", children: true } as const;

// The plan of the form as it is now, some moments after it stopped changing.
export function usePlan(form: Form): Planned {
	const ready = isReady(form);
	const settled = useLater(ready ? form : { ...form, target: ANY }, 250);
	const [planned, setPlanned] = useState<Planned>({ plan: undefined, refusal: undefined, limited: false });
	const key = JSON.stringify(sentForm(settled));
	useEffect(() => {
		let gone = false;
		const limited = settled.limit_s > 0;
		api.post<Plan>("/plan", sentForm(settled)).then(
			(plan) => gone || setPlanned({ plan, refusal: undefined, limited }),
			(reason) => gone || setPlanned({ plan: undefined, refusal: asRefusal(reason), limited }),
		);
		return () => void (gone = true);
	}, [key]);
	return planned;
}

interface CounterPlan {
	needed?: number;
	general?: number;
	fixed?: number;
	passes?: number;
	events?: { name?: string; event?: string; need?: string; shares?: boolean; why?: string }[];
}

// In words: "2 of 4 counters", that they would take turns, or that some can't be counted at all, unless that was told.
export function counterWords(plan: CounterPlan | null, told: string[] = []): string[] {
	if (!plan || typeof plan.needed !== "number") return [];
	const events = plan.events ?? [];
	const have = (plan.general ?? 0) + (plan.fixed ?? 0);
	const sharing = events.filter((event) => event.shares).length;
	const missing = events.filter((event) => event.need === "unavailable");
	const untold = missing.filter((event) => !told.some((text) => text.includes(event.name ?? "")));
	const words = untold.length ? [cannot(untold)] : [];
	if (plan.needed) words.push(`${plan.needed} ${plan.needed === 1 ? "event needs" : "events need"} a hardware counter; the CPU has ${have}`);
	else if (!events.length || events.length > missing.length) words.push(`No hardware counter needed: the kernel counts ${missing.length ? "the others" : "these"}`);
	if (sharing || (plan.passes ?? 1) > 1)
		words.push(`${sharing || "Some"} would share a counter (multiplexing), so their counts are estimates. Counting all of them all the time takes ${plan.passes} runs.`);
	return words;
}

// What is not known better than by half is a bound.
function overheadWords(overhead: number, error: number): string {
	const most = overhead + error;
	if (overhead >= 0.25) return `programs take at least ${(1 / (1 - Math.min(overhead, 0.95))).toFixed(1)} times as long`;
	if (most < 0.0005) return "below 0.05 %";
	const digits = most < 0.1 ? 1 : 0;
	if (error > overhead / 2) return `at most ${(most * 100).toFixed(digits)} %`;
	return `${(overhead * 100).toFixed(digits)} ± ${(Math.max(error * 100, 0.1 ** digits / 2)).toFixed(digits)} %`;
}

// Without a time limit the plan is that of the longest run that the server allows: then rates say more.
export function expectations(plan: Pick<Plan, "expected" | "disk">, limited: boolean, stacks = false): [string, string][] {
	const { seconds, samples, bytes: size, overhead, overhead_error: error } = plan.expected;
	const by = limited || !seconds ? 1 : seconds;
	const out: [string, string][] = [];
	if (samples !== null) out.push(["samples", `at most ${grouped(samples / by)}${by === 1 ? "" : " per second"}`]);
	if (size !== null) out.push(["size", `at most ${bytes((size / by) * (by === 1 ? 1 : 60))}${by === 1 ? "" : " per minute"}${stacks ? "; shallow stacks take less" : ""}`]);
	if (overhead !== null) out.push(["overhead", overheadWords(overhead, error ?? 0)]);
	if (seconds !== null && out.length) out.push([limited ? "for" : "for at most", duration(seconds)]);
	if (plan.disk.quota) out.push(["disk", `${bytes(plan.disk.used)} of ${bytes(plan.disk.quota)}`]);
	return out;
}

export function PlanPanel({ planned, form, onShell }: { planned: Planned; form: Form; onShell: () => void }) {
	const { plan, refusal, limited } = planned;
	if (refusal)
		return (
			<div class="plan">
				<Trouble refusal={refusal} />
				{refusal.code === "needs-shell" && refusal.message.startsWith("command") && <p><button type="button" onClick={onShell}>Run it in a shell</button></p>}
			</div>
		);
	if (!plan) return <div class="plan dim"><p>…</p></div>;
	return (
		<div class="plan" aria-label="Plan">
			{!isReady(form) && <p class="dim">Choose what to measure above. Expected cost:</p>}
			{plan.refused.map((text) => <p class="bad" key={text}>{text}</p>)}
			{!plan.disk.room && <p class="bad">{plan.disk.reason}</p>}
			<dl class="expected">
				{expectations(plan, limited, form.tool !== "count" && form.call_graph !== "").map(([name, text]) => (
					<div key={name}><dt>{name}</dt><dd>{text}</dd></div>
				))}
			</dl>
			{counterWords(plan.counters as CounterPlan | null, plan.warnings).map((text) => <p class="dim" key={text}>{text}</p>)}
			{plan.warnings.map((text) => <p class="warn" key={text}>{text}</p>)}
			{plan.notes.map((text) => <p class="dim" key={text}>{text}</p>)}
			{isReady(form) && <details>
				<summary>Equivalent command lines</summary>
				{plan.commands.perfolio.map((text) => <CopyLine text={text} label="perfolio" key={text} />)}
				{plan.commands.perf.map((text) => <CopyLine text={text} label="perf" key={text} />)}
				{plan.argv.length > 0 && <CopyLine text={quoted(plan.argv)} label="workload" />}
			</details>}
		</div>
	);
}
