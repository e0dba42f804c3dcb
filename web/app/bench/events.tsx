// SPDX-License-Identifier: Apache-2.0
// The event picker: an expression, checked as it is typed, and the list that one ticks it together from.
import { useEffect, useState } from "preact/hooks";
import type { Check, EventInfo, Events } from "../api/core";
import { cannot, encodingOf, isPattern, whyNever } from "../model/events";
import { splitEvents, toggleEvent } from "../model/form";
import { useFetch, useLater } from "../model/hooks";

const GROUPS: [string, string][] = [
	["", "All"],
	["hw", "Hardware"],
	["sw", "Software"],
	["cache", "Caches"],
	["model", "This CPU model"],
	["pmu", "Other units"],
	["tracepoint", "Tracepoints"],
];
const WORDS: Record<string, string> = {
	hw: "hardware counter", sw: "counted by the kernel", cache: "cache", model: "specific to this CPU model", pmu: "PMU outside the core",
	tracepoint: "kernel tracepoint", tool: "measured by perfolio itself", raw: "raw code", breakpoint: "breakpoint",
};

const MOST = 200; // rows of the list

interface Props {
	session: number;
	value: string;
	onChange: (value: string) => void;
	label: string; // "Events to count"
	usual: string; // what an empty expression stands for
	sampled?: boolean; // not counted: some events can only be that
	onWrong: (wrong: boolean) => void; // the expression can't be read
}

export function EventPicker({ session, value, onChange, label, usual, sampled, onWrong }: Props) {
	const [search, setSearch] = useState("");
	const [group, setGroup] = useState("");
	const [hovered, setHovered] = useState<EventInfo>();
	const asked = useLater(search, 120);
	const events = useFetch<Events>("/events", { session, search: asked, group, limit: MOST }, true);
	const ticked = splitEvents(value);
	const items = order(events.data, asked || group ? [] : ticked);
	return (
		<fieldset class="picker">
			<legend>{label}</legend>
			<Expression value={value} onChange={onChange} usual={usual} label={label} sampled={sampled} onWrong={onWrong} />
			<div class="picker-search">
				<input
					type="search" placeholder="Search all events" aria-label={`Search: ${label}`} value={search}
					onInput={(event) => setSearch(event.currentTarget.value)}
					onKeyDown={(event) => event.key === "Escape" && setSearch("")}
				/>
				<select aria-label="Group of events" value={group} onChange={(event) => setGroup(event.currentTarget.value)}>
					{GROUPS.map(([name, text]) => <option value={name} key={name}>{text}</option>)}
				</select>
			</div>
			<ul class="events" aria-label={`${label}: the list`} aria-busy={events.busy}>
				{items.map((event) => (
					<Row
						key={event.name} event={event} never={whyNever(event, !!sampled)} ticked={ticked.includes(event.name) || (!!event.alias && ticked.includes(event.alias))}
						uses={events.data?.most_used.find((use) => use.event === event.name || use.event === event.alias)?.overall ?? 0}
						onTick={() => onChange(toggleEvent(value, event.alias && ticked.includes(event.alias) ? event.alias : event.name))}
						onPoint={() => setHovered(event)}
					/>
				))}
				{items.length >= MOST && <li class="dim pad">Only the first {MOST} are listed. Search to find others.</li>}
				{events.data && !items.length && <li class="dim pad">No event matches.</li>}
				{events.refusal && <li class="pad">{events.refusal.message}</li>}
			</ul>
			<Description event={hovered} />
		</fieldset>
	);
}

// What is ticked stays in sight, then the most used ones, then as the server has them; what can't be measured last.
function order(events: Events | undefined, ticked: string[]): EventInfo[] {
	const items = events?.items ?? [];
	const used = new Map((events?.most_used ?? []).map((use) => [use.event, use.in_session * 1000 + use.overall]));
	const weight = (event: EventInfo) =>
		(event.openable === false ? -1 : 0) + (ticked.includes(event.name) || (event.alias && ticked.includes(event.alias)) ? 1e9 : 0) + Math.max(used.get(event.name) ?? 0, used.get(event.alias ?? "") ?? 0);
	return [...items].sort((a, b) => weight(b) - weight(a));
}

function Row({ event, never, ticked, uses, onTick, onPoint }: { event: EventInfo; never: string; ticked: boolean; uses: number; onTick: () => void; onPoint: () => void }) {
	const missing = event.openable === false || !!never;
	const encoding = encodingOf(event);
	const title = [event.description, encoding && `encoding: ${encoding}`, missing && `unavailable: ${never || event.why}`].filter(Boolean).join("\n");
	return (
		<li class={missing ? "missing" : undefined} title={title} onPointerEnter={onPoint} onFocusIn={onPoint}>
			<label>
				<input type="checkbox" checked={ticked} disabled={!!never && !ticked} onChange={onTick} />
				<span class="mono ellipsis">{event.name}</span>
				{uses > 0 && <small class="used" title={`used in ${uses} runs`}>{uses}×</small>}
				{missing && <small class="why">{isPattern(event) ? "a pattern" : never ? "count only" : "unavailable"}</small>}
			</label>
		</li>
	);
}

function Description({ event }: { event: EventInfo | undefined }) {
	if (!event) return <p class="description dim" aria-live="polite">Hover over an event to see what it counts and how it is encoded.</p>;
	return (
		<p class="description" aria-live="polite">
			<b class="mono">{event.name}</b>{event.alias && <span class="dim"> or {event.alias}</span>}
			<span class="dim"> · {event.family && event.kind === "tracepoint" ? `tracepoint of ${event.family}` : (WORDS[event.kind] ?? event.kind)}</span>
			<br />
			{event.description ?? (event.fields?.length ? `Fields: ${event.fields.join(", ")}.` : "The kernel has no description for it.")}
			{event.detail && <> {event.detail}</>}
			{encodingOf(event) && <> <code>{encodingOf(event)}</code></>}
			{event.openable === false && <span class="bad"> Unavailable here: {event.why}</span>}
		</p>
	);
}

function Expression({ value, onChange, usual, label, sampled, onWrong }: Omit<Props, "session">) {
	const asked = useLater(value.trim(), 250);
	const check = useFetch<Check>(asked ? "/events/check" : null, { expression: asked });
	const current = asked === value.trim() ? check.data : undefined;
	const missing = ((current?.events ?? []) as unknown as EventInfo[]).filter((event) => event.openable === false);
	const never = sampled ? ((current?.events ?? []) as unknown as EventInfo[]).filter(({ kind }) => kind === "tool").map((event) => whyNever(event, true))[0] : undefined;
	const wrong = current && (!current.valid || !!never || (missing.length > 0 && missing.length === current.events?.length));
	const unreadable = current?.valid === false || !!never;
	useEffect(() => onWrong(unreadable), [unreadable]);
	useEffect(() => () => onWrong(false), []);
	return (
		<div class="expression">
			<input
				class="mono" placeholder={usual} aria-label={`${label}: expression`} aria-invalid={!!wrong} spellcheck={false} autocomplete="off" value={value}
				onInput={(event) => onChange(event.currentTarget.value)}
			/>
			<p class={wrong ? "bad" : missing.length ? "warn" : "dim"} role="status" title={missing[0]?.why}>
				{!value.trim() ? `Default: ${usual}` : !current ? "…" : unreadable ? never || current?.message || "This can't be measured" : cannot(missing) || "available on this host"}
			</p>
			{current?.marked && unreadable && <pre class="bad marked" aria-label="Where the expression is wrong">{current.marked}</pre>}
			{current?.remedy && unreadable && <p class="dim">{current.remedy}</p>}
		</div>
	);
}
