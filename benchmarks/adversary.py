# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An adversary: random cycles, faults over DDS, mutated inputs, classes of cases; counts failures.

Not times but counts: how often what must hold was tried, and how often it did not. Run it with
``./impact bench adversary`` (full form: some minutes) or ``./impact bench adversary --quick``.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import as_completed
from importlib import import_module
from math import ceil
from typing import Any, NamedTuple

import adversary_cycles

from impact_bringup.domain import own_domain
from impact_cli.progress import Progress
from impact_trials.processes import Workers, result_of

JOBS = 2
TOLD = 20  # descriptions of failures, at most
# Modules with a campaign of inputs, and the share of each: a damaged recording takes the longest.
INPUTS = {"mutated_robots": 0.4, "damaged_recordings": 0.2, "odd_messages": 0.4}


class Size(NamedTuple):
    """How much is tried."""

    cycles: int
    chunks: int  # that the cycles are done in, each with a seed of its own
    faults: tuple[str, ...] | None  # none: all
    inputs: int


class Tally:
    """Counts what was tried and what failed, by name."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.tried: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self.told: list[str] = []

    def add(self, name: str, tried: int, failed: int, told: list[str]) -> None:
        """Count a part of the campaign; ``told`` describes its failures."""
        self.tried[name] += tried
        self.failed[name] += failed
        self.told += told

    def figures(self) -> dict[str, dict[str, int]]:
        """Return the counts, both with the same names."""
        failed = {name: self.failed[name] for name in self.tried}
        return {"tried": dict(self.tried), "failed": failed}


def measure(quick: bool = False) -> dict[str, dict[str, int]]:
    """Try everything; return how often, and how often it failed, by name.

    The first failures are described on standard error.

    Args:
        quick: a short form of the same.
    """
    tally, size = Tally(), _size(quick)
    try_cycles(tally, size.cycles, size.chunks)
    try_faults(tally, size.faults)
    try_inputs(tally, size.inputs)
    try_classes(tally, quick)
    for text in tally.told[:TOLD]:
        print(f"adversary: {text}", file=sys.stderr)
    if len(tally.told) > TOLD:
        print(f"adversary: and {len(tally.told) - TOLD} more", file=sys.stderr)
    return tally.figures()


def _size(quick: bool) -> Size:
    if quick:
        from adversary_faults import QUICK

        return Size(24_000, 24, QUICK, 2_100)
    return Size(1_000_000, 40, None, 20_000)


def try_cycles(tally: Tally, count: int, chunks: int) -> None:
    """Run random cycles without ROS, chunks with the seeds 0, 1, ... in several processes."""
    share = -(-count // chunks)
    found = _in_workers("cycles", adversary_cycles.campaign, [(share, k) for k in range(chunks)])
    total = adversary_cycles.Found()
    for each in found:
        total.add(each)
    for interface, tried in sorted(total.tried.items()):
        tally.add(f"cycles: {interface}", tried, total.failed[interface], [])
    tally.told += [f"{total.broken[name]} times {text}" for name, text in total.first.items()]


def try_faults(tally: Tally, names: tuple[str, ...] | None = None) -> None:
    """Run named faults over DDS, all by default."""
    import adversary_faults

    names = tuple(adversary_faults.FAULTS) if names is None else names
    progress, done = Progress("faults over DDS"), []

    def note(name: str) -> None:
        done.append(name)
        progress.update(len(done) / len(names), name)

    said = adversary_faults.campaign(names, JOBS, note)
    progress.close(f"{len(names)}, {sum(map(bool, said.values()))} failed")
    for name, text in said.items():
        tally.add(f"fault: {name}", 1, int(bool(text)), [f"fault: {name}: {text}"] if text else [])


def try_inputs(tally: Tally, count: int) -> None:
    """Feed mutated inputs of all kinds, each kind in two parts with seeds of their own."""
    parts = {name: ceil(count * share / JOBS) for name, share in INPUTS.items()}
    work = [(name, part, seed) for name, part in parts.items() for seed in range(JOBS)]
    results = _in_workers("mutated inputs", feed, work)
    for (name, _, _), (tried, failed, told) in zip(work, results, strict=True):
        tally.add(f"inputs: {name.replace('_', ' ')}", tried, failed, told)


def try_classes(tally: Tally, quick: bool) -> None:
    """Try the cases of all classes, in parts."""
    import adversary_classes

    work = adversary_classes.parts(quick)
    results = _in_workers("classes", adversary_classes.campaign, work)
    for (name, _, _), (tried, failed, told) in zip(work, results, strict=True):
        tally.add(name, tried, failed, told)


def feed(module: str, count: int, seed: int) -> tuple[int, int, list[str]]:
    """Run one campaign of mutated inputs; return how many were tried and failed, and which."""
    with own_domain():
        tried, failed, told = import_module(module).campaign(count, seed)
    return tried, failed, list(told)


def _in_workers(label: str, work: Callable[..., Any], arguments: list[tuple[Any, ...]]) -> list:
    """Return ``work(*each)`` for each of ``arguments``, in their order, and show the progress."""
    progress = Progress(label)
    with Workers(JOBS) as workers:
        futures = workers.submit(work, arguments)
        for k, _ in enumerate(as_completed(futures), 1):
            progress.update(k / len(futures))
        results = [result_of(each, "bench adversary") for each in futures]
    progress.close("done")
    return results
