export function TimeTab() { return <p>time</p>; }
