// SPDX-License-Identifier: Apache-2.0
// Parts of the page that come when they are first needed, so that the first paint need not wait for them.
import type { FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";

export function lazy<P extends object>(load: () => Promise<FunctionComponent<P>>): FunctionComponent<P> {
	let loaded: FunctionComponent<P> | undefined;
	let failed: unknown;
	return (props: P) => {
		const [, redraw] = useState(0);
		useEffect(() => {
			if (loaded) return;
			load().then(
				(part) => (loaded = part),
				(reason) => (failed = reason),
			).then(() => redraw((value) => value + 1));
		}, []);
		const Part = loaded;
		if (Part) return <Part {...props} />;
		// After a new version of the server the old names are gone.
		if (failed) return <p class="trouble" role="alert">This part of the page could not be loaded. <button type="button" onClick={() => location.reload()}>Reload the page</button></p>;
		return <p class="pad" aria-busy="true" />;
	};
}

