// SPDX-License-Identifier: Apache-2.0
// The size of an element, as it is now.

import { useLayoutEffect, useRef, useState } from "preact/hooks";

export interface Size {
	width: number;
	height: number;
}

export function useSize(): [{ current: HTMLDivElement | null }, Size] {
	const element = useRef<HTMLDivElement>(null);
	const [size, setSize] = useState<Size>({ width: 0, height: 0 });
	useLayoutEffect(() => {
		const measure = () => setSize((before) => {
			const { clientWidth: width, clientHeight: height } = element.current ?? { clientWidth: 0, clientHeight: 0 };
			return before.width === width && before.height === height ? before : { width, height };
		});
		const observer = new ResizeObserver(measure);
		observer.observe(element.current!);
		measure();
		return () => observer.disconnect();
	}, []);
	return [element, size];
}
