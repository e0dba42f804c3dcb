// SPDX-License-Identifier: Apache-2.0
// Who is measured: a command that is started, or what runs already.
import { useState } from "preact/hooks";
import type { Form, Hosts as HostList, Processes, Target, TargetKind } from "../api/core";
import { useFetch, useLater } from "../model/hooks";
import { Field, Fold, Segments } from "./fields";

interface Props {
	form: Form;
	change: (part: Partial<Form>) => void;
}

const SHOWN = 300; // rows of a list that one searches
const NAME_MOST = 200; // letters of a command line that a run is called by
const KINDS: [TargetKind, string][] = [["command", "Command"], ["process", "Process"], ["thread", "Thread"], ["user", "User"], ["host", "Whole host"]];

// What is not offered, and why.
function whyNot(host: HostList["items"][number]): string {
	if (host.shared && !(host.attach_others && host.other_users && host.whole_host))
		return "Several people have accounts on this server: besides commands, each measures what runs as their own Unix account, and what its configuration allows (--allow).";
	if (!host.attach) return `This server measures nothing that runs already (--deny attach)${host.whole_host ? "" : ", nor the whole host (--deny host)"}.`;
	return host.whole_host ? "" : "This server does not measure the whole host (--deny host).";
}

export function TargetPart({ form, change }: Props) {
	const target = form.target;
	const set = (part: Partial<Target>) => change({ target: { ...target, ...part } });
	const host = useFetch<HostList>("/hosts").data?.items[0];
	const may: Record<TargetKind, boolean> = { command: true, process: host?.attach ?? true, thread: host?.attach ?? true, user: host?.attach ?? true, host: host?.whole_host ?? true };
	return (
		<section>
			<Segments label="What to measure" value={target.kind} options={KINDS.filter(([kind]) => may[kind] || kind === target.kind)} onChange={(kind) => set({ kind, who: "", name: "" })} />
			{host && whyNot(host) && <p class="dim">{whyNot(host)}</p>}
			{target.kind === "command" && <Command form={form} change={change} set={set} />}
			{(target.kind === "process" || target.kind === "thread") && <ProcessList target={target} set={set} />}
			{target.kind === "user" && (
				<Field label="User" hint="name or number: all processes of that user">
					<input value={target.who} onInput={(event) => set({ who: event.currentTarget.value })} autocomplete="off" />
				</Field>
			)}
			{target.kind === "host" && <p class="dim">Everything that runs on this machine, until the time limit or until you stop it.</p>}
		</section>
	);
}

function Command({ form, change, set }: Props & { set: (part: Partial<Target>) => void }) {
	const { target } = form;
	return (
		<>
			<Field label="Command" hint="press Enter to start">
				<textarea
					id="command" class="mono" rows={2} spellcheck={false} placeholder="./my-program --input data.txt" title="Enter starts the run, Shift+Enter inserts a new line"
					value={target.command ?? ""} onInput={(event) => set({ command: event.currentTarget.value })} onKeyDown={startByEnter}
				/>
			</Field>
			<label class="check">
				<input type="checkbox" checked={target.shell} onChange={() => set({ shell: !target.shell })} /> Run in a shell: pipes, <code>&amp;&amp;</code>, <code>*</code>, <code>$HOME</code>
			</label>
			<Surroundings form={form} change={change} />
		</>
	);
}

function startByEnter(event: KeyboardEvent): void {
	if (event.key !== "Enter" || event.shiftKey || event.ctrlKey || event.metaKey || event.isComposing) return;
	event.preventDefault();
	(event.currentTarget as HTMLTextAreaElement).form!.requestSubmit();
}

const NETWORKS = { full: "whole network", loopback: "only a loopback of its own", none: "no network" };

