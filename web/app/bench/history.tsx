// SPDX-License-Identifier: Apache-2.0
// The runs of a session, newest first; those that wait are in the queue above.
import { useRef, useState } from "preact/hooks";
import { api } from "../api/client";
import { ACTIVE, OVER, type Run } from "../api/core";
import { duration, exact } from "../model/format";
import { useAction, useNow, useSeen } from "../model/hooks";
import { usePicture } from "../model/picture";
import { asShown, downloadItems, hasData, removeRun, runSeconds, runTitle } from "../model/runs";
import { Ago } from "../widgets/ago";
import { Menu } from "../widgets/menu";
import { Spark } from "../widgets/spark";
import { StateBadge } from "../widgets/state";
import { Trouble } from "../widgets/trouble";

interface Props {
	runs: Run[];
	chosen: number;
	onChoose: (run: Run) => void;
	onReload: ((run: Run) => void) | undefined; // its form, where there is one
}

export function History({ runs, chosen, onChoose, onReload }: Props) {
	return (
		<ol class="history" aria-label="Runs of this session">
			{runs.filter((run) => run.state !== "queued").map((run) => (
				<Row key={run.id} run={run} chosen={run.id === chosen} onChoose={() => onChoose(run)} onReload={onReload && (() => onReload(run))} />
			))}
		</ol>
	);
}

function Row({ run, chosen, onChoose, onReload }: { run: Run; chosen: boolean; onChoose: () => void; onReload: (() => void) | undefined }) {
	const seen = asShown(run);
	const active = ACTIVE.includes(seen.state);
	const now = useNow(active ? 500 : 0);
	const [row, near] = useSeen<HTMLLIElement>();
	const picture = usePicture(near ? seen : undefined);
	const took = runSeconds(run, now);
	const main = useRef<HTMLButtonElement>(null);
	const action = useAction(async (what: "rerun" | "cancel" | "remove") => {
		if (what === "remove") await removeRun(run);
		else await api.post(`/runs/${run.id}/${what}`);
		if (what === "cancel") main.current?.focus(); // its button goes
	});
	const batch = run.form.batch;
	return (
		<li ref={row} class={chosen ? "chosen" : undefined} data-run={run.id}>
			<button ref={main} type="button" class="history-main" aria-current={chosen} title={runTitle(run)} onClick={onChoose}>
				<span class="mono ellipsis">{runTitle(run)}</span>
				<span class="history-facts">
					<StateBadge run={seen} />
					{took !== null && <span class="number">{OVER.includes(run.state) ? exact(took) : duration(took)}</span>}
					<span class="dim ellipsis grow">{batch && batch.of > 1 ? `${batch.index}/${batch.of} ` : ""}{run.tool}</span>
					<Ago ns={run.created_ns} />
				</span>
				{(active || hasData(run)) && <span class="history-picture">{active ? <Progress run={seen} took={took} /> : <Spark data={picture} height={24} label="Result over time" />}</span>}
			</button>
			<div class="history-actions">
				{onReload && run.tool !== "import" && <button type="button" class="quiet" onClick={onReload} title="Load the settings of this run into the form">Use settings</button>}
				{OVER.includes(run.state) ? run.may?.repeat && run.tool !== "import" && (
					<button key="again" type="button" class="quiet" disabled={action.busy} onClick={() => void action.run("rerun")} title="Queue the same run again">Again</button>
				) : run.may?.change && (
					<button key="cancel" type="button" class="quiet" disabled={action.busy} onClick={() => void action.run("cancel")}>{run.state === "queued" ? "Cancel" : "Stop"}</button>
				)}
				<CopyLink href={`/r/${run.id}`} />
				{hasData(run) && <Menu class="right" label="Download" title={`Download run ${run.id}`} items={downloadItems(run)} />}
				{run.may?.change && !active && <button type="button" class="quiet danger" disabled={action.busy} aria-label={`Remove run ${run.id}`} title="Remove (you can undo this)" onClick={() => void action.run("remove")}>✕</button>}
			</div>
			<Trouble refusal={action.refusal} />
		</li>
	);
}

// Its address, to be sent to somebody. Where there is no clipboard its page opens, and the address is there.
function CopyLink({ href }: { href: string }) {
	const [copied, setCopied] = useState(false);
	const copy = async () => {
		try {
			await navigator.clipboard.writeText(location.origin + href);
			setCopied(true);
			setTimeout(() => setCopied(false), 3000);
		} catch {
			location.assign(href);
		}
	};
	return <button type="button" class="quiet" aria-live="polite" title="Copy the link to this run's own page" onClick={() => void copy()}>{copied ? "Copied" : "Link"}</button>;
}

// Known where there is a limit; else that it goes on.
export function Progress({ run, took }: { run: Run; took: number | null }) {
	const limit = run.form.limit_s ?? 0;
	if (limit > 0 && took !== null && run.state === "running")
		return <progress max={limit} value={Math.min(took, limit)} aria-label="Progress" />;
	return <progress aria-label={run.state} />;
}
