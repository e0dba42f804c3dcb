// SPDX-License-Identifier: Apache-2.0
// Who is signed in, and what that person may do.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Me } from "../api/core";

export const Person = createContext<Me | undefined>(undefined);

export const LOOKS_ONLY = "Your account has the role viewer: it can see everything and change nothing. Ask the person who runs this server for the role runner.";

// Why there is no recording, no output and no environment to see.
export function noRaw(person: string): string {
	const ask = person === "owner" ? "Ask the owner of the server" : `Ask ${person}, who made the run, or the owner of the server`;
	return `Raw data (the recording, the output, the values of the environment) is only for those who may measure this program. ${ask}.`;
}

// Why a session or run offers nothing that changes it.
export function notYours(person: string): string {
	return `Made by ${person}: others can look at it, and change nothing.`;
}

// Whether there is any use in offering what runs or changes something; the server decides in the end.
export function useMayRun(): boolean {
	return useContext(Person)?.role !== "viewer";
}
