// SPDX-License-Identifier: Apache-2.0
// All sessions: find one, begin one, or take in a recording.
import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../api/client";
import type { List, Run, Session } from "../api/core";
import { go, setParams, usePlace } from "../model/address";
import { runExample } from "../model/example";
import { importAlone } from "../model/files";
import { bytes, count } from "../model/format";
import { LOOKS_ONLY, useMayRun } from "../model/me";
import { useAction, useFetch, useLater, useSeen, useSoon, useStream, useTitle } from "../model/hooks";
import { usePicture } from "../model/picture";
import { asShown, hostOf, runTitle } from "../model/runs";
import { Ago } from "../widgets/ago";
import { Import } from "../widgets/import";
import { Menu } from "../widgets/menu";
import { Spark } from "../widgets/spark";
import { lazy } from "../widgets/lazy";
import { Tags } from "../widgets/notes";
import { StateBadge } from "../widgets/state";
import { toast } from "../widgets/toast";
import { Trouble } from "../widgets/trouble";

const MiniFlame = lazy(() => import("../widgets/mini_flame").then((part) => part.MiniFlame));

// Sessions that are asked for at first, and at most.
const FIRST = 50;
const MOST = 1000;

export function Sessions() {
	const { params } = usePlace();
	const search = params.get("search") ?? "";
	const archived = params.get("archived") === "1";
	const asked = useLater(search, 150);
	const [limit, setLimit] = useState(FIRST);
	const sessions = useFetch<List<Session>>("/sessions", { search: asked, archived: archived ? 1 : 0, limit }, true);
	const soon = useSoon(sessions.reload);
	useStream(["sessions"], soon);
	useTitle("Sessions");
	const may = useMayRun();
	const items = sessions.data?.items;
	const empty = items?.length === 0 && !search && !archived;
	return (
		<main class="page" tabIndex={-1}>
			<div class="head">
				<h1>Sessions</h1>
				<span class="grow" />
				<input
					data-search type="search" class="search" placeholder="Search titles, commands, notes, tags ( / )" aria-label="Search sessions" value={search}
					onInput={(event) => setParams({ search: event.currentTarget.value })}
					onKeyDown={(event) => event.key === "Escape" && setParams({ search: null })}
				/>
				<label class="check"><input type="checkbox" checked={archived} onChange={() => setParams({ archived: archived ? null : "1" })} /> Archived</label>
				{may && <Import send={importAlone} />}
				{may && <NewSession />}
			</div>
			<Trouble refusal={sessions.refusal} onRetry={sessions.reload} />
			{empty && (may ? <Empty /> : <section class="empty panel"><h2>Nothing measured yet</h2><p>{LOOKS_ONLY}</p></section>)}
			{items?.length === 0 && !empty && <p class="dim pad">No {archived && !search ? "archived sessions" : "session matches"}.</p>}
			{!items && !sessions.refusal && <Waiting />}
			{!!items?.length && (
				<ul class="cards" aria-label="Sessions">
					{items.map((session) => (
						<Card session={session} search={asked} key={session.id} />
					))}
				</ul>
			)}
			{sessions.data?.next != null && (
				<p class="more">
					{limit < MOST ? <button type="button" disabled={sessions.busy} onClick={() => setLimit(Math.min(MOST, limit * 3))}>Older sessions</button> : <span class="dim">Only the newest {items!.length} are shown. Search to find others.</span>}
				</p>
			)}
		</main>
	);
}

// Rows of the size that the answer will have.
function Waiting() {
	return (
		<ul class="cards" aria-busy="true">
			{[0, 1, 2].map((row) => (
				<li class="card waiting" key={row} />
			))}
		</ul>
	);
}

function NewSession() {
	const action = useAction(async () => {
		const session = await api.post<Session>("/sessions", { title: `Session of ${new Date().toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })}` });
		go(`/s/${session.id}`);
	});
	return (
		<>
			<button type="button" class="primary" disabled={action.busy} onClick={() => void action.run()}>New session</button>
			<Trouble refusal={action.refusal} />
		</>
	);
}

function Empty() {
	const action = useAction(async () => {
		const run = await runExample();
		go(`/s/${run.session}?run=${run.id}`);
	});
	return (
		<section class="empty panel">
			<Logo />
			<h2>Where does a program spend its time?</h2>
			<p>
				perfolio runs it, samples it, counts what it does, and shows results live. Start with an example,
				with your own program, or drop a recording here: perf.data, perf script, folded stacks, pprof.
			</p>
			<div class="buttons">
				<button type="button" class="primary big" disabled={action.busy} onClick={() => void action.run()}>Run the example</button>
				<NewSession />
			</div>
			<Trouble refusal={action.refusal} />
		</section>
	);
}

