// SPDX-License-Identifier: Apache-2.0
// What the program printed, live while it runs, as a terminal would show it. It is text, whatever it holds.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api } from "../api/client";
import { ACTIVE, type Run } from "../api/core";
import type { OutputPage, StreamOutput, StreamPiece } from "../api/schema";
import { bytes, grouped, seconds } from "../model/format";
import { asRefusal, useAction, useStream } from "../model/hooks";
import type { Refusal } from "../api/client";
import { setParams, usePlace } from "../model/address";
import { noRaw } from "../model/me";
import { atLimit, endedBadly, endingWord } from "../model/runs";
import { Menu } from "../widgets/menu";
import { Trouble } from "../widgets/trouble";
import { saveText } from "./save";
import { shownText, type Span, type Style } from "./terminal";

const KEPT = 1 << 19; // characters that are shown at most
const TAIL = 1 << 18; // bytes that are asked for at the end

interface Shown {
	pieces: StreamPiece[];
	skipped: number;
}

// New pieces behind the others; the oldest go once there are too many characters.
export function append(shown: Shown, pieces: StreamPiece[], skipped = 0): Shown {
	const all = [...shown.pieces, ...pieces];
	let size = all.reduce((sum, piece) => sum + piece.text.length, 0);
	let gone = shown.skipped + skipped;
	let first = 0;
	while (size > KEPT && first < all.length - 1) {
		size -= all[first]!.text.length;
		gone += all[first++]!.text.length;
	}
	return { pieces: first ? all.slice(first) : all, skipped: gone };
}

// Stretches of text that are found, of all that is shown: `at` in the whole text.
export interface Found {
	at: number;
	length: number;
}

const MOST_FOUND = 5000;

// As written; capitals count only where somebody types one.
export function findIn(spans: Span[], wanted: string): Found[] {
	const all = spans.map(({ text }) => text).join("");
	const same = wanted === wanted.toLowerCase() ? (text: string) => text.toLowerCase() : (text: string) => text;
	const text = same(all);
	// Letters whose small form has another length would move what is found.
	if (!wanted || text.length !== all.length) return wanted ? findExactly(all, wanted) : [];
	return findExactly(text, same(wanted));
}

function findExactly(text: string, wanted: string): Found[] {
	const found: Found[] = [];
	for (let at = text.indexOf(wanted); at >= 0 && found.length < MOST_FOUND; at = text.indexOf(wanted, at + wanted.length)) found.push({ at, length: wanted.length });
	return found;
}

interface Output {
	shown: Shown;
	refusal: Refusal | undefined;
	page: OutputPage | undefined;
	busy: boolean;
	more: () => void; // what comes next
	end: () => void; // what comes last
}

function useOutput(run: Run): Output {
	const live = ACTIVE.includes(run.state) && run.state !== "processing";
	const watched = useRef(false);
	const [shown, setShown] = useState<Shown>({ pieces: [], skipped: 0 });
	const [page, setPage] = useState<OutputPage>();
	const [busy, setBusy] = useState(false);
	const [refusal, setRefusal] = useState<Refusal>();
	useStream(live ? [`run:${run.id}:output`] : [], (event, data) => {
		const { pieces, skipped } = data as StreamOutput;
		if (event === "output-snapshot") setShown(append({ pieces: [], skipped }, pieces));
		if (event === "output") setShown((old) => append(old, pieces, skipped));
	});
	const fetchPage = async (query: { after?: string; last?: number }) => {
		setBusy(true);
		try {
			const next = await api.json<OutputPage>(`/runs/${run.id}/output`, query);
			setRefusal(undefined);
			setPage(next);
			setShown((old) => append(query.after ? old : { pieces: [], skipped: Number(next.from) }, next.pieces));
		} catch (reason) {
			setRefusal(asRefusal(reason));
		}
		setBusy(false);
	};
	useEffect(() => {
		if (live) watched.current = true;
		// Who has watched it sees its end, as before; who comes later begins at the beginning.
		else if (run.state !== "queued") void fetchPage(watched.current ? { last: TAIL } : {});
	}, [live, run.id]);
	return { shown, refusal, page, busy, more: () => page && void fetchPage({ after: page.next }), end: () => void fetchPage({ last: TAIL }) };
}

// All that was kept, page after page.
async function wholeOutput(run: Run, stream: string): Promise<StreamPiece[]> {
	const pieces: StreamPiece[] = [];
	for (let after: string | undefined; ;) {
		const page: OutputPage = await api.json<OutputPage>(`/runs/${run.id}/output`, { ...(after ? { after } : {}), ...(stream ? { stream } : {}) });
		pieces.push(...page.pieces);
		if (page.end || !page.pieces.length || page.next === after) return pieces;
		after = page.next;
	}
}

export function OutputTab({ run }: { run: Run }) {
	if (!run.may) return <div class="hint" aria-busy="true" />;
	return run.may.raw ? <OutputText run={run} /> : <div class="hint"><p>{noRaw(run.person)}</p></div>;
}

