# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The classes of cases beyond the approach: their names, sizes and counts.

A case is a function of seed and number that returns what did not hold, empty if all did:
``./impact shell -- python benchmarks/adversary_classes.py NAME SEED NUMBER`` runs one again, and
``... NAME SEED FIRST LAST`` several.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

from impact_bringup.experiments.domain import own_domain
from impact_trials.processes import check_stopped

SEED = 0


class Kind(NamedTuple):
    """A class of cases."""

    module: str
    function: str  # of the module: what did not hold, of seed and number
    quick: int  # cases of the short form
    whole: int  # and of the full one
    part: int  # cases that a process does in a row
    series: bool = False  # the function counts itself: of count and seed, like ``campaign``


KINDS = {
    "goal_sequences": Kind("adversary_sequences", "case", 300, 1500, 25),
    "moved_while_idle": Kind("adversary_idle", "case", 72, 360, 12),
    "payloads": Kind("adversary_loads", "payload", 24, 120, 8),
    "gains": Kind("adversary_loads", "gain", 24, 150, 12),
    "wrong_geometry": Kind("adversary_geometry", "case", 57, 228, 19),
    "obstacles": Kind("adversary_obstacles", "case", 45, 300, 15),
    "parameter_pairs": Kind("adversary_pairs", "case", 120, 600, 30),
    "two_arm_clocks": Kind("adversary_arms", "case", 25, 125, 5),
    "humanoid_starts": Kind("adversary_humanoid", "case", 40, 240, 10),
    "stale_evidence": Kind("adversary_evidence", "case", 30, 150, 15),
    "mixed": Kind("adversary_mixed", "case", 48, 480, 12),
    "touches": Kind("adversary_touches", "case", 30, 300, 15),
    "governor": Kind("adversary_governor", "case", 60, 600, 20),
    "layered_walls": Kind("layered_walls", "campaign", 100, 500, 100, series=True),
}


def campaign(name: str, first: int, count: int, seed: int = SEED) -> tuple[int, int, list[str]]:
    """Try cases of a class.

    Args:
        name: of the class.
        first: number of the first case.
        count: of cases.
        seed: of all that is drawn.

    Returns:
        How many were tried, how many failed, and these in words.
    """
    kind, failures = KINDS[name], []
    if kind.series:
        return getattr(import_module(kind.module), kind.function)(count, first)
    with own_domain():
        for number in range(first, first + count):
            check_stopped()
            if said := tried(name, seed, number):
                failures.append(f"{name} {seed} {number}: {said}")
    return count, len(failures), failures


def tried(name: str, seed: int, number: int) -> str:
    """Try one case; return what did not hold, or what it raised."""
    kind = KINDS[name]
    case: Callable[[int, int], str] = getattr(import_module(kind.module), kind.function)
    try:
        return case(seed, number)
    except Exception as error:  # of the node: as bad as a wrong answer
        return f"raised {type(error).__name__}: {' '.join(str(error).split())}"


def parts(quick: bool) -> list[tuple[str, int, int]]:
    """Return name, first and count of all parts of a campaign."""
    found = []
    for name, kind in KINDS.items():
        count = kind.quick if quick else kind.whole
        found += [(name, k, min(kind.part, count - k)) for k in range(0, count, kind.part)]
    return found


def main(name: str, seed: int, first: int, last: int | None = None) -> None:
    """Run cases again and say what did not hold."""
    for number in range(first, first + 1 if last is None else last):
        with own_domain():
            print(f"{name} {seed} {number}: {tried(name, seed, number) or 'holds'}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
