// SPDX-License-Identifier: Apache-2.0
// What the program printed, live while it runs. It is text, whatever it holds.
import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../api/client";
import { ACTIVE, type Run } from "../api/core";
import type { OutputPage, StreamOutput, StreamPiece } from "../api/schema";
import { bytes, seconds } from "../model/format";
import { asRefusal, useStream } from "../model/hooks";
import type { Refusal } from "../api/client";
import { setParams, usePlace } from "../model/address";
import { endingWord } from "../model/runs";
import { Trouble } from "../widgets/trouble";

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

// Neighbours of one stream as one: a program that prints by the line has tens of thousands.
export function joined(pieces: StreamPiece[]): StreamPiece[] {
	const out: StreamPiece[] = [];
	let texts: string[] = [];
	pieces.forEach((piece, at) => {
		texts.push(piece.text);
		if (pieces[at + 1]?.stream === piece.stream) return;
		out.push({ ...piece, text: texts.join("") });
		texts = [];
	});
	return out;
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

export function OutputTab({ run }: { run: Run }) {
	const { params } = usePlace();
	const { shown, refusal, page, busy, more, end } = useOutput(run);
	const only = params.get("stream") ?? "";
	const times = params.get("times") === "1";
	const box = useRef<HTMLPreElement>(null);
	const atEnd = useRef(true);
	const wanted = shown.pieces.filter((piece) => !only || piece.stream === only);
	const pieces = times ? wanted : joined(wanted);
	const start = shown.pieces[0]?.time_ns ?? "0";
	const toEnd = useRef(false);
	useEffect(() => {
		if (!box.current) return;
		const follow = ACTIVE.includes(run.state) ? atEnd.current : toEnd.current;
		if (follow) box.current.scrollTop = box.current.scrollHeight;
		toEnd.current = ACTIVE.includes(run.state) && atEnd.current;
	}, [shown]);
	return (
		<div class="output">
			<div class="row">
				<label>
					Show <select value={only} onChange={(event) => setParams({ stream: event.currentTarget.value || null })}>
						<option value="">both</option>
						<option value="stdout">stdout</option>
						<option value="stderr">stderr</option>
					</select>
				</label>
				<label class="check"><input type="checkbox" checked={times} onChange={() => setParams({ times: times ? null : "1" })} /> Times</label>
				<span class="grow" />
				{run.ending && <span class={run.ending.code ? "chip bad" : "chip"}>{endingWord(run)}</span>}
				{page && <span class="dim">{bytes(page.bytes)}{Number(page.cut) > 0 && `, ${bytes(page.cut)} more were not kept`}</span>}
			</div>
			<Trouble refusal={refusal} />
			{shown.skipped > 0 && <p class="dim">{bytes(shown.skipped)} before this are not shown here.</p>}
			<pre
				ref={box} class="terminal" tabIndex={0} role="log" aria-label="Output of the program"
				onScroll={(event) => {
					const element = event.currentTarget;
					atEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 30;
				}}
			>
				{pieces.map((piece, at) => (
					<span key={at} class={piece.stream}>{times && <i>{seconds(piece.time_ns, start).toFixed(3)} </i>}{piece.text}</span>
				))}
				{!pieces.length && <span class="dim">{ACTIVE.includes(run.state) ? "Nothing yet." : run.state === "queued" ? "It has not begun." : "It printed nothing."}</span>}
			</pre>
			{page && !page.end && (
				<div class="row">
					<button type="button" disabled={busy} onClick={more}>Read on</button>
					<button type="button" disabled={busy} onClick={() => ((toEnd.current = true), end())}>To the end</button>
				</div>
			)}
		</div>
	);
}
