// SPDX-License-Identifier: Apache-2.0
// Machines: what each can measure, and what would help where it can't.
import type { Doctor, Finding, Hosts as HostList } from "../api/core";
import { bytes, count } from "../model/format";
import { useFetch, useTitle } from "../model/hooks";
import { CopyLine } from "../widgets/copy";
import { Trouble } from "../widgets/trouble";

const WORDS: Record<string, [string, string]> = { ok: ["works", "good"], limited: ["limited", "warn"], missing: ["missing", "bad"], unknown: ["not known", "idle"] };

export function Hosts() {
	const hosts = useFetch<HostList>("/hosts");
	const doctor = useFetch<Doctor>("/doctor");
	const areas = [...new Set(doctor.data?.findings.map((finding) => finding.area))];
	useTitle("Machines");
	return (
		<main class="page" tabIndex={-1}>
			<div class="head">
				<h1>Machines</h1>
				<span class="grow" />
				<button type="button" disabled={doctor.busy} onClick={doctor.reload}>{doctor.busy ? "Looking…" : "Look again"}</button>
			</div>
			<Trouble refusal={hosts.refusal ?? doctor.refusal} />
			{hosts.data?.items.map((host) => (
				<section class="panel host" key={host.name} aria-label={host.name}>
					<h2>{host.name} <span class="state good">{host.running ? "measures" : "ready"}</span></h2>
					<dl class="figures">
						<div><dt>CPU</dt><dd>{host.cpu_model || "unknown"}</dd><dd class="dim note">{count(host.cpus, "CPU")}</dd></div>
						<div><dt>Kernel</dt><dd>{host.kernel}</dd></div>
						<div><dt>Programs run as</dt><dd>{host.workload_user}</dd></div>
						<div><dt>Queue</dt><dd>{host.queued ? `${host.queued} waiting` : "empty"}</dd></div>
						<div><dt>Disk</dt><dd>{bytes(host.disk_used)}</dd><dd class="dim note">{host.max_disk ? `of ${bytes(host.max_disk)}` : "no limit"}</dd></div>
						<div><dt>perfolio</dt><dd>{host.perfolio}</dd></div>
					</dl>
					<p class="dim">
						{[host.attach ? "Running processes can be measured" : "Running processes can't be measured", host.other_users ? "those of other users too" : "", host.whole_host ? "the whole host can be measured" : "the whole host can't be measured"].filter(Boolean).join("; ")}.
					</p>
				</section>
			))}
			{doctor.data?.grant && <CopyLine label="To allow more" text={doctor.data.grant} />}
			{areas.map((area) => (
				<section key={area} aria-label={area}>
					<h2 class="area">{area}</h2>
					<ul class="doctor">
						{doctor.data!.findings.filter((finding) => finding.area === area).map((finding) => <FindingRow finding={finding} key={finding.id} />)}
					</ul>
				</section>
			))}
			{!doctor.data && !doctor.refusal && <p class="dim pad" role="status">The machine is being looked at: events are opened, a sample is waited for…</p>}
		</main>
	);
}

function FindingRow({ finding }: { finding: Finding }) {
	const [word, tone] = WORDS[finding.state] ?? [finding.state, "idle"];
	return (
		<li>
			<span class={`state ${tone}`}>{word}</span>
			<div>
				<p><b>{finding.title}</b> {finding.what}</p>
				{finding.meaning && <p class="dim">{finding.meaning}</p>}
				{finding.remedy && <p class="remedy">{finding.remedy}</p>}
				{finding.evidence && <details><summary>How this was found out</summary><p class="dim mono">{finding.evidence}</p></details>}
			</div>
		</li>
	);
}
