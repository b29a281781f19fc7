# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Compiles the inner loops of a control cycle, by numba: before the first cycle, never within one.

A file of compiled functions is compiled when it is first imported, some seconds, and loaded from
its cache from then on. So import it where a controller is made. Its types are written down; what is
called with others raises a TypeError and compiles nothing. With the environment variable
``NUMBA_DISABLE_JIT=1`` the same functions run as plain Python.

The cache of a file is renewed when the file changes, and does not see others; see
:func:`version_of`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any
from zlib import crc32

from numba import boolean, float64, int64, njit, types

NUMBER, INTEGER, TRUTH, NOTHING = float64, int64, boolean, types.void
VECTOR = types.Array(float64, 1, "A", readonly=True)  # any, to be read
MATRIX = types.Array(float64, 2, "A", readonly=True)
TENSOR = types.Array(float64, 3, "A", readonly=True)
INTEGERS = types.Array(int64, 1, "A", readonly=True)
TO_VECTOR, TO_MATRIX, TO_INTEGERS = float64[:], float64[:, :], int64[:]  # to be written to
# Returned; to pass an array to be written to takes a third of the time.
NEW_VECTOR, NEW_MATRIX, NEW_TENSOR = float64[::1], float64[:, ::1], float64[:, :, ::1]
several = types.Tuple

part = njit(error_model="numpy", forceinline=True)  # of compiled functions


def compiled(result: Any, *arguments: Any) -> Callable[[Any], Any]:
    """Return the decorator that compiles a function for arguments of these types."""
    return njit(result(*arguments), cache=True, error_model="numpy", forceinline=True)


def version_of(*modules: ModuleType) -> int:
    """Return a number that changes with the files of modules, for who calls compiled parts of them.

    What is compiled within a function that takes this number, and uses it, has it in the key of its
    cache.
    """
    number = 0
    for module in modules:
        number = crc32(Path(str(module.__file__)).read_bytes(), number)
    return number
