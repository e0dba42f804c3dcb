// SPDX-License-Identifier: Apache-2.0
// The recording itself: every download, and all that is known of the run.
import { OVER, type Run } from "../api/core";
import { quoted } from "../model/form";
import { bytes, exact, exactText, grouped, seconds } from "../model/format";
import { setParams, usePlace } from "../model/address";
import { noRaw } from "../model/me";
import { chosenIn, downloads, endingWord, hasData, hostOf } from "../model/runs";
import { CopyLine } from "../widgets/copy";

// What it was allowed, and what it was refused.
function limitWords(run: Run): string {
	const limits = run.usage?.limits;
	if (!limits) return "";
	return [
		limits.memory && `memory ${bytes(limits.memory)}`,
		limits.tasks && `${grouped(limits.tasks)} tasks`,
		limits.cpus && `${limits.cpus} CPUs`,
		limits.tasks_refused && `${grouped(limits.tasks_refused)} ${limits.tasks_refused === 1 ? "task was" : "tasks were"} refused`,
	].filter(Boolean).join(", ");
}

function facts(run: Run): [string, string][] {
	return ([
		["Run", `${run.id} of session ${run.session}`],
		["Tool", run.tool],
		["Started", run.started_ns ? exactText(run.started_ns) : ""],
		[run.tool === "import" ? "Imported" : "Ended", run.ended_ns ? exactText(run.ended_ns) : ""],
		["Ending", endingWord(run)],
		["By", run.person],
		["Ran as", run.usage?.unix_user ?? ""],
		["Limits", limitWords(run)],
		["Left over", run.usage?.left_over ? `${grouped(run.usage.left_over)} ${run.usage.left_over === 1 ? "process" : "processes"} that still ran when it ended, and ${run.usage.left_over === 1 ? "was" : "were"} ended with it` : ""],
		["Paused", run.usage?.paused_ns ? `for ${exact(seconds(run.usage.paused_ns))}` : ""],
		["Host", hostOf(run)],
		["CPU", run.cpu_model],
		["Kernel", run.kernel],
		["perfolio", run.perfolio],
		["Folder", run.folder],
		["Environment", run.environment.join(" ")],
		["Events", run.events.join(", ")],
		["Tags", run.tags.join(", ")],
		["Notes", run.form.notes ?? ""],
		["On disk", bytes(run.bytes)],
		["Messages while measuring", run.usage?.notes ?? ""],
	] as [string, string][]).filter(([, text]) => text);
}

export function RawTab({ run }: { run: Run }) {
	const { params } = usePlace();
	const chosen = chosenIn(params);
	const all = Object.fromEntries(["event", "from", "to", "who", "changes"].map((name) => [name, null]));
	return (
		<div class="raw">
			<section aria-label="Downloads">
				<h3>Download</h3>
				{Object.keys(chosen).length > 0 && (
					<p class="notice">Downloads hold only what is selected in the other tabs; perf.data is always the whole recording. <button type="button" class="link" onClick={() => setParams(all)}>Download everything</button></p>
				)}
				{hasData(run) ? (
					<ul class="downloads">
						{downloads(run, chosen).map(({ format, label, hint, href }) => (
							<li key={format}><a class="button" href={href} download>{label}</a> <span class="dim">{hint}</span></li>
						))}
					</ul>
				) : <p class="dim">{OVER.includes(run.state) ? "Nothing was measured." : run.state === "processing" ? "Reading the results." : "Files appear when the run ends."}</p>}
				{run.may?.raw === false && <p class="notice">{noRaw(run.person)}</p>}
			</section>
			<section aria-label="Facts">
				<h3>The run</h3>
				{run.argv.length > 0 && <CopyLine label="workload" text={quoted(run.argv)} />}
				<table class="facts">
					<tbody>{facts(run).map(([name, text]) => <tr key={name}><th scope="row">{name}</th><td>{text}</td></tr>)}</tbody>
				</table>
				<details>
					<summary>The form as sent</summary>
					<pre class="terminal" tabIndex={0}>{JSON.stringify(run.form, null, 2)}</pre>
				</details>
			</section>
		</div>
	);
}
