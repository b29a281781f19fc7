# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Kinds of arrays in the signatures of compiled functions, for type checkers all plain arrays."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np


class ArrayKind(NamedTuple):
    """Kind of an array argument of a compiled function."""

    axes: int
    written: bool = False
    new: bool = False  # returned: to pass an output array takes a third of the time
    packed: bool = False  # contiguous
    integers: bool = False


Vector = Annotated[np.ndarray, ArrayKind(1)]
Matrix = Annotated[np.ndarray, ArrayKind(2)]
Tensor = Annotated[np.ndarray, ArrayKind(3)]
Integers = Annotated[np.ndarray, ArrayKind(1, integers=True)]
ToVector = Annotated[np.ndarray, ArrayKind(1, written=True)]
ToMatrix = Annotated[np.ndarray, ArrayKind(2, written=True)]
ToIntegers = Annotated[np.ndarray, ArrayKind(1, written=True, integers=True)]
Block = Annotated[np.ndarray, ArrayKind(1, written=True, packed=True)]  # of several arrays
NewVector = Annotated[np.ndarray, ArrayKind(1, new=True)]
NewMatrix = Annotated[np.ndarray, ArrayKind(2, new=True)]
NewTensor = Annotated[np.ndarray, ArrayKind(3, new=True)]
