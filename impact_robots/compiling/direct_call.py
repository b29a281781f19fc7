# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of compiled functions without checks of the argument types."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Function = TypeVar("Function", bound=Callable[..., object])


def direct(function: Function, *arguments: object) -> Function:
    """Return a callable for a function of numba that does not check the types of its arguments.

    numba checks them in each call, which for tuples of arrays takes some microseconds. The returned
    callable does not, so wrong types may overwrite memory: the caller must pass the same types,
    numbers of axes and memory layouts each time.

    Args:
        function: made by ``numba.njit``; without a compiler (NUMBA_DISABLE_JIT=1), a plain one.
        *arguments: of the first call, by position, which is executed; without any, the types are
            those of the annotations, see :func:`~impact_robots.compiling.compiled.compiled`.
    """
    if arguments:
        function(*arguments)
    if not hasattr(function, "overloads"):
        return function
    found = list(function.overloads.values())
    if len(found) > 1:
        from numba import typeof  # loads slowly; loaded with every compiled function

        found = [function.overloads[tuple(map(typeof, arguments))]]
    compiled: Function = found[0].entry_point
    return compiled
