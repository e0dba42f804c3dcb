// SPDX-License-Identifier: Apache-2.0
// Counters of a run: the whole, a finer piece around what is seen, and while it runs what the stream adds.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Refusal } from "../api/client";
import { ACTIVE } from "../api/core";
import type { Counters, StreamPoints, StreamPointsSnapshot } from "../api/schema";
import { seconds } from "../model/format";
import { type Answer, useFetch, useSoon, useStream } from "../model/hooks";
import { columnsOf } from "./columns";
import type { Growth, Row } from "./growth";
import { curvesOf, growthOf, type Curves } from "./lines";
import type { Range, View } from "./view";

const LIVE_WIDTH = 1024; // columns of what was before; more are kept
const LIVE_WIDTH_EACH = 400;
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

const KEPT = 20; // pieces of the stream: two seconds

// Rows go to the growing curves. The latest are kept: an answer that comes anew is older than they are.
function useGrowth(run: Counted, view: View, { data: counters, busy, reload }: Answer<Counters>, curves: Curves | undefined) {
	const live = isLive(run);
	const growth = useRef<Growth | null>(null);
	const latest = useRef<Row[][]>([]);
	const next = useRef(0); // the row that is to come
	const again = useSoon(reload, 500);
	const add = ({ first, rows, resets }: { first: number; rows: Row[]; resets: string[] }) => {
		if (resets.some((ns) => !counters?.resets.includes(ns))) again(); // totals begin anew
		const grown = growth.current;
		const hole = first > next.current;
		next.current = first + rows.length;
		if (!rows.length) return;
		latest.current.push(rows);
		if (latest.current.length > KEPT) latest.current.shift();
		// The answer had nothing yet, or was refused; or something is missing between. One that is on its way is waited for.
		if (hole || (!grown && !busy)) again();
		if (!grown) return;
		grown.add(rows);
		view.grow(grown.whole.to);
		view.renew();
	};
	useStream(live ? [`run:${run.id}:counters`] : [], (event, data) => {
		if (event === "points-snapshot") {
			latest.current = [];
			add(data as StreamPointsSnapshot);
		} else if (event === "points") add(data as StreamPoints);
		else again();
	});
	useMemo(() => {
		growth.current = null;
		if (!live || !counters?.lines.length || !curves) return;
		growth.current = growthOf(counters, curves);
		for (const rows of latest.current) growth.current.add(rows);
		curves.sources = [growth.current.whole, growth.current.recent];
		curves.gained = growth.current.gained;
	}, [curves, live]);
	return growth;
}

// For whoever measures the page: when the first points were drawn.
function useMark(view: View, ready: boolean): void {
	useEffect(() => {
		if (!ready) return undefined;
		const leave = view.watch(() => {
			performance.mark("plots-drawn");
			leave();
		});
		view.draw();
		return leave;
	}, [view, ready]);
}

export function useCounters(run: Counted, view: View, rested: Range | null, width: number, each: boolean): Shown {
	const live = isLive(run);
	const path = width ? `/runs/${run.id}/counters` : null;
	const cpus = each ? "each" : null;
	const whole = useFetch<Counters>(path, { width: live ? (each ? LIVE_WIDTH_EACH : LIVE_WIDTH) : Math.min(MOST_WIDTH, Math.max(300, width)), cpus, per: "second" }, true);
	const wanted = useDetail(view, rested);
	const detail = useFetch<Counters>(wanted && whole.data ? path : null, { width: Math.min(MOST_WIDTH, 3 * Math.max(300, width)), cpus, per: "second", ...(wanted && whole.data ? around(wanted, whole.data) : {}) }, true);
	const curves = useMemo(() => whole.data && curvesOf(whole.data), [whole.data]);
	const growth = useGrowth(run, view, whole, curves);
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
		// An address of another run leads nowhere here.
		if (view.range[1] <= 0 || view.range[0] >= view.whole[1]) view.put(null);
		view.renew();
	}, [curves, detail.data, wanted === null]);
	useMark(view, !!curves?.lines.length);
	return { counters: whole.data, curves, refusal: whole.refusal ?? detail.refusal, reload: whole.reload };
}
