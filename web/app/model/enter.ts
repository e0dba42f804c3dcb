// SPDX-License-Identifier: Apache-2.0
// Signing in and out, also by the link that the server printed: any address of the page with #token=… behind it.

import { api, Refusal } from "../api/client";
import { keepProof } from "../api/proof";
import type { SignedIn } from "../api/schema";

let refused: Refusal | undefined; // what became of the link

export function linkRefusal(): Refusal | undefined {
	return refused;
}

export async function signIn(words: { token: string } | { name: string; password: string }): Promise<void> {
	keepProof((await api.post<SignedIn>("/sign-in", words)).proof);
	refused = undefined;
}

export async function signOut(): Promise<void> {
	await api.post("/sign-out");
	keepProof("");
}

// The token leaves the address bar and the history before anything else is done.
async function followToken(): Promise<boolean> {
	const token = new URLSearchParams(location.hash.slice(1)).get("token");
	if (!token) return false;
	history.replaceState(history.state, "", location.pathname + location.search);
	await signIn({ token }).catch((reason) => {
		if (!(reason instanceof Refusal)) throw reason;
		refused = reason;
	});
	return true;
}

export async function enter(): Promise<void> {
	// Who pastes the link where the page is open already stays in the same document.
	addEventListener("hashchange", () => void followToken().then((found) => found && location.reload()));
	await followToken();
}
