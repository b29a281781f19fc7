# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Times several functions in turns, so that a disturbance affects all of them."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from time import perf_counter

import numpy as np

Work = Callable[[], object]


def times(works: Mapping[str, Work], *, rounds: int = 200, calls: int = 20) -> dict[str, float]:
    """Return the time of one call of each function [s], the median over the rounds.

    Args:
        works: functions without arguments, by name.
        rounds: how often to go around.
        calls: of each function per round, timed together.
    """
    samples: dict[str, list[float]] = {name: [] for name in works}
    gc.disable()
    try:
        for _ in range(rounds):
            for name, work in works.items():
                start = perf_counter()
                for _ in range(calls):
                    work()
                samples[name].append((perf_counter() - start) / calls)
    finally:
        gc.enable()
    return {name: float(np.median(values)) for name, values in samples.items()}