// A small flame graph: what the page is about.
function Logo() {
	const rows = [[[0, 200, 2]], [[0, 118, 1], [122, 200, 3]], [[0, 60, 2], [64, 118, 0], [122, 176, 1]], [[4, 40, 1], [64, 96, 3], [126, 150, 2]], [[10, 32, 0], [70, 84, 2]]];
	return (
		<svg class="logo" viewBox="0 0 200 84" width="260" height="109" aria-hidden="true">
			{rows.map((row, depth) =>
				row.map(([from, to, tone]) => <rect key={`${depth}-${from}`} class={`tone${tone}`} x={from} width={to! - from!} y={68 - depth * 17} height="15" rx="2" />),
			)}
		</svg>
	);
}

function sampled(run: Run): boolean {
	return run.state === "done" && (run.facts?.tabs?.includes("flame") ?? false);
}

function Card({ session, search }: { session: Session; search: string }) {
	const may = session.may_change;
	const [renaming, setRenaming] = useState(false);
	const [row, seen] = useSeen<HTMLLIElement>();
	const last = useFetch<List<Run>>(session.runs && seen ? "/runs" : null, { session: session.id, limit: 1 }, true);
	// whoever looks for a command sees the run that has it
	const found = useFetch<List<Run>>(session.runs && seen && search ? "/runs" : null, { session: session.id, limit: 1, search }, true);
	const shown = (search && found.data?.items[0]) || last.data?.items[0];
	const run = shown && asShown(shown);
	const change = useRef(session.change);
	useEffect(() => {
		if (change.current !== session.change) last.reload();
		change.current = session.change;
	}, [session.change]);
	const picture = usePicture(run && !sampled(run) ? run : undefined);
	const action = useAction(async (what: "remove" | "archive") => {
		const path = `/sessions/${session.id}`;
		if (what === "remove") {
			await api.remove(path);
			toast(`Removed: ${session.title}`, () => api.post(`${path}/restore`));
		} else {
			await api.patch(path, { archived: !session.archived });
			toast(session.archived ? "Restored from the archive" : `Archived: ${session.title}`, () => api.patch(path, { archived: session.archived }));
		}
	});
	return (
		<li class={session.runs ? "card ran" : "card"} ref={row}>
			<div class="card-main">
				{renaming ? <Rename session={session} onDone={() => setRenaming(false)} /> : <a class="card-title" href={`/s/${session.id}`}>{session.title || `Session ${session.id}`}</a>}
				<p class="dim">
					{count(Number(session.runs), "run")} · {bytes(session.bytes)} · <Ago ns={session.created_ns} />{!may && <> · by {session.person}</>}
					{run && hostOf(run) && <> · {hostOf(run)}</>}
					<Tags tags={session.tags} />
				</p>
				{session.notes && <p class="dim ellipsis" title={session.notes}>{session.notes}</p>}
				<Trouble refusal={action.refusal} />
			</div>
			<div class="card-run">
				{!session.runs && <span class="dim">no runs yet</span>}
				{run && (
					<>
						<a href={`/r/${run.id}`} class="mono ellipsis" title={runTitle(run)}>{runTitle(run)}</a>
						<StateBadge run={run} />
					</>
				)}
			</div>
			{run && sampled(run) ? <a href={`/r/${run.id}/flame`} aria-label="Flame graph of the last run"><MiniFlame run={run.id} class="thumb" /></a> : run ? <Spark data={picture} height={44} label="Counts of the last run over time" /> : <span class="thumb" />}
			<Menu
				class="right" label="⋯" title={`Actions for ${session.title}`}
				items={[
					...(may ? [{ label: "Rename", onClick: () => setRenaming(true) }] : []),
					{ label: "Download as HDF5", hint: "all its runs", href: `/api/v1/sessions/${session.id}/hdf5`, download: true },
					...(may ? [
						{ label: session.archived ? "Restore from the archive" : "Archive", onClick: () => void action.run("archive") },
						{ label: "Remove", danger: true, onClick: () => void action.run("remove") },
					] : []),
				]}
			/>
		</li>
	);
}

export function Rename({ session, onDone }: { session: Session; onDone: () => void }) {
	const input = useRef<HTMLInputElement>(null);
	const over = useRef(false); // the field loses the focus when it goes: that must not save again
	const end = () => {
		over.current = true;
		onDone();
	};
	const action = useAction(async (title: string) => {
		if (over.current) return;
		if (title && title !== session.title) {
			await api.patch(`/sessions/${session.id}`, { title });
			session.title = title; // until the stream says the same
		}
		end();
	});
	const save = () => void action.run((input.current?.value ?? "").trim());
	useEffect(() => input.current!.select(), []);
	return (
		<form class="rename" onSubmit={(event) => (event.preventDefault(), save())}>
			<input ref={input} aria-label="Title" defaultValue={session.title} maxLength={200} onKeyDown={(event) => event.key === "Escape" && end()} onBlur={save} />
			<Trouble refusal={action.refusal} />
		</form>
	);
}
