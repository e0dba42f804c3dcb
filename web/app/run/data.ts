// SPDX-License-Identifier: Apache-2.0
// Counters of a run: the whole, a finer piece around what is seen, and while it runs what the stream adds.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Refusal } from "../api/client";
import { ACTIVE } from "../api/core";
import type { Counters, StreamPoints, StreamPointsSnapshot } from "../api/schema";
import { seconds } from "../model/format";
import { useFetch, useSoon, useStream } from "../model/hooks";
import { columnsOf } from "./columns";
import type { Growth, Row } from "./growth";
import { curvesOf, growthOf, type Curves } from "./lines";
import type { Range, View } from "./view";

const LIVE_WIDTH = 1024; // columns of what was before; twice as many are kept
const MOST_WIDTH = 4000;

export interface Counted {
	id: number;
	state: string;
}

function isLive({ state }: Counted): boolean {
	return (ACTIVE as string[]).includes(state);
}

export interface Shown {
	counters: Counters | undefined;
	curves: Curves | undefined; // the same object while a run goes on: its columns grow in place
	refusal: Refusal | undefined;
	reload: () => void;
}

// Asked for is three times the range that is seen: what comes in while panning is there already.
function around(range: Range, counters: Counters): { from: string; to: string } {
	const start = BigInt(counters.start_ns);
	const span = range[1] - range[0];
	const ns = (value: number) => String(start + BigInt(Math.round(Math.max(0, value) * 1e9)));
	return { from: ns(range[0] - span), to: ns(range[1] + span) };
}

// Where the eye has gone: the range for which detail is asked. It follows before the hand rests, once half of what
// is there beside the view has passed by.
function useDetail(view: View, rested: Range | null): Range | null {
	const [wanted, setWanted] = useState(rested);
	const latest = useRef(wanted);
	latest.current = wanted;
	useEffect(() => setWanted(rested), [rested?.[0], rested?.[1]]);
	useEffect(() => view.watch(() => {
		const had = latest.current;
		if (!view.dragging || view.isWhole || !had) return;
		const [from, to] = view.range;
		if (Math.abs(from - had[0]) > (to - from) / 2) setWanted((latest.current = [from, to]));
	}), [view]);
	return wanted;
}

// Rows go to the growing curves; what comes before the answer that they continue waits for it.
function useGrowth(run: Counted, view: View, counters: Counters | undefined, curves: Curves | undefined, reload: () => void) {
	const live = isLive(run);
	const growth = useRef<Growth | null>(null);
	const waiting = useRef<Row[]>([]);
	const again = useSoon(reload, 500);
	const add = (rows: Row[]) => {
		const grown = growth.current;
		if (!rows.length) return;
		if (!grown) {
			waiting.current = waiting.current.concat(rows);
			return again();
		}
		if (!grown.follows(String(rows[0]![0]))) again();
		grown.add(rows);
		view.grow(grown.whole.to);
		view.draw();
	};
	useStream(live ? [`run:${run.id}:counters`] : [], (event, data) => {
		if (event === "points-snapshot") {
			waiting.current = [];
			add((data as StreamPointsSnapshot).rows);
		} else if (event === "points") add((data as StreamPoints).rows);
		else again();
	});
	useMemo(() => {
		growth.current = null;
		if (!live || !counters?.lines.length || !curves) return;
		growth.current = growthOf(counters, curves);
		growth.current.add(waiting.current);
		waiting.current = [];
		curves.sources = [growth.current.whole, growth.current.recent];
	}, [curves, live]);
	return growth;
}

export function useCounters(run: Counted, view: View, rested: Range | null, width: number, each: boolean): Shown {
	const live = isLive(run);
	const path = width ? `/runs/${run.id}/counters` : null;
	const cpus = each ? "each" : null;
	const whole = useFetch<Counters>(path, { width: live ? LIVE_WIDTH : Math.min(MOST_WIDTH, Math.max(300, width)), cpus }, true);
	const wanted = useDetail(view, rested);
	const detail = useFetch<Counters>(wanted && whole.data ? path : null, { width: Math.min(MOST_WIDTH, 3 * Math.max(300, width)), cpus, ...(wanted && whole.data ? around(wanted, whole.data) : {}) }, true);
	const curves = useMemo(() => whole.data && curvesOf(whole.data), [whole.data]);
	const growth = useGrowth(run, view, whole.data, curves, whole.reload);
	const ended = useRef(live);
	useEffect(() => {
		if (ended.current && !live) whole.reload();
		ended.current = live;
	}, [live]);
	useMemo(() => {
		if (!curves) return;
		const kept = curves.sources.filter((one) => one === curves.sources[0] || one === growth.current?.recent);
		const fine = wanted && detail.data && detail.data.lines.length === whole.data!.lines.length ? [columnsOf(detail.data, curves.lines.map(({ unit }) => unit.factor))] : [];
		curves.sources = [...kept, ...fine];
		const last = seconds(whole.data!.last_ns, whole.data!.start_ns);
		view.whole = [0, Math.max(last, growth.current?.whole.to ?? 0, 0.001)];
		view.live = live;
		view.draw();
	}, [curves, detail.data, wanted === null]);
	return { counters: whole.data, curves, refusal: whole.refusal ?? detail.refusal, reload: whole.reload };
}
