// SPDX-License-Identifier: Apache-2.0
// The form of the bench.
import { useEffect, useState } from "preact/hooks";
import { api } from "../api/client";
import type { Form, Hosts as HostList, List, Run, Session, Tool } from "../api/core";
import { EVERY, FIRST_FORM, hasHappeningsOnly, isOfTime, isReady, sentForm, splitTags, withSampled } from "../model/form";
import { bytes, grouped } from "../model/format";
import { useAction, useFetch } from "../model/hooks";
import { Trouble } from "../widgets/trouble";
import { EventPicker } from "./events";
import { Field, Fold, Segments } from "./fields";
import { PlanPanel, usePlan } from "./plan";
import { TargetPart } from "./target";

interface Props {
	session: Session;
	form: Form;
	setForm: (form: Form) => void;
	onStarted: (run: Run) => void;
}

const TOOLS: [Tool, string, string][] = [
	["sample", "Sample", "Where the time goes: stack samples, many times a second"],
	["count", "Count", "How often things happen: totals and curves over time"],
	["both", "Both", "Samples and counters of the same run"],
];
const RATES = ["49", "99", "497", "997"];
const FEW = 100; // samples, which say little
// What is chosen, what it costs and when it works.
const GRAPHS: [Form["call_graph"], string, string][] = [
	["dwarf", "DWARF", "Works with nearly every program. Copies the stack with each sample, up to 64 KB, less at high rates: more overhead, larger recordings."],
	["dwarf,65528", "DWARF, 64 KB", "For deep stacks at high rates. Copies up to 64 KB with each sample."],
	["dwarf,16384", "DWARF, 16 KB", "Copies up to 16 KB with each sample; deeper stacks are cut short."],
	["dwarf,8192", "DWARF, 8 KB", "For high rates. Copies up to 8 KB with each sample; deep stacks are cut short."],
	["fp", "Frame pointers", "Cheapest. Complete stacks need programs built with -fno-omit-frame-pointer; other stacks are cut short."],
	["lbr", "LBR", "The CPU's own branch records, cheap: Intel only, the innermost 16 or 32 calls, rarely available in virtual machines."],
	["", "None", "No extra cost. Shows which functions ran, not who called them: a flame graph one level high."],
];

export function BenchForm({ session, form, setForm, onStarted }: Props) {
	const change = (part: Partial<Form>) => {
		start.clear(); // what was refused is not what is there now
		setForm({ ...form, ...part });
	};
	const planned = usePlan(form);
	const start = useAction(async () => {
		const made = await api.post<List<Run>>(`/sessions/${session.id}/runs`, sentForm(form));
		onStarted(made.items[0]!);
	});
	const [wrong, setWrong] = useState({ sample: false, count: false });
	const unreadable = (form.tool !== "count" && wrong.sample) || (form.tool !== "sample" && wrong.count);
	const ready = isReady(form) && !start.busy && !unreadable;
	useEffect(() => {
		const onKey = (event: KeyboardEvent) => {
			if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && ready) void start.run();
		};
		addEventListener("keydown", onKey);
		return () => removeEventListener("keydown", onKey);
	});
	return (
		<form class="bench" aria-label="New run" onSubmit={(event) => (event.preventDefault(), ready && void start.run())}>
			<TargetPart form={form} change={change} />
			<section>
				<div class="row">
					<Segments label="Tool" value={form.tool} options={TOOLS} onChange={(tool) => change({ tool })} />
					<label class="check" title="Show results while it runs"><input type="checkbox" checked={form.live} onChange={() => change({ live: !form.live })} /> Live</label>
				</div>
				{form.tool !== "count" && <Sampling form={form} change={change} session={session} onWrong={(sample) => setWrong((known) => ({ ...known, sample }))} />}
				{form.tool !== "sample" && <Counting form={form} change={change} session={session} onWrong={(count) => setWrong((known) => ({ ...known, count }))} />}
			</section>
			<section class="three">
				{form.tool !== "sample" && (
					<Field label="Interval" hint="ms">
						<input type="number" min="1" max="60000" value={form.interval_ms} onInput={(event) => change({ interval_ms: Math.max(1, Number(event.currentTarget.value)) })} />
					</Field>
				)}
				<Field label="Time limit" hint="s">
					<input type="number" min="0" step="any" title="0: no limit" value={form.limit_s} onInput={(event) => change({ limit_s: Number(event.currentTarget.value) })} />
				</Field>
				<Field label="Repeats">
					<input type="number" min="1" max="1000" value={form.repeats} onInput={(event) => change({ repeats: Math.max(1, Number(event.currentTarget.value)) })} />
				</Field>
			</section>
			{form.target.kind === "command" && <Limits form={form} change={change} />}
			<More form={form} change={change} />
			<div class="start">
				<PlanPanel planned={planned} form={form} onShell={() => change({ target: { ...form.target, shell: true } })} />
				{start.refusal?.message !== planned.refusal?.message && <Trouble refusal={start.refusal} />}
				<button class="primary big" disabled={!ready} title={unreadable ? "Correct the event expression first" : "Ctrl+Enter"}>{form.repeats > 1 ? `Start ${form.repeats} runs` : "Start"}</button>
			</div>
		</form>
	);
}

