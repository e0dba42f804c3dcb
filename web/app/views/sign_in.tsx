// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef, useState } from "preact/hooks";
import type { Refusal } from "../api/client";
import { linkRefusal, signIn } from "../model/enter";
import { useAction, useTitle } from "../model/hooks";
import { Trouble } from "../widgets/trouble";

// Why the form is there, where that is not plain.
function reasonOf(refusal: Refusal | undefined): string {
	const link = linkRefusal();
	if (link?.status === 401) return "The token in that link has expired: the server was restarted and has a new one.";
	if (link) return link.message;
	if (refusal?.code === "no-proof") return "This browser has lost what it had kept for this page; clearing its site data does that. Sign in again.";
	return "";
}

export function SignIn({ refusal, onDone }: { refusal: Refusal | undefined; onDone: () => void }) {
	const [way, setWay] = useState<"token" | "password">("token");
	const first = useRef<HTMLInputElement>(null);
	const reason = reasonOf(refusal);
	const action = useAction(async (form: HTMLFormElement) => {
		const words = Object.fromEntries(new FormData(form)) as Record<string, string>;
		await signIn(way === "token" ? { token: words["token"]!.trim() } : { name: words["name"]!, password: words["password"]! });
		onDone();
	});
	useTitle("Sign in");
	useEffect(() => first.current?.focus(), [way]);
	return (
		<main class="sign-in">
			<h1><img src="/icon.svg" alt="" width="40" height="40" /> perfolio</h1>
			<form class="panel" onSubmit={(event) => (event.preventDefault(), void action.run(event.currentTarget))}>
				{reason && <p class="notice">{reason}</p>}
				<div class="segments" role="group" aria-label="How to sign in">
					<button type="button" aria-pressed={way === "token"} onClick={() => setWay("token")}>Token</button>
					<button type="button" aria-pressed={way === "password"} onClick={() => setWay("password")}>Name and password</button>
				</div>
				{way === "token" ? (
					<label>
						Token
						<input ref={first} name="token" type="password" autocomplete="off" required spellcheck={false} />
					</label>
				) : (
					<>
						<label>
							Name
							<input ref={first} name="name" autocomplete="username" required />
						</label>
						<label>
							Password
							<input name="password" type="password" autocomplete="current-password" required />
						</label>
					</>
				)}
				<Trouble refusal={action.refusal} />
				<button class="primary" disabled={action.busy}>Sign in</button>
				<p class="dim">
					The token is in the link that <code>perfolio serve</code> prints when it starts; opening that link signs you in.
				</p>
			</form>
		</main>
	);
}
