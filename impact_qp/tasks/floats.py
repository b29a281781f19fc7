# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Attributes that are float arrays, as compiled functions require."""

from __future__ import annotations

from typing import Any

import numpy as np

from impact_qp.exceptions import ControlError


class Floats:
    """An attribute that is a float array; its first value defines the shape.

    Assigned values are converted, or refused by a :class:`~impact_qp.exceptions.ControlError`.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        """Take the attribute's name."""
        self._name = name

    def __set__(self, instance: Any, value: Any) -> None:
        """Set it; it is read as any other attribute of the instance."""
        known = instance.__dict__
        before = known.get(self._name)
        try:
            array = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            array = None
        if array is None or (before is not None and array.shape != before.shape):
            shape = "" if before is None else f" of shape {before.shape}"
            raise ControlError(f"{self._name}: expected floats{shape}, got {value!r}")
        known[self._name] = array