interface PartProps {
	form: Form;
	change: (part: Partial<Form>) => void;
	session: Session;
	onWrong: (wrong: boolean) => void; // its expression can't be read
}

type Taken = "every" | "some" | "rate";
const TAKEN: [Taken, string, string][] = [
	["every", "Every event", "Each time it happens"],
	["some", "One in N", "Fewer samples; each stands for N events"],
	["rate", "Rate", "Samples per second; the kernel estimates how many events each stands for, and can be far off"],
];

// How many of what happens are taken: a rate is what clocks and counters need.
function Taken({ form, change }: Pick<PartProps, "form" | "change">) {
	const period = form.rate.startsWith("c") ? form.rate.slice(1) : "";
	const taken: Taken = form.rate === EVERY ? "every" : form.rate.startsWith("c") ? "some" : "rate";
	const choose = (way: Taken) => change({ rate: way === "every" ? EVERY : way === "some" ? "c100" : FIRST_FORM.rate });
	return (
		<>
			<Segments label="Which events to sample" value={taken} options={TAKEN} onChange={choose} />
			{taken === "some" && (
				<Field label="One in" hint="events">
					<input class="mono" inputMode="numeric" autocomplete="off" value={period} onInput={(event) => change({ rate: `c${event.currentTarget.value}` })} />
				</Field>
			)}
			{taken === "rate" && <p class="warn">The kernel estimates how many events each sample stands for; for events like these it can be far off. Sample every event to count them.</p>}
		</>
	);
}

// What a program that is soon over has of that rate.
function shortWords(rate: string): string {
	const perSecond = Number(rate);
	if (!(perSecond > 0)) return "";
	const half = Math.round(perSecond / 2);
	return `About ${grouped(half)} samples for half a second of CPU time${half < FEW ? ": choose 997 Hz for short programs" : ""}.`;
}

function Sampling({ form, change, session, onWrong }: PartProps) {
	const happens = hasHappeningsOnly(form.events.sample);
	const paced = !happens || !form.rate.startsWith("c");
	return (
		<>
			{happens && <Taken form={form} change={change} />}
			<div class="two">
				{paced && <Field label="Rate" hint="samples per second">
					<input class="mono" inputMode="numeric" autocomplete="off" value={form.rate} onInput={(event) => change({ rate: event.currentTarget.value })} />
				</Field>}
				<Field label="Call graph">
					<select value={form.call_graph} aria-describedby="graph-words" onChange={(event) => change({ call_graph: event.currentTarget.value })}>
						{GRAPHS.map(([value, text, words]) => <option value={value} title={words} key={value}>{text}</option>)}
					</select>
				</Field>
			</div>
			{paced && <div class="rates" role="group" aria-label="Common rates" title="Odd rates avoid running in step with timers">
				{RATES.map((rate) => (
					<button type="button" class="quiet" aria-pressed={form.rate === rate} onClick={() => change({ rate })} key={rate}>{rate} Hz</button>
				))}
			</div>}
			{paced && form.target.kind === "command" && isOfTime(form.events.sample) && <p class="dim words">{shortWords(form.rate)}</p>}
			<p class="dim words" id="graph-words">{GRAPHS.find(([value]) => value === form.call_graph)?.[2]}</p>
			<Fold set={!!form.events.sample} summary={<>Event: <span class="mono">{form.events.sample || "cycles, or the CPU clock"}</span></>}>
				<EventPicker sampled session={session.id} label="Events to sample" usual="cycles, or the CPU clock if the host has no cycle counter" value={form.events.sample} onChange={(sample) => change(withSampled(form, sample))} onWrong={onWrong} />
			</Fold>
		</>
	);
}