// What most commands need nothing of; folded, it says what is set.
function Surroundings({ form, change }: Props) {
	const set = [form.environment, form.folder && `in ${form.folder}`, form.cpus && `on CPUs ${form.cpus}`, form.network && NETWORKS[form.network]].filter(Boolean);
	return (
		<Fold set={set.length > 0} summary={<>Environment, CPUs, network: <span class="dim">{set.join(" · ") || "default"}</span></>}>
			<Field label="Environment">
				<input class="mono" placeholder="A=1 B='two words'" spellcheck={false} autocomplete="off" value={form.environment} onInput={(event) => change({ environment: event.currentTarget.value })} />
			</Field>
			<div class="two">
				<Field label="Folder">
					<input class="mono" placeholder="home folder" title="If empty: the home folder of the user it runs as" spellcheck={false} autocomplete="off" value={form.folder} onInput={(event) => change({ folder: event.currentTarget.value })} />
				</Field>
				<Field label="Pin to CPUs">
					<input class="mono" placeholder="all; 0-3,8" autocomplete="off" value={form.cpus} onInput={(event) => change({ cpus: event.currentTarget.value })} />
				</Field>
			</div>
			<Field label="Network">
				<select value={form.network} title="What the program may reach; no more than the server allows" onChange={(event) => change({ network: event.currentTarget.value as Form["network"] })}>
					<option value="">as the server has it</option>
					<option value="loopback">{NETWORKS.loopback}</option>
					<option value="none">{NETWORKS.none}</option>
				</select>
			</Field>
		</Fold>
	);
}

function ProcessList({ target, set }: { target: Target; set: (part: Partial<Target>) => void }) {
	const [search, setSearch] = useState("");
	const asked = useLater(search, 150);
	const found = useFetch<Processes>("/processes", { search: asked }, true);
	const [order, setOrder] = useState<"id" | "cpu">("id");
	const threads = target.kind === "thread";
	const rows = (found.data?.items ?? []).flatMap((process) =>
		threads
			? (process.threads ?? []).map((thread) => ({ id: String(thread.tid), cpu: undefined, name: thread.name, more: `of ${process.pid} ${process.command}` }))
			: [{ id: String(process.pid), cpu: process.cpu_percent, name: process.command, more: `${process.user ?? ""}${(process.threads?.length ?? 1) > 1 ? `, ${process.threads!.length} threads` : ""}` }],
	);
	rows.sort((a, b) => (order === "cpu" ? (b.cpu ?? 0) - (a.cpu ?? 0) : 0) || Number(a.id) - Number(b.id));
	const measured = rows.some((row) => row.cpu !== undefined);
	return (
		<>
			<Field label={threads ? "Thread" : "Process"} hint="ids, separated by commas">
				<input inputMode="numeric" autocomplete="off" value={target.who} onInput={(event) => set({ who: event.currentTarget.value, name: "" })} />
			</Field>
			<div class="picker-search">
				<input type="search" placeholder={`Search running ${threads ? "threads" : "processes"}`} aria-label={`Search running ${threads ? "threads" : "processes"}`} value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
				<button type="button" onClick={found.reload} disabled={found.busy}>Refresh</button>
			</div>
			{measured && <Segments label="Order" value={order} options={[["id", "By PID"], ["cpu", "By CPU %"]]} onChange={setOrder} />}
			<ul class="events processes" aria-label={threads ? "Running threads" : "Running processes"}>
				{rows.slice(0, SHOWN).map((row) => (
					<li key={row.id}>
						<label title={`${row.name} ${row.more}`}>
							<input type="radio" name="who" checked={target.who === row.id} onChange={() => set({ who: row.id, name: row.name.slice(0, NAME_MOST) })} />
							<span class="number pid">{row.id}</span>
							{measured && <span class="number cpu" title="CPU use over the last tenth of a second; 100 % is one CPU">{row.cpu === undefined ? "" : `${row.cpu.toFixed(row.cpu < 9.95 ? 1 : 0)} %`}</span>}
							<span class="mono ellipsis">{row.name}</span>
							<small class="dim ellipsis">{row.more}</small>
						</label>
					</li>
				))}
				{rows.length > SHOWN && <li class="dim pad">{rows.length - SHOWN} more. Search to find yours.</li>}
				{found.data && !rows.length && <li class="dim pad">Nothing running matches.</li>}
				{found.refusal && <li class="pad">{found.refusal.message}</li>}
			</ul>
			{!threads && (
				<label class="check"><input type="checkbox" checked={target.children} onChange={() => set({ children: !target.children })} /> Include its child processes</label>
			)}
		</>
	);
}
