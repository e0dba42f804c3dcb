// SPDX-License-Identifier: Apache-2.0
// The API's types under the names that views use, and closer where the description is open.

import type * as schema from "./schema";

export type { Check, Hosts, Plan, Processes, Queue, RunState } from "./schema";
export type Session = schema.Session;
export type Me = schema.Me;
export type Target = Required<Omit<schema.Target, "argv">> & { argv?: string[] };
export type TargetKind = Target["kind"];
export type Tool = schema.Form["tool"];

export interface List<T> {
	items: T[];
	next?: number | null;
}

// The form as the page holds it: everything is there.
export type Form = Required<Omit<schema.Form, "target" | "events" | "options" | "batch">> & {
	target: Target;
	events: { count: string; sample: string };
	options: { stat: string; record: string };
	batch?: schema.Form["batch"];
};

export type Tab = "overview" | "counters" | "samples" | "flame" | "time" | "functions" | "output";

export type Run = Omit<schema.Run, "facts" | "form"> & {
	form: Partial<schema.Form> & { name?: string };
	facts: { samples?: number; lost?: number; tabs?: Tab[]; format?: string; host?: string | null; damage?: string | null } | null;
};

export interface EventInfo {
	name: string;
	alias?: string;
	kind: string;
	family?: string;
	description?: string;
	detail?: string;
	encoding?: string; // in words of the kernel's, else the numbers below
	type?: number;
	config?: string;
	config1?: string;
	config2?: string;
	fields?: string[]; // of a tracepoint
	openable?: boolean;
	why?: string;
}

export interface Events {
	items: EventInfo[];
	most_used: schema.EventUse[];
}

export interface Finding {
	id: string;
	area: string;
	title: string;
	state: "ok" | "limited" | "missing" | "unknown" | string;
	what: string | null;
	meaning: string | null;
	needs: string | null;
	remedy: string | null;
	evidence: string | null;
}

export interface Doctor {
	works: boolean;
	grant: string | null;
	findings: Finding[];
}

export const ACTIVE: schema.RunState[] = ["starting", "running", "processing"];
export const OVER: schema.RunState[] = ["done", "failed", "cancelled"];