function Counting({ form, change, session, onWrong }: PartProps) {
	return (
		<Fold open={form.tool === "count"} set={!!form.events.count} summary={<>Counters: <span class="mono">{form.events.count || "the default ones"}</span></>}>
			<EventPicker session={session.id} label="Events to count" usual="task-clock, context switches, faults, cycles, instructions, branches" value={form.events.count} onChange={(count) => change({ events: { ...form.events, count } })} onWrong={onWrong} />
		</Fold>
	);
}

const MIB = 1 << 20;

// What the program may take of the machine; 0 is what the server allows.
function Limits({ form, change }: { form: Form; change: (part: Partial<Form>) => void }) {
	const hosts = useFetch<HostList>("/hosts");
	const host = hosts.data?.items[0];
	const words = [form.limit_memory && bytes(form.limit_memory), form.limit_tasks && `${grouped(form.limit_tasks)} tasks`, form.limit_cpus && `${form.limit_cpus} CPUs`].filter(Boolean);
	const number = (text: string) => Math.max(0, Number(text) || 0);
	const most = (value: number | undefined, text: string) => (value ? `at most ${text}` : "no limit");
	return (
		<Fold set={words.length > 0} summary={<>Limits: <span class="dim">{words.join(" · ") || "the server's"}</span></>}>
			<Field label="Memory" hint={`MiB; ${most(host?.run_memory, bytes(host?.run_memory ?? 0))}`}>
				<input type="number" min="0" title="Of all its processes together; the run is ended when it needs more. 0: the server's limit" value={Math.round(form.limit_memory / MIB)} onInput={(event) => change({ limit_memory: Math.round(number(event.currentTarget.value)) * MIB })} />
			</Field>
			<Field label="Tasks" hint={`processes and threads; ${most(host?.run_tasks, grouped(host?.run_tasks ?? 0))}`}>
				<input type="number" min="0" title="More are refused to the program. 0: the server's limit" value={form.limit_tasks} onInput={(event) => change({ limit_tasks: Math.round(number(event.currentTarget.value)) })} />
			</Field>
			<Field label="CPUs" hint={most(host?.run_cpus, `${host?.run_cpus ?? 0}`)}>
				<input type="number" min="0" step="any" title="0.5 is half of one. 0: the server's limit" value={form.limit_cpus} onInput={(event) => change({ limit_cpus: number(event.currentTarget.value) })} />
			</Field>
			{host && !(host.holds_memory && host.holds_tasks) && <p class="dim">There are no control groups for this server: memory and tasks are limited for each process, not for the run.</p>}
		</Fold>
	);
}

function More({ form, change }: { form: Form; change: (part: Partial<Form>) => void }) {
	const set = [form.options.record, form.options.stat, form.tags.join(", "), form.notes, form.webhook].filter(Boolean);
	return (
		<Fold set={set.length > 0} summary={<>Options, tags, webhook: <span class="dim">{set.join(" · ") || "none"}</span></>}>
			{form.tool !== "count" && (
				<Field label="Options for record" hint="--mmap-pages 512">
					<input class="mono" spellcheck={false} autocomplete="off" value={form.options.record} onInput={(event) => change({ options: { ...form.options, record: event.currentTarget.value } })} />
				</Field>
			)}
			{form.tool !== "sample" && (
				<Field label="Options for stat" hint="--no-aggr">
					<input class="mono" spellcheck={false} autocomplete="off" value={form.options.stat} onInput={(event) => change({ options: { ...form.options, stat: event.currentTarget.value } })} />
				</Field>
			)}
			<TagsField tags={form.tags} onChange={(tags) => change({ tags })} />
			<Field label="Notes">
				<textarea rows={2} value={form.notes} onInput={(event) => change({ notes: event.currentTarget.value })} />
			</Field>
			<Field label="Webhook" hint="a URL to call when the run ends">
				<input type="url" autocomplete="off" value={form.webhook} onInput={(event) => change({ webhook: event.currentTarget.value })} />
			</Field>
		</Fold>
	);
}

// The text is what was typed, also while a tag is not complete.
function TagsField({ tags, onChange }: { tags: string[]; onChange: (tags: string[]) => void }) {
	const [text, setText] = useState(tags.join(", "));
	const same = splitTags(text).join() === tags.join();
	const type = (now: string) => {
		setText(now);
		onChange(splitTags(now));
	};
	return (
		<Field label="Tags" hint="separated by commas">
			<input autocomplete="off" value={same ? text : tags.join(", ")} onInput={(event) => type(event.currentTarget.value)} />
		</Field>
	);
}
