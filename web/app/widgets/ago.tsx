// SPDX-License-Identifier: Apache-2.0
// How long ago something was; the exact time when pointed at.
import { ago, date, exactText } from "../model/format";
import { useNow } from "../model/hooks";

export function Ago({ ns }: { ns: string | number }) {
	const now = useNow(30000);
	return <time class="ago" dateTime={date(ns).toISOString()} title={exactText(ns)}>{ago(ns, now)}</time>;
}
