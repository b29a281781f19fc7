# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of compiled functions without a look at the types of what they are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Function = TypeVar("Function", bound=Callable[..., object])


def direct(function: Function, *arguments: object) -> Function:
    """Return what runs a function of numba without a look at the types of its arguments.

    numba looks at them in each call, which for tuples of arrays takes some microseconds. What is
    returned does not, and does not notice others either, which may overwrite memory: it is for who
    makes the arguments, each time of the same types, numbers of axes and layouts in memory.

    Args:
        function: made by ``numba.njit``; without a compiler (NUMBA_DISABLE_JIT=1), a plain one.
        *arguments: of the first call, which is made, by position; none: the types of the arguments
            are those of the annotations, see :func:`~impact_robots.compiling.compiled.compiled`.
    """
    if arguments:
        function(*arguments)
    if not hasattr(function, "overloads"):
        return function
    found = list(function.overloads.values())
    if len(found) > 1:
        from numba import typeof  # loads slowly; loaded by whoever has compiled the function

        found = [function.overloads[tuple(map(typeof, arguments))]]
    compiled: Function = found[0].entry_point
    return compiled
