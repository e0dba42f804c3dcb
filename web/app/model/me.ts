// SPDX-License-Identifier: Apache-2.0
// Who is signed in, and what that person may do.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Me } from "../api/core";

export const Person = createContext<Me | undefined>(undefined);

export const LOOKS_ONLY = "You may look at everything here and change nothing: your account has the role viewer. Who runs this server can give you the role runner.";

// Whether there is any use in offering what runs or changes something; the server decides in the end.
export function useMayRun(): boolean {
	return useContext(Person)?.role !== "viewer";
}