function OutputText({ run }: { run: Run }) {
	const { params } = usePlace();
	const { shown, refusal, page, busy, more, end } = useOutput(run);
	const only = params.get("stream") ?? "";
	const times = params.get("times") === "1";
	const wanted = params.get("find") ?? "";
	const box = useRef<HTMLPreElement>(null);
	const atEnd = useRef(true);
	const spans = useMemo(() => shownText(shown.pieces.filter((piece) => !only || piece.stream === only), times), [shown, only, times]);
	const found = useMemo(() => findIn(spans, wanted), [spans, wanted]);
	const [place, setPlace] = useState(0);
	const start = shown.pieces[0]?.time_ns ?? "0";
	const toEnd = useRef(false);
	const download = useAction(async (raw: boolean) => {
		const pieces = await wholeOutput(run, only);
		const text = raw ? pieces.map((piece) => piece.text).join("") : shownText(pieces, false).map((span) => span.text).join("");
		saveText(text, "text/plain", `run-${run.id}${only ? `.${only}` : ""}.txt`);
	});
	useEffect(() => {
		if (!box.current) return;
		const follow = ACTIVE.includes(run.state) ? atEnd.current && !wanted : toEnd.current;
		if (follow) box.current.scrollTop = box.current.scrollHeight;
		toEnd.current = ACTIVE.includes(run.state) && atEnd.current;
	}, [shown]);
	const go = (to: number) => {
		setPlace(to);
		box.current?.querySelectorAll("mark[data-first]")[to]?.scrollIntoView({ block: "center" });
	};
	useEffect(() => {
		if (found.length) go(0);
	}, [wanted, found.length > 0]);
	const step = (by: number) => found.length && go((place + by + found.length) % found.length);
	return (
		<div class="output">
			<div class="row">
				<input
					data-search type="search" class="search" placeholder="Search the output ( / )" aria-label="Search the output" value={wanted}
					onInput={(event) => setParams({ find: event.currentTarget.value })}
					onKeyDown={(event) => event.key === "Enter" ? step(event.shiftKey ? -1 : 1) : event.key === "Escape" && setParams({ find: null })}
				/>
				{wanted && <span class="number found" role="status">{found.length ? `${grouped(Math.min(place, found.length - 1) + 1)} of ${grouped(found.length)}${found.length === MOST_FOUND ? " or more" : ""}` : "not found"}{page && !page.end ? " in what is shown" : ""}</span>}
				{found.length > 1 && <><button type="button" onClick={() => step(-1)}>Previous</button><button type="button" onClick={() => step(1)}>Next</button></>}
				<label>
					Show <select value={only} onChange={(event) => setParams({ stream: event.currentTarget.value || null })}>
						<option value="">both</option>
						<option value="stdout">stdout</option>
						<option value="stderr">stderr</option>
					</select>
				</label>
				<label class="check"><input type="checkbox" checked={times} onChange={() => setParams({ times: times ? null : "1" })} /> Times</label>
				<span class="grow" />
				{run.ending && <span class={endedBadly(run) ? "chip bad" : "chip"}>{atLimit(run) ? `time limit, ${endingWord(run)}` : endingWord(run)}</span>}
				{page && <span class="dim">{bytes(page.bytes)}{Number(page.cut) > 0 && `, ${bytes(page.cut)} more were not kept`}</span>}
				<Menu class="right" label={download.busy ? "…" : "Download"} title="Download the output" items={[
					{ label: "Plain text", hint: "as it is shown", onClick: () => void download.run(false) },
					{ label: "As it was printed", hint: "with escape codes", onClick: () => void download.run(true) },
				]} />
			</div>
			<Trouble refusal={refusal ?? download.refusal} />
			{shown.skipped > 0 && <p class="dim">{bytes(shown.skipped)} before this are not shown here.</p>}
			<pre
				ref={box} class="terminal" tabIndex={0} role="log" aria-label="Output of the program"
				onScroll={(event) => {
					const element = event.currentTarget;
					atEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 30;
				}}
			>
				<Spans spans={spans} found={found} chosen={Math.min(place, found.length - 1)} start={start} />
				{!spans.length && <span class="dim">{ACTIVE.includes(run.state) ? "Nothing yet." : run.state === "queued" ? "It hasn't started yet." : "It printed nothing."}</span>}
			</pre>
			{page && !page.end && (
				<div class="row">
					<button type="button" disabled={busy} onClick={more}>Load more</button>
					<button type="button" disabled={busy} onClick={() => ((toEnd.current = true), end())}>Jump to the end</button>
				</div>
			)}
		</div>
	);
}

function classOf({ style, stream }: Span): string {
	const words: string[] = [stream];
	for (const name of ["bold", "dim", "italic", "underline", "struck", "inverse"] as const) if (style[name]) words.push(`t-${name}`);
	if (typeof style.color === "number") words.push(`t-color${style.color % 8}`);
	if (typeof style.back === "number") words.push(`t-back${style.back % 8}`);
	return words.join(" ");
}

// Colours of one's own are mixed with the page's ink: they can be read in both themes.
function colorsOf({ color, back }: Style): Record<string, string> {
	return {
		...(typeof color === "string" ? { color: `color-mix(in srgb, ${color} 55%, var(--ink))` } : {}),
		...(typeof back === "string" ? { backgroundColor: `color-mix(in srgb, ${back} 25%, var(--panel))` } : {}),
	};
}

// A stretch may end within what is found, and what is found within a stretch.
function Spans({ spans, found, chosen, start }: { spans: Span[]; found: Found[]; chosen: number; start: string }) {
	let at = 0;
	let next = 0;
	return (
		<>
			{spans.map((span, index) => {
				const parts: ComponentChildren[] = [];
				const end = at + span.text.length;
				for (let from = at; from < end;) {
					while (next < found.length && found[next]!.at + found[next]!.length <= from) next++;
					const hit = found[next];
					const inside = hit && hit.at <= from;
					const to = Math.min(end, !hit ? end : inside ? hit.at + hit.length : hit.at);
					const text = span.text.slice(from - at, to - at);
					parts.push(inside ? <mark data-first={hit.at === from ? "" : undefined} class={next === chosen ? "chosen" : undefined}>{text}</mark> : text);
					from = to;
				}
				at = end;
				return <span key={index} class={classOf(span)} style={colorsOf(span.style)}>{span.time !== undefined && <i>{seconds(span.time, start).toFixed(3)} </i>}{parts}</span>;
			})}
		</>
	);
}
