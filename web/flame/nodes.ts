// SPDX-License-Identifier: Apache-2.0
// Nodes by their caller and face. A hundred thousand of them are found many times as fast as in a Map, whose keys
// would be objects.

const NONE = -1;

export class NodeMap {
	private slots = new Int32Array(1024).fill(NONE);
	private nodes: number[] = [];

	// Of columns that may grow.
	constructor(private parent: ArrayLike<number>, private face: ArrayLike<number>) {}

	// The node, or -1.
	find(parent: number, face: number): number {
		return this.slots[this.slotOf(parent, face)]!;
	}

	// A node that the columns have already.
	add(node: number): void {
		this.nodes.push(node);
		if (2 * this.nodes.length > this.slots.length) this.grow();
		else this.put(node);
	}

	private put(node: number): void {
		this.slots[this.slotOf(this.parent[node]!, this.face[node]!)] = node;
	}

	private slotOf(parent: number, face: number): number {
		const mask = this.slots.length - 1;
		const mixed = Math.imul(Math.imul(parent, 0x9e3779b1) ^ face, 0x85ebca6b);
		let at = (mixed ^ (mixed >>> 15)) & mask;
		for (; this.slots[at]! !== NONE; at = (at + 1) & mask) {
			const node = this.slots[at]!;
			if (this.parent[node] === parent && this.face[node] === face) break;
		}
		return at;
	}

	private grow(): void {
		this.slots = new Int32Array(4 * this.slots.length).fill(NONE);
		for (const node of this.nodes) this.put(node);
	}
}
