# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Recorded messages in a form that can be compared, bit by bit."""

import numpy as np


def plain(value, without, digits=None):
    """Return a message as nested tuples of bytes and values.

    Args:
        value: message, or a field of one.
        without: names of fields that are left out, such as those of a wall clock.
        digits: to which numbers are rounded; none: they are not.
    """
    if hasattr(value, "__dataclass_fields__"):
        names = [name for name in value.__dataclass_fields__ if name not in without]
        return tuple((name, plain(getattr(value, name), without, digits)) for name in names)
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if isinstance(value, float):
        return np.float64(value if digits is None else np.round(value, digits)).tobytes()
    if isinstance(value, (list, tuple)):
        return tuple(plain(each, without, digits) for each in value)
    return value
