// SPDX-License-Identifier: Apache-2.0
// Who is signed in, and what that person may do.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Me } from "../api/core";

export const Person = createContext<Me | undefined>(undefined);

export const LOOKS_ONLY = "Your account has the role viewer: it can see everything and change nothing. Ask the person who runs this server for the role runner.";

// Whether there is any use in offering what runs or changes something; the server decides in the end.
export function useMayRun(): boolean {
	return useContext(Person)?.role !== "viewer";
}
