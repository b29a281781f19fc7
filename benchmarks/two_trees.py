# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The control cycle of this source tree compared with another one, in turns on one core.

    ./impact shell -- python benchmarks/two_trees.py OTHER_TREE [--rounds N]

Each tree runs in a process of its own, with its own ``benchmarks/qp.py``; both go through the same
approach, a pass of one and then a pass of the other, so what disturbs one disturbs both. The other
tree needs no set-up: it borrows this one's.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from time import perf_counter

import numpy as np

HERE = Path(__file__).resolve().parents[1]
MODES = ("unaware", "robust", "nominal", "existential")


def serve() -> None:
    """Go through the approach once for each mode that is asked for; answer with the times [s]."""
    import gc

    import qp

    states, _ = qp._approach()
    controllers = {mode: qp._controller(mode) for mode in MODES}
    gc.collect()
    gc.disable()
    for line in sys.stdin:
        controller, times = controllers[line.strip()], []
        controller.reset()
        for state in states:
            start = perf_counter()
            controller.update(*state)
            times.append(perf_counter() - start)
        print(*times, flush=True)


class Tree:
    """A source tree in a process of its own."""

    def __init__(self, root: Path, core: int) -> None:
        """Start it on a core."""
        paths = [str(root), str(root / "benchmarks"), os.environ.get("PYTHONPATH", "")]
        self._process = subprocess.Popen(
            [sys.executable, "-P", __file__, "--serve"],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: os.sched_setaffinity(0, {core}),
        )

    def run(self, mode: str) -> list[float]:
        """Return the time of each cycle of one approach [s]."""
        print(mode, file=self._process.stdin, flush=True)
        return [float(each) for each in next(iter(self._process.stdout or ())).split()]

    def end(self) -> None:
        """Let it end."""
        self._process.communicate()


def compare(other: Path, rounds: int) -> dict[str, tuple[float, float]]:
    """Return the median cycle of this and of the other tree by mode [us]."""
    core = max(os.sched_getaffinity(0))
    trees = [Tree(HERE, core), Tree(other, core)]
    taken: dict[str, tuple[list[float], ...]] = {mode: ([], []) for mode in MODES}
    for turn in range(rounds + 2):  # two warm up
        for mode in MODES:
            for tree, times in zip(trees, taken[mode], strict=True):
                found = tree.run(mode)
                times.extend(found if turn > 1 else ())
    for tree in trees:
        tree.end()
    return {
        mode: (1e6 * float(np.median(mine)), 1e6 * float(np.median(theirs)))
        for mode, (mine, theirs) in taken.items()
    }


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description="control cycle beside that of another tree")
    parser.add_argument("other", type=Path, nargs="?", help="root of the other source tree")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve()
        return
    if arguments.other is None:
        parser.error("expected the root of another source tree")
    for mode, (mine, theirs) in compare(arguments.other.resolve(), arguments.rounds).items():
        print(f"{mode:12s} {mine:7.1f} us here, {theirs:7.1f} us there: {mine / theirs:.3f}")


if __name__ == "__main__":
    main()
