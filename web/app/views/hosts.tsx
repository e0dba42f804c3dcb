// SPDX-License-Identifier: Apache-2.0
// Machines: what each can measure, and what would help where it can't.
import type { Doctor, Finding, Hosts as HostList } from "../api/core";
import { bytes, count, grouped } from "../model/format";
import { useFetch, useSoon, useStream, useTitle } from "../model/hooks";
import { useMayRun } from "../model/me";
import { commandIn } from "../model/remedy";
import { CopyLine } from "../widgets/copy";
import { Trouble } from "../widgets/trouble";

const WORDS: Record<string, [string, string]> = { ok: ["fine", "good"], limited: ["limited", "warn"], missing: ["missing", "bad"], unknown: ["unknown", "idle"] };

const SERVER_WORDS: typeof WORDS = { ...WORDS, limited: ["consider", "warn"], missing: ["bad", "bad"] };

// What is missing first.
const ORDER = ["missing", "limited", "unknown", "ok"];

export function Hosts() {
	const hosts = useFetch<HostList>("/hosts");
	const soon = useSoon(hosts.reload);
	const doctor = useFetch<Doctor>("/doctor");
	const areas = [...new Set(doctor.data?.findings.map((finding) => finding.area))];
	const server = useFetch<Doctor>(useMayRun() ? "/server" : null);
	const refresh = () => { doctor.reload(); server.reload(); };
	useStream(["queue"], soon);
	useTitle("Machines");
	return (
		<main class="page" tabIndex={-1}>
			<div class="head">
				<h1>Machines</h1>
				<span class="grow" />
				<button type="button" disabled={doctor.busy} onClick={refresh}>{doctor.busy ? "Checking…" : "Refresh"}</button>
			</div>
			<Trouble refusal={hosts.refusal ?? doctor.refusal} onRetry={doctor.refusal ? doctor.reload : hosts.reload} />
			{hosts.data?.items.map((host) => <HostPanel host={host} key={host.name} />)}
			{server.data && <Area name="This server" findings={server.data.findings} words={SERVER_WORDS} />}
			{doctor.data && <Verdict doctor={doctor.data} />}
			{areas.map((area) => <Area name={area} findings={doctor.data!.findings.filter((finding) => finding.area === area)} key={area} />)}
			{hosts.data && !doctor.data && !doctor.refusal && <p class="dim pad" role="status">Checking this machine: opening events, waiting for a sample…</p>}
		</main>
	);
}

function HostPanel({ host }: { host: HostList["items"][number] }) {
	const processes = !host.attach ? "Running processes can't be measured" : host.attach_others ? "Running processes can be measured, also those of other users" : "Running processes of one's own Unix account can be measured";
	const whole = host.whole_host ? "the whole host can be measured" : "the whole host can't be measured";
	const why = host.shared && !(host.attach_others && host.other_users && host.whole_host) ? " Several people have accounts here; --allow in the server's configuration permits more." : "";
	return (
		<section class="panel host" aria-label={host.name}>
			<h2>{host.name} <span class={`state ${host.running ? "busy" : "good"}`}>{host.running ? "measuring" : "ready"}</span></h2>
			<dl class="figures">
				<div><dt>CPU</dt><dd>{host.cpu_model || "unknown"}</dd><dd class="dim note">{count(host.cpus, "CPU")}</dd></div>
				<div><dt>Kernel</dt><dd>{host.kernel}</dd></div>
				<div><dt>Programs run as</dt><dd>{host.workload_user}</dd></div>
				<div><dt>/tmp of runs</dt><dd>{host.private_tmp ? "their own" : "shared"}</dd>{host.private_tmp_why && <dd class="dim note">{host.private_tmp_why}</dd>}</div>
				<div><dt>Network of runs</dt><dd>{{ full: "all of it", loopback: "a loopback of their own", none: "none" }[host.run_network]}</dd></div>
				<div><dt>Limits of a run</dt><dd>{host.run_memory ? bytes(host.run_memory) : "any memory"}</dd><dd class="dim note">{host.run_tasks ? `${grouped(host.run_tasks)} tasks` : "any number of tasks"}, {host.run_cpus ? `${host.run_cpus} CPUs` : "all CPUs"}{host.holds_memory ? "" : "; only for each process, since there are no control groups for this server"}</dd></div>
				<div><dt>Queue</dt><dd>{host.queued ? `${host.queued} waiting` : "empty"}</dd></div>
				<div><dt>Disk</dt><dd>{bytes(host.disk_used)}</dd><dd class="dim note">{host.max_disk ? `of ${bytes(host.max_disk)}` : "no limit"}</dd></div>
				<div><dt>perfolio</dt><dd>{host.perfolio}</dd></div>
			</dl>
			<p class="dim">{processes}; {whole}.{why}</p>
		</section>
	);
}

function Verdict({ doctor }: { doctor: Doctor }) {
	const having = (...states: string[]) => doctor.findings.filter((finding) => states.includes(finding.state)).length;
	const others = ([["limited", having("limited")], ["missing", having("missing")], ["unknown", having("unknown")]] as [string, number][]).filter(([, number]) => number);
	return (
		<>
			<h2 class="verdict">
				{having("ok")} of {doctor.findings.length} checks are fine{others.length ? ": " : "."}
				{others.map(([word, number]) => `${number} ${word}`).join(", ")}
			</h2>
			{doctor.grant && <CopyLine label="To allow more" text={doctor.grant} />}
		</>
	);
}

function Area({ name, findings, words = WORDS }: { name: string; findings: Finding[]; words?: typeof WORDS }) {
	const good = findings.filter((finding) => finding.state === "ok").length;
	const sorted = [...findings].sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
	return (
		<details class="area" open={good < findings.length}>
			<summary><h2>{name}</h2> <span class={`state ${good < findings.length ? "warn" : "good"}`}>{good < findings.length ? `${good} of ${findings.length} fine` : `all ${findings.length} fine`}</span></summary>
			<ul class="doctor">{sorted.map((finding) => <FindingRow finding={finding} words={words} key={finding.id} />)}</ul>
		</details>
	);
}

function FindingRow({ finding, words }: { finding: Finding; words: typeof WORDS }) {
	const [word, tone] = words[finding.state] ?? [finding.state, "idle"];
	const command = commandIn(finding.remedy);
	return (
		<li>
			<span class={`state ${tone}`}>{word}</span>
			<div>
				<p><b>{finding.title}</b> {finding.what}</p>
				{finding.meaning && <p class="dim">{finding.meaning}</p>}
				{finding.remedy && <p class="remedy"><b>What helps:</b> {finding.remedy}</p>}
				{command && <CopyLine label={finding.title} text={command} quiet />}
				{finding.evidence && <details><summary>How this was checked</summary><p class="dim mono">{finding.evidence}</p></details>}
			</div>
		</li>
	);
}
