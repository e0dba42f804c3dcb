// SPDX-License-Identifier: Apache-2.0
// Counters of a run: an answer put together for the pixels, and while it runs what the stream adds.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Refusal } from "../api/client";
import { ACTIVE, type Run } from "../api/core";
import type { Counters, StreamPoints, StreamPointsSnapshot } from "../api/schema";
import { seconds } from "../model/format";
import { useFetch, useSoon, useStream } from "../model/hooks";
import { addRows, curvesOf, cutTail, emptyTail, type Curves } from "./lines";
import type { Range } from "./plot";

const MOST_TICKS = 600; // of the stream, before the answer is asked for anew
const REDRAW_MS = 100;

export interface Shown {
	counters: Counters | undefined;
	curves: Curves | undefined;
	whole: Range; // seconds since the start
	refusal: Refusal | undefined;
	busy: boolean;
	reload: () => void;
}

// Asked for is three times the range that is seen: what comes in while panning is there already.
function asked(range: Range | null, counters: Counters | undefined): { from?: string; to?: string } {
	if (!range || !counters) return {};
	const start = BigInt(counters.start_ns);
	const span = range[1] - range[0];
	const ns = (value: number) => String(start + BigInt(Math.round(Math.max(0, value) * 1e9)));
	return { from: ns(range[0] - span), to: ns(range[1] + span) };
}

export function useCounters(run: Run, range: Range | null, width: number): Shown {
	const live = ACTIVE.includes(run.state);
	const first = useRef<Counters | undefined>(undefined);
	const tail = useRef(emptyTail());
	const [ticks, setTicks] = useState(0);
	const answer = useFetch<Counters>(width ? `/runs/${run.id}/counters` : null, { width: Math.min(4000, Math.max(200, width * (range ? 3 : 1))), ...asked(range, first.current) }, true);
	const redraw = useSoon(() => setTicks((value) => value + 1), REDRAW_MS);
	const again = useSoon(answer.reload, 500);
	if (answer.data) first.current = answer.data;
	useStream(live ? [`run:${run.id}:counters`] : [], (event, data) => {
		if (event === "points-snapshot") {
			const { start_ns, rows } = data as StreamPointsSnapshot;
			tail.current = emptyTail();
			addRows(tail.current, rows.slice(-MOST_TICKS), start_ns);
			again();
		} else if (event === "points" && first.current) {
			addRows(tail.current, (data as StreamPoints).rows, first.current.start_ns);
			if (tail.current.x.length > MOST_TICKS) again();
		} else if (event === "end" || event === "again") again();
		redraw();
	});
	useEffect(() => {
		if (answer.data && !range) tail.current = cutTail(tail.current, seconds(answer.data.last_ns, answer.data.start_ns));
	}, [answer.data]);
	useEffect(() => {
		if (!live) {
			tail.current = emptyTail();
			answer.reload();
		}
	}, [live]);
	const curves = useMemo(() => answer.data && curvesOf(answer.data, tail.current), [answer.data, ticks]);
	const end = Math.max(answer.data ? seconds(answer.data.last_ns, answer.data.start_ns) : 0, tail.current.x[tail.current.x.length - 1] ?? 0, 0.001);
	return { counters: answer.data, curves, whole: [0, end], refusal: answer.refusal, busy: answer.busy, reload: answer.reload };
}
