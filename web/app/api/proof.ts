// SPDX-License-Identifier: Apache-2.0
// The proof of our cookie. Browsers send cookies to every port of a machine; what an origin keeps they give to nobody
// else. So the server wants both: the cookie, and what it told us when we signed in.

const NAME = "perfolio-proof";
const HEADER = "Perfolio-Proof";
let unkept = ""; // where nothing can be kept: until the tab is closed

export function proof(): string {
	try {
		return localStorage.getItem(NAME) ?? unkept;
	} catch {
		return unkept;
	}
}

export function keepProof(now: string): void {
	unkept = now;
	try {
		if (now) localStorage.setItem(NAME, now);
		else localStorage.removeItem(NAME);
	} catch {
		// as private windows of some browsers have it
	}
	for (const call of watchers) call();
}

const watchers = new Set<() => void>();

// Called when somebody signs in or out, in whichever tab.
export function watchProof(call: () => void): () => void {
	const heard = (event: StorageEvent) => (event.key === NAME || event.key === null) && call();
	watchers.add(call);
	addEventListener("storage", heard);
	return () => {
		watchers.delete(call);
		removeEventListener("storage", heard);
	};
}

export function withProof(value: string): Record<string, string> {
	return value ? { [HEADER]: value } : {};
}
