# SPDX-License-Identifier: Apache-2.0
"""Folded stacks of any size, the same every time: a tree of so many frames, as wide and deep as real ones."""
import random


def write_tree(path, frames, seed=7):
    rng = random.Random(seed)
    names = [f"ns{i % 40}::Class{i % 300}::method_{i}(int, std::vector<int> const&)" if i % 3 else f"function_{i}"
             for i in range(8000)]
    waiting = [("main", frames - 1, 1)]
    with open(path, "w", encoding="utf-8") as out:
        while waiting:
            stack, budget, depth = waiting.pop()
            out.write(f"{stack} {1 + int(rng.expovariate(0.05))}\n")
            while budget > 0:
                share = min(budget, 1 + int(budget * rng.random() * (0.9 if depth < 40 else 0.1)))
                share = 1 if depth >= 60 else budget if budget - share < 3 else share
                waiting.append((f"{stack};{rng.choice(names)}", share - 1, depth + 1))
                budget -= share
