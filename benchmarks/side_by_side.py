# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Times several functions in turns, so that a disturbance affects all of them, and counts those."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from time import perf_counter, perf_counter_ns
from typing import NamedTuple

import numpy as np

Work = Callable[[], object]
Block = Callable[[], Sequence[float]]
State = tuple[np.ndarray, np.ndarray]  # joint positions and velocities
StateWork = Callable[[int, State], object]  # on a state and its number
ENDS = (10.0, 90.0)  # of a spread, percentiles over the rounds
WARM, COLD = 20, 10  # cycles that warm up a block; of a block without caches, every so-manieth
INTERRUPTION, WATCHED = 1000, 500_000_000  # [ns]
CACHES = 4 << 20  # numbers that are read to empty the processor's caches, 32 MB


class Spread(NamedTuple):
    """A figure of each round of blocks: its median, and the percentiles ``ENDS``."""

    median: float
    low: float
    high: float

    def figures(self, name: str) -> dict[str, float]:
        """Return the rows of a benchmark."""
        return {name: self.median, f"{name}, p10": self.low, f"{name}, p90": self.high}


def in_blocks(
    blocks: Mapping[str, Block], *, rounds: int = 20, seed: int = 0
) -> dict[str, list[np.ndarray]]:
    """Return the times of each block [s], round by round.

    A round runs every block once, in a random order, so that none is always the one that finds the
    caches as another one left them. The first round warms up and does not count.

    Args:
        blocks: each runs some calls of one kind and returns how long each took [s].
        rounds: that count.
        seed: of the order.
    """
    order, taken = np.random.default_rng(seed), {name: [] for name in blocks}
    gc.collect()
    gc.disable()
    try:
        for turn in range(rounds + 1):
            for name in order.permutation(list(blocks)):
                times = np.array(blocks[name]())
                if turn:
                    taken[name].append(times)
    finally:
        gc.enable()
    return taken


def spread(
    values: Sequence[np.ndarray], over: Sequence[np.ndarray] | None = None, percentile: float = 50.0
) -> Spread:
    """Return the spread of a percentile of each block, or of its ratio to another's in the round.

    Args:
        values: times of each round's block, as of :func:`in_blocks`.
        over: those of the other one.
        percentile: within a block.
    """
    each = np.array([np.percentile(block, percentile) for block in values])
    if over is not None:
        each /= [np.percentile(block, percentile) for block in over]
    return spread_of(each)


def spread_of(rounds: Sequence[float] | np.ndarray) -> Spread:
    """Return the spread of a figure of each round."""
    return Spread(float(np.median(rounds)), *np.percentile(rounds, ENDS).tolist())


def cycle_times(
    work: StateWork,
    states: Sequence[State],
    after: Callable[[], object] = lambda: None,
    *,
    cold: bool = False,
) -> list[float]:
    """Return the time of each cycle through some states but the first ones [s].

    Args:
        work: a cycle.
        states: what it computes with, in order.
        after: called after each cycle, not timed.
        cold: time one cycle in ``COLD``, before which the caches are emptied.
    """
    taken = []
    for k, state in enumerate(states):
        emptied = cold and k % COLD == COLD - 1
        if emptied:
            empty_caches()
        start = perf_counter()
        work(k, state)
        time = perf_counter() - start
        if emptied or (not cold and k >= WARM):
            taken.append(time)
        after()
    return taken


def interruptions() -> float:
    """Return how often something takes this core for more than 1 us [1/s]; takes half a second.

    The ticks of Linux are 100 to 1,000 a second. A virtual machine's host can add thousands that
    Linux in it does not see. The processor forgets branches and instructions in each, which costs
    an interpreter's cycle more than its floor: then ratios are larger, too.
    """
    before = perf_counter_ns()
    count, end = 0, before + WATCHED
    while before < end:
        now = perf_counter_ns()
        count += now - before > INTERRUPTION
        before = now
    return 1e9 * count / WATCHED


def empty_caches() -> None:
    """Read more than the processor's caches hold."""
    _memory().sum()


@cache
def _memory() -> np.ndarray:
    return np.ones(CACHES)


def times(works: Mapping[str, Work], *, rounds: int = 200, calls: int = 20) -> dict[str, float]:
    """Return the time of one call of each function [s], the median over the rounds.

    Args:
        works: functions without arguments, by name.
        rounds: how often to go around.
        calls: of each function per round, timed together.
    """

    def block(work: Work) -> Sequence[float]:
        start = perf_counter()
        for _ in range(calls):
            work()
        return [(perf_counter() - start) / calls]

    blocks = {name: lambda work=work: block(work) for name, work in works.items()}
    taken = in_blocks(blocks, rounds=rounds)
    return {name: spread(values).median for name, values in taken.items()}
