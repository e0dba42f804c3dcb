// SPDX-License-Identifier: Apache-2.0
// What is on every screen: the bar above, notes below, and which view an address means.
import type { ComponentChildren } from "preact";
import { useEffect, useErrorBoundary, useState } from "preact/hooks";
import { whenSignedOut, type Refusal } from "../api/client";
import { watchProof } from "../api/proof";
import type { Me } from "../api/core";
import type { StreamQueue } from "../api/schema";
import { go, usePlace } from "../model/address";
import { signOut } from "../model/enter";
import { grouped } from "../model/format";
import { LOOKS_ONLY, Person } from "../model/me";
import { useFetch, useStream, useTitle } from "../model/hooks";
import { listenToKeys } from "../model/keys";
import { setTheme, useTheme, type Theme } from "../model/theme";
import { watchStatus } from "../stream/client";
import type { Status } from "../stream/core";
import { Help } from "../widgets/help";
import { Menu } from "../widgets/menu";
import { Toasts } from "../widgets/toast";
import { Hosts } from "./hosts";
import { RunView } from "./run";
import { SessionView } from "./session";
import { Sessions } from "./sessions";
import { SignIn } from "./sign_in";

export function Frame() {
	const me = useFetch<Me>("/me");
	const place = usePlace();
	const [signedOut, setSignedOut] = useState(false);
	const [refusal, setRefusal] = useState<Refusal>(); // that told us so
	const [help, setHelp] = useState(false);
	const comeBack = () => (setSignedOut(false), setRefusal(undefined), me.reload());
	useEffect(() => whenSignedOut((told) => (setRefusal(told), setSignedOut(true))), []);
	useEffect(() => listenToKeys(() => setHelp(true)), []);
	// All tabs share cookie and proof: who signs in in one of them is signed in here too.
	useEffect(() => watchProof(comeBack), []);
	useEffect(() => {
		let refused = false;
		return watchStatus((status) => {
			if (status === "refused") setSignedOut((refused = true));
			if (status !== "open" || !refused) return;
			refused = false;
			comeBack();
		});
	}, []);
	const out = signedOut || me.refusal?.status === 401;
	// Who was signed in before finds everything as it was, also what was typed: the server may only be a new one.
	const [known, setKnown] = useState(false);
	if (me.data && !known) setKnown(true);
	const [queue, setQueue] = useState<QueueState>({ items: [], running: [], trouble: null });
	useStream(["queue"], (event, data) => event === "queue" && setQueue(data as StreamQueue));
	return (
		<>
			{out && <SignIn refusal={refusal} onDone={comeBack} />}
			{(!out || known) && (
				<div hidden={out}>
					<Person.Provider value={me.data}>
						<Bar me={me.data} queue={queue} onHelp={() => setHelp(true)} />
						<Standstill trouble={queue.trouble} />
						<Guarded key={place.words.slice(0, 2).join("/")}><Screen /></Guarded>
					</Person.Provider>
				</div>
			)}
			<Toasts />
			<Help open={help} onClose={() => setHelp(false)} />
		</>
	);
}

function Screen() {
	const { words } = usePlace();
	const [kind, id] = words;
	if (!kind) return <Sessions />;
	if (kind === "s" && Number(id)) return <SessionView id={Number(id)} key={id} />;
	if (kind === "r" && Number(id)) return <RunView id={Number(id)} key={id} />;
	if (kind === "hosts") return <Hosts />;
	if (kind === "sign-in") return <Onwards />;
	return <Nothing />;
}

// Who is signed in by now has no business here.
function Onwards() {
	useEffect(() => go("/", "replace"), []);
	return <main class="page" aria-busy="true" />;
}

// A fault of one screen must not leave the window empty.
function Guarded({ children }: { children: ComponentChildren }) {
	const [fault] = useErrorBoundary((reason: unknown) => console.error(reason));
	if (!fault) return <>{children}</>;
	return (
		<main class="page">
			<div class="trouble" role="alert">
				<p>This page failed: {fault instanceof Error ? fault.message : String(fault)}</p>
				<p class="remedy">No measured data is lost.</p>
				<button type="button" onClick={() => location.reload()}>Reload the page</button>
			</div>
		</main>
	);
}

function Nothing() {
	useTitle("Page not found");
	return (
		<main class="page">
			<section class="empty panel">
				<h1>Page not found</h1>
				<p>The link may be incomplete.</p>
				<a class="button primary" href="/">All sessions</a>
			</section>
		</main>
	);
}

type QueueState = Pick<StreamQueue, "items" | "running" | "trouble">;

function Bar({ me, queue, onHelp }: { me: Me | undefined; queue: QueueState; onHelp: () => void }) {
	const { words } = usePlace();
	const leave = async () => {
		await signOut();
		location.assign("/");
	};
	return (
		<header class="bar">
			<a class="skip" href="#main" onClick={(event) => (event.preventDefault(), document.querySelector("main")?.focus())}>Skip to content</a>
			<a class="brand" href="/" aria-label="perfolio, all sessions"><img src="/icon.svg" alt="" width="22" height="22" /> perfolio</a>
			<nav aria-label="Main">
				<a href="/" aria-current={words.length === 0 ? "page" : undefined}>Sessions</a>
				<a href="/hosts" aria-current={words[0] === "hosts" ? "page" : undefined}>Machines</a>
			</nav>
			<span class="grow" />
			{me?.role === "viewer" && <span class="chip" title={LOOKS_ONLY}>View only</span>}
			<QueueChip queue={queue} />
			<Connection />
			<ThemeMenu />
			<button type="button" class="quiet round" title="Keys (?)" aria-label="Keys and help" onClick={onHelp}>?</button>
			{me && <Menu class="right" label={me.name} title={`Signed in as ${me.name} (${me.role})`} items={[{ label: "Sign out", onClick: () => void leave() }]} />}
		</header>
	);
}

const THEMES: [Theme, string, string][] = [["system", "◐", "Same as the system"], ["light", "☀", "Light"], ["dark", "☾", "Dark"]];

function ThemeMenu() {
	const now = useTheme();
	const [, sign, word] = THEMES.find(([name]) => name === now)!;
	return (
		<Menu
			class="right theme" label={<span aria-hidden="true">{sign}</span>} title={`Colours: ${word}`}
			items={THEMES.map(([name, mark, label]) => ({ label: `${mark} ${label}`, chosen: name === now, onClick: () => setTheme(name) }))}
		/>
	);
}

// How the machine is busy, wherever one is.
function QueueChip({ queue: { items, running, trouble } }: { queue: QueueState }) {
	const first = running[0] ?? items[0];
	if (!first) return null;
	return (
		<a class="chip busy" href={`/r/${first}`} title="The current run">
			{running.length ? "measuring" : trouble ? "held" : "starting"}{items.length ? ` · ${grouped(items.length)} waiting` : ""}
		</a>
	);
}

// What keeps the whole server from going on, for as long as it does.
function Standstill({ trouble }: { trouble: QueueState["trouble"] }) {
	if (!trouble) return null;
	return (
		<div class="trouble standstill" role="alert">
			<p>{trouble.message}</p>
			<p class="remedy">{trouble.remedy}. Runs wait until then; nothing is lost.</p>
		</div>
	);
}

function Connection() {
	const [status, setStatus] = useState<Status>("closed");
	useEffect(() => watchStatus(setStatus), []);
	const words = { open: "live", lost: "reconnecting…", refused: "signed out", closed: "" }[status];
	return <span class={`connection ${status}`} role="status" title={status === "open" ? "Connected to the server; updates arrive live" : "The page reconnects by itself when the server is back"}>{words}</span>;
}
