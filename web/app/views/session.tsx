// SPDX-License-Identifier: Apache-2.0
// The bench: the form on the left, the chosen run in the middle, what was measured before on the right.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../api/client";
import { ACTIVE, OVER, type Form, type Run, type Session } from "../api/core";
import { Column, useOpen } from "../bench/column";
import { BenchForm } from "../bench/form";
import { History } from "../bench/history";
import { notifyEnd, NotifySwitch } from "../bench/notify";
import { QueueBox } from "../bench/queue";
import { go, setParams, usePlace } from "../model/address";
import { importInto } from "../model/files";
import { FIRST_FORM, formOf } from "../model/form";
import { bytes, count } from "../model/format";
import { notYours, useMayRun } from "../model/me";
import { useAction, useFetch, useSoon, useStream, useTitle } from "../model/hooks";
import { useRunList } from "../model/runlist";
import { Absent } from "../widgets/absent";
import { Import } from "../widgets/import";
import { Menu } from "../widgets/menu";
import { Notes } from "../widgets/notes";
import { toast } from "../widgets/toast";
import { Trouble } from "../widgets/trouble";
import { RunPanel } from "./run_panel";
import { Rename } from "./sessions";

export function SessionView({ id }: { id: number }) {
	const { params } = usePlace();
	const session = useFetch<Session>(`/sessions/${id}`);
	// What belongs to the view of another run, a range or a search, does not fit this one; the tab may.
	const placeOf = (run: number | null, tab: string | null) => {
		const kept = ["wide", ...(tab ? ["view", "hide"] : [])].flatMap((name) => (params.has(name) ? [[name, params.get(name)!]] : []));
		const words = new URLSearchParams([...(run ? [["run", String(run)]] : []), ...(tab ? [["tab", tab]] : []), ...kept]).toString();
		return `/s/${id}${words && `?${words}`}`;
	};
	const removed = (run: number) => run === Number(params.get("run")) && go(placeOf(null, params.get("tab")), "replace");
	const runs = useRunList(id, { changed: notifyEnd, removed });
	const chosen = Number(params.get("run")) || runs.items?.find((run) => ACTIVE.includes(run.state))?.id || runs.items?.[0]?.id || 0;
	const [form, setForm] = useForm(runs.items);
	const may = useMayRun() && (session.data?.may_change ?? true);
	const [formOpen, openForm] = useOpen("form", "(min-width: 0px)");
	const [historyOpen, openHistory] = useOpen("history", "(min-width: 1400px), (max-width: 1240px)");
	const wide = params.get("wide") === "1" && chosen > 0; // the run alone
	const sessionSoon = useSoon(session.reload);
	useStream([`session:${id}`], (event, data) => {
		// What a run has brought counts in the session's size.
		const grown = event === "run" && OVER.includes((data as { run: Run }).run.state);
		if (event === "again" || grown || (event === "change" && (data as { kind: string }).kind === "session")) sessionSoon();
	});
	useTitle(session.data?.title ?? "Session");
	useReadyToType(!!session.data && runs.items?.length === 0);
	if (session.refusal && !session.data)
		return <main class="page"><Absent refusal={session.refusal} onRetry={session.reload} /></main>;
	const choose = (run: Run, tab: string | null) => go(placeOf(run.id, tab), "step");
	const reload = (run: Run) => {
		setForm(formOf(run));
		openForm(true);
		choose(run, params.get("tab"));
		toast(`Settings of run ${run.id} loaded`);
	};
	const started = (run: Run) => {
		runs.add(run);
		choose(run, null);
		showTop(document.querySelector(".middle"));
	};
	return (
		<main class={wide ? "session wide" : "session"} tabIndex={-1} aria-busy={!session.data}>
			{!wide && <Head session={session.data} runs={runs.items?.length ?? 0} />}
			<div class="bench-columns" data-form={wide || !may ? "none" : formOpen || !chosen ? "open" : "folded"} data-history={wide ? "none" : historyOpen ? "open" : "folded"} aria-busy={!session.data || !runs.items}>
				{!wide && may && (
					<Column title="New run" open={formOpen || !chosen} onOpen={chosen ? openForm : undefined}>
						{session.data && runs.items && <BenchForm session={session.data} form={form} setForm={setForm} onStarted={started} />}
					</Column>
				)}
				<section class={`column middle${chosen ? " has-run" : ""}`} aria-label="Chosen run">
					{chosen ? <RunPanel id={chosen} tab={params.get("tab") ?? ""} onTab={(tab) => setParams({ tab }, "step")} small /> : <Begin busy={!runs.items} may={may} />}
				</section>
				{!wide && (
					<Column title="History" open={historyOpen} onOpen={openHistory}>
						<QueueBox session={id} chosen={chosen} onChoose={(run) => choose(run, params.get("tab"))} />
						<Trouble refusal={runs.refusal} onRetry={runs.reload} />
						{runs.items?.length === 0 && <p class="dim">Runs of this session appear here.</p>}
						{!!runs.items?.length && <History runs={runs.items} chosen={chosen} onChoose={(run) => choose(run, params.get("tab"))} onReload={may ? reload : undefined} />}
						{(runs.older || runs.newest) && (
							<div class="row">
								{runs.newest && <button type="button" onClick={runs.newest}>Newest runs</button>}
								{runs.older && <button type="button" onClick={runs.older}>Older runs</button>}
							</div>
						)}
					</Column>
				)}
			</div>
		</main>
	);
}

