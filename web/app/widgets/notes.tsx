// SPDX-License-Identifier: Apache-2.0
// Notes and tags of a session: shown as they were typed, and changed in place.
import { useState } from "preact/hooks";
import { api } from "../api/client";
import type { Run, Session } from "../api/core";
import { splitTags } from "../model/form";
import { useAction } from "../model/hooks";
import { Trouble } from "./trouble";

export function Tags({ tags }: { tags: string[] }) {
	return <>{tags.map((tag) => <span class="tag" key={tag}>{tag}</span>)}</>;
}

// Those of a run, which can be given before and after it.
export function RunTags({ run }: { run: Run }) {
	const may = run.may?.change;
	const [editing, setEditing] = useState(false);
	if (editing) return <TagEditor run={run} onDone={() => setEditing(false)} />;
	return (
		<span class="run-tags">
			<Tags tags={run.tags} />
			{may && <button type="button" class="quiet" onClick={() => setEditing(true)}>{run.tags.length ? "Change tags" : "Add tags"}</button>}
		</span>
	);
}

function TagEditor({ run, onDone }: { run: Run; onDone: () => void }) {
	const [text, setText] = useState(run.tags.join(", "));
	const save = useAction(async () => {
		const tags = splitTags(text);
		await api.patch(`/runs/${run.id}`, { tags });
		run.tags = tags; // until the stream says the same
		onDone();
	});
	return (
		<form class="run-tags" aria-label="Tags of the run" onSubmit={(event) => (event.preventDefault(), void save.run())} onKeyDown={(event) => event.key === "Escape" && onDone()}>
			<input ref={(input) => input?.focus()} aria-label="Tags" placeholder="Tags, separated by commas" autocomplete="off" value={text} onInput={(event) => setText(event.currentTarget.value)} />
			<button class="primary" disabled={save.busy}>Save</button>
			<button type="button" onClick={onDone}>Cancel</button>
			<Trouble refusal={save.refusal} />
		</form>
	);
}

export function Notes({ session }: { session: Session }) {
	const may = session.may_change;
	const [editing, setEditing] = useState(false);
	const some = session.notes || session.tags.length > 0;
	if (editing) return <Editor session={session} onDone={() => setEditing(false)} />;
	return (
		<div class="session-notes">
			{session.notes && <p class="notes ellipsis" title={session.notes}>{session.notes}</p>}
			<Tags tags={session.tags} />
			{may && <button type="button" class="quiet" onClick={() => setEditing(true)}>{some ? "Change notes and tags" : "Add notes or tags"}</button>}
		</div>
	);
}

function Editor({ session, onDone }: { session: Session; onDone: () => void }) {
	const [notes, setNotes] = useState(session.notes);
	const [tags, setTags] = useState(session.tags.join(", "));
	const save = useAction(async () => {
		const now = { notes, tags: splitTags(tags) };
		await api.patch(`/sessions/${session.id}`, now);
		Object.assign(session, now); // until the stream says the same
		onDone();
	});
	return (
		<form class="session-notes editing" aria-label="Notes and tags" onSubmit={(event) => (event.preventDefault(), void save.run())} onKeyDown={(event) => event.key === "Escape" && onDone()}>
			<textarea rows={3} aria-label="Notes" placeholder="What is this about?" value={notes} onInput={(event) => setNotes(event.currentTarget.value)} />
			<input aria-label="Tags" placeholder="Tags, separated by commas" autocomplete="off" value={tags} onInput={(event) => setTags(event.currentTarget.value)} />
			<div class="row">
				<button class="primary" disabled={save.busy}>Save</button>
				<button type="button" onClick={onDone}>Cancel</button>
			</div>
			<Trouble refusal={save.refusal} />
		</form>
	);
}