// Of something long, "nearest" would be anywhere in it.
function showTop(element: Element | null): void {
	const top = element?.getBoundingClientRect().top ?? 0;
	if (element && (top < 0 || top > innerHeight / 2)) element.scrollIntoView({ block: "start" });
}

// A session without runs is there to type a command into.
function useReadyToType(ready: boolean): void {
	useEffect(() => {
		if (ready && (document.activeElement === document.body || document.activeElement === null)) document.getElementById("command")?.focus();
	}, [ready]);
}

function Begin({ busy, may }: { busy: boolean; may: boolean }) {
	if (busy) return <div class="panel hint" aria-busy="true" />;
	return (
		<div class="panel hint">
			<h2>Nothing measured yet</h2>
			{may && <p>Fill in the form and press Start, or Enter in a command: what is measured appears here while it runs.</p>}
			{may && <p class="dim">You can also drop a recording on this page (perf.data, perf script, folded stacks, pprof).</p>}
		</div>
	);
}

function Head({ session, runs }: { session: Session | undefined; runs: number }) {
	const may = session?.may_change ?? false;
	const viewer = !useMayRun();
	const [renaming, setRenaming] = useState(false);
	const [wrongFile, setWrongFile] = useState<ComponentChildren>(null);
	const remove = useAction(async () => {
		await api.remove(`/sessions/${session!.id}`);
		toast(`Removed: ${session!.title}`, () => api.post(`/sessions/${session!.id}/restore`).then(() => go(`/s/${session!.id}`)));
		go("/");
	});
	const title = session && (session.title || `Session ${session.id}`);
	if (!session) return <div class="head" aria-busy="true"><h1>…</h1><div class="session-notes" /><div class="session-actions" /></div>;
	return (
		<div class="head">
			{renaming ? <Rename session={session} onDone={() => setRenaming(false)} /> : <h1>{may ? <button type="button" class="title" title="Rename" onClick={() => setRenaming(true)}>{title}</button> : title}</h1>}
			<span class="dim">{count(Math.max(Number(session.runs), runs), "run")} · {bytes(session.bytes)}</span>
			{!may && !viewer && <span class="chip" title={notYours(session.person)}>Made by {session.person}: view only</span>}
			<Notes session={session} />
			<div class="session-actions">
				<NotifySwitch />
				{may && <span class="wide-only"><Import send={(file, progress) => importInto(session.id, file, progress)} onRefused={setWrongFile} /></span>}
				<a class="button wide-only" href={`/api/v1/sessions/${session.id}/hdf5`} download title="All runs of this session in one file, for pandas, h5py or MATLAB">Download HDF5</a>
				<Menu
					class="right" label="⋯" title="More actions for this session"
					items={[
						...(may ? [{ label: "Rename", onClick: () => setRenaming(true) }] : []),
						{ label: "Download as HDF5", hint: "all its runs", href: `/api/v1/sessions/${session.id}/hdf5`, download: true },
						...(may ? [{ label: "Remove", danger: true, onClick: () => void remove.run() }] : []),
					]}
				/>
			</div>
			<Trouble refusal={remove.refusal} />
			{wrongFile}
		</div>
	);
}

// The form begins as that of the newest run; then it is the user's.
function useForm(runs: Run[] | undefined): [Form, (form: Form) => void] {
	const [form, setForm] = useState<Form>();
	const last = useRef<Form | undefined>(undefined);
	const newest = runs?.find((run) => run.tool !== "import");
	if (!last.current && newest) last.current = formOf(newest);
	return [form ?? last.current ?? FIRST_FORM, (now) => setForm(now)];
}
